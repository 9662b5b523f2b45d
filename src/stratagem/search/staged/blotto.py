"""A stage that splits a budget over fronts: value tables a front, learned from every turn that was tried.

`tables[i, x]` is what x units on front i are worth, beside what else the turn brings; with counts, and with a spread that
shrinks as they grow. A new split is the best one of tables with noise by confidence (Thompson sampling on splits), found by
the (max, +) convolution of the allocation plans, among those not given yet. Money that is saved is a front of its own; so is
whatever else the budget is spent on, with -inf where it cannot take that many units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.allocation import Plan, Tables, count, splits_in_order, stochastic_tables
from stratagem.rng import Rng
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
        self._teach = _taught()
        self.given: set[Plan] = set()
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
        noisy = self.values
        if self.given or not self.sure:
            noisy = stochastic_tables(self.values, self.counts, self.rng, spread=self.spread)
        plan = next(plan for _, plan in splits_in_order(noisy) if plan not in self.given)
        self.given.add(plan)
        return Proposal(plan)

    def finer(self, part: Plan) -> Proposal | None:
        """The best split not given yet that moves some units from one front to another: as many as the tables say is best, and
        of equals the fewest. Amounts that a front cannot take are skipped, however many lie between two that it can."""
        tables, best, found = self.values.tolist(), -math.inf, None
        for units in range(1, self.budget + 1):
            for a, x in enumerate(part):
                less = tables[a][x - units] - tables[a][x] if x >= units else -math.inf
                if less == -math.inf:
                    continue
                for b, y in enumerate(part):
                    if a != b and y + units <= self.budget and less + tables[b][y + units] - tables[b][y] > best:
                        plan = self._moved(part, a, b, units)
                        if plan not in self.given:
                            best, found = less + tables[b][y + units] - tables[b][y], plan
        if found is None:
            return None
        self.given.add(found)
        return Proposal(found)

    def worth(self, plan: Sequence[int]) -> float:
        """What the tables say of a split."""
        return float(sum(self.values[i, x] for i, x in enumerate(plan)))

    @staticmethod
    def _moved(part: Plan, a: int, b: int, units: int) -> Plan:
        plan = list(part)
        plan[a] -= units
        plan[b] += units
        return tuple(plan)

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
