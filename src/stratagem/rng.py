"""One small seeded generator for the interpreter, the CPU and the GPU.

A generator is an int64 array of two cells, [key, step]. The key is made from (seed, stream), and draw number `step` is a hash
of both (the finaliser of splitmix64: Steele, Lea, Flood 2014). So (seed, stream, step) names a draw: streams are independent
without any shared state, and setting the step back repeats a draw.

All arithmetic is int64 that wraps, which NumPy scalars and Numba agree on; interpreted calls made outside
`compile.specialise` may see NumPy's overflow warning, which is harmless here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rng = NDArray[np.int64]

# The constants of splitmix64 as signed numbers: 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB.
GOLDEN = -7046029254386353131
MIX_1 = -4658895280553007687
MIX_2 = -7723592293110705685


def mix(x: int) -> int:
    """A bijection of 64-bit words under which similar words become unlike."""
    x = np.int64(x)  # type: ignore[assignment]  # an int64 that wraps, in the interpreter too
    x = (x ^ ((x >> 30) & 0x3FFFFFFFF)) * MIX_1
    x = (x ^ ((x >> 27) & 0x1FFFFFFFFF)) * MIX_2
    return x ^ ((x >> 31) & 0x1FFFFFFFF)


def seed_stream(r: Rng, seed: int, stream: int) -> None:
    """Start the generator r at step 0 of a stream of a seed."""
    r[1] = stream
    r[0] = mix(mix(seed) + r[1] * GOLDEN)
    r[1] = 0


def bits(r: Rng) -> int:
    """63 random bits: an integer in 0 .. 2**63 - 1."""
    r[1] += 1
    return mix(r[0] + r[1] * GOLDEN) & 0x7FFFFFFFFFFFFFFF


def below(r: Rng, n: int) -> int:
    """An integer in 0 .. n - 1, for n up to 2**31; off uniform by less than n / 2**31."""
    return ((bits(r) >> 32) * n) >> 31


def unit(r: Rng) -> float:
    """A float in [0, 1)."""
    return (bits(r) >> 10) * (1.0 / 9007199254740992.0)


def units(r: Rng, n: int) -> NDArray[np.float64]:
    """The next n draws of `unit` at once, for Python callers."""
    with np.errstate(over="ignore"):
        x = r[0] + (r[1] + np.arange(1, n + 1)) * GOLDEN
        x = (x ^ ((x >> 30) & 0x3FFFFFFFF)) * MIX_1
        x = (x ^ ((x >> 27) & 0x1FFFFFFFFF)) * MIX_2
        x ^= (x >> 31) & 0x1FFFFFFFF
    r[1] += n
    return ((x & 0x7FFFFFFFFFFFFFFF) >> 10) * (1.0 / 9007199254740992.0)


def word(x: int) -> int:
    """Any Python integer folded into 64 bits with a sign: seeds may be as large as they like."""
    return int(np.uint64(x & 0xFFFFFFFFFFFFFFFF).astype(np.int64))


def generator(seed: int, stream: int = 0) -> Rng:
    """Return a new generator of random numbers, for callers in Python.

    Args:
        seed: any integer. The same seed and stream give the same numbers.
        stream: the number of an independent stream of this seed.

    Returns:
        The generator, which `below` and `unit` take and change in place.
    """
    r = np.zeros(2, np.int64)
    with np.errstate(over="ignore"):
        seed_stream(r, word(seed), stream)
    return r
