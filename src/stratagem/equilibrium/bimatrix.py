"""Two-player games whose payoffs need not sum to zero.

- `support_enumeration`: every extreme equilibrium, degenerate games included, in rational arithmetic; for small games.
- `lemke_howson`: one equilibrium by complementary pivoting (Lemke and Howson 1964). The ratio test is lexicographic, which
  is what makes the path unique in degenerate games: it neither cycles nor loses its way. It runs compiled in floats, the
  answer is measured, and if it is exploitable the same path is walked again in whole numbers without rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.exact import fractions, integer_pivot, whole
from stratagem.equilibrium.result import Equilibrium, bimatrix, measured
from stratagem.errors import OptionError, StratagemError

TOLERANCE = 1e-9  # of the spread of the payoffs
MOST_SUPPORTS = 200_000

# ------------------------------------------------------------------------------------------------ support enumeration


def support_enumeration(row: ArrayLike, column: ArrayLike) -> list[Equilibrium]:
    """Return all extreme equilibria of a game of two players, computed in fractions.

    Every equilibrium is a mixture of these within a component. A player's vertex is a mixture that its support
    and as many best responses of the other determine. A pair of vertices is an equilibrium if each strategy is unused
    or a best response. The game may be degenerate.

    Args:
        row: floats [rows, columns], payoffs to the row player.
        column: payoffs to the column player, of the same shape.

    Returns:
        The extreme equilibria, with exact mixtures and values.

    Raises:
        OptionError: the payoffs do not fit, or the game is too large to enumerate; `lemke_howson` solves larger ones.
    """
    a, b = bimatrix(row, column)
    m, n = a.shape
    if comb(m + n, m) > MOST_SUPPORTS:
        raise OptionError(
            f"a game of {m} x {n} has {comb(m + n, m):,} pairs of supports; more than {MOST_SUPPORTS:,} "
            "take too long to enumerate: use lemke_howson"
        )
    exact_a, exact_b = fractions(a.tolist()), fractions(b.tolist())
    transposed = [list(line) for line in zip(*exact_b, strict=True)]
    xs = list(_vertices(transposed))  # the row player's mixtures, by the column player's payoffs [columns, rows]
    ys = list(_vertices(exact_a))
    found = []
    for x, best_columns, v in xs:
        for y, best_rows, u in ys:
            if all(i in best_rows for i, p in enumerate(x) if p) and all(
                j in best_columns for j, p in enumerate(y) if p
            ):
                floats = [float(p) for p in x], [float(p) for p in y]
                found.append(
                    measured(
                        a, b, *floats, "support", len(xs) + len(ys), exact_values=(u, v), exact_row=x, exact_column=y
                    )
                )
    return found


Vertex = tuple[tuple[Fraction, ...], frozenset[int], Fraction]


def _vertices(payoffs: list[list[Fraction]]) -> Iterator[Vertex]:
    """The opponent's mixtures that are vertices of its best-response polyhedron, with the best responses and their payoff.

    payoffs [replies, strategies]: to the replying player, against each of the mixing player's strategies.
    """
    replies, strategies = len(payoffs), len(payoffs[0])
    seen = set()
    for k in range(1, min(replies, strategies) + 1):
        for support in combinations(range(strategies), k):
            for tight in combinations(range(replies), k):
                # sum over the support of payoffs[r][s] z[s] = w for all tight r, and the sum of z is 1
                solved = _linear([[payoffs[r][s] for s in support] + [Fraction(-1)] for r in tight])
                if solved is None or any(z < 0 for z in solved[:-1]):
                    continue
                z = [Fraction(0)] * strategies
                for s, p in zip(support, solved, strict=False):
                    z[s] = p
                mixture, w = tuple(z), solved[-1]
                if mixture in seen:
                    continue
                worth = [sum((line[s] * z[s] for s in support), Fraction(0)) for line in payoffs]
                if max(worth) == w:
                    seen.add(mixture)
                    yield mixture, frozenset(r for r, x in enumerate(worth) if x == w), w


def _linear(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The solution of rows . z = 0 with all but the last unknown adding up to 1, or None if it is not unique."""
    k = len(rows)
    t = [[*row, Fraction(0)] for row in rows] + [[Fraction(1)] * k + [Fraction(0), Fraction(1)]]
    for column in range(k + 1):
        at = next((i for i in range(column, k + 1) if t[i][column]), -1)
        if at < 0:
            return None
        t[column], t[at] = t[at], t[column]
        scale = t[column][column]
        t[column] = [x / scale for x in t[column]]
        for i in range(k + 1):
            factor = t[i][column]
            if i != column and factor:
                t[i] = [x - factor * y for x, y in zip(t[i], t[column], strict=True)]
    return [line[-1] for line in t]


# ----------------------------------------------------------------------------------------------------- Lemke-Howson
#
# Two tableaux, one a player's polytope of best responses. Variables 0 .. m-1 are the row player's strategies, m .. m+n-1
# the column player's. Tableau 0 (n rows) holds B^T x + s = 1: x and the slacks of columns. Tableau 1 (m rows) holds
# r + A y = 1: the slacks of rows and y. Both have m + n columns, numbered by label, and the right-hand side last; the
# slacks' columns start as the identity, which is what the lexicographic rule compares.

ROUNDED = 1e-12
Basis = NDArray[np.int64]  # the variable that each row of a tableau tells


def lexicographic_row(t: NDArray[np.float64], rows: int, width: int, first: int, entering: int) -> int:
    """The row that leaves: the lexicographically least of [right-hand side, initial identity] over the pivot entry."""
    best = -1
    for i in range(rows):
        if t[i, entering] <= ROUNDED:
            continue
        if best < 0:
            best = i
            continue
        for c in range(rows + 1):
            column = width if c == 0 else first + c - 1
            here = t[i, column] / t[i, entering]
            there = t[best, column] / t[best, entering]
            if here < there - ROUNDED:
                best = i
                break
            if here > there + ROUNDED:
                break
    return best


def lemke_howson_template(
    t0: NDArray[np.float64], t1: NDArray[np.float64], basis0: Basis, basis1: Basis, label: int, limit: int
) -> int:
    """Walk from the artificial equilibrium, dropping a label; returns the pivots made, or -1 if it lost its way."""
    m = basis1.shape[0]
    width = m + basis0.shape[0]
    entering = label
    side = 0 if label < m else 1
    for step in range(limit):
        t = t0 if side == 0 else t1
        basis = basis0 if side == 0 else basis1
        rows = basis.shape[0]
        first = m if side == 0 else 0
        row = lexicographic_row(t, rows, width, first, entering)
        if row < 0:
            return -1
        scale = 1.0 / t[row, entering]
        for c in range(width + 1):
            t[row, c] *= scale
        for i in range(rows):
            factor = t[i, entering]
            if i != row and factor != 0.0:
                for c in range(width + 1):
                    t[i, c] -= factor * t[row, c]
                t[i, entering] = 0.0
        t[row, entering] = 1.0
        leaving = basis[row]
        basis[row] = entering
        if leaving == label:
            return step + 1
        entering = leaving
        side = 1 - side
    return -1


_walk: list[Callable[..., Any]] = []


def lemke_howson(row: ArrayLike, column: ArrayLike, *, label: int = 0, exact: bool = False) -> Equilibrium:
    """Return one equilibrium of a game of two players, by the path of Lemke and Howson.

    Args:
        row: floats [rows, columns], payoffs to the row player.
        column: payoffs to the column player, of the same shape.
        label: the strategy that the path drops, from 0 to rows + columns - 1. Other labels may lead to other
            equilibria.
        exact: whether to compute in fractions. Without it, fractions are used only where floats fail.

    Returns:
        Both mixtures, the values, and what best responses would gain.

    Raises:
        OptionError: the payoffs do not fit, or the label is out of range.
    """
    a, b = bimatrix(row, column)
    m, n = a.shape
    if not 0 <= label < m + n:
        raise OptionError(f"label {label} names no strategy; a game of {m} x {n} has labels from 0 to {m + n - 1}")
    if not exact:
        found = _lemke_howson_floats(a, b, label)
        if found is not None:
            return found
    x, y, pivots = _lemke_howson_exactly(fractions(a.tolist()), fractions(b.tolist()), label)
    u = sum((p * q * Fraction(float(a[i, j])) for i, p in enumerate(x) if p for j, q in enumerate(y) if q), Fraction(0))
    v = sum((p * q * Fraction(float(b[i, j])) for i, p in enumerate(x) if p for j, q in enumerate(y) if q), Fraction(0))
    floats = [float(p) for p in x], [float(p) for p in y]
    return measured(a, b, *floats, "lemke-howson", pivots, exact_values=(u, v), exact_row=x, exact_column=y)


def _lemke_howson_floats(a: NDArray[np.float64], b: NDArray[np.float64], label: int) -> Equilibrium | None:
    m, n = a.shape
    if not _walk:
        _walk.append(specialise(lemke_howson_template, label="Lemke-Howson"))
    spread_a, spread_b = float(a.max() - a.min()) or 1.0, float(b.max() - b.min()) or 1.0
    t0 = np.hstack([1 + (b.T - b.min()) / spread_b, np.eye(n), np.ones((n, 1))])
    t1 = np.hstack([np.eye(m), 1 + (a - a.min()) / spread_a, np.ones((m, 1))])
    start0, start1 = t0.copy(), t1.copy()
    basis0, basis1 = np.arange(m, m + n), np.arange(m)
    pivots = int(_walk[0](t0, t1, basis0, basis1, label, 100 * (m + n) + 1000))
    if pivots < 0:
        return None
    # the bases say which mixtures these are; solving for them afresh leaves the rounding of all the pivots behind
    try:
        levels0 = np.linalg.solve(start0[:, basis0], np.ones(n))
        levels1 = np.linalg.solve(start1[:, basis1], np.ones(m))
    except np.linalg.LinAlgError:
        return None
    x, y = np.zeros(m), np.zeros(n)
    for level, variable in zip(levels0, basis0, strict=True):
        if variable < m:
            x[variable] = max(level, 0.0)
    for level, variable in zip(levels1, basis1, strict=True):
        if variable >= m:
            y[variable - m] = max(level, 0.0)
    if not (x.sum() > 0 and y.sum() > 0):
        return None
    found = measured(a, b, x / x.sum(), y / y.sum(), "lemke-howson", pivots)
    sound = found.gains[0] <= TOLERANCE * spread_a and found.gains[1] <= TOLERANCE * spread_b
    return found if sound else None


def _lemke_howson_exactly(
    a: list[list[Fraction]], b: list[list[Fraction]], label: int
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...], int]:
    m, n = len(a), len(a[0])
    low_a, low_b = min(map(min, a)), min(map(min, b))
    whole_a, _ = whole([[x - low_a + 1 for x in line] for line in a])
    whole_b, _ = whole([[x - low_b + 1 for x in line] for line in b])
    tableaux = [
        [[*(whole_b[i][j] for i in range(m)), *(int(j == k) for k in range(n)), 1] for j in range(n)],
        [[*(int(i == k) for k in range(m)), *whole_a[i], 1] for i in range(m)],
    ]
    bases = [list(range(m, m + n)), list(range(m))]
    identities = [range(m, m + n), range(m)]
    denominators = [1, 1]
    entering, side, pivots = label, 0 if label < m else 1, 0
    while True:
        t = tableaux[side]
        candidates = [i for i, line in enumerate(t) if line[entering] > 0]
        if not candidates:
            raise StratagemError("a Lemke-Howson path left the polytope, which cannot be")
        for c in (-1, *identities[side]):  # the lexicographic rule: ties go on to the next column
            if len(candidates) == 1:
                break
            least = min(Fraction(t[i][c], t[i][entering]) for i in candidates)
            candidates = [i for i in candidates if Fraction(t[i][c], t[i][entering]) == least]
        row = candidates[0]
        denominators[side] = integer_pivot(t, row, entering, denominators[side])
        leaving, bases[side][row] = bases[side][row], entering
        pivots += 1
        if leaving == label:
            break
        entering, side = leaving, 1 - side
    x, y = [Fraction(0)] * m, [Fraction(0)] * n
    for i, variable in enumerate(bases[0]):
        if variable < m:
            x[variable] = Fraction(tableaux[0][i][-1])
    for i, variable in enumerate(bases[1]):
        if variable >= m:
            y[variable - m] = Fraction(tableaux[1][i][-1])
    total_x, total_y = sum(x), sum(y)
    return tuple(p / total_x for p in x), tuple(p / total_y for p in y), pivots
