"""Equilibria of Blotto games that are zero-sum at heart: four methods, one kind of answer.

- `by_program`: the explicit linear program over all allocations. Right for any objective; good to about 2,000 plans.
- `by_flow`: the program of polynomial size of Behnezhad and others (AAAI 2017): one side's mixture is a flow on a layered
  graph, and the other's best reply a shortest path whose potentials are variables. Additive payoffs only.
- `by_oracle`: the double oracle. The default for all but the smallest games, and any-time.
- `by_regret`: exponential weights over all allocations at once, kept as one table a side. Any-time, low precision.

Each returns two mixtures. What they are worth, and what a best reply gains against them, is measured afterwards with the
exact oracle (`solve.py`), and not taken from the method.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.equilibrium import regret_matching, zero_sum
from stratagem.equilibrium.double_oracle import Bracket, Report, Round, double_oracle
from stratagem.equilibrium.exact import solve_exactly
from stratagem.errors import StratagemError, UnsuitableSearch
from stratagem.games.blotto.oracle import TRIED, Additive, Payoffs, Vector, as_plans
from stratagem.games.blotto.rules import Rules
from stratagem.plans.allocation import Plan, allocations, best_split, count, decompose, gibbs_flow

Mixture = dict[Plan, float]

MOST_ENTRIES = 9_000_000  # of an explicit payoff matrix
MOST_EDGES = 60_000  # of the two graphs of the flow program together
MOST_EXACT = 20_000  # plans that are tried in fractions


@dataclass(frozen=True)
class MixturePair:
    """Two mixtures over plans (slots included), and how they were reached."""

    first: Mixture
    second: Mixture
    method: str
    trace: tuple[Round, ...] = ()
    finished: bool = True  # False: stopped before the tolerance was reached
    interrupted: bool = False  # by hand


# --------------------------------------------------------------------------------------------- which games are zero-sum


def zero_sum_form(rules: Rules) -> NDArray[np.float64] | None:
    """A table [slots, x, y] that A maximises and B minimises with the same equilibria, or None where there is none.

    B's payoffs may be rescaled, and to A's anything may be added that only B's plan decides, without changing what is
    best for whom. So it is enough that A's table plus a multiple of B's splits into a part for x and a part for y.
    """
    if not rules.additive:
        return None
    a, b = rules.table(0), rules.table(1)
    worth_a, worth_b = float(sum(rules.values[0])), float(sum(rules.values[1]))
    if not (worth_a and worth_b):
        return None
    scale = worth_a / worth_b
    total = a + scale * b
    of_a = total[:, :, :1]
    of_b = total[:, :1, :] - total[:, :1, :1]
    if np.abs(total - of_a - of_b).max() > 1e-12 * max(worth_a, 1.0):
        return None
    return np.ascontiguousarray(a - of_b)


def constant(rules: Rules) -> Fraction | None:
    """What both payoffs add up to in every battle, or None where that is not one number."""
    if set(rules.objectives) == {"win"}:
        return Fraction(1)
    if not rules.additive or rules.values[0] != rules.values[1] or rules.worth:
        return None
    if len(set(rules.objectives)) > 1 or (rules.ties == "lost" and rules.objectives[0] == "score"):
        return None
    return sum(rules.values[0], Fraction(0))


# ------------------------------------------------------------------------------------------------------------ methods


class Winning:
    """The chance of winning as a zero-sum game for the double oracle; a best reply of B leaves A the rest."""

    def __init__(self, payoffs: Payoffs) -> None:
        self.payoffs = payoffs

    def row_payoffs(self, row: Plan, columns: Sequence[Plan]) -> Vector:
        return self.payoffs.matrix(0, as_plans([row]), as_plans(columns))[0] if columns else np.array([])

    def column_payoffs(self, rows: Sequence[Plan], column: Plan) -> Vector:
        return self.payoffs.matrix(0, as_plans(rows), as_plans([column]))[:, 0] if rows else np.array([])

    def best_row(self, columns: Sequence[Plan], weights: Vector) -> tuple[float, Plan]:
        return self.payoffs.best(0, columns, weights)

    def best_column(self, rows: Sequence[Plan], weights: Vector) -> tuple[float, Plan]:
        value, plan = self.payoffs.best(1, rows, weights)
        return 1.0 - value, plan


def openings(rules: Rules, player: int) -> list[Plan]:
    """Plans to start from: in proportion to the values, and evenly."""
    units, n = rules.units[player], rules.fronts
    even = tuple(units // n + (i < units % n) for i in range(n))
    return [rules.full(plan, player) for plan in dict.fromkeys((rules.proportional(player), even))]


def by_oracle(
    rules: Rules,
    tolerance: float,
    *,
    seconds: float | None = None,
    report: Report | None = None,
    rounds: int | None = None,
) -> MixturePair:
    """The double oracle; the tolerance is for the width of the interval of values."""
    table = zero_sum_form(rules)
    first, second = openings(rules, 0), openings(rules, 1)
    if table is not None:
        game = Additive(table)
        found = double_oracle(game, first, second, tolerance=tolerance, seconds=seconds, report=report, rounds=rounds)
        mixtures = game.spread(found.rows, found.row), game.spread(found.columns, found.column)
    elif set(rules.objectives) == {"win"}:
        dear = max(rules.plans(0), rules.plans(1)) > TRIED
        found = double_oracle(
            Winning(Payoffs(rules)),
            first,
            second,
            tolerance=tolerance,
            seconds=seconds,
            report=report,
            rounds=rounds,
            smoothing=0.0 if dear else 0.8,
        )
        mixtures = _mixtures(found)
    else:
        raise not_zero_sum()
    return MixturePair(*mixtures, "oracle", found.trace, found.finished, found.interrupted)


def _mixtures(found: Bracket[Plan]) -> tuple[Mixture, Mixture]:
    return tuple(
        {plan: float(w) for plan, w in zip(plans, weights, strict=True) if w > 0}
        for plans, weights in ((found.rows, found.row), (found.columns, found.column))
    )  # type: ignore[return-value]  # two of them


def not_zero_sum() -> UnsuitableSearch:
    return UnsuitableSearch(
        "this game is not zero-sum in any scale, so this method does not apply; leave the method out, or use oracle"
    )


def listed(rules: Rules) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All plans of both players, where the matrix between them can be held."""
    entries = rules.plans(0) * rules.plans(1)
    if entries > MOST_ENTRIES:
        raise UnsuitableSearch(
            f"{rules.plans(0)} by {rules.plans(1)} plans are too many to list (up to {MOST_ENTRIES} pairs); use the oracle"
        )
    return allocations(rules.units[0], rules.slots), allocations(rules.units[1], rules.slots)


def zero_sum_matrix(rules: Rules, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Vector:
    table = zero_sum_form(rules)
    if table is not None:
        out = np.zeros((len(rows), len(columns)))
        for slot in range(rules.slots):
            out += table[slot][rows[:, slot][:, None], columns[:, slot][None, :]]
        return out
    if set(rules.objectives) != {"win"}:
        raise not_zero_sum()
    return Payoffs(rules).matrix(0, rows, columns)


def by_program(rules: Rules) -> MixturePair:
    """The explicit linear program over all allocations."""
    rows, columns = listed(rules)
    found = zero_sum(zero_sum_matrix(rules, rows, columns))
    return MixturePair(_mixture(rows, found.row), _mixture(columns, found.column), "lp")


def _mixture(plans: NDArray[np.int64], weights: Vector) -> Mixture:
    keep = np.flatnonzero(weights > 1e-13)
    total = float(weights[keep].sum())
    return {tuple(plans[k].tolist()): float(weights[k]) / total for k in keep}


def by_flow(rules: Rules) -> MixturePair:
    """The program of polynomial size.

    Variables: A's flow f[i, s, x], its marginals m[i, x], B's costs c[i, y] = sum over x of m[i, x] * table[i, x, y], and
    B's potentials d[i, t], at most the cost of the cheapest way to have spent t on the fronts before i. A maximises
    d[n, all of B]. The multipliers of B's edges are B's flow.
    """
    from scipy.sparse import coo_matrix

    from stratagem.equilibrium.programme import minimise

    table = zero_sum_form(rules)
    if table is None:
        raise (
            not_zero_sum()
            if rules.additive
            else UnsuitableSearch(
                "the flow program needs payoffs that add over the fronts, and the chance to win does not; use lp or oracle"
            )
        )
    n, width_a, width_b = table.shape
    edges_a = [(i, s, x) for i in range(n) for s, x in _edges(i, n, width_a)]
    edges_b = [(i, s, x) for i in range(n) for s, x in _edges(i, n, width_b)]
    if len(edges_a) + len(edges_b) > MOST_EDGES:
        raise UnsuitableSearch(
            f"the flow program would have {len(edges_a) + len(edges_b)} edges (up to {MOST_EDGES} are solved); use oracle"
        )
    marginal0 = len(edges_a)
    cost0 = marginal0 + n * width_a
    potential0 = cost0 + n * width_b
    variables = potential0 + (n + 1) * width_b
    equal: list[tuple[int, int, float]] = []
    right: list[float] = []

    def equation(terms: list[tuple[int, float]], value: float) -> None:
        equal.extend((len(right), column, factor) for column, factor in terms)
        right.append(value)

    out: dict[tuple[int, int], list[int]] = {}
    into: dict[tuple[int, int], list[int]] = {}
    shares: dict[tuple[int, int], list[int]] = {}
    for k, (i, s, x) in enumerate(edges_a):
        out.setdefault((i, s), []).append(k)
        into.setdefault((i + 1, s + x), []).append(k)
        shares.setdefault((i, x), []).append(k)
    equation([(k, 1.0) for k in out[0, 0]], 1.0)
    for node in out:
        if node[0] > 0:
            equation([(k, 1.0) for k in out[node]] + [(k, -1.0) for k in into.get(node, [])], 0.0)
    for i in range(n):
        for x in range(width_a):
            equation([(marginal0 + i * width_a + x, -1.0)] + [(k, 1.0) for k in shares.get((i, x), [])], 0.0)
        for y in range(width_b):
            terms = [(marginal0 + i * width_a + x, float(table[i, x, y])) for x in range(width_a) if table[i, x, y]]
            equation([(cost0 + i * width_b + y, -1.0), *terms], 0.0)
    equation([(potential0, 1.0)], 0.0)
    below = [
        entry
        for k, (i, s, y) in enumerate(edges_b)
        for entry in (
            (k, potential0 + (i + 1) * width_b + s + y, 1.0),
            (k, potential0 + i * width_b + s, -1.0),
            (k, cost0 + i * width_b + y, -1.0),
        )
    ]
    goal = np.zeros(variables)
    goal[potential0 + n * width_b + width_b - 1] = -1.0
    lower = np.full(variables, -np.inf)
    lower[:cost0] = 0.0

    def sparse(entries: list[tuple[int, int, float]], rows: int) -> object:
        where_row, where_column, factors = zip(*entries, strict=True)
        where = np.array(where_row), np.array(where_column)
        return coo_matrix((np.array(factors), where), shape=(rows, variables)).tocsr()

    found = minimise(
        goal,
        A_eq=sparse(equal, len(right)),
        b_eq=np.array(right),
        A_ub=sparse(below, len(edges_b)),
        b_ub=np.zeros(len(edges_b)),
        bounds=np.column_stack([lower, np.full(variables, np.inf)]),
    )
    if found.x is None:
        raise StratagemError(f"the flow program was not solved: {found.message}")
    flow_a, flow_b = np.zeros((n, width_a, width_a)), np.zeros((n, width_b, width_b))
    for k, edge in enumerate(edges_a):
        flow_a[edge] = found.x[k]
    for k, edge in enumerate(edges_b):
        flow_b[edge] = -found.ineqlin.marginals[k]
    return MixturePair(decompose(flow_a), decompose(flow_b), "flow")


def _edges(front: int, fronts: int, width: int) -> list[tuple[int, int]]:
    """(spent before, units here) of a front: nothing is spent before the first, and all after the last."""
    if front == 0 and fronts > 1:
        return [(0, x) for x in range(width)]
    if front == fronts - 1:
        return [(s, width - 1 - s) for s in (range(width) if fronts > 1 else (0,))]
    return [(s, x) for s in range(width) for x in range(width - s)]


# --------------------------------------------------------------------------------------------------- regret minimisation


def by_regret(
    rules: Rules,
    tolerance: float,
    *,
    iterations: int = 2000,
    seconds: float | None = None,
    report: Report | None = None,
) -> MixturePair:
    """No-regret self-play; the mixtures are averages over time.

    Where all plans can be listed, regret matching+ with alternating updates and linear averages. Else exponential weights
    over all allocations (optimistic: the last gain counts twice), whose averages are flows that can be sampled.
    """
    if rules.plans(0) * rules.plans(1) <= MOST_ENTRIES // 4:
        rows, columns = listed(rules)
        found = regret_matching(zero_sum_matrix(rules, rows, columns), iterations=iterations, tolerance=tolerance / 2)
        done = sum(found.gains) <= tolerance
        return MixturePair(_mixture(rows, found.row), _mixture(columns, found.column), "regret", (), done)
    table = zero_sum_form(rules)
    if table is None:
        raise not_zero_sum()
    play = HedgePlay(table, np.ascontiguousarray(-table))
    began, trace, finished, interrupted = time.perf_counter(), [], False, False
    try:
        for t in range(iterations):
            play.step()
            if t % 25 == 24 or t == iterations - 1:
                low, high = play.interval(table)
                trace.append(Round(time.perf_counter() - began, low, high))
                if report is not None:
                    report(trace[-1])
                finished = high - low <= tolerance
                if finished or (seconds is not None and trace[-1].seconds >= seconds):
                    break
    except KeyboardInterrupt:
        interrupted = True
    first, second = play.mixtures()
    return MixturePair(first, second, "regret", tuple(trace), finished, interrupted)


class HedgePlay:
    """Two players with exponential weights over all their allocations, for payoffs that add over the slots.

    tables [slots, x, y] for each player's payoff. After T steps with the step size used here, the time average of play is
    a coarse correlated equilibrium up to O(1 / T) in zero-sum games and O(1 / sqrt T) in others.
    """

    def __init__(self, table_a: NDArray[np.float64], table_b: NDArray[np.float64]) -> None:
        self.tables = table_a, np.ascontiguousarray(table_b.transpose(0, 2, 1))  # own units first
        n, width_a, width_b = table_a.shape
        self.widths = width_a, width_b
        self.spread = [float(np.ptp(t, axis=(1, 2)).sum()) or 1.0 for t in self.tables]
        self.total = [np.zeros((n, w)) for w in self.widths]  # gains added up over time
        self.last = [np.zeros((n, w)) for w in self.widths]
        self.flow = [np.zeros((n, w, w)) for w in self.widths]
        self.chances = [np.zeros((n, w)) for w in self.widths]
        self.average = [np.zeros((n, w)) for w in self.widths]
        self.earned = [0.0, 0.0]
        self.steps = 0
        self._run = specialise(gibbs_flow, label="allocations: exponential weights")

    def step(self) -> None:
        self.steps += 1
        for side, (n, width) in enumerate(t.shape for t in self.total):
            rate = 8.0 / self.spread[side]
            self._run(
                rate * (self.total[side] + self.last[side]),
                self.flow[side],
                1.0,
                np.empty((n + 1, width)),
                np.empty((n + 1, width)),
                np.empty(width),
                self.chances[side],
            )
            self.average[side] += self.chances[side]
        for side in (0, 1):
            gains = np.matmul(self.tables[side], self.chances[1 - side][:, :, None])[:, :, 0]
            self.earned[side] += float((gains * self.chances[side]).sum())
            self.last[side] = gains
            self.total[side] += gains

    def regrets(self) -> tuple[float, float]:
        """What each player would have gained a step by its best single plan: the average play is a CCE up to these."""
        best = [best_split(total)[0] for total in self.total]
        return (best[0] - self.earned[0]) / self.steps, (best[1] - self.earned[1]) / self.steps

    def interval(self, table: NDArray[np.float64]) -> tuple[float, float]:
        """The value of the zero-sum game lies between these: what the two averages guarantee."""
        high = best_split(np.matmul(table, self.average[1][:, :, None])[:, :, 0] / self.steps)[0]
        low = -best_split(-np.matmul(table.transpose(0, 2, 1), self.average[0][:, :, None])[:, :, 0] / self.steps)[0]
        return low, high

    def mixtures(self) -> tuple[Mixture, Mixture]:
        return decompose(self.flow[0] / self.steps), decompose(self.flow[1] / self.steps)


# ---------------------------------------------------------------------------------------------------------- in fractions


class ExactPayoffs:
    """Payoffs and best replies in fractions; for small games."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._fronts: dict[tuple[int, int, int, int], Fraction] = {}

    def front(self, player: int, slot: int, x: int, y: int) -> Fraction:
        key = player, slot, x, y
        if key not in self._fronts:
            self._fronts[key] = self.rules.exact_front(player, slot, x, y)
        return self._fronts[key]

    def pay(self, player: int, a: Plan, b: Plan) -> Fraction:
        rules = self.rules
        if rules.objectives[player] == "win":
            return rules.payoffs((a[: rules.fronts], b[: rules.fronts]))[player]
        return sum((self.front(player, i, x, y) for i, (x, y) in enumerate(zip(a, b, strict=True))), Fraction(0))

    def offset(self, b: Plan) -> Fraction:
        """What to take from A's payoff to make the game zero-sum: a matter of B's plan alone (see `zero_sum_form`)."""
        if not (self.rules.additive and self.rules.worth):
            return Fraction(0)
        scale = sum(self.rules.values[0], Fraction(0)) / sum(self.rules.values[1], Fraction(0))

        def total(slot: int, y: int) -> Fraction:
            return self.front(0, slot, 0, y) + scale * self.front(1, slot, 0, y)

        return sum((total(slot, y) - total(slot, 0) for slot, y in enumerate(b)), Fraction(0))

    def matrix(self, player: int, rows: Sequence[Plan], columns: Sequence[Plan]) -> list[list[Fraction]]:
        return [[self.pay(player, a, b) for b in columns] for a in rows]

    def expected(self, player: int, first: dict[Plan, Fraction], second: dict[Plan, Fraction]) -> Fraction:
        return sum((p * q * self.pay(player, a, b) for a, p in first.items() for b, q in second.items()), Fraction(0))

    def _worth(self, player: int, slot: int, x: int, chances: dict[int, Fraction]) -> Fraction:
        """What x units on a slot bring a player, by how likely the other's units there are."""
        pairs = ((w, (x, y) if player == 0 else (y, x)) for y, w in chances.items())
        return sum((w * self.front(player, slot, *pair) for w, pair in pairs), Fraction(0))

    def best(self, player: int, other: dict[Plan, Fraction]) -> tuple[Fraction, Plan]:
        """The best reply of a player to a mixture of the other."""
        rules = self.rules
        units, slots = rules.units[player], rules.slots
        if rules.objectives[player] == "win":
            if count(units, slots) > MOST_EXACT:
                raise UnsuitableSearch(
                    f"an exact best reply for the objective win tries all allocations, and {count(units, slots)} are too "
                    f"many; up to {MOST_EXACT} can be"
                )
            own = [tuple(plan) for plan in allocations(units, slots).tolist()]
            worth = [
                sum(
                    (w * (self.pay(0, a, b) if player == 0 else self.pay(1, b, a)) for b, w in other.items()),
                    Fraction(0),
                )
                for a in own
            ]
            at = max(range(len(own)), key=worth.__getitem__)
            return worth[at], own[at]
        tables = []
        for slot in range(slots):
            chances: dict[int, Fraction] = {}
            for plan, w in other.items():
                chances[plan[slot]] = chances.get(plan[slot], Fraction(0)) + w
            tables.append([self._worth(player, slot, x, chances) for x in range(units + 1)])
        best: list[list[tuple[Fraction, int]]] = [[(worth, x) for x, worth in enumerate(tables[0])]]
        for slot in range(1, slots):
            best.append(
                [
                    max(((best[-1][t - x][0] + tables[slot][x], x) for x in range(t + 1)), key=lambda pair: pair[0])
                    for t in range(units + 1)
                ]
            )
        chosen, left = [], units
        for slot in range(slots - 1, -1, -1):
            x = best[slot][left][1] if slot else left
            chosen.append(x)
            left -= x
        return best[-1][units][0], tuple(reversed(chosen))

    def enlarge(
        self, rows: list[Plan], columns: list[Plan], first: dict[Plan, Fraction], second: dict[Plan, Fraction]
    ) -> bool:
        """The step of the double oracle: add the best replies that gain on an equilibrium of the plans at hand, if any do."""
        new = False
        for player, other, plans in ((0, second, rows), (1, first, columns)):
            worth, reply = self.best(player, other)
            if worth > self.expected(player, first, second) and reply not in plans:
                plans.append(reply)
                new = True
        return new


def exactly(rules: Rules, start: MixturePair) -> tuple[dict[Plan, Fraction], dict[Plan, Fraction]]:
    """The double oracle in fractions, from the plans of a float solution: what it ends with is an equilibrium, exactly."""
    if zero_sum_form(rules) is None and set(rules.objectives) != {"win"}:
        raise not_zero_sum()
    payoffs = ExactPayoffs(rules)
    rows, columns = list(start.first), list(start.second)
    while True:
        _, x, y = solve_exactly(
            [
                [v - payoffs.offset(b) for v, b in zip(line, columns, strict=True)]
                for line in payoffs.matrix(0, rows, columns)
            ]
        )
        first = {plan: p for plan, p in zip(rows, x, strict=True) if p}
        second = {plan: q for plan, q in zip(columns, y, strict=True) if q}
        if not payoffs.enlarge(rows, columns, first, second):
            return first, second
