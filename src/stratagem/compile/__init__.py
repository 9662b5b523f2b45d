"""Templates specialised to one game's kernels: interpreter, CPU, CUDA, with a cache on disk."""

from stratagem.compile.beside import together
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
