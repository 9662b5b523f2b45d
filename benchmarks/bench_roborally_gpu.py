"""Claim: at least 50 million turns of RoboRally a second on an H200, from the kernels that the CPU runs: 4 robots, random
programmes, deals and re-entries included, one race a thread."""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import numpy as np

for _name, _now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _name):  # names that older CUDA targets of Numba still look for at import
        setattr(np, _name, getattr(np, _now))

from bench_roborally import COURSES, race_on  # noqa: E402

import stratagem  # noqa: E402
from stratagem.compile import specialise  # noqa: E402
from stratagem.kernel import CELLS, PLAYERS, SIZE  # noqa: E402
from stratagem.rng import seed_stream  # noqa: E402

cuda: Any = None
BLOCK = 128
THREADS = 132 * (int(sys.argv[1]) if sys.argv[1:] else 1024)
TURNS = 100  # a thread and launch


def races(g: Any, start: Any, seed: int, turns: int, races_run: Any) -> None:
    """Thread i plays so many turns, one race after another; its streams go on with the seed."""
    i = cuda.grid(1)
    if i < races_run.size:
        s = cuda.local.array(CELLS, np.int64)
        r = cuda.local.array(2, np.int64)
        joint = cuda.local.array(PLAYERS, np.int64)
        for k in range(SIZE):
            s[k] = start[k]
        seed_stream(r, seed, i)
        race_on(g, start, s, r, joint, turns)
        races_run[i] = r[1]


def main() -> None:
    try:
        from numba import cuda as found

        if not found.is_available():
            print("skipped: no CUDA GPU was found on this machine")
            return
    except Exception as error:
        print(f"skipped: Numba's CUDA target cannot be loaded here ({type(error).__name__}: {error})")
        return
    for course in COURSES:
        game: Any = stratagem.game("roborally", course=course, robots=4)
        names = {**game.names["turn"].names, **game.names, "cuda": found}
        run: Any = specialise(races, names, target="cuda")
        ground, start = found.to_device(game.g.copy()), found.to_device(game.start().state.copy())
        drawn = found.to_device(np.zeros(THREADS, np.int64))
        rates = []
        for launch in range(6):
            began = time.perf_counter()
            run[(THREADS + BLOCK - 1) // BLOCK, BLOCK](ground, start, launch, TURNS, drawn)
            found.synchronize()
            rates.append(THREADS * TURNS / (time.perf_counter() - began))
        print(
            f"{course:16} {statistics.median(rates[1:]):>13,.0f} turns/s (median of 5 launches of {THREADS * TURNS:,}; "
            f"the first, compiling, took {THREADS * TURNS / rates[0]:.1f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
