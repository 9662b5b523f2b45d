"""`stratagem warmup`: compile ahead, so that nothing is compiled while one plays.

Each game is warmed in a process of its own, some at once: compilers keep one core busy, and a process can be ended in the
middle of a compilation, which is what Ctrl-C does. What was compiled until then is kept.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from stratagem.compile import impatient
from stratagem.contract.game import ArrayGame, Game, Position
from stratagem.contract.player import LEVELS, Clock, Entry
from stratagem.errors import OptionError, StratagemError, UnsuitableSearch
from stratagem.registry import game_class, game_names, players
from stratagem.search.perft import Perft
from stratagem.search.rivals import RIVALS

RULES = "the rules"  # the first thing compiled of a game
DONE = ""  # what a process says when nothing is left to be warmed


def own_players(game: Game) -> dict[str, Entry]:
    """The players that are compiled here: those that are other programs look after themselves."""
    return {name: entry for name, entry in players(game).items() if not entry.external}


def warmup(
    names: Annotated[list[str] | None, typer.Argument(help="games; all of them if none is named")] = None,
    jobs: Annotated[int | None, typer.Option(help="games warmed at once; one a core if left out")] = None,
    levels: Annotated[bool, typer.Option("--levels", help="only what people meet first: the levels")] = False,
) -> None:
    """Compile the engines of games ahead of their first use. Ctrl-C stops it, and what is compiled stays."""
    if jobs is not None and jobs < 1:
        raise OptionError(f"{jobs} processes warm nothing; give 1 or more")
    began = time.perf_counter()
    wanted = list(dict.fromkeys(names or game_names()))
    steps = {name: [RULES, *_engines(game_class(name)(), levels)] for name in wanted}
    failed, ready = 0, 0
    with _screen(sum(map(len, steps.values()))) as show:
        under_way: dict[Connection, _Warming] = {}
        left = wanted[::-1]
        try:
            while left or under_way:
                while left and len(under_way) < (jobs or os.cpu_count() or 1):
                    begun = _begin(left.pop(), levels)
                    under_way[begun.pipe] = begun
                for pipe in wait(list(under_way), timeout=0.2):
                    assert isinstance(pipe, Connection)
                    game = under_way[pipe]
                    said = _said(pipe)
                    if isinstance(said, StratagemError):
                        failed += 1
                        print(f"{game.name}, {game.step}: {said}", file=sys.stderr, flush=True)
                    elif said:
                        game.step = said
                    else:
                        del under_way[pipe]
                        game.process.join()
                        ready += said is not None
                        failed += said is None
                        end = "ready" if said is not None else f"stopped while warming {game.step}, by signal or crash"
                        spent = time.perf_counter() - game.began
                        show.line(f"{game.name}: {end} after {spent:.1f} s ({ready} of {len(wanted)})")
                show.progress(_done(steps, left, under_way), [f"{g.name} {g.step}" for g in under_way.values()])
        except KeyboardInterrupt:
            show.line(f"stopped; {ready} of {len(wanted)} games are ready, and what is compiled stays")
            raise
        finally:
            for game in under_way.values():
                game.process.terminate()
                game.process.join()
    print(f"warm after {time.perf_counter() - began:.1f} s")
    if failed:
        raise typer.Exit(2)


@dataclass
class _Warming:
    """A game under way in its process."""

    name: str
    process: BaseProcess
    pipe: Connection
    began: float
    step: str = RULES


def _engines(game: Game, levels: bool) -> list[str]:
    """The players that are warmed: all, or with `levels` those of them that there are. The many searches of whole turns are
    compiled when they are asked for."""
    known = [name for name in own_players(game) if name not in RIVALS]
    return [name for name in LEVELS if name in known] or known if levels else known


def _begin(name: str, levels: bool) -> _Warming:
    fresh = multiprocessing.get_context("spawn")
    here, there = fresh.Pipe(duplex=False)
    process = fresh.Process(target=_warm, args=(name, levels, there), daemon=True)
    process.start()
    there.close()
    return _Warming(name, process, here, time.perf_counter())


def _said(pipe: Connection) -> Any:
    """What a process says: a step that it begins, an error, DONE; None where it ended without a word."""
    try:
        return pipe.recv()
    except EOFError:
        return None


def _done(steps: dict[str, list[str]], left: list[str], under_way: dict[Connection, _Warming]) -> int:
    unfinished = sum(len(steps[name]) for name in left)
    return (
        sum(map(len, steps.values()))
        - unfinished
        - sum(len(steps[game.name]) - steps[game.name].index(game.step) for game in under_way.values())
    )


def _warm(name: str, levels: bool, pipe: Connection) -> None:
    """In a process of its own: use every engine of a game once, and say which one is next."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who began this ends it
    os.environ["STRATAGEM_QUIET"] = "1"
    game = game_class(name)()
    with impatient():
        position = game.start(seed=0)
        for step, use in _uses(game, position, _engines(game, levels)):
            pipe.send(step)
            try:
                use()
            except StratagemError as error:
                pipe.send(StratagemError(str(error)))
    pipe.send(DONE)


def _uses(game: Game, position: Position, engines: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    def count() -> None:
        with contextlib.suppress(UnsuitableSearch):
            if isinstance(game, ArrayGame):
                Perft(game).count(position, 1)

    yield RULES, count
    seat = position.asked[0]
    known = own_players(game)
    for name in engines:

        def choose(entry: Entry = known[name]) -> None:
            entry.make(game, seed=0).choose(position.view(seat), Clock(0.0), seat=seat)

        yield name, choose


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
