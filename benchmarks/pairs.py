"""What scripts share that play pairs of games by rules of their own: processes that play, a file of lines, an interval.

Matches that need no rules of their own are the arena's (`stratagem arena test`); two versions meet in `two_checkouts.py`.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.clocks import use_clock
from stratagem.arena.sprt import PENTANOMIAL, Z95, moments

Job = TypeVar("Job")
Row = dict[str, Any]


def _begin_worker(clock: str) -> None:
    use_clock(clock)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends the workers


def played(
    work: Callable[[Job], Row], jobs: Iterable[Job], workers: int, seconds: float = math.inf, clock: str = "wall"
) -> Iterator[Row]:
    """Yield results as they end. A job is taken when a process will soon be free; those under way at the end are dropped."""
    until = time.monotonic() + seconds
    with multiprocessing.get_context("spawn").Pool(workers, _begin_worker, (clock,)) as pool:
        waiting, source, ended = [], iter(jobs), False
        while time.monotonic() < until and not (ended and not waiting):
            while len(waiting) < 2 * workers and not ended:
                job = next(source, None)
                ended = job is None
                if job is not None:
                    waiting.append(pool.apply_async(work, (job,)))
            done = [result for result in waiting if result.ready()]
            waiting = [result for result in waiting if not result.ready()]
            for result in done:
                yield result.get()
            if not done:
                time.sleep(0.05)


def kept(path: Path) -> Iterator[Row]:
    """The lines of a file; one that a run was killed over is passed over."""
    for line in path.read_text().splitlines() if path.is_file() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def keep(path: Path, row: Row) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def score(counts: Sequence[int]) -> tuple[float, float]:
    """The mean score of pairs, counted by score (0, 1/4 .. 1), and half its 95 % interval.

    Of pairs that all ended alike one is taken not to have."""
    n, mean, variance = moments(counts, PENTANOMIAL)
    student = Z95 + (Z95**3 + Z95) / (4 * n)  # few pairs tell less of their variance
    return mean, student * math.sqrt(max(variance, 0.0625 / n) / n)
