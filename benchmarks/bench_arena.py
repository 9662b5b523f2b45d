"""Claim: with instant players the arena records at least 20,000 games a minute on two cores.

Random players of tic-tac-toe, two workers, the whole run pinned to two cores; starting up is counted. Beside it, the same
games in one loop in one process without workers or store, which shows what playing itself costs.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from stratagem.arena.config import Config
from stratagem.arena.playing import play_game
from stratagem.arena.runner import open_match, run_match
from stratagem.store.sqlite import Store

GAMES, RUNS, WANTED = 10_000, 3, 20_000


def recorded(config: Config) -> float:
    """Games a minute, from an empty file to the last commit."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.sqlite") as store:
        began = time.perf_counter()
        run_match(store, open_match(store, config, "m", resume=False), workers=2)
        seconds = time.perf_counter() - began
        assert store.numbers(1) == set(range(config.total))
        return 60 * config.total / seconds


def bare(config: Config) -> float:
    began = time.perf_counter()
    for number in range(config.total // 5):
        play_game(config, config.task(number))
    return 60 * (config.total // 5) / (time.perf_counter() - began)


def main() -> None:
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)
    config = Config("tictactoe", ("random", "random:seed=1"), games=GAMES)
    ours, loops = [], []
    for _ in range(RUNS):
        ours.append(recorded(config))
        loops.append(bare(config))
    ours_median, loop_median = statistics.median(ours), statistics.median(loops)
    print(f"{GAMES:,} games of tic-tac-toe, random players, 2 workers on {len(cores)} cores, median of {RUNS}")
    print(f"recorded: {ours_median:,.0f} games a minute ({ours_median / WANTED:.1f} times the {WANTED:,} claimed)")
    print(f"bare loop in one process, nothing recorded: {loop_median:,.0f} (ratio {ours_median / loop_median:.2f})")


if __name__ == "__main__":
    main()
