"""Linear programmes of games in rational arithmetic.

Tableaux hold whole numbers over one common denominator (Edmonds' integer pivoting): the division in every pivot comes out
even, nothing is ever rounded, and no fraction has to be reduced on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

Rows = Sequence[Sequence[Fraction | int | float]]


def fractions(rows: Rows) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in rows]


def whole(rows: list[list[Fraction]]) -> tuple[list[list[int]], int]:
    """The same matrix in whole numbers, and the number it was multiplied by."""
    scale = lcm(*(x.denominator for row in rows for x in row))
    return [[int(x * scale) for x in row] for row in rows], scale


def integer_pivot(t: list[list[int]], row: int, column: int, denominator: int) -> int:
    """Pivot on a positive entry of a tableau that keeps all its columns; returns the new common denominator."""
    p = t[row][column]
    pivot_row = t[row]
    for i, line in enumerate(t):
        if i != row:
            factor = line[column]
            if factor:
                t[i] = [(p * x - factor * y) // denominator for x, y in zip(line, pivot_row, strict=True)]
            elif p != denominator:
                t[i] = [p * x // denominator for x in line]
    return p


def solve_exactly(payoffs: Rows) -> tuple[Fraction, tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The value of a zero-sum game and optimal mixtures, as fractions. Bland's rule: it always ends."""
    a = fractions(payoffs)
    m, n = len(a), len(a[0])
    low = min(min(row) for row in a)
    b, scale = whole([[x - low + 1 for x in row] for row in a])
    # maximise the sum of q >= 0 with B q <= 1; columns: q, slacks, right-hand side
    t = [[*row, *(int(i == k) for k in range(m)), 1] for i, row in enumerate(b)]
    t.append([-1] * n + [0] * (m + 1))
    basis = list(range(n, n + m))
    denominator = 1
    while True:
        column = next((j for j in range(n + m) if t[m][j] < 0), -1)
        if column < 0:
            break
        row = -1
        for i in range(m):
            if t[i][column] > 0:
                if row < 0:
                    row = i
                    continue
                here, best = t[i][-1] * t[row][column], t[row][-1] * t[i][column]
                if here < best or (here == best and basis[i] < basis[row]):
                    row = i
        denominator = integer_pivot(t, row, column, denominator)
        basis[row] = column
    total = t[m][-1]  # over the denominator: the sum of q, one over the value of B
    y = [Fraction(0)] * n
    for i, j in enumerate(basis):
        if j < n:
            y[j] = Fraction(t[i][-1], total)
    x = tuple(Fraction(t[m][n + i], total) for i in range(m))
    return Fraction(denominator, total * scale) - 1 + low, x, tuple(y)
