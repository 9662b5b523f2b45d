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
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from stratagem.compile import telling
from stratagem.compile.notices import BEGUN
from stratagem.contract.game import Game, Position
from stratagem.contract.player import Choice, Clock, Player
from stratagem.errors import StratagemError
from stratagem.registry import game_class, player
from stratagem.review import compared, weighed

log = logging.getLogger("stratagem.web")

REPORTS_A_SECOND = 8.0
SMALLEST = 6 << 30  # bytes of address space that any engine may have: compilers reserve much and use little
MOST_PLAYERS = 16  # that stay between moves
STOPPED = "stopped before there was an answer"


class Question(NamedTuple):
    """What a process is asked."""

    view: Position
    seat: int
    engine: str
    seconds: float | None = None
    seed: int = 0  # of a player that is made for it
    lines: int = 0  # to report while it thinks; none for a move in a game, which is shown when it is played
    table: str = ""  # whose player it is, which stays for the next question like it; empty: it does not stay
    compare: tuple[
        str, ...
    ] = ()  # moves whose worth is asked for, in place of a choice; with lines, these say what cannot be compared

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


class Interrupts:
    """An interrupt from the server ends the step of a job that it falls into: never a message, and nothing between jobs.
    There is one for each job."""

    def __init__(self) -> None:
        self._open = self._missed = False

    def arrived(self, *_: object) -> None:
        self._missed = not self._open
        if self._open:
            self._open = False
            raise KeyboardInterrupt

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Interrupts count while a job is answered."""
        self._open, self._missed = True, False
        try:
            yield
        finally:
            self._open = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """One that falls into this comes after it. They are raised in the main thread, and concern no other."""
        if not self._open or threading.current_thread() is not threading.main_thread():
            yield
            return
        self._open = False
        try:
            yield
        finally:
            self._open = True
        if self._missed:
            self.arrived()


class Reporter:
    """What a job says on its way to the server: whole messages, whichever thread has them, and none after its answer."""

    def __init__(self, pipe: Connection, interrupts: Interrupts) -> None:
        self._pipe, self._interrupts = pipe, interrupts
        self._lock = threading.Lock()
        self._over = False

    def __call__(self, kind: str, data: Any, last: bool = False) -> None:
        with self._interrupts.held(), self._lock:
            if not self._over:
                self._over = last
                self._pipe.send((kind, data))


def think(pipe: Connection, files: tuple[str, ...], parent: int, memory: int) -> None:
    """Say that the process is ready, and answer one job after another until the server goes away. `memory` is for the players
    that stay between jobs."""
    interrupts = Interrupts()
    os.setsid()  # Ctrl-C in the server's terminal is for the server
    os.nice(10)
    signal.signal(signal.SIGINT, interrupts.arrived)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked until there was somebody to take it
    threading.Thread(target=_die_with, args=(parent,), daemon=True).start()
    room = max(SMALLEST, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (room, room))  # options may ask for more than the machine has
    import numba  # noqa: F401  # before the first job: its clock had better not run meanwhile

    for file in files:
        game_class(file)  # so that its positions can be read
    kept = Kept(MOST_PLAYERS, (max(room - memory_used()[0], 0) // 2, memory))
    with suppress(OSError):  # the server has gone
        pipe.send(("ready", None))
        while _next_job(pipe, interrupts, kept):
            pass


def _next_job(pipe: Connection, interrupts: Interrupts, kept: Kept) -> bool:
    """Answer the next job, or forget players; whether there may be more."""
    tell = Reporter(pipe, interrupts)
    try:
        asked = pipe.recv()
    except (EOFError, OSError):
        return False
    except Exception as error:
        log.exception("a question cannot be read")
        tell("failed", f"the question cannot be read: {type(error).__name__}", last=True)
        return True
    if not isinstance(asked, Question):
        kept.forget(asked)
        return True
    try:
        with interrupts.taken():
            tell("begun", None)
            answer = answered(asked, kept, tell)
    except KeyboardInterrupt:
        answer = "failed", STOPPED
    tell(*answer, last=True)
    return True


def answered(asked: Question, kept: Kept, tell: Callable[[str, Any], None]) -> tuple[str, Any]:
    """`done` and a choice as JSON (or what moves are worth, by their texts), or `failed` and why."""
    try:
        with telling(lambda notice: tell("compiling", notice if notice.startswith(BEGUN) else "")):
            thinker = kept.take(asked.player) or player(asked.view.game, asked.engine, seed=asked.seed)
            if asked.compare:
                clock, intact = Clock(asked.seconds), True
                weigh = weighed if asked.lines else compared
                result: Any = weigh(thinker, asked.view, asked.seat, asked.compare, clock)
            else:
                choice, intact = choose(thinker, asked, tell)
                result = choice.json()
        if intact and asked.table:
            kept.give_back(asked.player, thinker)
        return "done", result
    except StratagemError as error:
        return "failed", str(error)
    except Exception as error:
        log.exception("%s failed", asked.engine)
        return "failed", f"{asked.engine} failed: {type(error).__name__}"


def choose(thinker: Player, asked: Question, tell: Callable[[str, Any], None]) -> tuple[Choice, bool]:
    """A player's choice, and whether it may be asked again; if an interrupt falls between two of its steps, the last choice
    that it reported, and no more of it."""
    last, reported = 0.0, None

    def report(choice: Choice) -> None:
        nonlocal last, reported
        reported, now = choice, time.monotonic()
        if asked.lines and now - last > 1.0 / REPORTS_A_SECOND:
            last = now
            tell("report", choice.json())

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
