"""A stage that splits a budget over fronts: value tables a front, learned from every turn that was tried.

`tables[i, x]` is what x units on front i are worth, beside what else the turn brings; with counts, and with a spread that
shrinks as they grow. A new split is the best one of tables with noise by confidence (Thompson sampling on splits), found by
the (max, +) convolution of the allocation plans, among those not given yet. Money that is saved is a front of its own; so is
whatever else the budget is spent on, with -inf where it cannot take that many units.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.allocation import Plan, Tables, count, fold
from stratagem.rng import Rng, unit
from stratagem.search.staged.records import Floats, Words
from stratagem.search.staged.stage import Generator, Proposal

MOST_WAYS = 1 << 62  # that are counted in machine words


class Splitter(Generator):
    """Proposes splits of `budget` units over `fronts`."""

    def __init__(
        self,
        budget: int,
        fronts: int,
        rng: Rng,
        *,
        tables: ArrayLike
        | None = None,  # [fronts, budget + 1]: what is thought at first; -inf: impossible; None: all alike
        spread: float = 0.3,  # deviation of the noise on what was never tried, in payoffs
        trust: float = 4.0,  # trials that outweigh what was thought at first
        neighbours: float = 0.25,  # part of a trial that counts for one unit more and one unit less
        sure: bool = False,  # whether the first split is the best by what is thought, without noise
    ) -> None:
        if budget < 0 or fronts < 1:
            raise OptionError(f"{budget} units cannot be split over {fronts} fronts; give 0 or more, over 1 or more")
        self.budget, self.fronts, self.rng = budget, fronts, rng
        self.spread, self.trust, self.neighbours, self.sure = spread, trust, neighbours, sure
        shape = (fronts, budget + 1)
        self.values: Tables = np.zeros(shape) if tables is None else np.array(tables, np.float64)
        if self.values.shape != shape:
            raise OptionError(
                f"tables of shape {self.values.shape} do not fit {budget} units on {fronts} fronts: {shape}"
            )
        self.counts: NDArray[np.float64] = np.zeros(shape)
        self.learned = np.zeros(LEARNED)
        self._part = np.zeros(fronts, np.int64)
        self._teach, self._draw, self._move = _taught(), _drawn(), _moved()
        self.given: set[Plan] = set()
        self._rows = np.zeros((16, fronts), np.int64)  # the same, for kernels
        self.possible = self._count_possible()

    def _count_possible(self) -> int:
        """How many splits the tables allow."""
        if np.isfinite(self.values).all():
            return count(self.budget, self.fronts)
        kind: Any = np.int64 if count(self.budget, self.fronts) < MOST_WAYS else object
        ways = np.zeros(self.budget + 1, kind)
        ways[0] = 1
        for row in self.values:
            ways = np.convolve(ways, np.isfinite(row).astype(kind))[: self.budget + 1]
        return int(ways[self.budget])

    @property
    def spreads(self) -> Tables:
        """The deviation of each entry."""
        return self.spread / np.sqrt(1.0 + self.counts)

    @property
    def exhausted(self) -> bool:
        return len(self.given) == self.possible

    def first(self) -> Proposal | None:
        """A split not given yet: the best of tables with noise."""
        if self.exhausted:
            return None
        spread = self.spread if self.given or not self.sure else NO_NOISE
        room, given = _room(self.fronts, self.budget), self._rows[: len(self.given)]
        self._draw(self.values, self.counts, self.rng, spread, given, self._part, room)
        return self._entered()

    def finer(self, part: Plan) -> Proposal | None:
        """The best split not given yet that moves some units from one front to another: as many as the tables say is best, and
        of equals the fewest. Amounts that a front cannot take are skipped, however many lie between two that it can."""
        self._part[:] = part
        if not self._move(self.values, self._rows[: len(self.given)], self._part, _room(self.fronts, self.budget)):
            return None
        return self._entered()

    def _entered(self) -> Proposal:
        """The split in `_part`, which is given now."""
        if len(self.given) == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[len(self.given)] = self._part
        plan = tuple(self._part.tolist())
        self.given.add(plan)
        return Proposal(plan)

    def worth(self, plan: Sequence[int]) -> float:
        """What the tables say of a split."""
        return float(sum(self.values[i, x] for i, x in enumerate(plan)))

    def learn(self, part: Plan, value: float, weight: float) -> None:
        """Move the entries of a split, and a little those beside them, towards what the turn was worth: each front by its share
        of the surprise (`teach`)."""
        self._part[:] = part
        self._teach(self.values, self.counts, self.learned, self._part, value, weight, self.trust, self.neighbours)

    @property
    def trials(self) -> float:
        """The weight of all that was learned."""
        return float(self.learned[TRIALS])

    @property
    def mean(self) -> float:
        """The mean of all that was learned: tables hold what a split is worth beside it."""
        return float(self.learned[MEAN])


FADING = (
    0.7  # power of an entry's count by which it learns more slowly: others, by which it is distinguished, still change
)
TRIALS, MEAN, FORETOLD, LEARNED = range(4)  # weight, and means of what turns were worth and of what the tables had said


def teach(
    values: Tables,
    counts: Tables,
    learned: Floats,
    part: Words,
    value: float,
    weight: float,
    trust: float,
    beside: float,
) -> None:
    """Learn from a turn with a split. The surprise is what the turn was worth beside the mean, less what the tables had said of
    its split beside their mean; each front takes a part of it by how little is known of its entry (its variance). So a front
    whose entries are well known is neither praised nor blamed for what another one did."""
    fronts, width = values.shape
    said, unknown = 0.0, 0.0
    for i in range(fronts):
        said += values[i, part[i]]
        unknown += 1.0 / (1.0 + counts[i, part[i]])
    learned[TRIALS] += weight
    learned[MEAN] += weight / learned[TRIALS] * (value - learned[MEAN])
    learned[FORETOLD] += weight / learned[TRIALS] * (said - learned[FORETOLD])
    surprise = value - learned[MEAN] - (said - learned[FORETOLD])
    surprise *= min(float(fronts), trust + 1.0)  # so that all fronts together take no more than there is
    for i in range(fronts):
        x = part[i]
        share = surprise / (1.0 + counts[i, x]) / unknown
        move_entry(values, counts, i, x, share, 1.0, trust)
        if beside > 0.0 and x > 0:
            move_entry(values, counts, i, x - 1, share, beside, trust)
        if beside > 0.0 and x + 1 < width:
            move_entry(values, counts, i, x + 1, share, beside, trust)


def move_entry(values: Tables, counts: Tables, i: int, x: int, by: float, weight: float, trust: float) -> None:
    if values[i, x] > -math.inf:
        counts[i, x] += weight
        values[i, x] += weight / (trust + counts[i, x] ** FADING) * by


@cache
def _taught() -> Callable[..., Any]:
    return specialise(teach, {}, label="learning splits", lean=True)


# ------------------------------------------------------------------------------------------------------- new splits

NO_NOISE = -1.0  # in place of a deviation: the tables as they are
SHARED = 0.9  # of the variance of the noise: one draw a front, since with draws of their own the best split jumps about
FIRST_GAP = 1.0 / 64.0  # of the tables' range, by which a split is looked for below the best; then twice as far


class SplitRoom(NamedTuple):
    """What kernels write to while they look for a split."""

    noisy: Tables  # [fronts, budget + 1]
    folded: Tables  # [fronts, budget + 1]: the most that units are worth on the fronts so far
    draws: Floats  # [fronts * (budget + 2) + 1]
    plan: Words  # [fronts]: one that is looked at
    left: Words  # [fronts]: units for a front and those before it
    tried: Words  # [fronts]: units of a front that were tried last
    after: Floats  # [fronts]: what the fronts behind are worth


_rooms = threading.local()


def _room(fronts: int, budget: int) -> SplitRoom:
    """Room for one search; a thread keeps that of the last."""
    found: SplitRoom | None = getattr(_rooms, "last", None)
    shape = (fronts, budget + 1)
    if found is None or found.noisy.shape != shape:
        found = _rooms.last = SplitRoom(
            noisy=np.zeros(shape),
            folded=np.zeros(shape),
            draws=np.zeros(fronts * (budget + 2) + 1),
            plan=np.zeros(fronts, np.int64),
            left=np.zeros(fronts, np.int64),
            tried=np.zeros(fronts, np.int64),
            after=np.zeros(fronts),
        )
    return found


def shake(values: Tables, counts: Tables, r: Rng, spread: float, room: SplitRoom) -> None:
    """The tables with normal noise whose deviation shrinks as entries are tried, into `room.noisy`."""
    fronts, width = values.shape
    for j in range(0, fronts * (width + 1), 2):  # Box and Muller
        radius, angle = math.sqrt(-2.0 * math.log(1.0 - unit(r))), 2.0 * math.pi * unit(r)
        room.draws[j] = radius * math.cos(angle)
        room.draws[j + 1] = radius * math.sin(angle)
    common, own = math.sqrt(SHARED), math.sqrt(1.0 - SHARED)
    for i in range(fronts):
        for x in range(width):
            noise = common * room.draws[i] + own * room.draws[fronts + i * width + x]
            room.noisy[i, x] = values[i, x] + spread / math.sqrt(1.0 + counts[i, x]) * noise


def is_given(given: Words, plan: Words) -> bool:
    """Whether a split is among those given."""
    for k in range(given.shape[0]):
        i = 0
        while i < plan.shape[0] and given[k, i] == plan[i]:
            i += 1
        if i == plan.shape[0]:
            return True
    return False


def draw_split(
    values: Tables, counts: Tables, r: Rng, spread: float, given: Words, part: Words, room: SplitRoom
) -> None:
    """The best split by tables with noise of those not given yet, into `part`; there must be one.

    Depth first, from the last front on. What the fronts before can still be worth bounds every branch, and splits are looked for
    a little below the best of all at first."""
    fronts, width = values.shape
    if spread == NO_NOISE:
        for i in range(fronts):
            for x in range(width):
                room.noisy[i, x] = values[i, x]
    else:
        shake(values, counts, r, spread, room)
    fold(room.noisy, room.folded)
    top = room.folded[fronts - 1, width - 1]
    gap = FIRST_GAP * spread_out(room.noisy)
    while not descend(top - gap, given, part, room):
        gap *= 2.0


def spread_out(tables: Tables) -> float:
    """How far the worths of units on a front lie apart, summed over fronts; at least a little."""
    total = 1e-9
    for i in range(tables.shape[0]):
        low, high = math.inf, -math.inf
        for x in range(tables.shape[1]):
            if tables[i, x] > -math.inf:
                low = min(low, tables[i, x])
                high = max(high, tables[i, x])
        total += max(high - low, 0.0)
    return total


def descend(least: float, given: Words, part: Words, room: SplitRoom) -> bool:
    """The best split not given that is worth more than so much, into `part`; whether there is one."""
    last, best, found = part.shape[0] - 1, least, False
    front = last
    room.left[last], room.tried[last], room.after[last] = room.noisy.shape[1] - 1, -1, 0.0
    while front <= last:
        left, after = room.left[front], room.after[front]
        if front == 0:
            room.plan[0] = left
            if after + room.noisy[0, left] > best and not is_given(given, room.plan):
                best, found = after + room.noisy[0, left], True
                for i in range(last + 1):
                    part[i] = room.plan[i]
            front = 1
            continue
        room.tried[front] += 1
        x = room.tried[front]
        if x > left:
            front += 1
        elif after + (room.folded[front - 1, left - x] + room.noisy[front, x]) > best:
            room.plan[front] = x
            front -= 1
            room.left[front], room.tried[front], room.after[front] = left - x, -1, after + room.noisy[front + 1, x]
    return found


def move_units(values: Tables, given: Words, part: Words, room: SplitRoom) -> bool:
    """The best split not given that moves units of `part` from one front to another, in its place; whether there is one."""
    fronts, width = values.shape
    best, a_best, b_best, most = -math.inf, -1, -1, 0
    for units in range(1, width):
        for a in range(fronts):
            x = part[a]
            if x < units or values[a, x - units] == -math.inf:
                continue
            less = values[a, x - units] - values[a, x]
            for b in range(fronts):
                y = part[b]
                if a == b or y + units >= width or not less + values[b, y + units] - values[b, y] > best:
                    continue
                for i in range(fronts):
                    room.plan[i] = part[i]
                room.plan[a] -= units
                room.plan[b] += units
                if not is_given(given, room.plan):
                    best, a_best, b_best, most = less + values[b, y + units] - values[b, y], a, b, units
    if most > 0:
        part[a_best] -= most
        part[b_best] += most
    return most > 0


@cache
def _drawn() -> Callable[..., Any]:
    return specialise(draw_split, {}, label="drawing splits", lean=True)


@cache
def _moved() -> Callable[..., Any]:
    return specialise(move_units, {}, label="moving units between fronts", lean=True)
