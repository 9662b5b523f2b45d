"""RoboRally's Monte-Carlo player: sampled playouts a second, and what threads are worth beside an ideal loop, which is as many
separate searches at once that share nothing.

A playout deals the hidden hands, programmes all robots by the playout strategy, runs two turns and judges. Playouts are shared
out evenly over the 60 programmes that the prefilter keeps; wall time, medians. On a busy machine the ideal itself falls short
of the number of threads, so the share of the ideal is what counts.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

import stratagem
from stratagem.contract.player import Clock
from stratagem.games.roborally.players import MonteCarloRally

PLAYOUTS = 6_000
ROUNDS = 5


def rates(works: dict[str, tuple[Callable[[], Any], int]]) -> dict[str, float]:
    """Playouts a second of each, taking turns; the first round warms up and is left out."""
    seen: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS + 1):
        for name, (work, playouts) in works.items():
            began = time.perf_counter()
            work()
            seen[name].append(playouts / (time.perf_counter() - began))
    return {name: statistics.median(found[1:]) for name, found in seen.items()}


def at_once(works: list[Callable[[], Any]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    game: Any = stratagem.game("roborally", course="Risky Exchange", robots=4)
    view = game.start(seed=1).view(0)

    def search(player: MonteCarloRally, only: list[int], playouts: int = PLAYOUTS) -> Callable[[], Any]:
        return lambda: player.engine.estimates(view, Clock(None), seat=0, simulations=playouts, only=only)

    kept = MonteCarloRally(game).kept(view, 0)
    works = {
        f"{strategy}, depth {turns}": (
            search(MonteCarloRally(game, share="uniform", playout=strategy, turns=turns), kept),
            PLAYOUTS,
        )
        for strategy, turns in (("best", 2), ("any", 2), ("best", 1))
    }
    for name, rate in rates(works).items():
        print(f"playouts by {name}: {rate:>9,.0f} a second", flush=True)
    threads = min(cores, 16)
    if threads < 2:
        print("skipped: one core has no threads to measure")
        return
    alone = [MonteCarloRally(game, share="uniform", seed=j) for j in range(threads)]
    together = MonteCarloRally(game, share="uniform", threads=threads)
    found = rates(
        {
            "one thread": (search(alone[0], kept), PLAYOUTS),
            "ideal": (lambda: at_once([search(one, kept) for one in alone]), threads * PLAYOUTS),
            "threads": (search(together, kept, threads * PLAYOUTS), threads * PLAYOUTS),
        }
    )
    for name, rate in found.items():
        print(
            f"{threads} threads: {name:10} {rate:>9,.0f} playouts a second   {rate / found['ideal']:5.2f} of the ideal   "
            f"{rate / found['one thread']:5.2f} of one thread",
            flush=True,
        )


if __name__ == "__main__":
    main()
