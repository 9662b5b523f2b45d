"""What every solver returns, and the measurement of exploitability that comes with it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.errors import OptionError

Vector = NDArray[np.float64]


class Equilibrium(NamedTuple):
    """A pair of mixtures with its evidence.

    `gains` are what a best response would gain each player against the other's mixture. They are measured on the payoffs
    as given, and not taken from the solver. `exploitability` is their mean, which is 0 at an equilibrium. `exact_*` are
    fractions where the solver worked in rational arithmetic; the gains are then 0 exactly.
    """

    row: Vector  # the row player's mixture
    column: Vector
    values: tuple[float, float]  # each player's expected payoff
    gains: tuple[float, float]
    method: str  # dominance, saddle, simplex, lp, rational, regret, fictitious, support, lemke-howson
    work: int = 0  # pivots, iterations or supports, as the method counts
    exact_values: tuple[Fraction, Fraction] | None = None
    exact_row: tuple[Fraction, ...] | None = None
    exact_column: tuple[Fraction, ...] | None = None

    @property
    def value(self) -> float:
        """The value to the row player."""
        return self.values[0]

    @property
    def exact(self) -> Fraction | None:
        """The value to the row player as a fraction, where it was computed as one."""
        return self.exact_values[0] if self.exact_values else None

    @property
    def exploitability(self) -> float:
        """The mean of the gains; 0 at an equilibrium."""
        return (self.gains[0] + self.gains[1]) / 2

    @property
    def pure(self) -> bool:
        """Whether each player has one plan that it always plays."""
        return bool(self.row.max() == 1.0 and self.column.max() == 1.0)


def payoff_matrix(payoffs: ArrayLike, name: str = "payoffs") -> NDArray[np.float64]:
    """A checked float matrix, in C order."""
    try:
        a = np.ascontiguousarray(payoffs, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} is not a matrix of numbers") from None
    if a.ndim != 2 or a.size == 0:
        raise OptionError(f"{name} has the shape {a.shape}; a matrix game has rows and columns, at least one of each")
    if not np.isfinite(a).all():
        raise OptionError(f"{name} holds numbers that are not finite")
    return a


def bimatrix(row: ArrayLike, column: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = payoff_matrix(row, "the row player's payoffs"), payoff_matrix(column, "the column player's payoffs")
    if a.shape != b.shape:
        raise OptionError(f"the two players' payoffs have the shapes {a.shape} and {b.shape}; they must be alike")
    return a, b


def measured(
    a: NDArray[np.float64],
    b: NDArray[np.float64] | None,
    x: ArrayLike,
    y: ArrayLike,
    method: str,
    work: int = 0,
    **exact: Any,
) -> Equilibrium:
    """The Equilibrium of two mixtures, its values and gains taken from the payoffs; b is None in a zero-sum game."""
    row, column = np.asarray(x, np.float64), np.asarray(y, np.float64)
    to_row = a @ column
    value = float(row @ to_row)
    if b is None:
        to_column, other = -(row @ a), -value
    else:
        to_column = row @ b
        other = float(to_column @ column)
    gains = (max(float(to_row.max()) - value, 0.0), max(float(to_column.max()) - other, 0.0))
    return Equilibrium(row, column, (value, other), gains, method, work, **exact)


def exploitability(
    payoffs: ArrayLike, row: ArrayLike, column: ArrayLike, column_payoffs: ArrayLike | None = None
) -> float:
    """Return the mean of what best responses gain against two mixtures.

    Args:
        payoffs: floats [rows, columns], to the row player.
        row: the row player's mixture, one probability per row.
        column: the column player's mixture.
        column_payoffs: to the column player, of the same shape; the game is zero-sum without them.

    Returns:
        The mean gain in units of payoff; 0 at an equilibrium.

    Raises:
        OptionError: the payoffs are not matrices of finite numbers of one shape.
    """
    a = payoff_matrix(payoffs)
    b = None if column_payoffs is None else bimatrix(payoffs, column_payoffs)[1]
    return measured(a, b, row, column, "given").exploitability
