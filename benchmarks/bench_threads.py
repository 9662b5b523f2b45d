"""Threads of one search against an ideal loop beside them: as many separate searches at once, which share nothing.

On a busy machine the ideal itself falls short of the number of threads, so the share of the ideal is what counts.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from typing import Any

import stratagem
from stratagem.search.tree.mcts import MCTS

SIMULATIONS = 200_000


def ideal(searches: list[MCTS], start: Any) -> None:
    threads = [threading.Thread(target=s.search, args=(start,), kwargs={"simulations": SIMULATIONS}) for s in searches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    threads = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 16)
    if threads < 2:
        print("skipped: one core has no threads to measure")
        return
    game = stratagem.game("connect4")
    start = game.start()
    alone = [MCTS(game, reuse=False, seed=k) for k in range(threads)]
    tree = MCTS(game, reuse=False, threads=threads, parallel="tree")
    root = MCTS(game, reuse=False, threads=threads, parallel="root")
    seen: dict[str, list[float]] = {"one thread": [], "ideal": [], "one tree": [], "a root each": []}
    for _ in range(8):
        for name, work, done in (
            ("one thread", lambda: alone[0].search(start, simulations=SIMULATIONS), SIMULATIONS),
            ("ideal", lambda: ideal(alone, start), threads * SIMULATIONS),
            ("one tree", lambda: tree.search(start, simulations=threads * SIMULATIONS), threads * SIMULATIONS),
            ("a root each", lambda: root.search(start, simulations=threads * SIMULATIONS), threads * SIMULATIONS),
        ):
            began = time.perf_counter()
            work()
            seen[name].append(done / (time.perf_counter() - began))
    medians = {name: statistics.median(found[1:]) for name, found in seen.items()}
    for name, rate in medians.items():
        print(
            f"MCTS, connect4, {threads} threads: {name:12} {rate:>12,.0f} sims/s (wall)   "
            f"{rate / medians['ideal']:5.2f} of the ideal   {rate / medians['one thread']:5.2f} of one thread"
        )


main()
