"""What a processor can do and plain Python cannot say: hints and single instructions for kernels.

Each function here has a plain form, which the interpreter, a GPU and a processor without the instruction run. For the CPU
`compile.specialise` puts the intrinsic of the same name in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def rare(x: bool) -> bool:
    """x, which is nearly always false. What depends on it is then computed ahead of it and not after it."""
    return x


def nth(b: int, k: int) -> int:
    """The k-th member of a set of cells, as a set of one; k from 0, the lowest cell first."""
    while k > 0:
        b &= b - 1
        k -= 1
    return b & -b


def index(k: int) -> int:
    """k, which is never negative: the compiler need not ask whether to count from an array's end."""
    return k


def pick(x: bool, a: int, b: int) -> int:
    """a if x else b without a branch, for what cannot be predicted."""
    return a if x else b


def row(table: Any, k: int) -> Any:
    """Row k of a two-dimensional array."""
    return table[k]


def prefetch(table: Any, slot: int) -> None:
    """That table[slot] will be needed soon. Nothing: a hint changes no result."""


NATIVE: frozenset[Callable[..., Any]] = frozenset((rare, nth, index, pick, row, prefetch))
