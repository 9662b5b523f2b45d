"""Equilibria of large matrix games by play against oneself: regret matching+ and fictitious play.

Both need only products of the matrix with mixtures, so they go where tableaux do not. In zero-sum games the averages
converge: regret matching+ (Tammelin 2014; here with alternating updates and averages weighted by time) in practice about
as 1/T, fictitious play (Brown 1951, Robinson 1951) more slowly. In other games the averages need not be an equilibrium;
the exploitability that comes back tells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.result import Equilibrium, bimatrix, measured, payoff_matrix
from stratagem.errors import OptionError

Vector = NDArray[np.float64]
CHUNK = 4_000_000  # payoffs touched between two looks at the tolerance (and at the keyboard)


class Learner(NamedTuple):
    """What one player knows and has done; all vectors have a cell for each of its choices."""

    payoffs: NDArray[np.float64]  # [own choices, the other's choices]
    memory: Vector  # regrets; in fictitious play what each choice would have earned so far
    mixture: Vector  # of the last round
    played: Vector  # the sum of all mixtures, weighted
    worth: Vector  # room for what each choice earns in a round


def learner(payoffs: NDArray[np.float64]) -> Learner:
    n = len(payoffs)
    return Learner(payoffs, np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))


def match_regrets(player: Learner) -> None:
    """The mixture in proportion to positive regrets; uniform where there are none."""
    n = player.memory.shape[0]
    total = 0.0
    for i in range(n):
        total += max(player.memory[i], 0.0)
    for i in range(n):
        player.mixture[i] = max(player.memory[i], 0.0) / total if total > 0.0 else 1.0 / n


def answer(player: Learner, other: Vector) -> None:
    """One player's regrets after a round against the other's mixture."""
    m, n = player.payoffs.shape
    match_regrets(player)
    mean = 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += player.payoffs[i, j] * other[j]
        player.worth[i] = total
        mean += player.mixture[i] * total
    for i in range(m):
        player.memory[i] = max(player.memory[i] + player.worth[i] - mean, 0.0)


def regret_template(row: Learner, column: Learner, began: int, rounds: int) -> None:
    """Rounds of regret matching+: first the rows answer, then the columns."""
    for t in range(began, began + rounds):
        match_regrets(column)
        answer(row, column.mixture)
        match_regrets(row)
        answer(column, row.mixture)
        weight = t + 1.0
        for i in range(row.played.shape[0]):
            row.played[i] += weight * row.mixture[i]
        for j in range(column.played.shape[0]):
            column.played[j] += weight * column.mixture[j]


def fictitious_template(row: Learner, column: Learner, began: int, rounds: int) -> None:
    """Rounds of fictitious play: each answers best to all the other has played so far."""
    for _ in range(rounds):
        i = np.argmax(row.memory)
        j = np.argmax(column.memory)
        row.played[i] += 1.0
        column.played[j] += 1.0
        for k in range(row.memory.shape[0]):
            row.memory[k] += row.payoffs[k, j]
        for k in range(column.memory.shape[0]):
            column.memory[k] += column.payoffs[k, i]


_made: dict[str, Callable[..., Any]] = {}
TEMPLATES = {"regret": regret_template, "fictitious": fictitious_template}


def _learn(
    method: str, payoffs: ArrayLike, column_payoffs: ArrayLike | None, iterations: int, tolerance: float
) -> Equilibrium:
    a = payoff_matrix(payoffs)
    b = None if column_payoffs is None else bimatrix(payoffs, column_payoffs)[1]
    if iterations < 1:
        raise OptionError(f"{iterations} iterations learn nothing; give 1 or more")
    row, column = learner(a), learner(np.ascontiguousarray(-a.T if b is None else b.T))
    if method not in _made:
        _made[method] = specialise(TEMPLATES[method], label=f"{method} learning", fastmath=True)
    per_round = 2 * a.size if method == "regret" else sum(a.shape)
    done, found = 0, None
    rounds = min(100, iterations)
    while done < iterations:
        _made[method](row, column, done, rounds)
        done += rounds
        found = measured(a, b, row.played / row.played.sum(), column.played / column.played.sum(), method, done)
        if found.exploitability <= tolerance:
            break
        rounds = max(1, min(iterations - done, done, CHUNK * 10 // per_round))
    assert found is not None
    return found


def regret_matching(
    payoffs: ArrayLike, column_payoffs: ArrayLike | None = None, *, iterations: int = 10_000, tolerance: float = 0.0
) -> Equilibrium:
    """Return the average mixtures of regret matching+ (Tammelin 2014); a round costs rows x columns.

    Args:
        payoffs: floats [rows, columns], to the row player.
        column_payoffs: to the column player, of the same shape; the game is zero-sum without them.
        iterations: the most rounds.
        tolerance: the exploitability at which it stops.

    Returns:
        The average mixtures, with their measured exploitability. In a game that is not zero-sum they need
            not come near an equilibrium.

    Raises:
        OptionError: the payoffs do not fit, or `iterations` is below 1.
    """
    return _learn("regret", payoffs, column_payoffs, iterations, tolerance)


def fictitious_play(
    payoffs: ArrayLike, column_payoffs: ArrayLike | None = None, *, iterations: int = 100_000, tolerance: float = 0.0
) -> Equilibrium:
    """Return the average mixtures of fictitious play; a round costs rows + columns, not their product.

    Args:
        payoffs: floats [rows, columns], to the row player.
        column_payoffs: to the column player, of the same shape; the game is zero-sum without them.
        iterations: the most rounds.
        tolerance: the exploitability at which it stops.

    Returns:
        The average mixtures, with their measured exploitability. In a game that is not zero-sum they need
            not come near an equilibrium.

    Raises:
        OptionError: the payoffs do not fit, or `iterations` is below 1.
    """
    return _learn("fictitious", payoffs, column_payoffs, iterations, tolerance)
