"""Templates specialised to one game's kernels: interpreter, CPU, CUDA, with a cache on disk."""

from stratagem.compile.beside import together
from stratagem.compile.cache import cache_folder, clear_cache, limit_bytes, make_room, note_use
from stratagem.compile.notices import announced, telling
from stratagem.compile.service import State, Unneeded, before_compiling, impatient, nothing_compiled, origin
from stratagem.compile.specialiser import Bound, cuda_target, specialise

__all__ = [
    "Bound",
    "State",
    "Unneeded",
    "announced",
    "before_compiling",
    "cache_folder",
    "clear_cache",
    "cuda_target",
    "impatient",
    "limit_bytes",
    "make_room",
    "note_use",
    "nothing_compiled",
    "origin",
    "specialise",
    "telling",
    "together",
]
