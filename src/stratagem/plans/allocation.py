"""Allocations: a budget of whole units split over fronts.

An allocation is a vector of n counts that are at least 0 and add up to the budget. There are C(budget + n - 1, n - 1) of them,
far more than can be listed. So this module counts, numbers and draws them without a list. It finds the best one where the
worth of a split is a sum over the fronts.

The worth is a table: `tables[i, x]` is what x units on front i are worth. The best worth of every budget at once is the
(max, +) convolution of the rows, `F_i[t] = max over x of F_(i-1)[t - x] + tables[i, x]`: O(n * budget^2), compiled.
Concave rows (each further unit is worth no more than the one before) are merged greedily instead, in
O(n * budget * log): their increments are simply sorted. Rows may hold -inf where a front cannot take that many units.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError, Unlistable
from stratagem.rng import Rng, bits, units

Plan = tuple[int, ...]
Tables = NDArray[np.float64]  # [fronts, budget + 1]: the worth of x units on front i

LISTABLE = 2_000_000  # more allocations than this are not listed

__all__ = [
    "LISTABLE",
    "Plan",
    "Splits",
    "Tables",
    "allocations",
    "best_split",
    "best_splits",
    "count",
    "decompose",
    "gibbs_flow",
    "k_best_splits",
    "rank",
    "sample",
    "splits_in_order",
    "stochastic_tables",
    "unrank",
]


# -------------------------------------------------------------------------------------- counting, numbering, drawing


def count(budget: int, fronts: int) -> int:
    """How many allocations there are; a Python integer, since 64 bits overflow early."""
    if budget < 0:
        return 0
    if fronts == 0:
        return 1 if budget == 0 else 0
    return math.comb(budget + fronts - 1, fronts - 1)


def rank(plan: Sequence[int]) -> int:
    """The number of an allocation in lexicographic order, from 0.

    Allocations whose first front holds at least x are those of the budget less x, so the ones that come before are
    counted by one difference a front.
    """
    left, number = sum(plan), 0
    for front, x in enumerate(plan):
        if x < 0:
            raise OptionError(f"allocation {list(plan)} has {x} units on front {front + 1}; there are 0 or more")
        fronts = len(plan) - front
        number += count(left, fronts) - count(left - x, fronts)
        left -= x
    return number


def unrank(number: int, budget: int, fronts: int) -> Plan:
    """The allocation of a number: the inverse of `rank`."""
    _check(budget, fronts)
    total = count(budget, fronts)
    if not 0 <= number < total:
        raise OptionError(
            f"there is no allocation {number} of {budget} units on {fronts} fronts; they go to {total - 1}"
        )
    plan, left = [], budget
    for front in range(fronts - 1):
        rest = fronts - front
        before = count(left, rest)
        low, high = 0, left  # the largest x with `number` not before the first allocation that begins with x
        while low < high:
            middle = (low + high + 1) // 2
            if before - count(left - middle, rest) <= number:
                low = middle
            else:
                high = middle - 1
        number -= before - count(left - low, rest)
        plan.append(low)
        left -= low
    return (*plan, left)


def sample(budget: int, fronts: int, rng: Rng) -> Plan:
    """A random allocation, all alike."""
    _check(budget, fronts)
    return unrank(_below(count(budget, fronts), rng), budget, fronts)


def _below(n: int, rng: Rng) -> int:
    """A random integer in 0 .. n - 1 of any size, exactly uniform: words are drawn again until they fall below n."""
    length = (n - 1).bit_length()
    while True:
        word = 0
        with np.errstate(over="ignore"):
            for _ in range(-(-length // 63)):
                word = word << 63 | int(bits(rng))
        word &= (1 << length) - 1
        if word < n:
            return word


def _check(budget: int, fronts: int) -> None:
    if fronts < 1:
        raise OptionError(f"a budget cannot be split over {fronts} fronts; give 1 or more")
    if budget < 0:
        raise OptionError(f"a budget of {budget} units cannot be split; give 0 or more")


def fill_allocations(out: NDArray[np.int64], budget: int) -> None:
    """Write all allocations into the rows of `out`, in lexicographic order."""
    rows, n = out.shape
    for i in range(n - 1):
        out[0, i] = 0
    out[0, n - 1] = budget
    for k in range(1, rows):
        for i in range(n):
            out[k, i] = out[k - 1, i]
        last = out[k, n - 1]
        if last > 0:
            out[k, n - 1] = last - 1
            out[k, n - 2] += 1
        else:
            i = n - 2
            while out[k, i] == 0:
                i -= 1
            out[k, n - 1] = out[k, i] - 1
            out[k, i] = 0
            out[k, i - 1] += 1


def allocations(budget: int, fronts: int) -> NDArray[np.int64]:
    """All allocations as rows, in the order of `rank`; raises Unlistable where there are too many."""
    _check(budget, fronts)
    total = count(budget, fronts)
    if total > LISTABLE:
        raise Unlistable(
            f"{budget} units on {fronts} fronts have {total} allocations, too many to list; `sample` or `unrank` gives "
            "them one at a time"
        )
    out = np.empty((total, fronts), np.int64)
    _compiled(fill_allocations)(out, budget)
    return out


# --------------------------------------------------------------------------------------------- the (max, +) convolution


def fold(tables: Tables, best: Tables) -> None:
    """best[i, t]: the most that t units are worth on the fronts 0 .. i.

    The inner loop runs over budgets and keeps no argmax, so that it becomes vector instructions; plans are read back by
    looking for the split that gave a value.
    """
    n, width = tables.shape
    for t in range(width):
        best[0, t] = tables[0, t]
    for i in range(1, n):
        before, row, now = best[i - 1], tables[i], best[i]
        first = row[0]
        for t in range(width):
            now[t] = before[t] + first
        for x in range(1, width):
            worth = row[x]
            for t in range(width - x):
                value = before[t] + worth
                now[t + x] = value if value > now[t + x] else now[t + x]


def read_back(tables: Tables, best: Tables, budget: int, plan: NDArray[np.int64]) -> None:
    """The split that gave best[-1, budget], the fewest units on later fronts where several did."""
    t = budget
    for i in range(tables.shape[0] - 1, 0, -1):
        target = best[i, t]
        x = 0
        while x < t and best[i - 1, t - x] + tables[i, x] != target:
            x += 1
        plan[i] = x
        t -= x
    plan[0] = t


def reply(tables: Tables, best: Tables, plan: NDArray[np.int64]) -> float:
    """The best split of the whole budget only: the last front needs no table. Returns its worth."""
    n, width = tables.shape
    if n > 1:
        fold(tables[: n - 1], best)
    else:
        plan[0] = width - 1
        return tables[0, width - 1]
    before, row = best[n - 2], tables[n - 1]
    chosen = 0
    value = before[width - 1] + row[0]
    for x in range(1, width):
        if before[width - 1 - x] + row[x] > value:
            value = before[width - 1 - x] + row[x]
            chosen = x
    plan[n - 1] = chosen
    read_back(tables[: n - 1], best, width - 1 - chosen, plan)
    return value


_ready: dict[Callable[..., Any], Callable[..., Any]] = {}


def _steps(rows: NDArray[Any], *others: Any) -> float:
    """About how often the innermost loop of a template here turns, by its first array: tables or one of them."""
    return float(rows.size if rows.dtype != np.float64 else rows.size * rows.shape[-1] / 2)


def _compiled(template: Callable[..., Any]) -> Callable[..., Any]:
    if template not in _ready:
        name = template.__name__.replace("_", " ")
        _ready[template] = specialise(template, label=f"allocations: {name}", meanwhile=_steps)
    return _ready[template]


def _as_tables(tables: ArrayLike) -> Tables:
    rows = np.ascontiguousarray(tables, dtype=np.float64)
    if rows.ndim != 2 or 0 in rows.shape:
        raise OptionError(f"tables of shape {rows.shape} are no worths of units on fronts; give [fronts, budget + 1]")
    if np.isnan(rows).any() or np.isposinf(rows).any():
        front, x = np.argwhere(np.isnan(rows) | np.isposinf(rows))[0]
        raise OptionError(
            f"the worth of {x} units on front {front + 1} is {rows[front, x]}; it must be a number or -inf"
        )
    return rows


def concave(tables: Tables) -> NDArray[np.bool_]:
    """Which rows are concave: no unit is worth more than the one before it."""
    with np.errstate(invalid="ignore"):
        steps = np.diff(tables, axis=1)
        smooth: NDArray[np.bool_] = np.all(np.isfinite(tables), axis=1) & np.all(np.diff(steps, axis=1) <= 0, axis=1)
        return smooth


@dataclass(frozen=True, eq=False)
class Splits:
    """The best split of every budget from 0 to the width of the tables, less one, at once."""

    tables: Tables

    @cached_property
    def _smooth(self) -> NDArray[np.int64]:
        """The concave fronts, where there are enough for the greedy merge to pay."""
        found = np.flatnonzero(concave(self.tables))
        return found if len(found) > 1 else found[:0]

    @cached_property
    def _rough(self) -> NDArray[np.int64]:
        return np.setdiff1d(np.arange(len(self.tables)), self._smooth)

    @cached_property
    def _merged(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The concave fronts as one: their joint worth, and the front that takes each further unit."""
        rows = self.tables[self._smooth]
        steps = np.diff(rows, axis=1)
        width = self.tables.shape[1]
        # stable, so that a front's own units keep their order among equals
        order = np.argsort(-steps.ravel(), kind="stable")[: width - 1]
        worth = np.concatenate([[0.0], np.cumsum(steps.ravel()[order])]) + rows[:, 0].sum()
        return worth, order // max(width - 1, 1)

    @cached_property
    def _folded(self) -> tuple[Tables, Tables]:
        rows = self.tables[self._rough]
        if len(self._smooth):
            rows = np.vstack([self._merged[0], rows])
        best = np.empty_like(rows)
        _compiled(fold)(rows, best)
        return rows, best

    @property
    def values(self) -> NDArray[np.float64]:
        """The worth of the best split of each budget."""
        return self._folded[1][-1]

    def plan(self, budget: int) -> Plan:
        """A best split of a budget."""
        if not 0 <= budget < self.tables.shape[1]:
            raise OptionError(
                f"a budget of {budget} is not covered by tables for 0 to {self.tables.shape[1] - 1} units"
            )
        rows, best = self._folded
        found = np.zeros(len(rows), np.int64)
        _compiled(read_back)(rows, best, budget, found)
        plan = np.zeros(len(self.tables), np.int64)
        if len(self._smooth):
            plan[self._smooth] = np.bincount(self._merged[1][: found[0]], minlength=len(self._smooth))
            found = found[1:]
        plan[self._rough] = found
        return tuple(int(x) for x in plan)


def best_splits(tables: ArrayLike) -> Splits:
    """The best split of every budget at once."""
    return Splits(_as_tables(tables))


def best_split(tables: ArrayLike) -> tuple[float, Plan]:
    """The worth of the best split of the whole budget (the width of the tables, less one), and that split."""
    rows = _as_tables(tables)
    if concave(rows).all():
        splits = Splits(rows)
        return float(splits.values[-1]), splits.plan(rows.shape[1] - 1)
    best, plan = np.empty_like(rows), np.empty(len(rows), np.int64)
    value = _compiled(reply)(rows, best, plan)
    return float(value), tuple(int(x) for x in plan)


def k_best_splits(tables: ArrayLike, k: int, budget: int | None = None) -> list[tuple[float, Plan]]:
    """The k best splits of a budget (all that the tables cover, if not said), best first."""
    return list(itertools.islice(splits_in_order(tables, budget), k))


def splits_in_order(tables: ArrayLike, budget: int | None = None) -> Iterator[tuple[float, Plan]]:
    """All splits of a budget that the tables allow and what they are worth, best first, each when it is asked for.

    Best-first search with the convolution as an exact bound: what the fronts before can still be worth is known, so
    that the splits come out in order and no node is opened in vain.
    """
    rows = _as_tables(tables)
    folded = np.empty_like(rows)
    _compiled(fold)(rows, folded)
    worth, best = rows.tolist(), folded.tolist()  # single numbers are read, which lists are quicker at
    opened: dict[tuple[int, int], list[int]] = {}

    def choices(front: int, left: int) -> list[int]:
        """The units for a front, best first, when `left` are there for it and the fronts before it."""
        found = opened.get((front, left))
        if found is None:
            total = folded[front - 1, left::-1] + rows[front, : left + 1]
            found = opened[front, left] = np.argsort(-total, kind="stable").tolist()
        return found

    # a node: (-bound, tie break, front to decide, units left, which choice of it, worth of the fronts behind, their units)
    heap: list[tuple[float, int, int, int, int, float, Plan]] = []
    serial = itertools.count()

    def push(front: int, left: int, nth: int, after: float, behind: Plan) -> None:
        if front == 0:
            value = after + worth[0][left]
        else:
            x = choices(front, left)[nth]
            value = after + (best[front - 1][left - x] + worth[front][x])
        if value > -math.inf:
            heapq.heappush(heap, (-value, next(serial), front, left, nth, after, behind))

    push(len(worth) - 1, len(worth[0]) - 1 if budget is None else budget, 0, 0.0, ())
    while heap:
        value, _, front, left, nth, after, behind = heapq.heappop(heap)
        if front == 0:
            yield -value, (left, *behind)
            continue
        if nth + 1 <= left:
            push(front, left, nth + 1, after, behind)
        x = choices(front, left)[nth]
        push(front - 1, left - x, 0, after + worth[front][x], (x, *behind))


# -------------------------------------------------------------------------------------------------- stochastic splits


def stochastic_tables(
    tables: ArrayLike, visits: ArrayLike, rng: Rng, *, spread: float = 1.0, shared: float = 0.9
) -> Tables:
    """Tables with noise by confidence, for Thompson sampling of splits: draw, then split by `best_split`.

    The noise on x units of front i has the deviation `spread / sqrt(1 + visits[i, x])`: what was tried often is trusted.
    The part `shared` (a correlation, 0 to 1) of its variance is one draw a front, since with independent draws the best
    split jumps about between neighbours that are all but equal.
    """
    rows = _as_tables(tables)
    seen = np.broadcast_to(np.asarray(visits, np.float64), rows.shape)
    if not 0 <= shared <= 1:
        raise OptionError(f"the shared part of the noise is {shared!r}; it goes from 0 to 1")
    if (seen < 0).any() or not (math.isfinite(spread) and spread >= 0):
        raise OptionError("visits and the spread of the noise are 0 or more")
    n, width = rows.shape
    draws = normals(rng, n + n * width)
    front, own = draws[:n, None], draws[n:].reshape(n, width)
    noise = math.sqrt(shared) * front + math.sqrt(1 - shared) * own
    return rows + spread / np.sqrt(1 + seen) * noise


def normals(rng: Rng, n: int) -> NDArray[np.float64]:
    """Standard normal draws, by Box and Muller."""
    draws = units(rng, n + n % 2)
    radius, angle = np.sqrt(-2 * np.log(1 - draws[::2])), 2 * math.pi * draws[1::2]
    draws[::2], draws[1::2] = radius * np.cos(angle), radius * np.sin(angle)
    return draws[:n]


# ------------------------------------------------------------------------------- mixtures as flows on a layered graph


def decompose(flow: NDArray[np.float64], smallest: float = 1e-12) -> dict[Plan, float]:
    """A mixture of allocations with the flow given: `flow[i, s, x]` is the chance of x units on front i after s before it.

    A mixed strategy is a unit of flow from (front 0, nothing spent) to (front n, all spent). Each path taken out empties
    one edge at least, so that there are at most as many as edges; what rounding leaves over is shared out in proportion.
    """
    left = np.where(flow > smallest, flow, 0.0)
    n = left.shape[0]
    found: dict[Plan, float] = {}
    while True:
        plan, spent, amount = [], 0, np.inf
        for front in range(n):
            x = int(left[front, spent].argmax())
            amount = min(amount, float(left[front, spent, x]))
            plan.append(x)
            spent += x
        if amount <= smallest:
            break
        spent = 0
        for front, x in enumerate(plan):
            left[front, spent, x] -= amount
            spent += x
        found[tuple(plan)] = found.get(tuple(plan), 0.0) + amount
    total = sum(found.values())
    return {plan: weight / total for plan, weight in found.items()}


def log_sum(values: NDArray[np.float64], n: int) -> float:
    """The logarithm of the sum of the exponentials of the first n values."""
    top = -np.inf
    for k in range(n):
        top = max(top, values[k])
    if top == -np.inf:
        return top
    total = 0.0
    for k in range(n):
        total += math.exp(values[k] - top)
    return top + math.log(total)


def gibbs_flow(
    worth: NDArray[np.float64],
    flow: NDArray[np.float64],
    weight: float,
    ahead: NDArray[np.float64],
    behind: NDArray[np.float64],
    terms: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """Add, `weight` times, the flow of the mixture in which an allocation has a chance in proportion to exp(its worth).

    That mixture has exponentially many plans; its marginals (`chances`, overwritten) follow from sums over paths, forward
    and backward, in logarithms: O(n * budget^2).
    """
    n, width = worth.shape
    for t in range(width):
        ahead[0, t] = 0.0 if t == 0 else -np.inf
        behind[n, t] = 0.0 if t == width - 1 else -np.inf
    for i in range(n):
        for t in range(width):
            for x in range(t + 1):
                terms[x] = ahead[i, t - x] + worth[i, x]
            ahead[i + 1, t] = log_sum(terms, t + 1)
    for i in range(n - 1, -1, -1):
        for t in range(width):
            for x in range(width - t):
                terms[x] = behind[i + 1, t + x] + worth[i, x]
            behind[i, t] = log_sum(terms, width - t)
    total = ahead[n, width - 1]
    for i in range(n):
        for x in range(width):
            chances[i, x] = 0.0
        for s in range(width):
            if ahead[i, s] == -np.inf:
                continue
            for x in range(width - s):
                chance = math.exp(ahead[i, s] + worth[i, x] + behind[i + 1, s + x] - total)
                chances[i, x] += chance
                flow[i, s, x] += weight * chance
