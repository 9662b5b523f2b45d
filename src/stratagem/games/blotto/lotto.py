"""General Lotto and the continuous game: the relatives of Blotto with closed forms.

In General Lotto players choose distributions of whole numbers with a given *mean*, and the larger draw wins. It is what a
Blotto game on K equal fronts becomes when the budget only has to hold on average (Hart, IJGT 36, 2008), and its value is
often, but not always, that of the Blotto game with A = aK and B = bK units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from stratagem.equilibrium.programme import minimise
from stratagem.errors import OptionError, ParseError, StratagemError, UnsuitableSearch
from stratagem.numbers import fraction

Number = Fraction | int | float | str


def _mean(x: Number, name: str) -> Fraction:
    try:
        found = fraction(x)
    except ParseError:
        raise OptionError(f"{name} is {x!r}; give a number such as 2, 2.5 or 5/2") from None
    if found <= 0:
        raise OptionError(f"{name} is {x}; it must be above 0")
    return found


def lotto_value(a: Number, b: Number) -> Fraction:
    """The value P(X > Y) - P(X < Y) of General Lotto with means a and b, by Hart's formula."""
    a, b = _mean(a, "the first mean"), _mean(b, "the second mean")
    if a < b:
        return -lotto_value(b, a)
    m = math.floor(a)
    f = a - m
    if b <= m:
        return (1 - f) * (1 - b / m) + f * (1 - b / (m + 1))
    return (a - b) / (m + 1)


@dataclass(frozen=True)
class Lotto:
    """Optimal distributions: the chance of each number, from 0."""

    value: float
    first: tuple[float, ...]
    second: tuple[float, ...]


def lotto(a: Number, b: Number) -> Lotto:
    """Solve General Lotto by linear programs, one a side; numbers up to twice the larger mean and a little are enough."""
    mean_a, mean_b = float(_mean(a, "the first mean")), float(_mean(b, "the second mean"))
    most = 2 * math.ceil(max(mean_a, mean_b)) + 2
    if most > 2000:
        raise UnsuitableSearch(
            f"means of {mean_a:g} and {mean_b:g} are too large for the program; `lotto_value` has a formula"
        )
    value, first = _side(mean_a, mean_b, most)
    _, second = _side(mean_b, mean_a, most)
    return Lotto(value, first, second)


def _side(own: float, other: float, most: int) -> tuple[float, tuple[float, ...]]:
    """Maximise alpha + beta * other over distributions p with the mean given, such that against every number y what is
    won is at least alpha + beta * y: by duality that is what the best opponent with its mean leaves."""
    n = most + 1
    numbers = np.arange(n)
    won = np.sign(numbers[:, None] - numbers[None, :]).astype(float)  # [own, other]
    cost = np.zeros(n + 2)
    cost[n], cost[n + 1] = -1.0, -other
    below = np.hstack([-won.T, np.ones((n, 1)), numbers[:, None].astype(float)])
    equal = np.zeros((2, n + 2))
    equal[0, :n], equal[1, :n] = 1.0, numbers
    found = minimise(
        cost,
        A_ub=below,
        b_ub=np.zeros(n),
        A_eq=equal,
        b_eq=[1.0, own],
        bounds=[(0, None)] * n + [(None, None), (None, 0.0)],
    )
    if found.x is None:
        raise StratagemError(f"the program of General Lotto was not solved: {found.message}")
    return -float(found.fun), tuple(abs(float(max(p, 0.0))) for p in found.x[:n])


def continuous_shares(fronts: int, first: Number, second: Number) -> tuple[Fraction, Fraction]:
    """The expected shares of n >= 3 equal fronts when budgets can be divided at will (Gross and Wagner 1950; Roberson 2006).

    The weaker side must have at least 2/n of the stronger side's budget; below that other formulas hold.
    """
    a, b = _mean(first, "the first budget"), _mean(second, "the second budget")
    if fronts < 3:
        raise UnsuitableSearch(f"the closed form needs 3 fronts or more, not {fronts}")
    weak, strong = min(a, b), max(a, b)
    if weak / strong < Fraction(2, fronts):
        raise UnsuitableSearch(f"the closed form needs budgets in a ratio of 2/{fronts} or more, not {weak / strong}")
    share = weak / (2 * strong)
    return (share, 1 - share) if a <= b else (1 - share, share)
