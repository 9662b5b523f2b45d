"""Leagues as the sites set them up by default: rosters and scoring; and the league file, which people can edit.

A league file is TOML: the table, the preset, and whatever differs from it. `League` is made from it in one place here, so
that the command line, the live draft and the page agree.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stratagem.errors import OptionError, ParseError, StratagemError, UnknownName
from stratagem.fantasy.engine import BENCH_SHARE
from stratagem.fantasy.league import SLOTS, League, parse_keepers, parse_slots, parse_trades
from stratagem.fantasy.scoring import Scoring
from stratagem.fantasy.table import Item, find_item, read_table
from stratagem.numbers import whole
from stratagem.plans.draft import ORDERS

# in best ball every week's best line-up counts, so that a bench scores too; a guess, not measured
BEST_BALL_SHARE = 0.25
CATCH = {"standard": 0.0, "half": 0.5, "ppr": 1.0}


@dataclass(frozen=True)
class Preset:
    """What a site gives a new league."""

    name: str
    slots: str
    teams: int
    scoring: Scoring
    column: str = "half"  # which column of a file with several scorings: standard, half, ppr or superflex
    best_ball: bool = False
    summary: str = ""


def _football() -> dict[str, Preset]:
    sites = {
        # site: roster, teams, points of an interception
        "espn": ("QB:1,RB:2,WR:2,TE:1,FLEX:1,K:1,DST:1,BENCH:7", 10, -2.0),
        "yahoo": ("QB:1,RB:2,WR:2,TE:1,FLEX:1,K:1,DST:1,BENCH:6", 10, -1.0),
        "sleeper": ("QB:1,RB:2,WR:2,TE:1,FLEX:2,K:1,DST:1,BENCH:5", 12, -1.0),
        "fantasypros": ("QB:1,RB:2,WR:2,TE:1,FLEX:1,K:1,DST:1,BENCH:6", 12, -2.0),
    }
    found = {}
    for site, (slots, teams, interception) in sites.items():
        for name, catch in CATCH.items():
            scoring = Scoring(catch=catch, interception=interception)
            words = {0.0: "no points", 0.5: "half a point", 1.0: "a point"}[catch]
            found[f"{site}-{name}"] = Preset(
                f"{site}-{name}", slots, teams, scoring, name, summary=f"{site}, {words} a reception"
            )
        full = Scoring(catch=1.0 if site != "yahoo" else 0.5, interception=interception)
        superflex = slots.replace(",K:1", ",SUPERFLEX:1,K:1")
        found[f"{site}-superflex"] = Preset(
            f"{site}-superflex", superflex, teams, full, "superflex", summary=f"{site}, a slot for any of QB/RB/WR/TE"
        )
        two = slots.replace("QB:1", "QB:2")
        found[f"{site}-2qb"] = Preset(f"{site}-2qb", two, teams, full, "superflex", summary=f"{site}, two quarterbacks")
        ball = "QB:1,RB:2,WR:3,TE:1,FLEX:1,BENCH:10"
        found[f"{site}-bestball"] = Preset(
            f"{site}-bestball",
            ball,
            12,
            replace(full, catch=0.5),
            "half",
            True,
            f"{site}, best ball: no kicker, no defence, a long bench",
        )
    return found


def _categories() -> dict[str, Preset]:
    bats = ("r", "hr", "rbi", "sb", "avg", "w", "sv", "k", "so", "era", "whip")
    hoops = ("pts", "reb", "trb", "ast", "stl", "blk", "3pm", "3ptm", "fg%", "ft%", "to")
    baseball = "C:1,1B:1,2B:1,3B:1,SS:1,OF:3,UTIL:1,SP:2,RP:2,P:4,BENCH:5"
    basketball = "PG:1,SG:1,G:1,SF:1,PF:1,F:1,C:2,UTIL:2,BENCH:3"
    found = {}
    for site in ("espn", "yahoo"):
        teams = 10 if site == "espn" else 12
        found[f"{site}-baseball"] = Preset(
            f"{site}-baseball", baseball, teams, Scoring(categories=bats), summary=f"{site}, baseball by ten categories"
        )
        found[f"{site}-basketball"] = Preset(
            f"{site}-basketball",
            basketball,
            teams,
            Scoring(categories=hoops),
            summary=f"{site}, basketball by nine categories",
        )
    return found


PRESETS = {**_football(), **_categories()}


def preset_of(name: str) -> Preset:
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return PRESETS[name]


# ---------------------------------------------------------------------------------------------------------- league file


@dataclass(frozen=True)
class Setup:
    """A league as its file says it, before the table is read."""

    table: Path
    preset: str = ""
    teams: int = 12
    roster: str = SLOTS
    order: str | tuple[int, ...] = "snake"  # or the team of every pick, from 1
    you: int = 1
    opponents: str = "learnt"
    budget: int = 0  # of an auction; 0: the draft is by turns
    names: tuple[str, ...] = ()  # of the teams
    trades: Mapping[str, int] = field(default_factory=dict, hash=False)  # pick -> team, from 1
    keepers: Mapping[str, str] = field(default_factory=dict, hash=False)  # pick -> name
    kept: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)  # auction: team -> name -> price
    limits: Mapping[str, int] = field(default_factory=dict, hash=False)
    best_ball: bool = False

    def league(self, items: tuple[Item, ...] | None = None) -> League:
        """The league, with its table read (unless it is given) and everything in it checked."""
        items = read_table(self.table) if items is None else items
        if not 1 <= self.teams <= 40:
            raise OptionError(f"a league of {self.teams} teams cannot be drafted; 1 to 40 can")
        if not 1 <= self.you <= self.teams:
            raise OptionError(f"there is no team {self.you} for you; teams go from 1 to {self.teams}")
        explicit = None if isinstance(self.order, str) else tuple(team - 1 for team in self.order)
        kind = self.order if isinstance(self.order, str) else "snake"
        return League(
            items,
            self.teams,
            self.roster,
            kind,
            parse_trades([f"{pick}={team}" for pick, team in self.trades.items()], self.teams),
            parse_keepers([f"{pick}={name}" for pick, name in self.keepers.items()], self.teams, items),
            dict(self.limits),
            explicit,
            BEST_BALL_SHARE if self.best_ball else BENCH_SHARE,
        )

    def team_names(self) -> list[str]:
        return [self.names[k] if k < len(self.names) else f"Team {k + 1}" for k in range(self.teams)]

    def text(self) -> str:
        """The file, with words for whoever edits it."""
        out = io.StringIO()
        say = out.write
        say(
            "# A league of `stratagem draft`. Edit it freely: a mistake is reported with its name when the file is read.\n"
        )
        say(f"table = {_quoted(str(self.table))}  # players; made by: stratagem draft import\n")
        if self.preset:
            say(f"preset = {_quoted(self.preset)}  # where roster and scoring came from; what follows counts\n")
        say(f"teams = {self.teams}\n")
        say(f"you = {self.you}  # your place in the first round, from 1\n")
        say(f"roster = {_quoted(self.roster)}\n")
        if isinstance(self.order, str):
            say(
                f"order = {_quoted(self.order)}  # {', '.join(ORDERS)}; or the team of every pick: [1, 2, 3, 3, 2, 1]\n"
            )
        else:
            say(f"order = {list(self.order)}\n")
        say(f"opponents = {_quoted(self.opponents)}  # learnt (from their picks), adp, vor, need, slots or points\n")
        say(f"budget = {self.budget}  # of an auction, 200 say; 0: picks by turns\n")
        say(f"best_ball = {str(self.best_ball).lower()}  # the best line-up of every week counts by itself\n")
        say(f"names = [{', '.join(map(_quoted, self.names))}]  # of the teams, in order\n")
        say('\n[trades]  # a pick that was traded, and the team that has it now: "3.05" = 7\n')
        say("".join(f"{_quoted(str(pick))} = {team}\n" for pick, team in self.trades.items()))
        say('\n[keepers]  # a player kept with a pick: "5.01" = "Some Name"\n')
        say("".join(f"{_quoted(str(pick))} = {_quoted(name)}\n" for pick, name in self.keepers.items()))
        say("\n[limits]  # the most of a position that a team may hold: QB = 2\n")
        say("".join(f"{position} = {most}\n" for position, most in self.limits.items()))
        for team, players in self.kept.items():
            say(f"\n[kept.{_quoted(team)}]  # in an auction: players kept by this team, with what they cost\n")
            say("".join(f"{_quoted(name)} = {price}\n" for name, price in players.items()))
        return out.getvalue()


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


KINDS: dict[str, tuple[type, ...]] = {
    "table": (str,),
    "preset": (str,),
    "teams": (int,),
    "roster": (str,),
    "order": (str, list),
    "you": (int,),
    "opponents": (str,),
    "budget": (int,),
    "names": (list,),
    "trades": (dict,),
    "keepers": (dict,),
    "kept": (dict,),
    "limits": (dict,),
    "best_ball": (bool,),
}


def read_setup(file: Path) -> Setup:
    """A league file."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ParseError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"{file} is not a league file: {error}") from None
    for name, value in data.items():
        if name not in KINDS:
            raise ParseError(f"{file}: {UnknownName('setting', name, KINDS)}")
        if not isinstance(value, KINDS[name]) or (isinstance(value, bool) and name != "best_ball"):
            wanted = " or ".join(
                {str: "text", int: "a whole number", list: "a list", dict: "a table", bool: "true or false"}[k]
                for k in KINDS[name]
            )
            raise ParseError(f"{file}: {name} is {value!r}; {wanted} would be right")
    try:
        return _checked(file, data)
    except StratagemError as error:
        raise ParseError(f"{file}: {error}") from None


def _checked(file: Path, data: dict[str, Any]) -> Setup:
    if "table" not in data:
        raise ParseError('there is no table; write table = "league.csv"')
    table = Path(data.pop("table"))
    if not table.is_absolute():
        table = file.parent / table
    preset = data.pop("preset", "")
    if preset:
        chosen = preset_of(preset)
        data = {"teams": chosen.teams, "roster": chosen.slots, "best_ball": chosen.best_ball, **data}
    order = data.get("order", "snake")
    if isinstance(order, list):
        if not order or not all(isinstance(team, int) for team in order):
            raise OptionError(f"order is {order!r}; the numbers of teams, from 1, would be right")
        data["order"] = tuple(order)
    elif order not in ORDERS:
        raise UnknownName("order", order, ORDERS)
    for name, kind in (("trades", int), ("keepers", str), ("limits", int)):
        for key, value in data.get(name, {}).items():
            if not isinstance(value, kind):
                wanted = "a whole number" if kind is int else "a name"
                raise OptionError(f"{name}: {key} is {value!r}; {wanted} would be right")
    for team, players in data.get("kept", {}).items():
        if not isinstance(players, dict) or not all(isinstance(price, int) for price in players.values()):
            raise OptionError(f'kept.{team} is not a table of players and prices, such as "Some Name" = 12')
    data["limits"] = {name.upper(): most for name, most in data.get("limits", {}).items()}
    data["names"] = tuple(str(name) for name in data.get("names", ()))
    parse_slots(data.get("roster", SLOTS))
    if data.get("budget", 0) < 0:
        raise OptionError(f"a budget of {data['budget']} buys nobody; 200 is usual, 0 means picks by turns")
    return Setup(table, preset, **data)


def kept_players(setup: Setup, league: League) -> dict[int, dict[int, int]]:
    """An auction's keepers: team (from 0) -> item -> price."""
    found: dict[int, dict[int, int]] = {}
    for team, players in setup.kept.items():
        number = setup.names.index(team) if team in setup.names else whole(team) - 1 if team.isdecimal() else -1
        if not 0 <= number < setup.teams:
            raise OptionError(f"kept: there is no team {team!r}; teams go from 1 to {setup.teams}")
        for name, price in players.items():
            found.setdefault(number, {})[find_item(league.items, name)] = price
    return found
