"""Claim: at least 1.5 billion random connect-four playouts a second on an H200, from the kernels that the CPU runs.

Then every game whose player `montecarlo` runs on a GPU: its playouts there and on one core, and whether both found the same.
They should, as a playout is named by its seed and number; sums are added in another order, and a logarithm may differ in its
last bit.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import numpy as np

import stratagem
from stratagem.compile import cuda_target
from stratagem.search.sampling.montecarlo import NO_FIRST_MOVE, SAMPLES, SUM, Arms, MonteCarlo, SamplingLimits, Streams
from stratagem.search.sampling.playouts import playout_names

FEW, MANY = 64, 1 << 24  # playouts of a move that are compared, and of all that are timed


def connect_four(cuda: Any, playouts: int) -> None:
    from stratagem.search.sampling.gpu import GPU

    game = stratagem.game("connect4")
    gpu = GPU(game, playout_names(game))
    rates, stats = [], np.zeros((1, 3))
    arms = Arms(np.array([NO_FIRST_MOVE]), np.zeros(1, np.int64), stats, np.zeros((0, 1), np.int64))
    limits = SamplingLimits(depth=0, cap=64, at_most=playouts)
    for k in range(6):
        began = time.perf_counter()
        gpu.sample(game.start().state, 0, arms, Streams(7, k * playouts, True), limits)
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
    cpu.estimates(game.start(), simulations=100)
    began = time.perf_counter()
    means = cpu.estimates(game.start(), simulations=2_000_000)
    core = 2_000_000 / (time.perf_counter() - began)
    mean = np.mean([one.value for one in means])
    print(f"one core beside it: {core:,.0f} games/s, mean {mean:+.5f}; ratio {rate / core:,.0f}", flush=True)


def both(name: str) -> str:
    """One line: what the first moves of a game are worth on a core and on the GPU, and how fast each is."""
    game = stratagem.game(name)
    view = game.start(5)
    view = view.view(view.asked[0]) if game.hidden else view
    only = view.move_numbers(view.asked[0])[:64] if view.asked else None
    moves = 1 if only is None else len(only)
    engines = [
        stratagem.player(game, f"montecarlo:share=uniform,target={target}", seed=3).engine for target in ("cpu", "cuda")
    ]
    found = [engine.estimates(view, simulations=FEW * moves, only=only) for engine in engines]
    apart = max(abs(a.value - b.value) for a, b in zip(*found, strict=True))
    rates = []
    for engine, playouts in zip(engines, (MANY >> 6, MANY), strict=True):
        began = time.perf_counter()
        engine.estimates(view, simulations=playouts, only=only)
        rates.append(playouts / (time.perf_counter() - began))
    return (
        f"{name:14} one core {rates[0]:>12,.0f} playouts/s   GPU {rates[1]:>14,.0f}   ratio {rates[1] / rates[0]:7.1f}   "
        f"means of {moves} moves apart by at most {apart:.1e}"
    )


def main() -> None:
    try:
        cuda = cuda_target()
    except stratagem.StratagemError as error:
        print(f"skipped: {error}")
        return
    if not cuda.is_available():
        print("skipped: no CUDA GPU was found on this machine")
        return
    connect_four(cuda, 1 << 28)
    for name in sys.argv[1:] or stratagem.game_names():
        entry = stratagem.players(stratagem.game(name)).get("montecarlo")
        if entry is not None and "target" in entry.options:
            print(both(name), flush=True)


main()
