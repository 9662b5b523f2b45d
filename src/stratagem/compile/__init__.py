"""Templates specialised to one game's kernels: interpreter, CPU, CUDA, with a cache on disk."""

from stratagem.compile.cache import cache_folder, clear_cache, limit_bytes, make_room, note_use
from stratagem.compile.notices import announced, telling
from stratagem.compile.processes import Background, Compilers, Order, in_parallel
from stratagem.compile.service import (
    State,
    Unneeded,
    answer_now,
    before_compiling,
    impatient,
    interpreting,
    origin,
)
from stratagem.compile.specialiser import Bound, cuda_target, specialise

__all__ = [
    "Background",
    "Bound",
    "Compilers",
    "Order",
    "State",
    "Unneeded",
    "announced",
    "answer_now",
    "before_compiling",
    "cache_folder",
    "clear_cache",
    "cuda_target",
    "impatient",
    "in_parallel",
    "interpreting",
    "limit_bytes",
    "make_room",
    "note_use",
    "origin",
    "specialise",
    "telling",
]
