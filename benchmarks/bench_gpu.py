"""Claim: at least 1.5 billion random connect-four playouts a second on an H200, from the kernels that the CPU runs."""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np


def main() -> None:
    for name, now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, name):  # names that older CUDA targets of Numba still look for at import
            setattr(np, name, getattr(np, now))
    try:
        from numba import cuda

        found = cuda.is_available()
    except Exception as error:
        print(f"skipped: Numba's CUDA target cannot be loaded here ({type(error).__name__}: {error})")
        return
    if not found:
        print("skipped: no CUDA GPU was found on this machine")
        return
    import stratagem
    from stratagem.search.gpu import GPU
    from stratagem.search.montecarlo import NO_FIRST_MOVE, SAMPLES, SUM, MonteCarlo
    from stratagem.search.playouts import playout_names

    game = stratagem.game("connect4")
    gpu = GPU(game, {**playout_names(game), "SECRET": False})
    listed, alive, playouts = (
        np.array([NO_FIRST_MOVE]),
        np.zeros(1, np.int64),
        int(sys.argv[1]) if sys.argv[1:] else 1 << 28,
    )
    rates, stats = [], np.zeros((1, 3))
    for k in range(6):
        began = time.perf_counter()
        gpu.sample(game.start().state, 0, listed, alive, stats, 7, k * playouts, True, 0, 64, playouts)
        rates.append(playouts / (time.perf_counter() - began))
    name = cuda.get_current_device().name
    device = name if isinstance(name, str) else name.decode()
    rate = statistics.median(rates[1:])
    print(
        f"random playouts, connect4, {device}: {rate:,.0f} games/s (median of {len(rates) - 1} launches of {playouts:,}; "
        f"the first, compiling, took {playouts / rates[0]:.1f} s)"
    )
    print(f"mean to the first player {stats[0, SUM] / stats[0, SAMPLES]:+.5f}")
    cpu = MonteCarlo(game, share="uniform", seed=7)
    began = time.perf_counter()
    cpu.estimates(game.start(), simulations=100)
    began = time.perf_counter()
    means = cpu.estimates(game.start(), simulations=2_000_000)
    core = 2_000_000 / (time.perf_counter() - began)
    mean = np.mean([one.value for one in means])
    print(f"one core beside it: {core:,.0f} games/s, mean {mean:+.5f}; ratio {rate / core:,.0f}")


main()
