"""Templates specialised to one game's kernels: interpreter, CPU, CUDA, with a cache on disk."""

from stratagem.compile.specialiser import (
    Bound,
    Unneeded,
    announced,
    before_compiling,
    cache_folder,
    clear_cache,
    cuda_target,
    impatient,
    nothing_compiled,
    origin,
    specialise,
    telling,
)
from stratagem.compile.beside import together

__all__ = [
    "Bound",
    "Unneeded",
    "announced",
    "before_compiling",
    "cache_folder",
    "clear_cache",
    "cuda_target",
    "impatient",
    "nothing_compiled",
    "origin",
    "specialise",
    "telling",
    "together",
]
