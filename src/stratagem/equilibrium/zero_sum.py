"""Zero-sum matrix games: one call, the right method for the size.

    >>> from stratagem.equilibrium import zero_sum
    >>> zero_sum([[0, -1, 2], [1, 0, -1], [-2, 1, 0]], exact=True).exact_row
    (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))

A saddle point is looked for first, then dominated rows and columns go, then the compiled simplex (`simplex.py`, which other
templates can call at every node of a tree) or, above `LARGE` payoffs, HiGHS. The answer was measured. If best responses to a
float solution gain more than `TOLERANCE` of the payoffs' spread, the solver falls back, first to HiGHS and then to rational
arithmetic. `method` names the one that answered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.exact import solve_exactly
from stratagem.equilibrium.programme import minimise
from stratagem.equilibrium.result import Equilibrium, measured, payoff_matrix
from stratagem.equilibrium.simplex import SIMPLEX, TOLERANCE, solve_many_template, solve_template
from stratagem.errors import OptionError

LARGE = 60_000  # payoffs from which HiGHS is faster than the tableau
METHODS = ("saddle", "dominance", "simplex")  # as the compiled solver numbers them

_empty = np.empty
_new = tuple.__new__  # a NamedTuple's own constructor takes longer than a small game


def _compiled(a: Any, x: Any, y: Any) -> Any:
    """The compiled solver. The first call makes it and puts it here in place of this function: small games are quick. Where
    nothing is compiled yet the interpreter solves the first games.

    It takes nothing but matrices of floats in C order and refuses all else by a TypeError, without compiling for it.
    """
    global _compiled
    solver = _solver()
    if solver.waits(a):
        if not isinstance(a, np.ndarray) or a.dtype != np.float64 or not a.flags.c_contiguous:
            raise TypeError("the solver takes matrices of floats in C order")
        return solver(a, x, y)
    solver(np.zeros((1, 1)), np.zeros(1), np.zeros(1))
    solver.dispatcher.disable_compile()
    _compiled = solver.dispatcher
    return _compiled(a, x, y)


def _steps(a: NDArray[np.float64], *others: Any) -> float:
    """About how often the innermost loop turns: a pivot looks at all payoffs, and there are some as many as plans."""
    return float(a.size * min(a.shape))


@cache
def _solver() -> Any:
    return specialise(solve_template, label="the simplex method", meanwhile=_steps)


@cache
def _many_solver() -> Callable[..., Any]:
    return specialise(solve_many_template, label="the simplex method for many games", lean=True)


def zero_sum(payoffs: ArrayLike, *, method: str = "auto", exact: bool = False) -> Equilibrium:
    """Return an equilibrium of a zero-sum matrix game.

    Args:
        payoffs: numbers [rows, columns], to the row player, who maximises. Fractions are kept by the rational method.
        method: `"auto"`, `"simplex"`, `"lp"` (HiGHS, for large games) or `"rational"`.
        exact: whether to compute in fractions; the same as `method="rational"`.

    Returns:
        Both mixtures, the values, and what best responses would gain.

    Raises:
        OptionError: the payoffs are not a matrix of finite numbers, or the method is unknown.

    Example:
        >>> from stratagem.equilibrium import zero_sum
        >>> zero_sum([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], exact=True).exact_row
        (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    """
    if method == "auto" and not exact:
        # a small matrix of floats, the usual case in a tree, costs no checks here: what the solver takes is right
        try:
            m, n = payoffs.shape  # type: ignore[union-attr]
            if m * n <= LARGE:
                x, y = _empty(m), _empty(n)
                values, gains, how = _compiled(payoffs, x, y)
                if how <= SIMPLEX:
                    return _new(Equilibrium, (x, y, values, gains, METHODS[how], 0, None, None, None))
        except (AttributeError, TypeError, ValueError):
            pass  # not such a matrix: see below what it is
    if exact or method == "rational":
        return _rational(payoffs)
    if method not in ("auto", "simplex", "lp"):
        raise OptionError(f"unknown method {method!r}; there are auto, simplex, lp and rational")
    a = payoff_matrix(payoffs)
    if method == "lp" or (method == "auto" and a.size > LARGE):
        return _checked(a, _lp(a))
    a = np.require(a, requirements="W")
    x, y = np.empty(a.shape[0]), np.empty(a.shape[1])
    values, gains, how = _compiled(a, x, y)
    return Equilibrium(x, y, values, gains, METHODS[how]) if how <= SIMPLEX else _checked(a, _lp(a))


def zero_sum_many(
    payoffs: ArrayLike,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Solve many zero-sum games of one shape at once.

    No other method is tried where the simplex method loses accuracy: look at the gaps.

    Args:
        payoffs: floats [games, rows, columns], to the row players.

    Returns:
        The values [games], the row mixtures [games, rows], the column mixtures [games, columns], and the gaps [games].
            A gap
        is what both best responses together gain, as measured on the payoffs.

    Raises:
        OptionError: the payoffs do not have three axes, or are not finite.
    """
    a = np.ascontiguousarray(payoffs, np.float64)
    if a.ndim != 3 or a.size == 0 or not np.isfinite(a).all():
        raise OptionError(f"payoffs has the shape {a.shape}; it takes finite numbers [games, rows, columns]")
    games, m, n = a.shape
    x, y, out = np.empty((games, m)), np.empty((games, n)), np.empty((games, 4))
    _many_solver()(a, x, y, np.empty((2 * m + 2, n + 4)), np.empty(2 * (m + n), np.int64), out)
    return out[:, 0].copy(), x, y, out[:, 1] + out[:, 2]


def _spread(a: NDArray[np.float64]) -> float:
    return float(a.max() - a.min()) or 1.0


def _checked(a: NDArray[np.float64], found: Equilibrium | None) -> Equilibrium:
    """The answer if its measured gap is small, else the rational one (for floats as they are, bit for bit)."""
    if found is not None and sum(found.gains) <= TOLERANCE * _spread(a):
        return found
    return _rational(a)


def _lp(a: NDArray[np.float64]) -> Equilibrium | None:
    """HiGHS on the column player's programme: minimise v with A y <= v; the multipliers of the rows are x."""
    m, n = a.shape
    low, spread = float(a.min()), _spread(a)
    constraints = np.hstack([(a - low) / spread, np.full((m, 1), -1.0)])
    cost = np.zeros(n + 1)
    cost[n] = 1.0
    total = np.ones((1, n + 1))
    total[0, n] = 0.0
    found = minimise(
        cost, A_ub=constraints, b_ub=np.zeros(m), A_eq=total, b_eq=[1.0], bounds=[(0, None)] * n + [(None, None)]
    )
    if found.x is None:
        return None
    x, y = np.maximum(-np.asarray(found.ineqlin.marginals), 0.0), np.maximum(found.x[:n], 0.0)
    if not (x.sum() > 0 and y.sum() > 0):
        return None
    return measured(a, None, x / x.sum(), y / y.sum(), "lp", int(found.nit))


def _rational(payoffs: ArrayLike) -> Equilibrium:
    given: Any = payoffs
    rows = given.tolist() if isinstance(given, np.ndarray) else given
    payoff_matrix([[float(x) for x in row] for row in rows])  # refuses what is not a matrix
    value, x, y = solve_exactly(rows)
    row, column = np.array([float(p) for p in x]), np.array([float(p) for p in y])
    values = float(value), -float(value)
    return Equilibrium(row, column, values, (0.0, 0.0), "rational", 0, (value, -value), x, y)
