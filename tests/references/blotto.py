"""Colonel Blotto done slowly and plainly: the reference that the library is compared with. It uses none of its code."""

from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog


def allocations(units, fronts, disposal=False):
    """All ways to place units, by trying all tuples."""
    found = []
    for plan in product(range(units + 1), repeat=fronts):
        if sum(plan) == units or (disposal and sum(plan) < units):
            found.append(plan)
    return found


def scores(a, b, values, ties, tosses=()):
    """What both score; `tosses` are the winners of tied fronts, in order, where ties are tossed for."""
    totals = [Fraction(0), Fraction(0)]
    coins = list(tosses)
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x > y:
            totals[0] += values[0][i]
        elif y > x:
            totals[1] += values[1][i]
        elif ties == "split":
            totals[0] += values[0][i] / 2
            totals[1] += values[1][i] / 2
        elif ties == "first":
            totals[0] += values[0][i]
        elif ties == "second":
            totals[1] += values[1][i]
        elif ties == "coin":
            winner = coins.pop(0)
            totals[winner] += values[winner][i]
    return totals


def payoffs(a, b, units, values, objectives, ties, power=2, worth=Fraction(0)):
    """Both payoffs of one battle, coins averaged by trying all ways that they can fall."""
    tied = sum(x == y for x, y in zip(a, b, strict=True)) if ties == "coin" else 0
    ways = list(product((0, 1), repeat=tied))
    total = [Fraction(0), Fraction(0)]
    for way in ways:
        got = scores(a, b, values, ties, way)
        for p, plan in enumerate((a, b)):
            if objectives[p] == "score":
                total[p] += got[p] + worth * (units[p] - sum(plan))
            elif objectives[p] == "win":
                total[p] += Fraction(1) if got[p] > got[1 - p] else Fraction(1, 2) if got[0] == got[1] else Fraction(0)
            else:
                own, other = (a, b) if p == 0 else (b, a)
                for i, (x, y) in enumerate(zip(own, other, strict=True)):
                    share = Fraction(x**power, x**power + y**power) if x or y else Fraction(1, 2)
                    total[p] += values[p][i] * share
                total[p] += worth * (units[p] - sum(plan))
    return total[0] / len(ways), total[1] / len(ways)


def matrices(units, values, objectives, ties, power=2, disposal=False, worth=Fraction(0)):
    """All plans of both, and both payoff matrices."""
    rows, columns = (allocations(u, len(values[0]), disposal) for u in units)
    pairs = [[payoffs(a, b, units, values, objectives, ties, power, worth) for b in columns] for a in rows]
    return (
        rows,
        columns,
        [[float(x[p]) for x in line] for line in pairs for p in (0,)],
        [[float(x[1]) for x in line] for line in pairs],
    )


def value(matrix):
    """The value of a zero-sum matrix game by SciPy's linear program."""
    a = np.array(matrix, float)
    m, n = a.shape
    cost = np.append(np.zeros(m), -1.0)
    found = linprog(
        cost, A_ub=np.hstack([-a.T, np.ones((n, 1))]), b_ub=np.zeros(n), A_eq=[[*np.ones(m), 0.0]], b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)], method="highs",
    )  # fmt: skip
    return -found.fun
