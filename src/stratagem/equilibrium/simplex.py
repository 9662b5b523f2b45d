"""The simplex method for small matrix games, as kernels: no allocation, so that a tree search can solve a matrix at every node.

Matrices are float64 arrays whose top left `m` by `n` corner is the game, payoffs to the row player, who maximises. The
method is Dantzig's on the column player's programme, its first pivot the one that gains most, on a condensed tableau of
(m + 1) by (n + 1) numbers; the row player's mixture is read off the reduced costs. Ties in the ratio test (the rule, not
the exception, in games of whole numbers) are broken by the largest pivot, and after a while by Bland's rule, under which
no basis comes twice.

Call `solve_matrix` from another template: it looks for a saddle point first. Every caller can afford `gap` afterwards:
it is the evidence, and where it is not small (badly scaled payoffs) the exact solver of `zero_sum` is the way out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Labels = NDArray[np.int64]

TINY = 1e-11  # what counts as zero in a tableau whose numbers start in [1, 2]
PATIENCE = 4  # pivots by Dantzig's rule before Bland's, in units of m + n
LIMIT = 200  # pivots before giving up, in units of m + n; the gap then tells


class Tableau(NamedTuple):
    """Room for the simplex method on games of up to m rows and n columns."""

    cells: Matrix  # [m + 1, n + 1]
    labels: Labels  # [m + n]: the variables of the rows, then those of the columns


def new_tableau(m: int, n: int) -> Tableau:
    return Tableau(np.zeros((m + 1, n + 1)), np.zeros(m + n, np.int64))


def saddle(a: Matrix, m: int, n: int) -> int:
    """Row * n + column of a saddle point, or -1. The first row that guarantees most, the first column that concedes least."""
    best_row = 0
    most = -np.inf
    for i in range(m):
        least = a[i, 0]
        for j in range(1, n):
            least = min(least, a[i, j])
        if least > most:
            most = least
            best_row = i
    for j in range(n):
        worst = a[0, j]
        for i in range(1, m):
            worst = max(worst, a[i, j])
            if worst > most:
                break
        if worst <= most:
            return best_row * n + j
    return -1


def gap(a: Matrix, m: int, n: int, x: Vector, y: Vector) -> float:
    """What best responses gain against the mixtures x and y, both players together; 0 at an equilibrium."""
    best = -np.inf
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += a[i, j] * y[j]
        best = max(best, total)
    worst = np.inf
    for j in range(n):
        total = 0.0
        for i in range(m):
            total += x[i] * a[i, j]
        worst = min(worst, total)
    return best - worst


def pivot(tableau: Tableau, m: int, n: int, row: int, column: int) -> None:
    """Exchange the basic variable of a row and the other one of a column; the last row and column change with the others."""
    t = tableau.cells
    labels = tableau.labels
    scale = 1.0 / t[row, column]
    for j in range(n + 1):
        t[row, j] *= scale
    for i in range(m + 1):
        factor = t[i, column]
        if i != row and factor != 0.0:
            for j in range(n + 1):
                t[i, j] -= factor * t[row, j]
            t[i, column] = -factor * scale
    t[row, column] = scale
    held = labels[row]
    labels[row] = labels[m + column]
    labels[m + column] = held


def simplex(a: Matrix, m: int, n: int, x: Vector, y: Vector, tableau: Tableau) -> float:
    """The value; optimal mixtures into x[:m] and y[:n]."""
    low = a[0, 0]
    high = a[0, 0]
    for i in range(m):
        for j in range(n):
            low = min(low, a[i, j])
            high = max(high, a[i, j])
    return simplex_between(a, m, n, low, high, x, y, tableau)


def simplex_between(
    a: Matrix, m: int, n: int, low: float, high: float, x: Vector, y: Vector, tableau: Tableau
) -> float:
    """The same for who knows the least and the highest payoff already."""
    t = tableau.cells
    labels = tableau.labels
    spread = high - low if high > low else 1.0
    # maximise the sum of q >= 0 with B q <= 1, where B = 1 + (a - low) / spread: then q = y / value(B)
    for i in range(m):
        for j in range(n):
            t[i, j] = 1.0 + (a[i, j] - low) / spread
        t[i, n] = 1.0
        labels[i] = n + i  # the slack of row i
    for j in range(n):
        t[m, j] = -1.0
        labels[m + j] = j
    t[m, n] = 0.0
    # all reduced costs are alike at first: the column that concedes least gains most, and saves one pivot in seven
    first = 0
    least = np.inf
    for j in range(n):
        worst = t[0, j]
        for i in range(1, m):
            worst = max(worst, t[i, j])
        if worst < least:
            least = worst
            first = j
    for step in range(LIMIT * (m + n)):
        bland = step > PATIENCE * (m + n)
        column = -1
        least = -TINY
        if step == 0:
            column = first
        for j in range(n if step > 0 else 0):
            if t[m, j] < least and (not bland or column < 0 or labels[m + j] < labels[m + column]):
                column = j
                if not bland:
                    least = t[m, j]
        if column < 0:
            break
        row = -1
        ratio = np.inf
        for i in range(m):
            if t[i, column] > TINY:
                r = t[i, n] / t[i, column]
                if r < ratio - TINY:
                    ratio = r
                    row = i
                elif r <= ratio + TINY and (labels[i] < labels[row] if bland else t[i, column] > t[row, column]):
                    ratio = min(ratio, r)
                    row = i
        if row < 0:
            break  # cannot be: B is positive
        pivot(tableau, m, n, row, column)
    for i in range(m):
        x[i] = 0.0
    for j in range(n):
        y[j] = 0.0
    for i in range(m):
        if labels[i] < n:
            y[labels[i]] = max(t[i, n], 0.0)
    for j in range(n):
        if labels[m + j] >= n:
            x[labels[m + j] - n] = max(t[m, j], 0.0)
    total_x = 0.0
    for i in range(m):
        total_x += x[i]
    total_y = 0.0
    for j in range(n):
        total_y += y[j]
    for i in range(m):
        x[i] /= total_x
    for j in range(n):
        y[j] /= total_y
    return low + (1.0 / t[m, n] - 1.0) * spread


def solve_matrix(a: Matrix, m: int, n: int, x: Vector, y: Vector, tableau: Tableau) -> float:
    """The value of a matrix game, and optimal mixtures: pure ones where there is a saddle point, else by the simplex."""
    found = saddle(a, m, n)
    if found < 0:
        return simplex(a, m, n, x, y, tableau)
    for i in range(m):
        x[i] = 0.0
    for j in range(n):
        y[j] = 0.0
    x[found // n] = 1.0
    y[found % n] = 1.0
    return a[found // n, found % n]


def undominated(a: Matrix, m: int, n: int, rows: Labels, columns: Labels) -> int:
    """Repeatedly drop rows and columns that another pure one weakly dominates; the survivors' indices go to the front.

    Returns survivors as rows * (n + 1) + columns. Weak dominance keeps the value and at least one equilibrium.
    """
    whole = n
    for i in range(m):
        rows[i] = i
    for j in range(n):
        columns[j] = j
    changed = True
    while changed:
        changed = False
        i = 0
        while i < m:
            for k in range(m):
                if k == i:
                    continue
                dominated = True
                for j in range(n):
                    if a[rows[i], columns[j]] > a[rows[k], columns[j]]:
                        dominated = False
                        break
                if dominated:
                    break
            else:
                i += 1
                continue
            m -= 1
            for k in range(i, m):
                rows[k] = rows[k + 1]
            changed = True
        j = 0
        while j < n:
            for k in range(n):
                if k == j:
                    continue
                dominated = True
                for i in range(m):
                    if a[rows[i], columns[j]] < a[rows[i], columns[k]]:
                        dominated = False
                        break
                if dominated:
                    break
            else:
                j += 1
                continue
            n -= 1
            for k in range(j, n):
                columns[k] = columns[k + 1]
            changed = True
    return m * (whole + 1) + n


SADDLE, DOMINANCE, SIMPLEX = 0, 1, 2  # how a game was solved
NOT_FINITE, LOOSE, EMPTY = 3, 4, 5  # or why it was not: payoffs, an answer that is exploitable, no payoffs
TOLERANCE = 1e-9  # of the spread of the payoffs: what an answer may be exploitable by
WORTH_REDUCING = 200  # payoffs from which looking for dominated lines costs less than it saves


class SimplexWork(NamedTuple):
    """Room for `solve_into` on games of m rows and n columns."""

    tableau: Tableau
    small: Matrix  # [m, n]: the game without dominated rows and columns
    rows: Labels  # [m]: those that are left
    columns: Labels  # [n]


def work_in(room: Matrix, labels: Labels, m: int, n: int) -> SimplexWork:
    """The parts of two arrays of at least [2 * m + 2, n + 4] floats, the last row spare, and 2 * (m + n) whole numbers."""
    return SimplexWork(Tableau(room, labels), room[m + 1 :], labels[m + n :], labels[2 * m + n :])


def solve_into(a: Matrix, x: Vector, y: Vector, work: SimplexWork, out: Vector) -> None:
    """Saddle, then dominance where it pays, then the simplex: out = [value, gain of the rows, gain of the columns, how]."""
    m = a.shape[0]
    n = a.shape[1]
    low = a[0, 0]
    high = a[0, 0]
    nothing = 0.0  # not a number if one of the payoffs is not finite
    for i in range(m):
        for j in range(n):
            low = min(low, a[i, j])
            high = max(high, a[i, j])
            nothing += 0.0 * a[i, j]
    if nothing != 0.0:
        out[3] = NOT_FINITE
        return
    found = saddle(a, m, n)
    if found >= 0:
        for i in range(m):
            x[i] = 0.0
        for j in range(n):
            y[j] = 0.0
        x[found // n] = 1.0
        y[found % n] = 1.0
        out[0] = a[found // n, found % n]
        out[1] = 0.0
        out[2] = 0.0
        out[3] = SADDLE
        return
    m_left = m
    n_left = n
    if m * n >= WORTH_REDUCING:
        left = undominated(a, m, n, work.rows, work.columns)
        m_left = left // (n + 1)
        n_left = left % (n + 1)
    if m_left == m and n_left == n:
        out[0] = simplex_between(a, m, n, low, high, x, y, work.tableau)
        out[3] = SIMPLEX
    else:
        for i in range(m_left):
            for j in range(n_left):
                work.small[i, j] = a[work.rows[i], work.columns[j]]
        out[0] = simplex(work.small, m_left, n_left, x, y, work.tableau)
        out[3] = DOMINANCE if m_left == 1 or n_left == 1 else SIMPLEX
        for i in range(m):
            work.small[i, 0] = 0.0
        for i in range(m_left):
            work.small[work.rows[i], 0] = x[i]
        for i in range(m):
            x[i] = work.small[i, 0]
        for j in range(n):
            work.small[0, j] = 0.0
        for j in range(n_left):
            work.small[0, work.columns[j]] = y[j]
        for j in range(n):
            y[j] = work.small[0, j]
    # what best responses gain, on the payoffs as given; the tableau has done its work and holds sums
    t = work.tableau.cells
    for j in range(n):
        t[0, j] = 0.0
    best = -np.inf
    mean = 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += a[i, j] * y[j]
        best = max(best, total)
        if x[i] != 0.0:
            mean += x[i] * total
            for j in range(n):
                t[0, j] += x[i] * a[i, j]
    worst = np.inf
    for j in range(n):
        worst = min(worst, t[0, j])
    out[1] = max(best - mean, 0.0)
    out[2] = max(mean - worst, 0.0)
    if out[1] + out[2] > TOLERANCE * (high - low):
        out[3] = LOOSE


def solve_template(a: Matrix, x: Vector, y: Vector) -> tuple[tuple[float, float], tuple[float, float], int]:
    """One game for a Python caller: both values, both gains, and how it was solved; the mixtures go into x and y.

    The caller brings x and y because an array costs several times more to hand out of compiled code than into it.
    """
    m = a.shape[0]
    n = a.shape[1]
    if m * n == 0:
        return (0.0, 0.0), (0.0, 0.0), EMPTY
    room = np.empty((2 * m + 2, n + 4))
    labels = np.empty(2 * (m + n), np.int64)
    out = room[2 * m + 1]
    solve_into(a, x, y, work_in(room, labels, m, n), out)
    return (out[0], -out[0]), (out[1], out[2]), int(out[3])


def solve_many_template(
    a: NDArray[np.float64], x: Matrix, y: Matrix, room: Matrix, labels: Labels, out: Matrix
) -> None:
    """Games a[k] of one shape: mixtures into x[k] and y[k], into out[k] what `solve_into` says; see `work_in` for the rest."""
    work = work_in(room, labels, a.shape[1], a.shape[2])
    for k in range(a.shape[0]):
        solve_into(a[k], x[k], y[k], work, out[k])
