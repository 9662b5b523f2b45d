"""Experiments of the documentation: each a named script with fixed seeds that writes its own table.

`python -m benchmarks.experiments.NAME` runs one; `--workers 16 --limit 500` uses sixteen processes and stops starting new parts
after 500 seconds; `--games` makes a short run of it. Every finished part is appended at once to a file of results
(`build/experiments/NAME.jsonl`, or `--results`), so that a run which was stopped goes on where it was; `--write` puts the
table of all results into its page between the marks `<!-- experiment NAME -->`, and only what the file holds is in it.
`--cluster` runs the parts on a Ray cluster, by the same seeds; parts under way at the limit are dropped there.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.spread import Task, add_flag, call, name_of, on_cluster

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs"

Result = dict[str, Any]  # of a task, which is what one part is about, as JSON can hold it: the key of its result


def arguments(
    name: str, about: str, *, games: int | None = None, counted: str = "games a row"
) -> argparse.ArgumentParser:
    """The flags that every experiment has; `games` is the full number, where it plays some, or whatever is counted."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.experiments.{name}", description=about)
    if games is not None:
        parser.add_argument("--games", type=int, default=games, help=f"{counted} (default {games})")
    parser.add_argument("--write", action="store_true", help="put the table into its page")
    add_run_flags(parser, ROOT / "build" / "experiments" / f"{name}.jsonl")
    return parser


def add_run_flags(parser: argparse.ArgumentParser, results: Path) -> None:
    """The flags that `run` looks at."""
    parser.add_argument("--workers", type=int, default=None, help="processes (default 1; on a cluster all its cores)")
    add_flag(parser)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds after which no further part is started")
    parser.add_argument("--results", type=Path, default=results, help="file of finished parts, to go on with")
    parser.add_argument("--table", action="store_true", help="run nothing: only the table of the results there are")


def known(results: Path) -> dict[Task, Result]:
    """What a file of results holds; a line cut short by a stopped run is passed over."""
    found: dict[Task, Result] = {}
    if results.exists():
        for line in results.read_text().splitlines():
            try:
                one = json.loads(line)
            except ValueError:
                continue
            found[_key(one["task"])] = one["result"]
    return found


def _key(task: Sequence[Any]) -> Task:
    return tuple(_key(x) if isinstance(x, list | tuple) else x for x in task)


def run(work: Callable[..., Result], tasks: Iterable[Task], given: argparse.Namespace) -> dict[Task, Result]:
    """The results of all tasks that are known or were finished in time; `work(*task)` runs in a process of its own.

    What a part took of a processor, in seconds, is kept beside its result, and reported at the end.
    """
    done = known(given.results)
    wanted = [_key(task) for task in tasks]
    todo = [] if given.table else [task for task in wanted if task not in done]
    given.results.parent.mkdir(parents=True, exist_ok=True)
    began, left = time.monotonic(), len(todo)
    source = _in_processes if given.cluster is None else _on_cluster
    spent = 0.0
    with given.results.open("a") as file, closing(source(work, todo, given)) as results:
        try:
            for task, (result, took) in results:
                done[task] = result
                left, spent = left - 1, spent + took
                file.write(json.dumps({"task": task, "result": result, "seconds": took}) + "\n")
                file.flush()
                print(f"{time.monotonic() - began:6.0f} s  {left} parts left  {task}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("stopped; what was finished is kept", file=sys.stderr)
    if spent:
        print(f"{len(todo) - left} parts took {spent / 60:.1f} minutes of a processor", file=sys.stderr)
    return {task: done[task] for task in wanted if task in done}


def timed(work: Callable[..., Result], *task: Any) -> tuple[Result, float]:
    """What a part found, and the processor's seconds that it took."""
    began = time.process_time()
    return work(*task), round(time.process_time() - began, 2)


def timed_by_name(name: str, *task: Any) -> tuple[Result, float]:
    return timed(call, name, task)


Results = Generator[tuple[Task, tuple[Result, float]], None, None]


def _on_cluster(work: Callable[..., Result], todo: Sequence[Task], given: argparse.Namespace) -> Results:
    until = time.monotonic() + given.limit
    named = [(name_of(work), *task) for task in todo]
    for number, result in on_cluster(given.cluster, given.workers, timed_by_name, named, until) if todo else ():
        yield todo[number], result


def _in_processes(work: Callable[..., Result], todo: Sequence[Task], given: argparse.Namespace) -> Results:
    """The first part runs alone, so that what has to be compiled is compiled once."""
    until, waiting = time.monotonic() + given.limit, list(todo)
    workers, room = max(given.workers or 1, 1), 1
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        running: dict[Future[tuple[Result, float]], Task] = {}
        try:
            while waiting or running:
                while waiting and len(running) < room and time.monotonic() < until:
                    task = waiting.pop(0)
                    running[pool.submit(timed, work, *task)] = task
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
                room = workers
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def parts(games: int, each: int) -> list[tuple[int, int]]:
    """Games in parts of so many, as (first, how many)."""
    return [(first, min(each, games - first)) for first in range(0, games, each)]


def interval(wins: float, games: float) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    if games == 0:
        return 0.0, 1.0
    z, p = 1.96, wins / games
    middle, half = p + z * z / (2 * games), z * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    return (middle - half) / (1 + z * z / games), (middle + half) / (1 + z * z / games)


def share(wins: float, games: float) -> str:
    low, high = interval(wins, games)
    return f"{wins / games:.1%} ({low:.1%} to {high:.1%})" if games else "not run"


def publish(name: str, page: str, lines: Sequence[str], write: bool) -> None:
    """Print a table, and put it into a page between the marks that carry the experiment's name."""
    print("\n".join(lines))
    if not write:
        return
    path = PAGES / page
    opening, closing = f"<!-- experiment {name} -->", f"<!-- end of {name} -->"
    text = path.read_text()
    if opening not in text or closing not in text:
        raise SystemExit(f"{path} has no place for the table: write {opening} and {closing} where it belongs")
    before, _, rest = text.partition(opening)
    path.write_text("\n".join([before + opening, "", *lines, "", closing + rest.partition(closing)[2]]))
