"""Which processor code is compiled for: this one, one that the user names, or a level that many processors reach.

Machine code for a level (`x86-64-v3`) runs on every processor that has its features, so it can be shipped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

# The best first. What each level adds to x86-64-v2, in LLVM's names.
LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
}
SLOW_DEPOSIT = ("znver1", "znver2")  # have the instruction `pdep`, in microcode: slower than a loop


def host() -> tuple[str, Mapping[str, bool]]:
    """The name of this processor, and its features."""
    from llvmlite import binding

    return binding.get_host_cpu_name(), binding.get_host_cpu_features()


def named() -> str | None:
    """The processor that the user names in place of this one, by `NUMBA_CPU_NAME` or `NUMBA_CPU_FEATURES`."""
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    return None if name is None and features is None else f"{name or host()[0]} {features or ''}".strip()


def best_level() -> str | None:
    """The best level that this processor reaches."""
    _, has = host()
    return next((level for level, needed in LEVELS.items() if all(has.get(name) for name in needed)), None)


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
        return any(name == level and "bmi2" in features for level, features in LEVELS.items())
    name, has = host()
    return bool(has.get("bmi2")) and name not in SLOW_DEPOSIT
