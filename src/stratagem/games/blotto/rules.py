"""The rules of Colonel Blotto and its family, as plain data: who has how many units, what the fronts are worth to whom,
what a tie does, and what each player wants.

Payoffs of `score` and `lottery` add over the fronts, so that a player's payoff is a table a front (`table`), and against a
mixed opponent only the marginals matter. The payoff of `win` compares totals and does not add: there is no such table,
and asking for one is an error. All comparisons of totals are made on whole numbers, so that ties are ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import IllegalMove, OptionError, ParseError, UnsuitableSearch
from stratagem.numbers import fraction
from stratagem.plans.allocation import Plan, count

OBJECTIVES = ("score", "win", "lottery")
TIES = ("split", "lost", "coin", "first", "second")
MOST_FRONTS = 1000
MOST_UNITS = 100_000
MOST_CELLS = 40_000_000  # of a table of payoffs: slots times both budgets
MOST_TOSSED = 12  # tied fronts whose coins are all tried, 2^12 ways
MOST_POWER = 50  # of a lottery: 100,000 units to this power still are a float
MOST_DIGITS = 20_000  # of a lottery's exact payoff, at worst: fronts times the digits of what one front pays
MOST_DENOMINATOR = 10**60  # that all the values of the fronts share

Values = tuple[Fraction, ...]


def parse_values(text: str | Iterable[float | str | Fraction], name: str = "values") -> Values:
    """What the fronts are worth: decimals or fractions with commas between, or numbers."""
    items = text.split(",") if isinstance(text, str) else list(text)
    if isinstance(text, str) and not text.strip():
        items = []
    if not items:
        raise OptionError(f"{name} are empty: there must be at least one front, such as 1,2,3")
    found = []
    for front, item in enumerate(items):
        try:
            value = fraction(item)
        except ParseError:
            raise OptionError(
                f"{name}: front {front + 1} is worth {item!r}; give a number such as 2, 0.5 or 1/3"
            ) from None
        if value < 0:
            raise OptionError(f"{name}: front {front + 1} is worth {item}; values are 0 or more")
        found.append(value)
    if len(found) > MOST_FRONTS:
        raise OptionError(f"{name} name {len(found)} fronts; up to {MOST_FRONTS} can be played")
    return tuple(found)


class RareTerms(TypedDict, total=False):
    """What is said of few games; see the fields of `Rules`."""

    power: float | str
    disposal: bool
    worth: float | str


@dataclass(frozen=True)
class Rules:
    """One game of the family. Two players can be solved; more can be played."""

    units: tuple[int, ...]  # of each player
    values: tuple[Values, ...]  # of the fronts, for each player
    objectives: tuple[str, ...] = ("score", "score")  # of each player: score, win or lottery
    ties: str = "split"  # a tied front is split, lost, tossed for, or goes to the first or the last of the tied players
    power: Fraction = Fraction(2)  # lottery: x units win with a chance in proportion to x to this power
    disposal: bool = False  # units may stay unspent
    worth: Fraction = Fraction(0)  # of each unspent unit, to its owner
    _cache: dict[str, NDArray[np.float64]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.units) < 2:
            raise OptionError(
                f"units are {','.join(map(str, self.units)) or 'missing'}; give one number a player: 10,8"
            )
        if not (len(self.units) == len(self.values) == len(self.objectives)):
            raise OptionError("units, values and objectives must be given for the same number of players")
        for player, units in enumerate(self.units):
            if not 0 <= units <= MOST_UNITS:
                raise OptionError(f"player {player + 1} has {units} units; budgets go from 0 to {MOST_UNITS}")
        for values in self.values:
            if len(values) != self.fronts:
                raise OptionError(f"there are {self.fronts} values for one player and {len(values)} for another")
            if not values:
                raise OptionError("values are empty: there must be at least one front, such as 1,2,3")
        for objective in self.objectives:
            if objective not in OBJECTIVES:
                raise OptionError(f"objective is {objective!r}; it is one of {', '.join(OBJECTIVES)}")
        if self.ties not in TIES:
            raise OptionError(f"ties is {self.ties!r}; it is one of {', '.join(TIES)}")
        if not 0 < self.power <= MOST_POWER:
            raise OptionError(f"power is {self.power}; it goes from above 0 to {MOST_POWER}")
        if self.worth < 0:
            raise OptionError(f"worth is {self.worth}; an unspent unit is worth 0 or more")
        if self.worth and not self.disposal:
            raise OptionError("unspent units are worth something, but none may stay unspent: allow disposal")
        if self.worth and "win" in self.objectives:
            raise OptionError("unspent units add to a score; with the objective win they have no worth")
        self._check_work()

    def _check_work(self) -> None:
        """Exact payoffs add fractions front by front: their sizes must not make that slow."""
        shared = 1
        for value in {value for values in self.values for value in values}:
            shared = math.lcm(shared, value.denominator)
            if shared > MOST_DENOMINATOR:
                raise OptionError("the values are too fine to be added exactly; give fewer digits")
        if "lottery" in self.objectives:
            digits = max(float(self.power) * math.log10(max(self.units) + 1), 16)
            if digits * self.fronts > MOST_DIGITS:
                raise OptionError(
                    f"a lottery with the power {self.power} over {self.fronts} fronts is too much to compute exactly; give "
                    "a smaller power or fewer fronts"
                )

    @staticmethod
    def of(
        units: Sequence[int],
        values: str | Iterable[float | str | Fraction],
        values_b: str | Iterable[float | str | Fraction] | None = None,
        objective: str = "score",
        ties: str = "split",
        *,
        objective_b: str | None = None,
        **terms: Unpack[RareTerms],
    ) -> Rules:
        """Rules from what people write; values and the objective are common unless player B has its own."""
        power, worth = terms.get("power", 2), terms.get("worth", 0)
        players = len(units)
        first = parse_values(values)
        second = parse_values(values_b, "values-b") if values_b else first
        if players != 2 and (values_b or objective_b):
            raise OptionError("values and objectives of a second player need exactly two players")
        if len(second) != len(first):
            raise OptionError(f"values name {len(first)} fronts and values-b {len(second)}; both need the same fronts")
        other = objective_b or objective
        try:
            exponent, each = fraction(power), fraction(worth)
        except ParseError:
            raise OptionError(f"power {power!r} and worth {worth!r} must be numbers") from None
        return Rules(
            units=tuple(units),
            values=(first, second) if players == 2 else (first,) * players,
            objectives=(objective, other) if players == 2 else (objective,) * players,
            ties=ties,
            power=exponent,
            disposal=bool(terms.get("disposal", False)),
            worth=each,
        )

    # -- sizes

    @property
    def fronts(self) -> int:
        return len(self.values[0])

    @property
    def players(self) -> int:
        return len(self.units)

    @property
    def slots(self) -> int:
        """Fronts, and with free disposal one more that holds what is unspent: solvers see exact totals."""
        return self.fronts + self.disposal

    def plans(self, player: int) -> int:
        """How many plans a player has."""
        return count(self.units[player], self.slots)

    def most(self, player: int) -> float:
        """The largest payoff that a player can have."""
        if self.objectives[player] == "win":
            return 1.0
        return float(sum(self.values[player]) + self.worth * self.units[player])

    @property
    def additive(self) -> bool:
        """Whether every player's payoff adds over the fronts."""
        return "win" not in self.objectives

    def needs_two(self) -> None:
        if self.players != 2:
            raise UnsuitableSearch(
                f"a game of {self.players} players has no solver here; two players can be solved, more can play"
            )

    # -- plans as text

    def parse_plan(self, text: str, player: int) -> Plan:
        """The units on each front, `3,4,5`; what is missing to the budget stays unspent where that is allowed."""
        return self.check_plan(self.read_plan(text, player), player)

    def read_plan(self, text: str, player: int) -> Plan:
        """The units on each front whatever their sum, for a plan that is still being put together."""
        items = [item.strip() for item in text.split(",")]
        if not all(item.isascii() and item.isdigit() and len(item) < 10 for item in items):
            raise ParseError(
                f"{text!r} is no allocation; write the units on each front with commas: {self.example(player)}"
            )
        if len(items) != self.fronts:
            return self.check_plan([int(item) for item in items], player)  # which says how many there are
        return tuple(int(item) for item in items)

    def check_plan(self, plan: Sequence[int], player: int) -> Plan:
        shown = ",".join(map(str, plan))
        if len(plan) != self.fronts:
            raise IllegalMove(f"allocation {shown} names {len(plan)} fronts; there are {self.fronts}")
        if min(plan) < 0:
            raise IllegalMove(f"allocation {shown} has a front with {min(plan)} units; there are 0 or more")
        spent, units = sum(plan), self.units[player]
        if spent > units or (spent < units and not self.disposal):
            must = "at most" if self.disposal else "exactly"
            raise IllegalMove(f"allocation {shown} adds up to {spent} units; it must be {must} {units}")
        return tuple(int(x) for x in plan)

    def example(self, player: int) -> str:
        """A plain plan: the units in proportion to the values."""
        return ",".join(map(str, self.proportional(player)))

    def proportional(self, player: int) -> Plan:
        """The units in proportion to the values, rounded by largest remainders."""
        values, units = self.values[player], self.units[player]
        total = sum(values)
        shares = [v * units / total if total else Fraction(units, self.fronts) for v in values]
        plan = [math.floor(share) for share in shares]
        order = sorted(range(self.fronts), key=lambda i: (plan[i] - shares[i], i))
        for i in order[: units - sum(plan)]:
            plan[i] += 1
        return tuple(plan)

    def full(self, plan: Sequence[int], player: int) -> Plan:
        """A plan with the slot of unspent units, where there is one."""
        return (*plan, self.units[player] - sum(plan)) if self.disposal else tuple(plan)

    # -- one battle

    def tied(self, plans: Sequence[Plan]) -> list[tuple[int, tuple[int, ...]]]:
        """The fronts on which the largest allocation is shared, and by whom."""
        found = []
        for front in range(self.fronts):
            placed = [plan[front] for plan in plans]
            top = tuple(p for p, x in enumerate(placed) if x == max(placed))
            if len(top) > 1:
                found.append((front, top))
        return found

    def share(self, placed: Sequence[int], player: int, tossed: int | None = None) -> Fraction:
        """The part of a front that a player takes; `tossed` is who won the coin where one was needed."""
        most = max(placed)
        top = [p for p, x in enumerate(placed) if x == most]
        if len(top) == 1:
            return Fraction(int(top[0] == player))
        if self.ties == "lost":
            return Fraction(0)
        if self.ties == "first":
            return Fraction(int(top[0] == player))
        if self.ties == "second":
            return Fraction(int(top[-1] == player))
        if self.ties == "coin" and tossed is not None:
            return Fraction(int(tossed == player))
        return Fraction(int(player in top), len(top))

    def contest(self, placed: Sequence[int], player: int) -> Fraction:
        """The part of a front that x units take in a lottery: x^r in proportion; equal parts where nobody is there."""
        if not any(placed):
            return Fraction(1, len(placed))
        if self.power.denominator == 1:
            weights = [Fraction(x) ** int(self.power) for x in placed]
        else:
            weights = [Fraction(float(x) ** float(self.power)) for x in placed]
        return weights[player] / sum(weights)

    def totals(self, plans: Sequence[Plan], tosses: dict[int, int] | None = None) -> tuple[Fraction, ...]:
        """What each player scores, winner takes all; `tosses` says who won the coin on tied fronts."""
        tosses = tosses or {}
        found = []
        for player in range(self.players):
            score = self.worth * (self.units[player] - sum(plans[player]))
            for front in range(self.fronts):
                placed = [plan[front] for plan in plans]
                score += self.values[player][front] * self.share(placed, player, tosses.get(front))
            found.append(score)
        return tuple(found)

    def payoffs(self, plans: Sequence[Plan], tosses: dict[int, int] | None = None) -> tuple[Fraction, ...]:
        """Each player's payoff, the expected one where coins are still to be tossed."""
        if tosses is None and self.ties == "coin" and "win" in self.objectives:
            tied = self.tied(plans)
            if len(tied) > MOST_TOSSED:
                raise UnsuitableSearch(f"{len(tied)} tied fronts are too many to try all their coins")
            ways = list(product(*(who for _, who in tied)))
            fronts = [front for front, _ in tied]
            weight = Fraction(1, len(ways))
            mean = [Fraction(0)] * self.players
            for way in ways:
                for player, x in enumerate(self.payoffs(plans, dict(zip(fronts, way, strict=True)))):
                    mean[player] += weight * x
            return tuple(mean)
        totals = self.totals(plans, tosses)
        winners = [p for p, x in enumerate(totals) if x == max(totals)]
        found = []
        for player, objective in enumerate(self.objectives):
            if objective == "score":
                found.append(totals[player])
            elif objective == "win":
                found.append(Fraction(int(player in winners), len(winners)))
            else:
                unspent = self.worth * (self.units[player] - sum(plans[player]))
                parts = (
                    self.values[player][i] * self.contest([plan[i] for plan in plans], player)
                    for i in range(self.fronts)
                )
                found.append(sum(parts, unspent))
        return tuple(found)

    # -- tables for solvers: two players

    def table(self, player: int) -> NDArray[np.float64]:
        """[slots, units of A + 1, units of B + 1]: what a slot pays a player when A has x and B has y units there."""
        key = f"table {player}"
        if key not in self._cache:
            self.needs_two()
            if self.objectives[player] == "win":
                raise UnsuitableSearch(
                    "the objective win does not add over the fronts, so there is no table a front; "
                    "its best replies come from enumeration or a mixed-integer program"
                )
            self._cache[key] = self._lottery(player) if self.objectives[player] == "lottery" else self.scores(player)
        return self._cache[key]

    def scores(self, player: int) -> NDArray[np.float64]:
        """The table of the winner-takes-all score, whatever the objective; a coin counts by its mean."""
        self._fits()
        x = np.arange(self.units[0] + 1)[:, None]
        y = np.arange(self.units[1] + 1)[None, :]
        own, other = (x, y) if player == 0 else (y, x)
        return self._slotted((own > other) + self.tie_share(player) * (own == other), player)

    def tie_share(self, player: int) -> float:
        """The part of a tied front that goes to one of two players, on average."""
        shares = {"split": 0.5, "coin": 0.5, "lost": 0.0, "first": float(player == 0), "second": float(player == 1)}
        return shares[self.ties]

    def _fits(self) -> None:
        cells = self.slots * (self.units[0] + 1) * (self.units[1] + 1)
        if cells > MOST_CELLS:
            raise UnsuitableSearch(
                f"{self.units[0]} and {self.units[1]} units on {self.slots} fronts need a table of {cells} cells; up to "
                f"{MOST_CELLS} fit"
            )

    def _lottery(self, player: int) -> NDArray[np.float64]:
        self._fits()
        weights = [np.arange(u + 1, dtype=float) ** float(self.power) for u in self.units]
        x, y = weights[0][:, None], weights[1][None, :]
        own = x if player == 0 else y
        with np.errstate(invalid="ignore"):
            unit = np.where(x + y > 0, own / (x + y), 0.5)
        return self._slotted(unit, player)

    def _slotted(self, unit: NDArray[np.float64], player: int) -> NDArray[np.float64]:
        values = np.array([float(v) for v in self.values[player]])
        tables = values[:, None, None] * unit
        if self.disposal:
            kept = float(self.worth) * np.arange(self.units[player] + 1)
            slot = np.broadcast_to(kept[:, None] if player == 0 else kept[None, :], unit.shape)
            tables = np.concatenate([tables, slot[None]])
        return np.ascontiguousarray(tables)

    @cached_property
    def whole_values(self) -> NDArray[np.int64]:
        """[players, fronts]: the values times one number that makes them, and their halves, whole."""
        scale = 2 * math.lcm(*(v.denominator for values in self.values for v in values))
        whole = [[int(v * scale) for v in values] for values in self.values]
        if max(sum(row) for row in whole) > 2**52:
            raise OptionError("the values are too fine to compare totals exactly; give fewer digits")
        return np.array(whole, np.int64)

    def exact_front(self, player: int, front: int, x: int, y: int) -> Fraction:
        """One entry of `table` as a fraction."""
        if front == self.fronts:
            return self.worth * (x, y)[player]
        rule = self.contest if self.objectives[player] == "lottery" else self.share
        return self.values[player][front] * rule((x, y), player)
