"""A template for CUDA that takes records and makes one of its own local arrays."""

from typing import NamedTuple

import numpy as np

cuda = None


class Series(NamedTuple):
    values: np.ndarray
    shifts: np.ndarray


class Limits(NamedTuple):
    each: int
    factor: float


class Scratch(NamedTuple):
    total: np.ndarray


def add(scratch: Scratch, x: float) -> None:
    scratch.total[0] += x


def sums(series: Series, limits: Limits, out):
    i = cuda.grid(1)
    if i < out.size:
        scratch = Scratch(cuda.local.array(1, np.float64))
        scratch.total[0] = 0.0
        for k in range(limits.each):
            add(scratch, limits.factor * series.values[limits.each * i + k])
            add(scratch, series.shifts[k])
        out[i] = scratch.total[0]
