"""The auction at the keyboard: sales are typed as they are made, and every player who comes up gets a limit."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from stratagem.cli.draft_files import KeptDraft
from stratagem.errors import OptionError, ParseError
from stratagem.fantasy.auction import Auction, Sale, advise_bid, advise_nomination, learn_market
from stratagem.fantasy.presets import Setup, kept_players
from stratagem.fantasy.table import find_item
from stratagem.numbers import whole

VERSION = 1
HELP = """type the name of whoever is up (any clear part of it) for advice, then `sold TEAM PRICE`; or:
  sold NAME, TEAM, PRICE   a sale in one line
  nominate                 whom to nominate
  values [POSITION]        what players should fetch now
  market                   what the prices so far tell
  teams | roster [TEAM]    budgets, and who has whom
  undo | help | quit"""


def auction_data(auction: Auction, setup: Setup) -> dict[str, Any]:
    """The terms and the sales, as they are saved."""
    items = auction.league.items
    return {
        "auction": VERSION,
        "table": str(setup.table.resolve()),
        "teams": setup.teams,
        "roster": setup.roster,
        "budget": auction.budget,
        "you": setup.you,
        "sales": [[items[s.item].name, s.team + 1, s.price, s.kept] for s in auction.sales],
    }


def save_auction(auction: Auction, setup: Setup, file: Path) -> None:
    """Write the sales whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=file.resolve().parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        json.dump(auction_data(auction, setup), out, indent=1)
    os.replace(temporary, file)


def load_auction(file: Path) -> tuple[Auction, Setup]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data.get("auction") != VERSION:
            raise ParseError(f"{file} is not a saved auction")
        setup = Setup(
            Path(data["table"]),
            teams=data["teams"],
            roster=data["roster"],
            budget=data["budget"],
            you=data["you"],
        )
        auction = Auction(setup.league(), setup.budget)
        for name, team, price, kept in data["sales"]:
            auction = auction.sell(str(name), whole(team) - 1, whole(price), kept=bool(kept))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ParseError(f"{file} cannot be read: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ParseError(f"{file} is not a saved auction: {error}") from None
    return auction, setup


def begin_auction(setup: Setup) -> Auction:
    league = setup.league()
    return Auction.begin(league, setup.budget, kept_players(setup, league))


class LiveAuction(KeptDraft):
    """One auction. Every sale is saved at once."""

    def __init__(self, auction: Auction, setup: Setup, file: Path, as_json: bool) -> None:
        self.auction, self.setup, self.file, self.as_json = auction, setup, file, as_json
        self.team = setup.you - 1
        self.up: int | None = None

    def write(self, file: Path) -> None:
        save_auction(self.auction, self.setup, file)

    @property
    def over(self) -> bool:
        return self.auction.over

    def ask(self) -> str | None:
        if sys.stdin.isatty():
            up = f", {self.auction.league.items[self.up].name} is up" if self.up is not None else ""
            print(f"team {self.auction.nominator + 1} nominates{up}> ", end="", flush=True)
        return sys.stdin.readline() or None

    def obey(self, line: str) -> bool:
        """Do what a line says; True to leave."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if not line:
            return False
        if word in ("quit", "exit"):
            return True
        if word == "help":
            self.say(HELP)
        elif word == "sold":
            self.sold(rest)
        elif word == "undo":
            gone = self.auction.sales[-1] if self.auction.sales else None
            self.become(self.auction.undo())
            assert gone is not None
            self.say(f"took back the sale of {self.auction.league.items[gone.item].name}")
        elif word == "nominate":
            self.nominate()
        elif word == "values":
            self.values(rest.upper())
        elif word == "market":
            self.say("\n".join(learn_market(self.auction).words()), market=learn_market(self.auction).words())
        elif word == "teams":
            self.teams()
        elif word == "roster":
            self.roster(whole(rest) - 1 if rest.isdecimal() else self.team)
        else:
            self.come_up(find_item(self.auction.league.items, line))
        return False

    def become(self, auction: Auction) -> None:
        self.auction, self.up = auction, None
        self.keep()

    def sold(self, text: str) -> None:
        in_one = re.fullmatch(r"(.+),\s*(\d+),\s*(\d+)", text)
        short = re.fullmatch(r"(\d+)[\s,]+(\d+)", text)
        if in_one:
            item, team, price = find_item(self.auction.league.items, in_one[1]), int(in_one[2]), int(in_one[3])
        elif short and self.up is not None:
            item, team, price = self.up, int(short[1]), int(short[2])
        else:
            raise ParseError(f"sold {text!r} is not `sold NAME, TEAM, PRICE`, nor `sold TEAM PRICE` of whoever is up")
        self.become(self.auction.sell(item, team - 1, price))
        name = self.auction.league.items[item].name
        self.say(
            f"{name} to team {team} for {price}; inflation {self.auction.inflation:.2f}",
            item=name,
            team=team,
            price=price,
        )

    def come_up(self, item: int) -> None:
        if item in self.auction.taken:
            raise ParseError(f"{self.auction.league.items[item].name} is sold already")
        self.up = item
        reported = advise_bid(self.auction, self.team, item)
        text = (
            f"{self.auction.league.items[item].name}: value {reported.value:.0f}, likely price {reported.likely:.0f}, "
            f"your most {reported.most}\n{reported.reason}"
        )
        self.say(text, **{**reported.json(), "item": self.auction.league.items[item].name})

    def nominate(self) -> None:
        found = advise_nomination(self.auction, self.team)[:5]
        items = self.auction.league.items
        lines = [
            f"{items[n.item].name:24} {items[n.item].position:5} worth {self.auction.values[n.item]:4.0f}  {n.reason}"
            for n in found
        ]
        self.say("\n".join(lines), nominate=[items[n.item].name for n in found])

    def values(self, position: str) -> None:
        items, values = self.auction.league.items, self.auction.values
        order = sorted(range(len(items)), key=lambda x: -values[x])
        shown = [x for x in order if x not in self.auction.taken and (not position or position in items[x].positions)][
            :15
        ]
        lines = [f"{items[x].name:24} {items[x].position:5} {values[x]:5.1f}" for x in shown]
        self.say("\n".join(lines), values={items[x].name: round(float(values[x]), 1) for x in shown})

    def teams(self) -> None:
        lines = [
            f"team {t + 1:2}  money {self.auction.money(t):4}  most {self.auction.most(t):4}  places {self.auction.left(t):2}"
            for t in range(self.auction.teams)
        ]
        self.say("\n".join(lines), money=[self.auction.money(t) for t in range(self.auction.teams)])

    def roster(self, team: int) -> None:
        if not 0 <= team < self.auction.teams:
            raise OptionError(f"there is no team {team + 1}; teams go from 1 to {self.auction.teams}")
        items = self.auction.league.items
        bought = [s for s in self.auction.sales if s.team == team]
        lines = [f"{items[s.item].name:24} {items[s.item].position:5} {s.price:4}" for s in bought]
        self.say("\n".join(lines) or "nobody yet", roster=[[items[s.item].name, s.price] for s in bought])


def auction_text(auction: Auction) -> str:
    """The end of an auction: each team's line-up, what it paid for the dearest, and what is left."""
    items = auction.league.items
    lines = ["team  line-up  left  dearest"]
    order = sorted(range(auction.teams), key=lambda t: -auction.lineup(t)[0])
    for t in order:
        dear: list[Sale] = sorted((s for s in auction.sales if s.team == t), key=lambda s: -s.price)[:3]
        reported = ", ".join(f"{items[s.item].name} {s.price}" for s in dear)
        lines.append(f"{t + 1:4}  {auction.lineup(t)[0]:7.1f}  {auction.money(t):4}  {reported}")
    return "\n".join(lines)


__all__ = ["LiveAuction", "auction_data", "auction_text", "begin_auction", "load_auction", "save_auction"]
