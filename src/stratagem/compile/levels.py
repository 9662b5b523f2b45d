"""Which processor code is compiled for: this one, one that the user names, or the level that many processors reach.

Machine code for a level (`x86-64-v3`) runs on every processor that has its features, so it can be shipped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

LEVEL = "x86-64-v3"
ADDED = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")  # to x86-64-v2, in LLVM's names
SLOW_DEPOSIT = ("znver1", "znver2")  # have the instruction `pdep`, in microcode: slower than a loop


def host() -> tuple[str, Mapping[str, bool]]:
    """The name of this processor, and its features."""
    from llvmlite import binding

    return binding.get_host_cpu_name(), binding.get_host_cpu_features()


def named() -> str | None:
    """The processor that the user names in place of this one, by `NUMBA_CPU_NAME` or `NUMBA_CPU_FEATURES`."""
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    return None if name is None and features is None else f"{name or host()[0]} {features or ''}".strip()


def reaches_level() -> bool:
    """Whether this processor runs code for the level."""
    _, has = host()
    return all(has.get(name) for name in ADDED)


@cache
def processor() -> str:
    """The processor that code is compiled for, in words: part of the name of what is kept."""
    if name := named():
        return name
    name, features = host()
    return f"{name} {','.join(sorted(feature for feature, there in features.items() if there))}"


@cache
def deposits() -> bool:
    """Whether that processor has a fast `pdep`."""
    if name := named():
        return name == LEVEL
    name, has = host()
    return bool(has.get("bmi2")) and name not in SLOW_DEPOSIT
