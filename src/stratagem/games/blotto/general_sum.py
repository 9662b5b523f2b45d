"""Blotto games that are not zero-sum: players value the fronts differently, ties are lost, or they want different things.

- `nash`: the double oracle on both payoffs. Lemke-Howson solves each small game; it stops when neither side's exact best
  reply gains more than the tolerance, which certifies an eps-Nash equilibrium of the whole game. No method with a good
  bound on its time is known.
- `best_nash`: for small games, the equilibrium that is best for the sum or for one player, by a mixed-integer program.
- `coarse`: the coarse correlated equilibrium of the best welfare, exactly for additive payoffs of any size that the pricing
  can bear: deviations and joint plans are both generated, the first by the best-reply oracle, the second by a (max, +)
  convolution over pairs of budgets.
- `correlated`: the correlated equilibrium of the best welfare, over all plans where they are few, else over the plans met by
  the other methods; deviations are always checked against *all* plans, so that it is one of the whole game.
- `security`: what a player can guarantee against an opponent who only wants to hurt it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from math import comb
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.equilibrium import lemke_howson
from stratagem.equilibrium.double_oracle import Report, Round, double_oracle, highs
from stratagem.errors import OptionError, StratagemError, UnsuitableSearch
from stratagem.games.blotto.constant_sum import HedgePlay, Mixture, MixturePair, by_oracle, openings
from stratagem.games.blotto.oracle import Additive, Payoffs, as_plans
from stratagem.games.blotto.rules import Rules
from stratagem.plans.allocation import Plan, allocations

Joint = dict[tuple[Plan, Plan], float]
Vector = NDArray[np.float64]

WELFARE = {"sum": (1.0, 1.0), "first": (1.0, 0.0), "second": (0.0, 1.0)}
MOST_ROUNDS = 2000
FEW_PLANS = 40  # a side: correlated equilibria over all plans, equilibria by mixed-integer program
MOST_BASES = 400_000  # choices of tight constraints when all equilibria are listed
VERTEX = 1e-9  # what counts as 0 there
MOST_PRICING = 3e8  # additions of one pricing of joint plans


def welfare_weights(name: str) -> tuple[float, float]:
    if name not in WELFARE:
        raise OptionError(f"welfare is {name!r}; it is one of {', '.join(WELFARE)}")
    return WELFARE[name]


# ----------------------------------------------------------------------------------------------------------------- Nash


def nash(
    rules: Rules, tolerance: float, *, seconds: float | None = None, report: Report | None = None
) -> tuple[MixturePair, list[tuple[float, float]]]:
    """An equilibrium, and the payoffs of all equilibria met (several where other paths of Lemke-Howson end elsewhere).

    The trace holds each player's gain as [-gain of A, gain of B], so that an interval around 0 shrinks.
    """
    began = time.perf_counter()
    payoffs = Payoffs(rules)
    rows, columns = dict.fromkeys(openings(rules, 0)), dict.fromkeys(openings(rules, 1))
    trace: list[Round] = []
    best: tuple[float, Mixture, Mixture] | None = None
    finished = interrupted = False
    met: list[tuple[float, float]] = []
    try:
        for _ in range(MOST_ROUNDS):
            mine, yours = as_plans(list(rows)), as_plans(list(columns))
            a, b = payoffs.matrix(0, mine, yours), payoffs.matrix(1, yours, mine).T
            found = lemke_howson(a, b)
            gains, replies = _gains(payoffs, mine, found.row, yours, found.column, found.values)
            if best is None or max(gains) < best[0]:
                best = max(gains), _mix(mine, found.row), _mix(yours, found.column)
            trace.append(Round(time.perf_counter() - began, -gains[0], gains[1], (len(rows), len(columns))))
            if report is not None:
                report(trace[-1])
            if max(gains) <= tolerance:
                finished = True
                met = _others(payoffs, a, b, mine, yours, tolerance)
                break
            if seconds is not None and trace[-1].seconds >= seconds:
                break
            known = len(rows) + len(columns)
            rows[replies[0]] = None
            columns[replies[1]] = None
            if len(rows) + len(columns) == known:
                finished = True  # the gains left are the rounding of the pivots
                break
    except KeyboardInterrupt:
        interrupted = True
    if best is None:
        best = np.inf, {next(iter(rows)): 1.0}, {next(iter(columns)): 1.0}
    return MixturePair(best[1], best[2], "lemke-howson", tuple(trace), finished, interrupted), met


def _gains(
    payoffs: Payoffs,
    mine: NDArray[np.int64],
    p: Vector,
    yours: NDArray[np.int64],
    q: Vector,
    values: tuple[float, float],
) -> tuple[tuple[float, float], tuple[Plan, Plan]]:
    best_a, row = payoffs.best(0, yours, q)
    best_b, column = payoffs.best(1, mine, p)
    return (best_a - values[0], best_b - values[1]), (row, column)


def _mix(plans: NDArray[np.int64], weights: Vector) -> Mixture:
    return {tuple(plan): float(w) for plan, w in zip(plans.tolist(), weights, strict=True) if w > 0}


def _others(
    payoffs: Payoffs,
    a: Vector,
    b: Vector,
    mine: NDArray[np.int64],
    yours: NDArray[np.int64],
    tolerance: float,
    seconds: float = 1.0,
) -> list[tuple[float, float]]:
    """The distinct payoffs of equilibria of the whole game at the ends of other Lemke-Howson paths, for a while."""
    met: list[tuple[float, float]] = []
    began = time.perf_counter()
    for label in range(sum(a.shape)):
        if time.perf_counter() - began > seconds:
            break
        found = lemke_howson(a, b, label=label)
        gains, _ = _gains(payoffs, mine, found.row, yours, found.column, found.values)
        if max(gains) <= tolerance and all(np.abs(np.subtract(found.values, pair)).max() > 1e-6 for pair in met):
            met.append(found.values)
    return met


def best_nash(rules: Rules, welfare: str = "sum") -> MixturePair:
    """The equilibrium of a small game that is best for the sum or one player (Sandholm, Gilpin and Conitzer, AAAI 2005).

    A plan is either unused or a best reply: one binary variable a plan says which.
    """
    if max(rules.plans(0), rules.plans(1)) > FEW_PLANS:
        raise UnsuitableSearch(
            f"the best equilibrium is searched for up to {FEW_PLANS} plans a player; this game has "
            f"{rules.plans(0)} and {rules.plans(1)}; leave the choice out for one equilibrium"
        )
    payoffs = Payoffs(rules)
    rows, columns = allocations(rules.units[0], rules.slots), allocations(rules.units[1], rules.slots)
    a, b = payoffs.matrix(0, rows, columns), payoffs.matrix(1, columns, rows)
    model = _program(highspy.ObjSense.kMaximize)
    model.setOptionValue("mip_feasibility_tolerance", 1e-9)
    model.setOptionValue("mip_rel_gap", 1e-9)
    sizes = len(rows), len(columns)
    goal = welfare_weights(welfare)
    spreads = float(np.ptp(a)) or 1.0, float(np.ptp(b)) or 1.0
    chance0 = (0, 2 * sizes[0])
    total = 2 * sum(sizes)
    for side in (0, 1):
        for _ in range(sizes[side]):
            model.addVar(0.0, 1.0)  # its chance
        for _ in range(sizes[side]):
            model.addVar(0.0, 1.0)  # whether it is unused
            model.changeColIntegrality(model.getNumCol() - 1, highspy.HighsVarType.kInteger)
    for side in (0, 1):
        model.addVar(-highspy.kHighsInf, highspy.kHighsInf)  # what the player gets
        model.changeColCost(total + side, goal[side])
    for side, matrix in ((0, a), (1, b)):
        own, other, value = chance0[side], chance0[1 - side], total + side
        n = sizes[side]
        model.addRow(1.0, 1.0, n, np.arange(own, own + n, dtype=np.int32), np.ones(n))
        for k in range(n):
            model.addRow(-highspy.kHighsInf, 1.0, 2, np.array([own + k, own + n + k], np.int32), np.ones(2))
            where = np.concatenate([[value], np.arange(other, other + sizes[1 - side])]).astype(np.int32)
            # 0 <= value - worth of plan k, and <= spread if unused, <= 0 if used
            model.addRow(0.0, highspy.kHighsInf, len(where), where, np.concatenate([[1.0], -matrix[k]]))
            model.addRow(
                -highspy.kHighsInf,
                0.0,
                len(where) + 1,
                np.append(where, own + n + k).astype(np.int32),
                np.concatenate([[1.0], -matrix[k], [-spreads[side]]]),
            )
    _run(model, "the best equilibrium")
    x = np.array(model.getSolution().col_value)
    p = np.maximum(x[: sizes[0]], 0.0) * (x[sizes[0] : 2 * sizes[0]] < 0.5)
    q = np.maximum(x[chance0[1] : chance0[1] + sizes[1]], 0.0) * (x[chance0[1] + sizes[1] : total] < 0.5)
    return MixturePair(_mix(rows, p / p.sum()), _mix(columns, q / q.sum()), "mip")


def extreme_equilibria(rules: Rules) -> list[Extreme]:
    """All extreme equilibria of a small game: every equilibrium is a mixture of these within its component.

    Each is a pair of vertices of the players' best-reply polytopes in which every plan is unused or a best reply, so all
    vertices are listed, degenerate ones too, and all pairs tried (Avis, Rosenberg, Savani and von Stengel 2010).
    """
    m, n = rules.plans(0), rules.plans(1)
    if m + n > 200 or comb(m + n, m) > MOST_BASES:
        raise UnsuitableSearch(
            f"all equilibria are listed for small games only; {m} and {n} plans have too many vertices (up to {MOST_BASES} "
            "choices of tight constraints are tried)"
        )
    payoffs = Payoffs(rules)
    rows, columns = allocations(rules.units[0], rules.slots), allocations(rules.units[1], rules.slots)
    a, b = payoffs.matrix(0, rows, columns), payoffs.matrix(1, columns, rows)  # own plans first, both
    xs, ys = _vertices(b - b.min() + 1), _vertices(a - a.min() + 1)
    unused_worth_a = (ys @ (a - a.min() + 1).T < 1 - VERTEX).astype(float)  # [ys, rows]: plans that are no best reply
    unused_worth_b = (xs @ (b - b.min() + 1).T < 1 - VERTEX).astype(float)
    clash = (xs > VERTEX).astype(float) @ unused_worth_a.T + unused_worth_b @ (ys > VERTEX).astype(float).T
    found = []
    for i, j in np.argwhere(clash == 0):
        p, q = xs[i] / xs[i].sum(), ys[j] / ys[j].sum()
        p, q = np.where(p > VERTEX, p, 0.0), np.where(q > VERTEX, q, 0.0)
        found.append(Extreme(_mix(rows, p), _mix(columns, q), (float(p @ a @ q), float(q @ b @ p))))
    return found


def _vertices(worth: Vector) -> Vector:
    """The vertices but 0 of {z >= 0, worth @ z <= 1}, by solving for every choice of tight constraints."""
    replies, plans = worth.shape
    sides = np.vstack([np.eye(plans), worth])
    right = np.concatenate([np.zeros(plans), np.ones(replies)])
    seen: dict[tuple[float, ...], Vector] = {}
    choices = combinations(range(plans + replies), plans)
    while chunk := list(islice(choices, 20_000)):
        tight = np.array(chunk)
        systems = sides[tight]
        regular = np.abs(np.linalg.det(systems)) > 1e-9
        z = np.linalg.solve(systems[regular], right[tight[regular]][:, :, None])[:, :, 0]
        good = (z > -VERTEX).all(axis=1) & (z @ worth.T < 1 + VERTEX).all(axis=1) & (z.max(axis=1) > VERTEX)
        for vertex in np.where(np.abs(z[good]) < VERTEX, 0.0, z[good]):
            seen.setdefault(tuple(np.round(vertex, 8).tolist()), vertex)
    return np.array(list(seen.values()))


def _program(sense: highspy.ObjSense) -> Any:
    model = highs()
    model.changeObjectiveSense(sense)
    return model


def _run(model: Any, what: str) -> None:
    model.run()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        model.clearSolver()
        model.run()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise StratagemError(f"the program for {what} was not solved: {model.getModelStatus()}")


@dataclass(frozen=True)
class Extreme:
    """One extreme equilibrium."""

    first: Mixture
    second: Mixture
    payoffs: tuple[float, float]


# ------------------------------------------------------------------------------------------------------------- security


def security(rules: Rules, player: int, tolerance: float) -> float:
    """The most that a player can guarantee, to within the tolerance: the value of the game against a mere spoiler."""
    if rules.objectives[player] == "win":
        other = 1 - player
        both = replace(rules, objectives=("win", "win"), _cache={})
        found = by_oracle(both, tolerance)
        payoffs = Payoffs(both)
        mixture = (found.first, found.second)[player]
        plans, weights = as_plans(list(mixture)), np.array(list(mixture.values()))
        return 1.0 - payoffs.best(other, plans, weights)[0]
    table = rules.table(player)
    game = Additive(np.ascontiguousarray(table if player == 0 else table.transpose(0, 2, 1)))
    bracket = double_oracle(game, openings(rules, player), openings(rules, 1 - player), tolerance=tolerance)
    return bracket.low


# ------------------------------------------------------------------------------------------------ correlated equilibria


@dataclass
class JointFound:
    """A distribution over pairs of plans."""

    joint: Joint
    method: str
    bound: float | None = None  # no equilibrium of this concept has a larger welfare; None: not known
    trace: list[Round] = field(default_factory=list)
    finished: bool = True
    interrupted: bool = False


def pair_fold(f: NDArray[np.float64], best: NDArray[np.float64]) -> None:
    """best[i, s, t]: the largest sum of f[k, x_k, y_k] over the slots k <= i with s units of A and t of B on them."""
    n, wide, high = f.shape
    for s in range(wide):
        for t in range(high):
            best[0, s, t] = f[0, s, t]
    for i in range(1, n):
        for s in range(wide):
            for t in range(high):
                best[i, s, t] = -np.inf
        for x in range(wide):
            for y in range(high):
                worth = f[i, x, y]
                for s in range(wide - x):
                    before = best[i - 1, s]
                    now = best[i, s + x]
                    for t in range(high - y):
                        value = before[t] + worth
                        now[t + y] = value if value > now[t + y] else now[t + y]


def pair_read_back(
    f: NDArray[np.float64], best: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]
) -> None:
    """The pair of plans that gave the last entry of `best`."""
    n, wide, high = f.shape
    s, t = wide - 1, high - 1
    for i in range(n - 1, 0, -1):
        target = best[i, s, t]
        found = False
        for x in range(s + 1):
            for y in range(t + 1):
                if not found and best[i - 1, s - x, t - y] + f[i, x, y] == target:
                    a[i], b[i] = x, y
                    found = True
        s -= a[i]
        t -= b[i]
    a[0], b[0] = s, t


def best_pair(f: NDArray[np.float64]) -> tuple[float, Plan, Plan]:
    """The pair of plans with the largest sum of f[slot, x, y]: the convolution over pairs of budgets."""
    best = np.empty_like(f)
    a, b = np.zeros(len(f), np.int64), np.zeros(len(f), np.int64)
    specialise(pair_fold, label="blotto: pairs of plans")(f, best)
    specialise(pair_read_back, label="blotto: a pair of plans")(f, best, a, b)
    return float(best[-1, -1, -1]), tuple(a.tolist()), tuple(b.tolist())


def coarse(
    rules: Rules, welfare: str, tolerance: float, *, seconds: float | None = None, report: Report | None = None
) -> JointFound:
    """The coarse correlated equilibrium of the best welfare.

    The program: chances z of joint plans that sum to 1; for each player and each single deviation, following is worth no
    less. Missing deviations and joint plans are added until none is violated and none improves the welfare by more than
    the tolerance. Where pricing joint plans is out of reach (the objective win, or large budgets), all joint plans are
    listed, or the plans of an equilibrium and the replies to it are used, and then no bound on the welfare is claimed.
    """
    payoffs = Payoffs(rules)
    weights = welfare_weights(welfare)
    cost = rules.slots * float(np.prod([u * u for u in rules.units])) / 4
    priced = rules.additive and cost <= MOST_PRICING
    began = time.perf_counter()
    model = _CoarseProgram(payoffs, weights)
    bound: float | None = None
    finished = interrupted = False
    trace: list[Round] = []
    if priced:
        pairs = [(a, b) for a in openings(rules, 0) for b in openings(rules, 1)]
    elif rules.plans(0) * rules.plans(1) <= 200_000:
        rows, columns = (allocations(u, rules.slots).tolist() for u in rules.units)
        pairs = [(tuple(a), tuple(b)) for a in rows for b in columns]
        bound = np.inf  # every joint plan is there: the program's own optimum is the bound
    else:
        start, _ = nash(rules, tolerance, seconds=seconds)
        pairs = [(a, b) for a in start.first for b in start.second]
    seed, _ = nash(rules, tolerance) if priced else (None, None)
    if seed is not None:  # an equilibrium makes the program feasible from the start
        pairs += [(a, b) for a in seed.first for b in seed.second]
    model.add_pairs(list(dict.fromkeys(pairs)))
    z, value = np.full(len(model.pairs), 1.0 / len(model.pairs)), 0.0
    try:
        while True:
            known = len(model.pairs)
            z, value = model.solve()
            violated = model.add_deviations(z, tolerance)
            improves = 0.0
            if priced:
                improves = model.price()
                if not violated:
                    bound = value + max(improves, 0.0)
            trace.append(Round(time.perf_counter() - began, value, value + max(improves, 0.0), (len(model.pairs), 0)))
            if report is not None:
                report(trace[-1])
            # a pair that improves and is there already improves by the rounding of the solver only
            if not violated and (improves <= tolerance or len(model.pairs) == known):
                finished = True
                break
            if seconds is not None and trace[-1].seconds >= seconds:
                break
    except KeyboardInterrupt:
        interrupted = True
    if bound == np.inf:
        bound = value
    joint = {pair: float(p) for pair, p in zip(model.pairs, z, strict=False) if p > 1e-13}
    total = sum(joint.values())
    joint = {pair: p / total for pair, p in joint.items()}
    return JointFound(joint, "columns" if priced else "lp", bound, trace, finished, interrupted)


class _CoarseProgram:
    """The linear program of coarse correlated equilibria over some joint plans and some deviations."""

    def __init__(self, payoffs: Payoffs, weights: tuple[float, float]) -> None:
        self.payoffs = payoffs
        self.weights = weights
        self.model = _program(highspy.ObjSense.kMaximize)
        self.model.setOptionValue("presolve", "off")
        self.model.addRow(1.0, 1.0, 0, np.array([], np.int32), np.array([]))
        self.pairs: list[tuple[Plan, Plan]] = []
        self.known: set[tuple[Plan, Plan]] = set()
        self.deviations: list[tuple[int, Plan]] = []  # (player, plan), in the order of the rows behind the first
        self.earned = np.zeros((0, 2))  # what each pair pays the players

    def add_pairs(self, pairs: Sequence[tuple[Plan, Plan]]) -> None:
        pairs = [pair for pair in pairs if pair not in self.known]
        if not pairs:
            return
        first, second = as_plans([a for a, _ in pairs]), as_plans([b for _, b in pairs])
        pay = np.column_stack([self._paired(player, first, second) for player in (0, 1)])
        entries = np.zeros((len(pairs), 1 + len(self.deviations)))
        entries[:, 0] = 1.0
        for k, (player, plan) in enumerate(self.deviations):
            instead = as_plans([plan])
            gain = self.payoffs.matrix(player, instead, (second, first)[player])[0]
            entries[:, 1 + k] = pay[:, player] - gain
        where = np.arange(entries.shape[1], dtype=np.int32)
        for k in range(len(pairs)):
            worth = float(pay[k] @ self.weights)
            self.model.addCol(worth, 0.0, highspy.kHighsInf, len(where), where, entries[k])
        self.pairs += pairs
        self.known.update(pairs)
        self.earned = np.vstack([self.earned, pay])

    def _paired(self, player: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> Vector:
        """A player's payoff of each pair."""
        additive = self.payoffs.additive[player]
        own, other = (first, second) if player == 0 else (second, first)
        if additive is not None:
            slots = np.arange(own.shape[1])
            return additive.table[slots, own, other].sum(axis=1)
        return np.array([self.payoffs.matrix(player, own[k : k + 1], other[k : k + 1])[0, 0] for k in range(len(own))])

    def solve(self) -> tuple[Vector, float]:
        _run(self.model, "a coarse correlated equilibrium")
        return np.maximum(
            np.array(self.model.getSolution().col_value), 0.0
        ), self.model.getInfo().objective_function_value

    def add_deviations(self, z: Vector, tolerance: float) -> bool:
        """Add each player's best single deviation, if following is worth less; whether one was added."""
        used = np.flatnonzero(z > 0)
        first, second = as_plans([self.pairs[k][0] for k in used]), as_plans([self.pairs[k][1] for k in used])
        added = False
        for player in (0, 1):
            value, plan = self.payoffs.best(player, (second, first)[player], z[used])
            if value - float(z[used] @ self.earned[used, player]) > tolerance and (player, plan) not in self.deviations:
                self._deviation(player, plan)
                added = True
        return added

    def _deviation(self, player: int, plan: Plan) -> None:
        first, second = as_plans([a for a, _ in self.pairs]), as_plans([b for _, b in self.pairs])
        gain = self.payoffs.matrix(player, as_plans([plan]), (second, first)[player])[0]
        entries = self.earned[:, player] - gain
        self.model.addRow(
            0.0, highspy.kHighsInf, len(entries), np.arange(len(entries), dtype=np.int32), np.ascontiguousarray(entries)
        )
        self.deviations.append((player, plan))

    def price(self) -> float:
        """Add the joint plan that improves the welfare most; returns its reduced cost, which bounds what is missing."""
        _run(self.model, "a coarse correlated equilibrium")
        dual = np.array(self.model.getSolution().row_dual)
        rules = self.payoffs.rules
        tables = rules.table(0), rules.table(1)
        slots = np.arange(rules.slots)
        f = self.weights[0] * tables[0] + self.weights[1] * tables[1]
        for (player, plan), price in zip(self.deviations, dual[1:], strict=True):
            price = abs(price)
            if price <= 0:
                continue
            at = (
                tables[player][slots, list(plan)][:, None, :]
                if player == 0
                else tables[1][slots, :, list(plan)][:, :, None]
            )
            f = f + price * (tables[player] - at)
        value, a, b = best_pair(np.ascontiguousarray(f))
        self.add_pairs([(a, b)])
        return value - float(dual[0])


def correlated(
    rules: Rules, welfare: str, tolerance: float, *, seconds: float | None = None, report: Report | None = None
) -> JointFound:
    """The correlated equilibrium of the best welfare, over all plans or over those of the coarse and the Nash equilibrium.

    Each player, who hears its own plan only, must not gain by another. Rows are generated: for each recommended plan with some
    chance, the best reply to what is then known of the other.
    """
    began = time.perf_counter()
    payoffs = Payoffs(rules)
    weights = welfare_weights(welfare)
    everything = max(rules.plans(0), rules.plans(1)) <= FEW_PLANS
    if everything:
        rows, columns = allocations(rules.units[0], rules.slots), allocations(rules.units[1], rules.slots)
    else:
        start, _ = nash(rules, tolerance, seconds=seconds)
        wide = coarse(rules, welfare, tolerance, seconds=seconds)
        rows = as_plans(list(dict.fromkeys([*start.first, *(a for a, _ in wide.joint)])))
        columns = as_plans(list(dict.fromkeys([*start.second, *(b for _, b in wide.joint)])))
    pay = payoffs.matrix(0, rows, columns), payoffs.matrix(1, columns, rows).T
    m, n = pay[0].shape
    model = _program(highspy.ObjSense.kMaximize)
    worth = (weights[0] * pay[0] + weights[1] * pay[1]).ravel()
    for each in worth:
        model.addCol(float(each), 0.0, highspy.kHighsInf, 0, np.array([], np.int32), np.array([]))
    model.addRow(1.0, 1.0, m * n, np.arange(m * n, dtype=np.int32), np.ones(m * n))
    trace: list[Round] = []
    deviations: set[tuple[int, int, Plan]] = (
        set()
    )  # (player, plan recommended, plan taken in its place) that have a row
    finished = interrupted = False
    z = np.full((m, n), 1.0 / (m * n))
    try:
        while True:
            _run(model, "a correlated equilibrium")
            welfare_now = float(model.getInfo().objective_function_value)
            z = np.maximum(np.array(model.getSolution().col_value), 0.0).reshape(m, n)
            worst, known = 0.0, len(deviations)
            for player in (0, 1):
                reported = z if player == 0 else z.T
                others = columns if player == 0 else rows
                own = pay[0] if player == 0 else pay[1].T
                for k in np.flatnonzero(reported.sum(axis=1) > 0):
                    value, plan = payoffs.best(player, others, reported[k])
                    gain = value - float(reported[k] @ own[k])
                    worst = max(worst, gain)
                    if gain > tolerance and (player, int(k), plan) not in deviations:
                        deviations.add((player, int(k), plan))
                        instead = payoffs.matrix(player, as_plans([plan]), others)[0]
                        where = k * n + np.arange(n) if player == 0 else np.arange(m) * n + k
                        model.addRow(
                            0.0,
                            highspy.kHighsInf,
                            len(where),
                            where.astype(np.int32),
                            np.ascontiguousarray(own[k] - instead),
                        )
            trace.append(Round(time.perf_counter() - began, welfare_now, welfare_now + worst, (m, n)))
            if report is not None:
                report(trace[-1])
            if len(deviations) == known:  # none gains, or by the rounding of the solver only
                finished = True
                break
            if seconds is not None and trace[-1].seconds >= seconds:
                break
    except KeyboardInterrupt:
        interrupted = True
    joint = {
        (tuple(rows[i].tolist()), tuple(columns[j].tolist())): float(z[i, j] / z.sum())
        for i, j in np.argwhere(z > 1e-13)
    }
    if not (finished or everything):
        # stopped on the way, with deviations that still gain: an equilibrium in independent strategies is one of this kind
        joint = {(a, b): chance * start.second[b] for a, chance in start.first.items() for b in start.second}
    bound = trace[-1].low if everything and finished else (None if everything else wide.bound)
    return JointFound(joint, "lp" if everything else "columns", bound, trace, finished, interrupted)


def no_regret(
    rules: Rules,
    tolerance: float,
    *,
    iterations: int = 1000,
    seconds: float | None = None,
    report: Report | None = None,
) -> tuple[HedgePlay, list[Round], bool, bool]:
    """Exponential weights for both players: the time average of play is a coarse correlated equilibrium up to the regrets."""
    if not rules.additive:
        raise UnsuitableSearch("exponential weights over all plans need payoffs that add over the fronts; win does not")
    play = HedgePlay(rules.table(0), rules.table(1))
    began, trace, finished, interrupted = time.perf_counter(), [], False, False
    try:
        for t in range(iterations):
            play.step()
            if t % 25 == 24 or t == iterations - 1:
                regrets = play.regrets()
                trace.append(Round(time.perf_counter() - began, -regrets[0], regrets[1]))
                if report is not None:
                    report(trace[-1])
                finished = max(regrets) <= tolerance
                if finished or (seconds is not None and trace[-1].seconds >= seconds):
                    break
    except KeyboardInterrupt:
        interrupted = True
    return play, trace, finished, interrupted


__all__ = ["JointFound", "best_nash", "coarse", "correlated", "extreme_equilibria", "nash", "no_regret", "security"]
