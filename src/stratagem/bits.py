"""Sets of up to 64 cells in a signed word, for kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def bit(cell: int) -> int:
    """The set of one cell; cell 63 is the sign."""
    return np.int64(1) << cell  # type: ignore[return-value]  # a word that wraps, in the interpreter too


def popcount(b: int) -> int:
    """How many cells a set has; the loop compiles to one instruction."""
    n = 0
    while b:
        b &= b - 1
        n += 1
    return n


def lowest(b: int) -> int:
    """The lowest cell of a set that is not empty."""
    return popcount((b & -b) - 1)


def members(b: int, out: NDArray[np.int64]) -> int:
    """The cells of a set into `out`, the lowest first; returns how many."""
    n = 0
    while b:
        out[n] = lowest(b)
        b &= b - 1
        n += 1
    return n


def word(bits: int) -> int:
    """A Python integer of up to 64 bits as a signed word."""
    return bits - (1 << 64) if bits >> 63 else bits
