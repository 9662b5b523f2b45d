"""The one bandit of staged search: a choice among children that are still being proposed.

Rows of one array hold the statistics of the node itself (ALL), of the *phantom*, a child that stands for those not proposed
yet (its statistics are those of the children at their first visits: where it wins, one more is asked for), and of the
children. Choosing is one compiled call. Children whose most hopeful value lies below the least that the best one can be
worth are passed over; the width of the intervals grows with the visits of the node, so that nothing is passed over for ever.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise

Table = NDArray[np.float64]  # [rows, COLUMNS + players]
Constants = NDArray[np.float64]

# columns
VISITS, PENDING, SQUARES, PRIOR, ESTIMATE, SPREAD, CLOSED, LEAVES, COLUMNS = range(
    9
)  # then the sum of each seat's payoffs
# rows
ALL, PHANTOM, CHILDREN = 0, 1, 2
# constants of a choice
EXPLORATION, WIDTH, GRAIN, FACTOR, POWER, OPEN, TRUST, CONSTANTS = range(8)
UNKNOWN = math.inf  # a spread of which nothing is known; what the best reply leaves, where none was seen
SLACK = 1e-6  # how far a payoff may be out of [-1, 1] by rounding
FIRST_ROWS = 4  # of a node; most have few children, and a tree has many nodes
FIRST_UNIT = 0.5  # the unit of values where none were seen to differ yet, in payoffs


def puct(unit: float, prior: float, total: float, visits: float, trials: float) -> float:
    """The bonus of a child by its prior (Silver et al. 2017)."""
    return unit * prior * math.sqrt(total) / (1.0 + visits)


def ucb(unit: float, prior: float, total: float, visits: float, trials: float) -> float:
    """The bonus of a child by its trials alone, in units of the deviation seen (Auer et al. 2002)."""
    return unit * math.sqrt(math.log(1.0 + total) / (trials + 1e-9))


def bonus(unit: float, prior: float, total: float, visits: float, trials: float) -> float:
    """Bound at specialisation: `puct` or `ucb`. A visit may be several trials."""
    return puct(unit, prior, total, visits, trials)


def deviation(rows: Table, k: int, seat: int) -> float:
    """The standard deviation of the payoffs that a row has seen."""
    n = rows[k, VISITS]
    if n < 2.0:
        return 0.0
    mean = rows[k, COLUMNS + seat] / n
    return math.sqrt(max(rows[k, SQUARES] / n - mean * mean, 0.0))


def centre(rows: Table, k: int, seat: int, otherwise: float, trust: float) -> float:
    """What a child is taken to be worth: its mean, the more it was visited the more what the best reply to it leaves; before
    any visit its estimate, without one what is usual here."""
    n = rows[k, VISITS]
    if n > 0.0:
        mean = rows[k, COLUMNS + seat] / n
        if trust > 0.0 and rows[k, LEAVES] < UNKNOWN:
            mean += (1.0 if rows[k, CLOSED] > 0.0 else n / (n + trust)) * (rows[k, LEAVES] - mean)
        return mean
    return rows[k, ESTIMATE] if rows[k, SPREAD] < UNKNOWN else otherwise


def margin(rows: Table, k: int, seat: int, unit: float, grain: float) -> float:
    """Half the width of a child's interval, one deviation to either side."""
    n = rows[k, VISITS]
    known = rows[k, SPREAD] < UNKNOWN
    if n == 0.0:
        return rows[k, SPREAD]
    rest = (rows[k, SPREAD] if known else unit) / math.sqrt(1.0 + n / grain)
    return max(deviation(rows, k, seat) / math.sqrt(n), rest)


def setting(rows: Table, seat: int, c: Constants) -> tuple[float, float, float, float]:
    """Of a node: its visits, what is usual in it, the unit of values (the deviation seen), and the width of intervals."""
    total = (rows[ALL, VISITS] + rows[ALL, PENDING]) / c[GRAIN]
    usual = rows[ALL, COLUMNS + seat] / rows[ALL, VISITS] if rows[ALL, VISITS] > 0.0 else 0.0
    unit = deviation(rows, ALL, seat)
    if unit == 0.0:
        unit = FIRST_UNIT
    return total, usual, unit, c[WIDTH] * math.sqrt(1.0 + math.log(1.0 + total))


def least(rows: Table, n: int, seat: int, c: Constants) -> float:
    """The floor: the most that some child is worth at least; children that cannot reach it are passed over."""
    floor = -math.inf
    if c[WIDTH] > 0.0:
        _, usual, unit, wide = setting(rows, seat, c)
        for k in range(CHILDREN, n):
            half = wide * margin(rows, k, seat, unit, c[GRAIN])
            floor = max(floor, centre(rows, k, seat, usual, c[TRUST]) - half)
    return floor


def hopes(rows: Table, n: int, seat: int, c: Constants, out: Constants) -> None:
    """For the report: the most that each child may be worth."""
    _, usual, unit, wide = setting(rows, seat, c)
    for k in range(CHILDREN, n):
        out[k - CHILDREN] = centre(rows, k, seat, usual, c[TRUST]) + wide * margin(rows, k, seat, unit, c[GRAIN])


def hopeless(rows: Table, n: int, seat: int, c: Constants, k: int) -> bool:
    """Whether child k cannot reach the floor."""
    _, usual, unit, wide = setting(rows, seat, c)
    floor = least(rows, n, seat, c)
    return (
        floor > -math.inf
        and centre(rows, k, seat, usual, c[TRUST]) + wide * margin(rows, k, seat, unit, c[GRAIN]) < floor
    )


def choose(rows: Table, n: int, seat: int, c: Constants) -> int:
    """The row to visit among the first n; PHANTOM: ask for another child; ALL: none is left to visit."""
    total, usual, unit, wide = setting(rows, seat, c)
    children = n - CHILDREN
    if children == 0:
        return PHANTOM if c[OPEN] > 0.0 else ALL
    floor = least(rows, n, seat, c)
    priors = 0.0
    for k in range(CHILDREN, n):
        priors += rows[k, PRIOR]
    average = priors / children
    best, found = -math.inf, ALL
    if c[OPEN] > 0.0 and c[FACTOR] > 0.0:  # progressive widening
        if children < c[FACTOR] * max(total, 1.0) ** c[POWER]:
            return PHANTOM
        found = PHANTOM  # where all children are closed
    elif c[OPEN] > 0.0:  # the phantom looks as promising as the average child
        priors += average
        x = rows[PHANTOM, VISITS]
        mean = rows[PHANTOM, COLUMNS + seat] / x if x > 0.0 else usual
        best = mean + c[EXPLORATION] * bonus(unit, average / priors, total, x, x)
        found = PHANTOM
    for k in range(CHILDREN, n):
        if rows[k, CLOSED] > 0.0:
            continue
        mean = centre(rows, k, seat, usual, c[TRUST])
        if floor > -math.inf and mean + wide * margin(rows, k, seat, unit, c[GRAIN]) < floor:
            continue
        trials = rows[k, VISITS] + rows[k, PENDING]
        x = mean + c[EXPLORATION] * bonus(unit, rows[k, PRIOR] / priors, total, trials / c[GRAIN], trials)
        if x > best:
            best, found = x, k
    return found


def tally(values: Table, out: Constants) -> bool:
    """The sums of each seat's payoffs, then of their squares, into `out`; False: one of them can be no payoff."""
    n, players = values.shape
    sound = True
    for p in range(players):
        total, squares = 0.0, 0.0
        for j in range(n):
            x = values[j, p]
            sound = sound and -1.0 - SLACK <= x <= 1.0 + SLACK
            total += x
            squares += x * x
        out[p] = total
        out[players + p] = squares
    return sound


def enter(rows: Table, k: int, values: Constants, visits: float, seat: int) -> None:
    """`visits` trials more of a row that is worth `values` now, whatever was thought of it before: where the best is backed up.

    The sums of the node stay those of its rows, so that its deviation is that of what its turns are worth."""
    n = rows[k, VISITS] + visits
    for p in range(rows.shape[1] - COLUMNS):
        rows[ALL, COLUMNS + p] += n * values[p] - rows[k, COLUMNS + p]
        rows[k, COLUMNS + p] = n * values[p]
        if n == visits:
            rows[PHANTOM, COLUMNS + p] += values[p]
    if n == visits:
        rows[PHANTOM, VISITS] += 1.0
    square = n * values[seat] * values[seat]
    rows[ALL, SQUARES] += square - rows[k, SQUARES]
    rows[k, SQUARES] = square
    for row in (k, ALL):
        rows[row, VISITS] += visits
        rows[row, PENDING] = max(rows[row, PENDING] - visits, 0.0)


def improve(rows: Table, k: int, values: Constants, visits: float, seat: int) -> None:
    """`visits` trials more of a part that is worth what the best turn with it is, and some turn with it is worth `values`."""
    n = rows[k, VISITS]
    if n > 0.0 and rows[k, COLUMNS + seat] / n >= values[seat]:
        for p in range(rows.shape[1] - COLUMNS):
            values[p] = rows[k, COLUMNS + p] / n
    enter(rows, k, values, visits, seat)


def best(rows: Table, n: int, seat: int) -> int:
    """The row of the first n that is worth most to a seat; ALL: none was visited."""
    most, found = -math.inf, ALL
    for k in range(CHILDREN, n):
        if rows[k, VISITS] > 0.0:
            mean = rows[k, COLUMNS + seat] / rows[k, VISITS]
            if mean > most:
                most, found = mean, k
    return found


def credit(rows: Table, k: int, sums: Constants, visits: float, squares: float) -> None:
    """Enter `visits` trials into a row, its node and, at its first, the phantom; they are no longer pending."""
    first = rows[k, VISITS] == 0.0
    players = rows.shape[1] - COLUMNS  # `sums` may hold more
    for row in (k, ALL):
        rows[row, VISITS] += visits
        rows[row, PENDING] = max(rows[row, PENDING] - visits, 0.0)
        rows[row, SQUARES] += squares
        for p in range(players):
            rows[row, COLUMNS + p] += sums[p]
    if first:
        rows[PHANTOM, VISITS] += 1.0
        for p in range(players):
            rows[PHANTOM, COLUMNS + p] += sums[p] / visits


@cache
def compiled(target: str = "cpu") -> dict[str, Any]:
    """The choices and their book-keeping, ready to call."""
    made: dict[str, Any] = {
        rule.__name__: specialise(
            choose, {"bonus": rule}, target=target, label=f"staged search, {rule.__name__}", lean=True
        )
        for rule in (puct, ucb)
    }
    for part in (credit, enter, improve, best, tally, least, hopes, hopeless, centre):
        made[part.__name__] = specialise(part, {}, target=target, label=f"staged search, {part.__name__}", lean=True)
    rows, constants, out = np.zeros((CHILDREN, COLUMNS + 2)), np.ones(CONSTANTS), np.zeros(2)
    made["credit"](rows.copy(), ALL, out, 1.0, 0.0)
    made["enter"](rows.copy(), ALL, out, 1.0, 0)
    made["improve"](rows.copy(), ALL, out.copy(), 1.0, 0)
    made["best"](rows, CHILDREN, 0)
    made["centre"](rows, ALL, 0, 0.0, 0.0)
    made["tally"](np.zeros((1, 1)), out)
    made["hopes"](rows, CHILDREN, 0, constants, out)
    made["hopeless"](rows, CHILDREN, 0, constants, ALL)
    for name in ("puct", "ucb", "least"):
        made[name](rows, CHILDREN, 0, constants)
    # once compiled, they are called without the question whether they are: a search makes ten calls a simulation
    return {name: getattr(call, "dispatcher", call) for name, call in made.items()}


class Bandit:
    """The rows of one node, which grow with its children."""

    __slots__ = ("n", "open", "rows", "seat")

    def __init__(self, players: int, seat: int) -> None:
        self.rows: Table = np.zeros((FIRST_ROWS, COLUMNS + players))
        self.n, self.seat = CHILDREN, seat
        self.open = True  # whether more children may be asked for

    def add(self, prior: float) -> int:
        """A new child; returns its row."""
        if self.n == len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        row = self.n
        self.rows[row, PRIOR], self.rows[row, SPREAD], self.rows[row, LEAVES] = prior, UNKNOWN, UNKNOWN
        self.n += 1
        return row

    def estimate(self, row: int, value: float, spread: float) -> None:
        """What a child is judged to be worth before it is visited."""
        self.rows[row, ESTIMATE], self.rows[row, SPREAD] = value, spread

    def await_(self, row: int, visits: float) -> None:
        """Visits that are under way: the row looks less new to other threads."""
        self.rows[row, PENDING] += visits
        self.rows[ALL, PENDING] += visits

    def pending(self, row: int) -> int:
        return int(self.rows[row, PENDING])

    def visits(self, row: int = ALL) -> int:
        return int(self.rows[row, VISITS])

    def mean(self, row: int = ALL) -> float | None:
        """The mean for the seat that chooses here; None before any visit."""
        n = self.rows[row, VISITS]
        return float(self.rows[row, COLUMNS + self.seat] / n) if n else None

    def means(self, row: int) -> tuple[float, ...]:
        """The mean for every seat."""
        n = max(self.rows[row, VISITS], 1.0)
        return tuple(float(x / n) for x in self.rows[row, COLUMNS:])

    def error(self, row: int) -> float | None:
        """The standard error of the mean; None below two visits."""
        n = self.rows[row, VISITS]
        return deviation(self.rows, row, self.seat) / math.sqrt(n - 1) if n > 1 else None

    @property
    def bytes(self) -> int:
        return self.rows.nbytes
