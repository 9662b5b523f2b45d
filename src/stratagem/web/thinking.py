"""What runs in a process of the web's engines: one question after another, and the players that stay between them."""

from __future__ import annotations

import gc
import logging
import os
import resource
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from stratagem.ahead import BEGUN
from stratagem.compile import telling
from stratagem.contract.game import Game, Position
from stratagem.contract.player import Choice, Clock, Player
from stratagem.errors import StratagemError
from stratagem.registry import game_class, player
from stratagem.review import compared

log = logging.getLogger("stratagem.web")

REPORTS_A_SECOND = 8.0
SMALLEST = 6 << 30  # bytes of address space that any engine may have: compilers reserve much and use little
MOST_PLAYERS = 16  # that stay between moves


class Question(NamedTuple):
    """What a process is asked."""

    view: Position
    seat: int
    engine: str
    seconds: float | None = None
    seed: int = 0  # of a player that is made for it
    lines: int = 0  # to report while it thinks; none for a move in a game, which is shown when it is played
    table: str = ""  # whose player it is, which stays for the next question like it; empty: it does not stay
    compare: tuple[str, ...] = ()  # moves whose worth is asked for, in place of a choice

    @property
    def player(self) -> tuple[str, int, str, Game]:
        """What tells a player that stays from all others: each seat of each table has its own."""
        return self.table, self.seat, self.engine, self.view.game


class Kept:
    """Players that stay between moves, at most so many, and as long as they have room; who was asked longest ago goes
    first. Their memory is what the process has beyond what it had without any: what was compiled is not theirs."""

    def __init__(
        self, most: int, limits: tuple[int, int], measure: Callable[[], tuple[int, int]] | None = None
    ) -> None:
        self.most = most
        self.limits = limits  # bytes of address space and of memory that all of them may take up
        self.measure = measure or memory_used
        self.base = self.measure()
        self._players: OrderedDict[tuple[Hashable, ...], Player] = OrderedDict()

    def __len__(self) -> int:
        return len(self._players)

    def take(self, name: tuple[Hashable, ...]) -> Player | None:
        """The player of a name, if it is there; if not, there is room for a new one. It is out of the collection until it
        is given back, so that one which fails does not stay."""
        found = self._players.pop(name, None)
        if found is None:
            self._make_room(self.most - 1)
            if not self._players:
                self.base = self.measure()
        return found

    def give_back(self, name: tuple[Hashable, ...], player: Player) -> None:
        self._players[name] = player
        self._make_room(self.most)

    def forget(self, tables: Sequence[str]) -> None:
        self._drop([name for name in self._players if name[0] in tables])

    def _make_room(self, most: int) -> None:
        self._drop(list(self._players)[: max(len(self._players) - most, 0)])
        while self._players and self._too_large():
            self._drop([next(iter(self._players))])

    def _too_large(self) -> bool:
        return any(now - base > most for now, base, most in zip(self.measure(), self.base, self.limits, strict=True))

    def _drop(self, names: Sequence[tuple[Hashable, ...]]) -> None:
        for name in names:
            del self._players[name]
        if names:
            gc.collect()


def memory_used() -> tuple[int, int]:
    """Bytes of address space and of memory that this process has; nothing where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text().split()
        return int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), int(pages[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0, 0


def think(pipe: Connection, files: tuple[str, ...], parent: int, memory: int) -> None:
    """Answer one job after another until the server goes away. `memory` is for the players that stay between jobs."""
    busy = False

    def interrupted(*_: object) -> None:
        if busy:
            raise KeyboardInterrupt

    os.setsid()  # Ctrl-C in the server's terminal is for the server
    os.nice(10)
    signal.signal(signal.SIGINT, interrupted)
    threading.Thread(target=_die_with, args=(parent,), daemon=True).start()
    room = max(SMALLEST, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (room, room))  # options may ask for more than the machine has
    import numba  # noqa: F401  # before the first job: its clock, and an interrupt, had better not fall into it

    for file in files:
        game_class(file)  # so that its positions can be read
    kept = Kept(MOST_PLAYERS, (max(room - memory_used()[0], 0) // 2, memory))
    while True:
        try:
            asked = pipe.recv()
        except (EOFError, OSError):
            return
        if not isinstance(asked, Question):
            kept.forget(asked)
            continue
        try:
            busy = True
            answer = answered(asked, kept, pipe)
        except KeyboardInterrupt:
            answer = "failed", "stopped before there was an answer"
        finally:
            busy = False
        try:
            pipe.send(answer)
        except OSError:
            return


def answered(asked: Question, kept: Kept, pipe: Connection) -> tuple[str, Any]:
    """`done` and a choice as JSON (or what moves are worth, by their texts), or `failed` and why."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked while the process was set up
        with telling(lambda notice: pipe.send(("compiling", notice if notice.startswith(BEGUN) else ""))):
            thinker = kept.take(asked.player) or player(asked.view.game, asked.engine, seed=asked.seed)
            if asked.compare:
                clock, intact = Clock(asked.seconds), True
                told: Any = compared(thinker, asked.view, asked.seat, asked.compare, clock)
            else:
                choice, intact = choose(thinker, asked, pipe)
                told = choice.json()
        if intact and asked.table:
            kept.give_back(asked.player, thinker)
        return "done", told
    except StratagemError as error:
        return "failed", str(error)
    except Exception as error:
        log.exception("%s failed", asked.engine)
        return "failed", f"{asked.engine} failed: {type(error).__name__}"


def choose(thinker: Player, asked: Question, pipe: Connection) -> tuple[Choice, bool]:
    """A player's choice, and whether it may be asked again; if an interrupt falls between two of its steps, the last choice
    that it reported, and no more of it."""
    last, reported = 0.0, None

    def report(choice: Choice) -> None:
        nonlocal last, reported
        reported, now = choice, time.monotonic()
        if asked.lines and now - last > 1.0 / REPORTS_A_SECOND:
            last = now
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # half a message would spoil all that follow
            pipe.send(("report", choice.json()))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    try:
        clock, lines = Clock(asked.seconds), asked.lines or 1
        return thinker.choose(asked.view, clock, seat=asked.seat, report=report, lines=lines), True
    except KeyboardInterrupt:
        if reported is None:
            raise
        return reported, False


def _die_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
