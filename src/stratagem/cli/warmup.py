"""`stratagem warmup`: compile ahead, so that nothing is compiled while one plays.

Each game is an order for the compile service, which does several at once in processes of their own. Ctrl-C ends them in the
middle of a compilation; what was compiled until then is kept.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from stratagem.compile import Compilers, Order
from stratagem.errors import OptionError
from stratagem.readiness import needs, usual_players
from stratagem.registry import game_class, game_names


def warmup(
    names: Annotated[list[str] | None, typer.Argument(help="games; all of them if none is named")] = None,
    jobs: Annotated[int | None, typer.Option(help="games warmed at once; one a core if left out")] = None,
    levels: Annotated[bool, typer.Option("--levels", help="only what people meet first: the levels")] = False,
) -> None:
    """Compile the engines of games ahead of their first use. Ctrl-C stops it, and what is compiled stays."""
    if jobs is not None and jobs < 1:
        raise OptionError(f"{jobs} processes warm nothing; give 1 or more")
    began = time.perf_counter()
    compilers = Compilers(jobs or os.cpu_count() or 1, niceness=0)
    wanted = list(dict.fromkeys(names or game_names()))
    games = {name: game_class(name)().start(seed=0) for name in wanted}
    steps = {name: needs(at, usual_players(at.game, levels=levels), rules_first=True) for name, at in games.items()}
    with _screen(sum(map(len, steps.values()))) as show:
        orders = {name: compilers.order(jobs_of) for name, jobs_of in steps.items()}
        left = list(orders)
        try:
            while left:
                compilers.wait(0.2)
                for name in [name for name in left if not orders[name].waiting]:
                    left.remove(name)
                    _tell_end(name, orders[name], show, f"{time.perf_counter() - began:.1f} s", len(wanted) - len(left))
                done = sum(len(steps[name]) - len(order.waiting) for name, order in orders.items())
                show.progress(done, [f"{name} {step}" for name in left for step in orders[name].under_way])
        except KeyboardInterrupt:
            show.line(
                f"stopped; {len(wanted) - len(left)} of {len(wanted)} games are ready, and what is compiled stays"
            )
            raise
        finally:
            compilers.close()
    print(f"warm after {time.perf_counter() - began:.1f} s")
    if any(order.failed for order in orders.values()):
        raise typer.Exit(2)


def _tell_end(name: str, order: Order, show: _Screen, after: str, place: int) -> None:
    for step, wrong in order.failed.items():
        print(f"{name}, {step}: {wrong}", file=sys.stderr, flush=True)
    end = "ready" if not order.failed else f"{len(order.failed)} of its steps failed"
    show.line(f"{name}: {end} after {after} ({place} compiled)")


class _Screen:
    """A bar on a terminal; else one line a game."""

    def __init__(self, bar: Progress | None, total: int) -> None:
        self.bar = bar
        self.task = None if bar is None else bar.add_task("", total=total)

    def line(self, text: str) -> None:
        if self.bar is not None:
            self.bar.console.print(text)
        else:
            print(text, flush=True)

    def progress(self, done: int, under_way: list[str]) -> None:
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, completed=done, description="compiling " + ", ".join(under_way))


@contextlib.contextmanager
def _screen(total: int) -> Iterator[_Screen]:
    if not sys.stderr.isatty():
        yield _Screen(None, total)
        return
    columns = BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Screen(bar, total)
