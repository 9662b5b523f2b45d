"""Equilibria of large matrix games by play against oneself: regret matching+ and fictitious play.

Both need only products of the matrix with mixtures, so they go where tableaux do not. In zero-sum games the averages
converge: regret matching+ (Tammelin 2014; here with alternating updates and averages weighted by time) in practice about
as 1/T, fictitious play (Brown 1951, Robinson 1951) more slowly. In other games the averages need not be an equilibrium;
the exploitability that comes back tells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.result import Equilibrium, bimatrix, measured, payoff_matrix
from stratagem.errors import OptionError

Vector = NDArray[np.float64]
CHUNK = 4_000_000  # payoffs touched between two looks at the tolerance (and at the keyboard)


def match_regrets(regrets: Vector, n: int, mixture: Vector) -> None:
    """The mixture in proportion to positive regrets; uniform where there are none."""
    total = 0.0
    for i in range(n):
        total += max(regrets[i], 0.0)
    for i in range(n):
        mixture[i] = max(regrets[i], 0.0) / total if total > 0.0 else 1.0 / n


def answer(payoffs: NDArray[np.float64], other: Vector, regrets: Vector, mixture: Vector, worth: Vector) -> None:
    """One player's regrets after a round against the other's mixture; payoffs [own choices, the other's]."""
    m, n = payoffs.shape
    match_regrets(regrets, m, mixture)
    mean = 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += payoffs[i, j] * other[j]
        worth[i] = total
        mean += mixture[i] * total
    for i in range(m):
        regrets[i] = max(regrets[i] + worth[i] - mean, 0.0)


def regret_template(
    a: NDArray[np.float64], bt: NDArray[np.float64], began: int, rounds: int, regret_x: Vector, regret_y: Vector,
    x: Vector, y: Vector, sum_x: Vector, sum_y: Vector, worth: Vector,
) -> None:  # fmt: skip
    """Rounds of regret matching+: first the rows answer, then the columns; a [rows, columns], bt [columns, rows]."""
    m = a.shape[0]
    n = a.shape[1]
    for t in range(began, began + rounds):
        match_regrets(regret_y, n, y)
        answer(a, y, regret_x, x, worth)
        match_regrets(regret_x, m, x)
        answer(bt, x, regret_y, y, worth)
        weight = t + 1.0
        for i in range(m):
            sum_x[i] += weight * x[i]
        for j in range(n):
            sum_y[j] += weight * y[j]


def fictitious_template(
    a: NDArray[np.float64], bt: NDArray[np.float64], began: int, rounds: int, worth_x: Vector, worth_y: Vector,
    x: Vector, y: Vector, sum_x: Vector, sum_y: Vector, worth: Vector,
) -> None:  # fmt: skip
    """Rounds of fictitious play: each answers best to all the other has played so far."""
    m = a.shape[0]
    n = a.shape[1]
    for _ in range(rounds):
        i = np.argmax(worth_x)
        j = np.argmax(worth_y)
        sum_x[i] += 1.0
        sum_y[j] += 1.0
        for k in range(m):
            worth_x[k] += a[k, j]
        for k in range(n):
            worth_y[k] += bt[k, i]


_made: dict[str, Callable[..., Any]] = {}
TEMPLATES = {"regret": regret_template, "fictitious": fictitious_template}


def _learn(
    method: str, a: NDArray[np.float64], b: NDArray[np.float64] | None, iterations: int, tolerance: float
) -> Equilibrium:
    if iterations < 1:
        raise OptionError(f"{iterations} iterations learn nothing; give 1 or more")
    m, n = a.shape
    bt = np.ascontiguousarray(-a.T if b is None else b.T)
    if method not in _made:
        _made[method] = specialise(TEMPLATES[method], label=f"{method} learning", fastmath=True)
    memory_x, memory_y, sum_x, sum_y = np.zeros(m), np.zeros(n), np.zeros(m), np.zeros(n)
    x, y, worth = np.zeros(m), np.zeros(n), np.zeros(max(m, n))
    per_round = 2 * a.size if method == "regret" else m + n
    done, found = 0, None
    rounds = min(100, iterations)
    while done < iterations:
        _made[method](a, bt, done, rounds, memory_x, memory_y, x, y, sum_x, sum_y, worth)
        done += rounds
        found = measured(a, b, sum_x / sum_x.sum(), sum_y / sum_y.sum(), method, done)
        if found.exploitability <= tolerance:
            break
        rounds = max(1, min(iterations - done, done, CHUNK * 10 // per_round))
    assert found is not None
    return found


def regret_matching(
    payoffs: ArrayLike, column_payoffs: ArrayLike | None = None, *, iterations: int = 10_000, tolerance: float = 0.0
) -> Equilibrium:
    """Regret matching+ until the measured exploitability is within the tolerance, or for so many iterations."""
    a = payoff_matrix(payoffs)
    b = None if column_payoffs is None else bimatrix(payoffs, column_payoffs)[1]
    return _learn("regret", a, b, iterations, tolerance)


def fictitious_play(
    payoffs: ArrayLike, column_payoffs: ArrayLike | None = None, *, iterations: int = 100_000, tolerance: float = 0.0
) -> Equilibrium:
    """Fictitious play; an iteration costs rows + columns and not their product."""
    a = payoff_matrix(payoffs)
    b = None if column_payoffs is None else bimatrix(payoffs, column_payoffs)[1]
    return _learn("fictitious", a, b, iterations, tolerance)
