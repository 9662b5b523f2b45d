"""A stage that splits a budget over fronts: value tables a front, learned from every turn that was tried.

`tables[i, x]` is what x units on front i are worth, beside what else the turn brings; with counts, and with a spread that
shrinks as they grow. A new split is the best one of tables with noise by confidence (Thompson sampling on splits), found by
the (max, +) convolution of the allocation plans, among those not given yet. Money that is saved is a front of its own; so is
whatever else the budget is spent on, with -inf where it cannot take that many units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.errors import OptionError
from stratagem.plans.allocation import Plan, Tables, allocations, count, splits_in_order, stochastic_tables
from stratagem.rng import Rng
from stratagem.search.staged.stage import Generator, Proposal

MOST_WAYS = 1 << 62  # that are counted in machine words
LISTED = 20_000  # splits up to which those that the tables allow are counted one by one


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
        self.trials = 0.0  # weight of all that was learned
        self.mean = 0.0  # of all that was learned: tables hold what a split is worth beside it
        self._squares = 0.0
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
        """The best split not given yet that differs by one unit moved from one front to another."""
        moved = [
            self._moved(part, a, b) for a in range(self.fronts) for b in range(self.fronts) if a != b and part[a] > 0
        ]
        new = [plan for plan in moved if plan not in self.given and self.worth(plan) > -math.inf]
        if not new:
            return None
        best = max(new, key=self.worth)
        self.given.add(best)
        return Proposal(best)

    def worth(self, plan: Sequence[int]) -> float:
        """What the tables say of a split."""
        return float(sum(self.values[i, x] for i, x in enumerate(plan)))

    @staticmethod
    def _moved(part: Plan, a: int, b: int) -> Plan:
        plan = list(part)
        plan[a] -= 1
        plan[b] += 1
        return tuple(plan)

    def learn(self, part: Plan, value: float, weight: float) -> None:
        """Move the entries of a split, and a little those beside them, towards what the turn was worth."""
        self.trials += weight
        self.mean += weight / self.trials * (value - self.mean)
        share = (value - self.mean) / self.fronts
        for i, x in enumerate(part):
            self._move(i, x, share, 1.0)
            for beside in (x - 1, x + 1):
                if 0 <= beside <= self.budget:
                    self._move(i, beside, share, self.neighbours)

    def _move(self, front: int, units: int, share: float, weight: float) -> None:
        if self.values[front, units] > -math.inf and weight > 0:
            self.counts[front, units] += weight
            rate = weight / (self.trust + self.counts[front, units])
            self.values[front, units] += rate * (share - self.values[front, units])


__all__ = ["LISTED", "Splitter", "allocations"]
