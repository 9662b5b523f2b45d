"""Solve a Blotto game: the front door. Picks the method, measures the answer, and says which concept it is.

    >>> from stratagem.games.blotto import Rules
    >>> from stratagem.games.blotto.solve import solve
    >>> solve(Rules.of((6, 5), "1,2,3"), exact=True).exact[0]
    Fraction(1491, 430)

Whatever the method, `payoffs` and `gains` are computed afterwards from the strategies themselves, the gains with the exact
best-reply oracle of the objective: they are a certificate and not a claim of the solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from stratagem.equilibrium import lemke_howson
from stratagem.equilibrium.double_oracle import Report, Round
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.games.blotto import constant_sum, general_sum
from stratagem.games.blotto.constant_sum import ExactPayoffs, Mixture, MixturePair
from stratagem.games.blotto.general_sum import Joint
from stratagem.games.blotto.oracle import Payoffs, as_plans
from stratagem.games.blotto.rules import Rules
from stratagem.plans.allocation import Plan, k_best_splits

Fractions = tuple[dict[Plan, Fraction], dict[Plan, Fraction]]  # both mixtures

CONCEPTS = ("nash", "cce", "ce")
METHODS = ("auto", "oracle", "lp", "flow", "regret")
TOLERANCE = 1e-9  # of the largest payoff: what a best reply may gain
SMALL = 40_000  # pairs of plans up to which the objective win is solved by the explicit program


@dataclass(frozen=True)
class BlottoEquilibrium:
    """An answer with its evidence. Plans are units on the fronts; what is unspent is not listed."""

    rules: Rules
    concept: str  # nash, cce or ce: a coarse correlated equilibrium is not a pair of strategies to play alone
    method: str  # oracle, lp, flow, regret, lemke-howson, mip, columns
    payoffs: tuple[float, float]
    gains: tuple[float, float]  # what a best reply (nash) or a best deviation (cce, ce) gains each player
    strategies: tuple[Mixture, Mixture]  # for cce and ce: the marginals of `joint`
    seconds: float
    exact: tuple[Fraction, Fraction] | None = None
    exact_strategies: tuple[dict[Plan, Fraction], dict[Plan, Fraction]] | None = None
    joint: Joint | None = None
    interval: tuple[float, float] | None = None  # constant-sum: A's value lies in it
    bound: float | None = None  # cce, ce: no welfare is larger; None where that is not proven
    security: tuple[float, float] | None = None  # what each player can guarantee, where the game is not constant-sum
    others: tuple[tuple[float, float], ...] = ()  # payoffs of the equilibria that were met
    trace: tuple[Round, ...] = ()
    finished: bool = True  # False: stopped before the tolerance was reached; the certificate still holds
    interrupted: bool = False  # by hand

    def json(self) -> dict[str, Any]:
        strategies = [
            [
                {"allocation": list(plan), "probability": p}
                for plan, p in sorted(mixture.items(), key=lambda item: (-item[1], item[0]))
            ]
            for mixture in self.strategies
        ]
        found: dict[str, Any] = {
            "payoffs": list(self.payoffs),
            "exact": None if self.exact is None else [str(x) for x in self.exact],
            "strategies": strategies,
            "gains": list(self.gains),
            "concept": self.concept,
            "method": self.method,
            "finished": self.finished,
            "seconds": round(self.seconds, 6),
        }
        if self.interval is not None:
            found["interval"] = list(self.interval)
        if self.security is not None:
            found["security"] = list(self.security)
        if self.others:
            found["equilibria_met"] = [list(pair) for pair in self.others]
        if self.joint is not None:
            found["welfare"] = sum(self.payoffs)
            found["welfare_bound"] = self.bound
            found["joint"] = [
                {"allocations": [list(a), list(b)], "probability": p}
                for (a, b), p in sorted(self.joint.items(), key=lambda item: (-item[1], item[0]))
            ]
        return found


def solve(
    rules: Rules,
    concept: str = "nash",
    *,
    method: str = "auto",
    tolerance: float | None = None,
    exact: bool = False,
    welfare: str | None = None,
    seconds: float | None = None,
    report: Report | None = None,
) -> BlottoEquilibrium:
    """Solve a game of two players.

    `tolerance` is the most that a best reply may gain (default: 1e-9 of the largest payoff). `welfare` picks among
    equilibria: sum, first or second; for nash in small games only. `exact` gives fractions, in small games. `seconds` and
    Ctrl-C end it with the best so far and `finished` False.
    """
    rules.needs_two()
    began = time.perf_counter()
    if concept not in CONCEPTS:
        raise OptionError(f"concept is {concept!r}; it is one of {', '.join(CONCEPTS)}")
    if method not in METHODS:
        raise OptionError(f"method is {method!r}; it is one of {', '.join(METHODS)}")
    scale = max(rules.most(0), rules.most(1)) or 1.0
    if tolerance is None:
        tolerance = TOLERANCE * scale
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise OptionError(f"tolerance is {tolerance!r}; it is a number, 0 or more")
    if seconds is not None and not (np.isfinite(seconds) and seconds >= 0):
        raise OptionError(f"seconds are {seconds!r}; give 0 or more")
    if concept != "nash":
        if exact:
            raise UnsuitableSearch("fractions are given for the concept nash only")
        return _joint(rules, concept, method, tolerance, welfare or "sum", seconds, report, began)
    if welfare is not None:
        found: MixturePair = general_sum.best_nash(rules, welfare)
        return _measured(rules, found, began, tolerance)
    zero_sum = constant_sum.zero_sum_form(rules) is not None or set(rules.objectives) == {"win"}
    if zero_sum:
        found = _zero_sum(rules, method, tolerance, seconds, report)
        found, fractions = _fractions(constant_sum.exactly, rules, found) if exact else (found, None)
        return _measured(rules, found, began, tolerance, fractions=fractions)
    if method not in ("auto", "oracle"):
        raise constant_sum.not_zero_sum()
    found, met = general_sum.nash(rules, tolerance, seconds=seconds, report=report)
    found, fractions = _fractions(_exact_nash, rules, found) if exact else (found, None)
    return _measured(rules, found, began, tolerance, fractions=fractions, others=met)


def _zero_sum(rules: Rules, method: str, tolerance: float, seconds: float | None, report: Report | None) -> MixturePair:
    if method == "auto":
        small = set(rules.objectives) == {"win"} and rules.plans(0) * rules.plans(1) <= SMALL
        method = "lp" if small else "oracle"
    if method == "lp":
        return constant_sum.by_program(rules)
    if method == "flow":
        return constant_sum.by_flow(rules)
    if method == "regret":
        return constant_sum.by_regret(rules, tolerance, seconds=seconds, report=report)
    return constant_sum.by_oracle(rules, tolerance, seconds=seconds, report=report)


def _fractions(
    find: Callable[[Rules, MixturePair], Fractions], rules: Rules, found: MixturePair
) -> tuple[MixturePair, Fractions | None]:
    """The exact form of a float solution; none where one was stopped, before its end or here, and the floats stand."""
    if not found.finished:
        return found, None
    try:
        return found, find(rules, found)
    except KeyboardInterrupt:
        return replace(found, finished=False, interrupted=True), None


def _exact_nash(rules: Rules, found: MixturePair) -> Fractions:
    """The double oracle with Lemke-Howson in whole numbers, from the plans of a float solution."""
    payoffs = ExactPayoffs(rules)
    rows, columns = list(found.first), list(found.second)
    while True:
        a, b = payoffs.matrix(0, rows, columns), payoffs.matrix(1, rows, columns)
        # whole numbers pass through floats unharmed where fractions would be rounded
        whole = lcm(*(v.denominator for line in (*a, *b) for v in line))
        if max(abs(v * whole) for line in (*a, *b) for v in line) > 2**53:
            raise UnsuitableSearch("the payoffs have too many digits for an exact equilibrium; leave `exact` out")
        solved = lemke_howson(
            [[float(v * whole) for v in line] for line in a],
            [[float(v * whole) for v in line] for line in b],
            exact=True,
        )
        assert solved.exact_row is not None and solved.exact_column is not None
        first = {plan: p for plan, p in zip(rows, solved.exact_row, strict=True) if p}
        second = {plan: q for plan, q in zip(columns, solved.exact_column, strict=True) if q}
        if not payoffs.enlarge(rows, columns, first, second):
            return first, second


# ------------------------------------------------------------------------------------------------------ measuring


def expected(rules: Rules, first: Mapping[Plan, float], second: Mapping[Plan, float]) -> tuple[float, float]:
    """What two mixtures (slots included) pay the players."""
    payoffs = Payoffs(rules)
    a, b = as_plans(list(first)), as_plans(list(second))
    p, q = np.array(list(first.values())), np.array(list(second.values()))
    found = []
    for player, (own, chances, other, against) in enumerate(((a, p, b, q), (b, q, a, p))):
        if rules.objectives[player] != "win":  # by marginals: no matrix is needed
            gains = payoffs.worth(player, other, against)
            found.append(float(chances @ gains[np.arange(rules.slots), own].sum(axis=1)))
        else:
            found.append(float(chances @ payoffs.matrix(player, own, other) @ against))
    return found[0], found[1]


def gains(
    rules: Rules, first: Mapping[Plan, float], second: Mapping[Plan, float], payoffs: tuple[float, float]
) -> tuple[float, float]:
    """What a best reply gains each player over the payoffs: the certificate."""
    oracle = Payoffs(rules)
    best_a, _ = oracle.best(0, list(second), np.array(list(second.values())))
    best_b, _ = oracle.best(1, list(first), np.array(list(first.values())))
    return max(best_a - payoffs[0], 0.0), max(best_b - payoffs[1], 0.0)


def _measured(
    rules: Rules,
    found: MixturePair,
    began: float,
    tolerance: float,
    *,
    fractions: Fractions | None = None,
    others: list[tuple[float, float]] | None = None,
) -> BlottoEquilibrium:
    first, second = found.first, found.second
    exact = None
    if fractions is not None:
        first, second = ({plan: float(p) for plan, p in mixture.items()} for mixture in fractions)
        payoffs_exactly = ExactPayoffs(rules)
        exact = payoffs_exactly.expected(0, *fractions), payoffs_exactly.expected(1, *fractions)
    payoffs = expected(rules, first, second)
    regrets = gains(rules, first, second, payoffs)
    interval = None
    security = None
    if constant_sum.constant(rules) is not None:
        interval = payoffs[0] - regrets[1], payoffs[0] + regrets[0]
    else:
        security = _securities(rules, tolerance)
    if exact is not None:
        payoffs, regrets = (float(exact[0]), float(exact[1])), (0.0, 0.0)
        interval = None if interval is None else (payoffs[0], payoffs[0])
    met = tuple(others or ()) or ((payoffs,) if others is not None else ())
    return BlottoEquilibrium(
        rules,
        "nash",
        found.method,
        payoffs,
        regrets,
        (_fronts(rules, first), _fronts(rules, second)),
        time.perf_counter() - began,
        exact,
        None if fractions is None else tuple(_fronts(rules, m) for m in fractions),  # type: ignore[arg-type]
        interval=interval,
        security=security,
        others=met,
        trace=found.trace,
        finished=found.finished,
        interrupted=found.interrupted,
    )


def _fronts(rules: Rules, mixture: dict[Plan, Any]) -> dict[Plan, Any]:
    return {plan[: rules.fronts]: p for plan, p in mixture.items()}


def _joint(
    rules: Rules,
    concept: str,
    method: str,
    tolerance: float,
    welfare: str,
    seconds: float | None,
    report: Report | None,
    began: float,
) -> BlottoEquilibrium:
    if method == "regret":
        if concept == "ce":
            raise UnsuitableSearch(
                "no-regret play approaches coarse correlated equilibria; for ce leave the method out"
            )
        return _no_regret(rules, tolerance, seconds, report, began)
    if method not in ("auto", "lp", "oracle"):
        raise OptionError(f"method {method!r} does not find correlated equilibria; use auto or regret")
    find = general_sum.coarse if concept == "cce" else general_sum.correlated
    found = find(rules, welfare, tolerance, seconds=seconds, report=report)
    payoffs, regrets = joint_certificate(rules, found.joint, concept)
    marginal: tuple[Mixture, Mixture] = ({}, {})
    for pair, p in found.joint.items():
        for side in (0, 1):
            marginal[side][pair[side]] = marginal[side].get(pair[side], 0.0) + p
    n = rules.fronts
    return BlottoEquilibrium(
        rules,
        concept,
        found.method,
        payoffs,
        regrets,
        (_fronts(rules, marginal[0]), _fronts(rules, marginal[1])),
        time.perf_counter() - began,
        joint={(a[:n], b[:n]): p for (a, b), p in found.joint.items()},
        bound=found.bound,
        security=_securities(rules, tolerance),
        trace=tuple(found.trace),
        finished=found.finished,
        interrupted=found.interrupted,
    )


def _securities(rules: Rules, tolerance: float) -> tuple[float, float]:
    return general_sum.security(rules, 0, max(tolerance, 1e-9)), general_sum.security(rules, 1, max(tolerance, 1e-9))


def _no_regret(
    rules: Rules, tolerance: float, seconds: float | None, report: Report | None, began: float
) -> BlottoEquilibrium:
    play, trace, finished, interrupted = general_sum.no_regret(rules, tolerance, seconds=seconds, report=report)
    steps = play.steps
    first, second = play.mixtures()
    regrets = play.regrets()
    return BlottoEquilibrium(
        rules,
        "cce",
        "regret",
        (play.earned[0] / steps, play.earned[1] / steps),
        (max(regrets[0], 0.0), max(regrets[1], 0.0)),
        (_fronts(rules, first), _fronts(rules, second)),
        time.perf_counter() - began,
        security=_securities(rules, tolerance),
        trace=tuple(trace),
        finished=finished,
        interrupted=interrupted,
    )


def joint_certificate(rules: Rules, joint: Joint, concept: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The payoffs of a joint distribution, and what the best deviation gains each player: from all recommended plans (cce), or
    added up over the plans that can be recommended to it (ce)."""
    oracle = Payoffs(rules)
    pairs = list(joint)
    chances = np.array(list(joint.values()))
    first, second = as_plans([a for a, _ in pairs]), as_plans([b for _, b in pairs])
    payoffs, regrets = [], []
    for player, (own, other) in enumerate(((first, second), (second, first))):
        earned = np.array([oracle.matrix(player, own[k : k + 1], other[k : k + 1])[0, 0] for k in range(len(pairs))])
        payoffs.append(float(chances @ earned))
        if concept == "cce":
            best = oracle.best(player, other, chances)[0]
            regrets.append(max(best - payoffs[-1], 0.0))
            continue
        total = 0.0
        reported, which = np.unique(own, axis=0, return_inverse=True)
        for k in range(len(reported)):
            here = which.ravel() == k
            best = oracle.best(player, other[here], chances[here])[0]
            total += max(best - float(chances[here] @ earned[here]), 0.0)
        regrets.append(total)
    return (payoffs[0], payoffs[1]), (regrets[0], regrets[1])


# -------------------------------------------------------------------------------------------------------- replying


def replies(rules: Rules, player: int, opponent: Mapping[Plan, float], best: int = 1) -> list[tuple[float, Plan]]:
    """The best replies of a player to the other's mixture over plans on the fronts, best first, with what they pay."""
    full = as_plans([rules.full(plan, 1 - player) for plan in opponent])
    weights = np.array(list(opponent.values()))
    oracle = Payoffs(rules)
    if best == 1:
        value, plan = oracle.best(player, full, weights)
        return [(value, plan[: rules.fronts])]
    if rules.objectives[player] == "win":
        raise UnsuitableSearch("several best replies are listed for score and lottery; for win the best one is found")
    return [(value, plan[: rules.fronts]) for value, plan in k_best_splits(oracle.worth(player, full, weights), best)]
