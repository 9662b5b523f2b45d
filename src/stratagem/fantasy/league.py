"""A league: teams, the slots of a roster, the order of the picks; and a draft in it as a value.

A roster's slots are written `QB:1,RB:2,WR:2,TE:1,FLEX:1,K:1,DST:1,BENCH:6`; a slot that takes several positions is
`RB/WR:1`, FLEX means RB/WR/TE and SUPERFLEX QB/RB/WR/TE. An item is legal for a team if its roster can still be completed:
a matching of what it holds to the starting slots leaves no more of them open than it has picks left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from stratagem.errors import IllegalMove, OptionError, ParseError, UnknownName
from stratagem.fantasy import engine
from stratagem.fantasy.table import Item, find_item
from stratagem.numbers import whole
from stratagem.plans.draft import ORDERS

SLOTS = "QB:1,RB:2,WR:2,TE:1,FLEX:1,K:1,DST:1,BENCH:6"
FLEX = {
    "FLEX": ("RB", "WR", "TE"),
    "SUPERFLEX": ("QB", "RB", "WR", "TE"),
    "OF": ("OF", "LF", "CF", "RF"),
    "CI": ("1B", "3B"),
    "MI": ("2B", "SS"),
    "P": ("P", "SP", "RP"),
    "G": ("G", "PG", "SG"),
    "F": ("F", "SF", "PF"),
    "UTIL": ("UTIL", "C", "1B", "2B", "3B", "SS", "OF", "LF", "CF", "RF", "DH", "PG", "SG", "SF", "PF", "G", "F"),
}
BENCH = ("BENCH", "BN")


def parse_slots(text: str) -> tuple[tuple[tuple[str, ...], ...], int]:
    """The starting slots, each with the positions it takes, and the number of bench places."""
    slots: list[tuple[str, ...]] = []
    bench = 0
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, colon, number = part.partition(":")
        name, number = name.strip().upper(), number.strip() or "1"
        if not name or (colon and not number.isdecimal()) or whole(number) > 40:
            raise ParseError(f"slot {part!r} is not NAME:NUMBER, such as RB:2, RB/WR:1, FLEX:1 or BENCH:6")
        if name in BENCH:
            bench += whole(number)
        else:
            slots += [FLEX.get(name) or tuple(filter(None, name.split("/")))] * whole(number)
    if not slots:
        raise ParseError(f"roster {text!r} has no starting slot")
    if len(slots) > engine.MOST_SLOTS:
        raise ParseError(f"roster {text!r} has {len(slots)} starting slots; at most {engine.MOST_SLOTS} can be handled")
    return tuple(slots), bench


@dataclass(frozen=True)
class League:
    """Everything that is fixed before the draft."""

    items: tuple[Item, ...]
    teams: int = 12
    slots: str = SLOTS
    kind: str = "snake"  # of the order: snake, round-robin (linear), third-round-reversal
    trades: Mapping[int, int] = field(default_factory=dict, hash=False)  # overall pick (from 0) -> team that has it now
    keepers: Mapping[int, int] = field(default_factory=dict, hash=False)  # overall pick (from 0) -> item kept with it
    limits: Mapping[str, int] = field(default_factory=dict, hash=False)  # most of a position that a team may hold
    explicit: tuple[int, ...] | None = None  # the whole order, instead of `kind`
    bench_share: float = engine.BENCH_SHARE  # of its points, what a player on the bench is worth; more in best ball

    def __post_init__(self) -> None:
        if not 1 <= self.teams <= 40:
            raise OptionError(f"a league of {self.teams} teams cannot be drafted; 1 to 40 can")
        if self.kind not in ORDERS:
            raise UnknownName("order", self.kind, ORDERS)
        for turn, team in self.trades.items():
            if not 0 <= turn < self.turns:
                raise OptionError(f"there is no pick {turn + 1} to trade; picks go from 1 to {self.turns}")
            if not 0 <= team < self.teams:
                raise OptionError(f"pick {turn + 1} is traded to team {team + 1}; teams go from 1 to {self.teams}")
        for position in self.limits:
            if position not in self.positions:
                raise UnknownName("position in limits", position, self.positions)
        for slot in self.starters:
            for position in slot:
                if len(slot) == 1 and position not in self.positions:
                    raise OptionError(
                        f"the roster has a slot for {position}, but no item of the table plays {position}"
                    )
        if len(self.items) < self.turns:
            raise OptionError(f"the draft has {self.turns} picks, but the table only {len(self.items)} items")
        self._check_supply()

    def _check_supply(self) -> None:
        """Hall's condition: any set of starting slots needs as many items that fit one of them."""
        kinds = sorted(set(self.starters))
        for size in range(1, len(kinds) + 1):
            for chosen in combinations(kinds, size):
                takes = {p for slot in chosen for p in slot}
                needed = self.teams * sum(1 for slot in self.starters if slot in chosen)
                there = sum(1 for item in self.items if takes & set(item.positions))
                if there < needed:
                    raise OptionError(
                        f"the rosters cannot be completed: {self.teams} teams start {needed} of "
                        f"{'/'.join(sorted(takes))}, and the table has {there}"
                    )
        for team in range(self.teams):
            turns = sum(1 for t in self.order if t == team)
            if turns < len(self.starters):
                raise OptionError(
                    f"team {team + 1} cannot complete its roster: it has {turns} picks for {len(self.starters)} starting slots"
                )

    @cached_property
    def starters(self) -> tuple[tuple[str, ...], ...]:
        """The positions that may fill each starting slot."""
        return parse_slots(self.slots)[0]

    @cached_property
    def rounds(self) -> int:
        """The number of rounds: the starting slots and the bench."""
        slots, bench = parse_slots(self.slots)
        return len(slots) + bench

    @property
    def turns(self) -> int:
        """The number of picks of the whole draft."""
        return self.teams * self.rounds if self.explicit is None else len(self.explicit)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The team of each pick, trades included."""
        if self.explicit is not None:
            for turn, team in enumerate(self.explicit):
                if not 0 <= team < self.teams:
                    raise OptionError(
                        f"pick {turn + 1} of the order names team {team + 1}; teams go from 1 to {self.teams}"
                    )
        order = list(self.explicit or ORDERS[self.kind](self.teams, self.turns))
        for turn, team in self.trades.items():
            order[turn] = team
        return tuple(order)

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """All positions that players of the table have, in alphabetical order."""
        return tuple(sorted({p for item in self.items for p in item.positions}))

    # -- worth

    @cached_property
    def replacement(self) -> dict[str, float]:
        """Points of the best item of each position that is left when all teams' starting slots are filled by points.

        Slots that take one position fill first, then those that take more, as all teams together would fill them.
        """
        return self._best_of(self._beyond_starters)

    @cached_property
    def waiver(self) -> dict[str, float]:
        """Points of the best item of each position that is left when the benches are full too.

        Benches are filled with what is best over replacement among the positions that slots for several positions take.
        """
        left = self._beyond_starters
        several = {p for slot in self.starters if len(slot) > 1 for p in slot} or set(self.positions)
        fitting = [x for x in left if several & set(self.items[x].positions)]
        over = {x: self.items[x].points - min(self.replacement[p] for p in self.items[x].positions) for x in fitting}
        places = self.teams * (self.rounds - len(self.starters))
        benched = set(sorted(fitting, key=lambda x: -over[x])[:places])
        return self._best_of([x for x in left if x not in benched])

    @cached_property
    def _beyond_starters(self) -> list[int]:
        left = sorted(range(len(self.items)), key=lambda x: -self.items[x].points)
        for slot in sorted(self.starters, key=len):
            fitting = {x for x in left if set(self.items[x].positions) & set(slot)}
            started = set([x for x in left if x in fitting][: self.teams])
            left = [x for x in left if x not in started]
        return left

    def _best_of(self, left: list[int]) -> dict[str, float]:
        """The points of the best item of each position in a list, or where none is left of the worst item there is."""
        found = {}
        for position in self.positions:
            rest = [self.items[x].points for x in left if position in self.items[x].positions]
            found[position] = max(rest, default=min(i.points for i in self.items if position in i.positions))
        return found

    @cached_property
    def vor(self) -> tuple[float, ...]:
        """Value over replacement of each item, at its best position."""
        return tuple(item.points - min(self.replacement[p] for p in item.positions) for item in self.items)

    # -- text

    def pick_name(self, turn: int) -> str:
        """Return the name of a pick, such as `3.05`: round 3, fifth pick.

        Args:
            turn: the number of the pick in the draft, from 0.
        """
        return f"{turn // self.teams + 1}.{turn % self.teams + 1:02d}"

    def json(self) -> dict[str, Any]:
        """Return the terms of the league as data, without its players."""
        return {
            "teams": self.teams,
            "slots": self.slots,
            "order": self.kind if self.explicit is None else [team + 1 for team in self.explicit],
            "bench_share": self.bench_share,
            "trades": {str(t + 1): team + 1 for t, team in self.trades.items()},
            "keepers": {str(t + 1): self.items[x].name for t, x in self.keepers.items()},
            "limits": dict(self.limits),
        }

    # -- arrays

    @cached_property
    def arrays(self) -> engine.Rules:
        """The league as arrays, for the compiled engine."""
        return engine.Rules.of(self)


@dataclass(frozen=True)
class Room:
    """A draft in progress, as a value: the league and the picks made so far."""

    league: League
    picks: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.picks:
            object.__setattr__(self, "picks", self._kept(()))

    def _kept(self, picks: tuple[int, ...]) -> tuple[int, ...]:
        """Picks that keepers make by themselves."""
        while len(picks) in self.league.keepers and len(picks) < self.league.turns:
            picks = (*picks, self.league.keepers[len(picks)])
        return picks

    @property
    def turn(self) -> int:
        """The number of the next pick in the draft, from 0."""
        return len(self.picks)

    @property
    def over(self) -> bool:
        """Whether all picks are made."""
        return self.turn >= self.league.turns

    @property
    def team(self) -> int:
        """Whose pick it is."""
        return self.league.order[self.turn]

    @cached_property
    def taken(self) -> frozenset[int]:
        """The players that nobody can take any more, by their numbers, keepers included."""
        return frozenset(self.picks) | frozenset(self.league.keepers.values())

    def roster(self, team: int) -> list[int]:
        """What a team holds; keepers from the start."""
        held = {**dict(enumerate(self.picks)), **self.league.keepers}
        return [x for t, x in held.items() if self.league.order[t] == team]

    def next_turn(self, team: int, after: int | None = None) -> int | None:
        """The next pick of a team after the one on the clock."""
        begin = self.turn + 1 if after is None else after + 1
        return next(
            (
                t
                for t in range(begin, self.league.turns)
                if self.league.order[t] == team and t not in self.league.keepers
            ),
            None,
        )

    @cached_property
    def board(self) -> engine.RoomBoard:
        """The room as arrays, for the compiled engine."""
        return engine.RoomBoard.of(self)

    def legal(self, team: int | None = None) -> list[int]:
        """The free items with which a team can still complete its roster; all free ones if none can do that any more."""
        if self.over:
            return []
        fitting = self.board.legal(self.team if team is None else team, self.league.arrays)
        return fitting or [x for x in range(len(self.league.items)) if x not in self.taken]

    def apply(self, item: int | str) -> Room:
        """The draft after the next pick."""
        if self.over:
            raise IllegalMove(f"the draft is over after {self.league.turns} picks")
        items = self.league.items
        x = find_item(items, item) if isinstance(item, str) else item
        if x in self.taken:
            if x in self.picks:
                turn = self.picks.index(x)
                by = f"taken already, at {self.league.pick_name(turn)} by team {self.league.order[turn] + 1}"
            else:
                by = "kept by its team"
            raise IllegalMove(f"{items[x].name} is {by}")
        if x not in self.legal():
            raise IllegalMove(f"team {self.team + 1} cannot take {items[x].name} ({items[x].position}): {self._why(x)}")
        return Room(self.league, self._kept((*self.picks, x)))

    def _why(self, x: int) -> str:
        team = self.team
        roster = self.roster(team)
        for position in self.league.items[x].positions:
            limit = self.league.limits.get(position)
            if limit is not None and sum(position in self.league.items[y].positions for y in roster) >= limit:
                return f"it holds {limit} {position} already, the most allowed"
        return f"its last {int(self.board.left[team])} picks must fill {', '.join(self.open_slots(team))}"

    def undo(self) -> Room:
        """The draft before the last pick; keepers are not undone."""
        picks = list(self.picks)
        while picks and len(picks) - 1 in self.league.keepers:
            picks.pop()
        if not picks:
            raise IllegalMove("there is no pick to undo")
        return Room(self.league, tuple(picks[:-1]))

    def replace(self, turn: int, item: int | str) -> Room:
        """The draft with one earlier pick corrected; later picks stay."""
        if not 0 <= turn < self.turn:
            raise IllegalMove(f"pick {turn + 1} has not been made; picks 1 to {self.turn} have")
        corrected = Room(self.league, self.picks[:turn]).apply(item)
        for x in self.picks[len(corrected.picks) :]:
            corrected = corrected.apply(x)
        return corrected

    def open_slots(self, team: int) -> list[str]:
        """The starting slots that a team's items leave open."""
        filled = self.board.slot_item[team] >= 0
        return ["/".join(slot) for slot, full in zip(self.league.starters, filled, strict=True) if not full]

    def lineup(self, team: int) -> tuple[float, dict[int, int]]:
        """A team's best starting line-up: its points, and the item in each slot by number."""
        return self.league.arrays.lineup(self.roster(team))


def parse_limits(text: str) -> dict[str, int]:
    """`QB:2,K:1` as a mapping."""
    limits = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = part.partition(":")
        if not number.strip().isdecimal():
            raise ParseError(f"limit {part!r} is not POSITION:NUMBER, such as QB:2")
        limits[name.strip().upper()] = whole(number)
    return limits


def parse_pick(text: str, teams: int) -> int:
    """`3.05` (round and place) or `29` (overall) as the number of the pick, from 0."""
    first, dot, second = text.strip().partition(".")
    if not first.isdecimal() or (dot and not second.isdecimal()):
        raise ParseError(f"{text!r} is no pick; write 3.05 (round and place) or 29 (overall)")
    number, place = whole(first), whole(second) if dot else 0
    if dot and not 1 <= place <= teams:
        raise ParseError(f"pick {text!r} has place {place}; a round has {teams}")
    return (number - 1) * teams + place - 1 if dot else number - 1


def parse_trades(texts: Sequence[str], teams: int) -> dict[int, int]:
    """`3.05=7`: pick 3.05 belongs to team 7."""
    trades = {}
    for text in texts:
        pick, equals, team = text.partition("=")
        if not equals or not team.strip().isdecimal():
            raise ParseError(f"trade {text!r} is not PICK=TEAM, such as 3.05=7")
        trades[parse_pick(pick, teams)] = whole(team) - 1
    return trades


def parse_keepers(texts: Sequence[str], teams: int, items: tuple[Item, ...]) -> dict[int, int]:
    """`5.01=Name`: the team that has pick 5.01 keeps that item with it."""
    keepers: dict[int, int] = {}
    for text in texts:
        pick, equals, name = text.partition("=")
        if not equals:
            raise ParseError(f"keeper {text!r} is not PICK=NAME, such as 5.01=Some Name")
        x = find_item(items, name)
        if x in keepers.values():
            raise ParseError(f"{items[x].name} is kept twice")
        keepers[parse_pick(pick, teams)] = x
    return keepers


__all__ = ["SLOTS", "League", "Room", "parse_keepers", "parse_limits", "parse_pick", "parse_slots", "parse_trades"]
