"""Claims: kth-best picks on 42 items under 50 ms; a UCT draft of 42 items at 3,000 simulations a pick under 0.2 s; exact play
with 3 players: 20 items in 0.3 s, 24 in 5 s (28 in 2 minutes and 4 GB with --large); a recommendation on 300 items in 1 s.

A public draft tool is compared in bench_drafts_peer.py. No peer runs beside here: these are times alone, medians of several
runs, with the CPU time (of all threads) beside them, which depends less on what else the machine does.

    python benchmarks/bench_drafts.py [--large]
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from stratagem.fantasy.advice import recommend
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import read_table
from stratagem.plans.draft import Draft, round_robin
from stratagem.search.drafts import KthDrafter, TooLarge, solve_exact
from stratagem.search.drafts.uct import uct_drafter


def draft(players: int, items: int, common: float, seed: int) -> Draft:
    rng = np.random.default_rng(seed)
    shared = rng.random(items)
    worths = tuple(tuple(common * shared + (1 - common) * rng.random(items)) for _ in range(players))
    return Draft(tuple(map(str, range(items))), worths, round_robin(players, items))


def measure(work: Callable[[], object], runs: int = 5) -> str:
    walls, cpus = [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return f"{statistics.median(walls):.4f} s, CPU {statistics.median(cpus):.4f} s"


def slowest_pick(of: Draft) -> tuple[float, float, int]:
    """Wall and CPU seconds of the slowest pick of a whole draft, and the states."""
    drafter, node, wall, cpu = KthDrafter(of, most_states=1 << 19), of.start(), 0.0, 0.0
    while node.turn < of.turns:
        began, used = time.perf_counter(), time.process_time()
        x = drafter.pick(node)
        wall, cpu = max(wall, time.perf_counter() - began), max(cpu, time.process_time() - used)
        node = of.apply(node, x)
    return wall, cpu, drafter.states


def main() -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    slowest_pick(draft(3, 12, 0.7, 0))
    for common, name in ((1.0, "shared ranking"), (0.7, "70% common"), (0.0, "independent")):
        for players in (3, 4, 5, 6):
            found, refused = [], 0
            for seed in range(3):
                try:
                    found.append(slowest_pick(draft(players, 42, common, seed)))
                except TooLarge:
                    refused += 1
            said = f"{refused} of 3 refused at {1 << 19:,} states"
            if found:
                wall, cpu, states = (statistics.median(column) for column in zip(*found, strict=True))
                said = f"slowest pick {1000 * wall:.2f} ms, CPU {1000 * cpu:.2f} ms, {states:.0f} states; {said}"
            print(f"kth-best, 42 items, {players} players, {name}: {said}", flush=True)
    for players in (3, 6):
        of = draft(players, 42, 0.5, 1)
        uct_drafter(of).picks(simulations=10)
        drafters = iter([uct_drafter(of, seed=k) for k in range(5)])
        took = measure(lambda d=drafters: next(d).picks())  # type: ignore[misc]
        print(f"UCT, 42 items, {players} players, 3,000 simulations a pick, whole draft: {took}", flush=True)
    solve_exact(draft(3, 8, 0.0, 0))
    for items, runs in ((20, 5), (24, 3), *(((28, 1),) if "--large" in sys.argv else ())):
        of = draft(3, items, 0.0, 1)
        print(f"exact, 3 players, {items} items: {measure(lambda of=of: solve_exact(of), runs)}", flush=True)
    room = Room(League(read_table(SAMPLE)))
    recommend(room, simulations=1)
    print(
        f"recommendation, 300 items, 100 simulations a candidate: {measure(lambda: recommend(room, simulations=100))}"
    )


if __name__ == "__main__":
    main()
