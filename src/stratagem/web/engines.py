"""Engines at work for the web: a few processes, one queue, every wait visible.

Players run in processes of their own, at low priority, so that the server answers while they think and a player that
hangs or crashes can be ended. A process is given a view, never the true position. An interrupt asks it to stop with
what it has; one that does not answer is ended and replaced.

A table's players stay between its moves, so that a search goes on with the tree that it has: each seat has its own, which
is given that seat's views and nothing else. A table goes to the process that has its players while that one is there and
not busy for long; any other makes new ones, and nothing but what a search had learned is lost.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from stratagem.contract.game import Game
from stratagem.contract.player import LEVELS, Entry
from stratagem.errors import StratagemError
from stratagem.registry import players
from stratagem.web.preparing import Preparing
from stratagem.web.thinking import MOST_PLAYERS, Question, think

log = logging.getLogger("stratagem.web")

PATIENCE = 5.0  # times its limit of work that an engine may take by the clock
GRACE = 10.0  # seconds between asking a process to stop and ending it
LOYALTY = 1.0  # seconds that a table waits for the process that has its players before another one may take it over
LEAST_MEMORY = 256 << 20  # bytes that the players of one process may keep, however many processes share the machine


class Busy(StratagemError):
    """More engine work was asked for than is taken on."""


def engines(game: Game) -> dict[str, Entry]:
    """The players of a game that the web may start: none that run other programs; the levels first."""
    known = {name: entry for name, entry in players(game).items() if not entry.external}
    return {name: known[name] for name in LEVELS if name in known} | known


class Job:
    """One thinking engine, or one that waits to. `tell(kind, data)` is called from another thread with
    `queued` (the place), `thinking`, `compiling` (what), `report` and then one of `done` (both a choice as JSON) and
    `failed` (a line)."""

    def __init__(
        self, question: Question, tell: Callable[[str, Any], None], *, client: str = "", limit: float = 120.0
    ) -> None:
        self.work = pickle.dumps(question)
        self.table = question.table
        self.asked = time.monotonic()
        self.tell = tell
        self.client = client
        self.limit = limit + (question.seconds or 0.0)
        self.stopped = threading.Event()

    def stop(self) -> None:
        self.stopped.set()


class Engines:
    """The queue and the processes that take from it."""

    def __init__(
        self,
        workers: int = 1,
        *,
        longest_queue: int = 400,
        each_client: int = 4,
        files: Sequence[str] = (),
        prepare: bool = False,
    ) -> None:
        self.longest_queue = longest_queue
        self.each_client = each_client  # analyses and hints under way or waiting, for one client
        self.files = tuple(files)
        self.preparing = Preparing() if prepare else None  # compiles for tables that are opened
        self._waiting: deque[Job] = deque()
        self._running: set[Job] = set()
        self._homes: OrderedDict[str, int] = OrderedDict()  # of tables: the worker whose process has their players
        self._forgotten: list[list[str]] = [[] for _ in range(workers)]  # tables that a worker's process may forget
        self._changed = threading.Condition()
        self._closed = False
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self._memory = max(LEAST_MEMORY, memory // 4 // max(workers, 1))  # for the players that a process keeps
        self._threads = [
            threading.Thread(target=self._serve, args=(k,), daemon=True, name=f"engine {k}") for k in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        with self._changed:
            for stopped in [other for other in self._waiting if other.stopped.is_set()]:
                self._waiting.remove(stopped)
            if len(self._waiting) >= self.longest_queue:
                raise Busy(f"{len(self._waiting)} others wait for an engine; try again in a while")
            if job.client:
                mine = sum(other.client == job.client for other in (*self._waiting, *self._running))
                if mine >= self.each_client:
                    raise Busy(f"{mine} analyses of yours are under way; stop one, or wait for it")
            job.asked = time.monotonic()
            self._waiting.append(job)
            place = len(self._waiting)
            self._changed.notify_all()
        job.tell("queued", place)

    def forget(self, table: str) -> None:
        """Let go of a table's players: its game is over, or nobody looks at it any more."""
        with self._changed:
            home = self._homes.pop(table, None)
            if home is not None:
                self._forgotten[home].append(table)
                self._changed.notify_all()

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def load(self) -> tuple[int, int]:
        """How many jobs run and how many wait."""
        return len(self._running), len(self._waiting)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for job in self._running:
                job.stop()
            self._changed.notify_all()
        if self.preparing is not None:
            self.preparing.close()
        for thread in self._threads:
            thread.join(1.0)

    # -- one thread for each process

    def _serve(self, worker: int) -> None:
        process: _Process | None = None
        while (work := self._wait(worker)) is not None:
            if not isinstance(work, Job):
                if process is not None:
                    process.forget(work)
                continue
            try:
                if work.stopped.is_set():
                    work.tell("failed", "stopped before it began")
                    continue
                if process is None or not process.alive:
                    self._leave(worker, work.table)
                    process = _Process(self.files, self._memory)
                work.tell("thinking", None)
                self._follow(process, work)
            except Exception:
                log.exception("an engine's process failed")
                work.tell("failed", "the engine's process failed")
            finally:
                with self._changed:
                    self._running.discard(work)
        if process is not None:
            process.end()

    def _wait(self, worker: int) -> Job | list[str] | None:
        """The next job of a worker, or tables whose players its process may let go; None when the pool is closed."""
        with self._changed:
            while True:
                if self._closed:
                    return None
                if self._forgotten[worker]:
                    forgotten, self._forgotten[worker] = self._forgotten[worker], []
                    return forgotten
                if (job := self._next(worker)) is not None:
                    break
                self._changed.wait(self._until_others())
            self._running.add(job)
            behind = list(self._waiting)
        for place, other in enumerate(behind[:50]):
            other.tell("queued", place + 1)
        return job

    def _next(self, worker: int) -> Job | None:
        """The first job in the queue that is for anybody, for this worker, or has waited for its own one long enough."""
        now = time.monotonic()
        fitting = (j for j in self._waiting if self._homes.get(j.table, worker) == worker or now - j.asked >= LOYALTY)
        job = next(fitting, None)
        if job is not None:
            self._waiting.remove(job)
            if job.table:
                self._homes[job.table] = worker
                self._homes.move_to_end(job.table)
                if len(self._homes) > MOST_PLAYERS * len(self._threads):
                    self._homes.popitem(last=False)  # whose players have long given way to others
        return job

    def _until_others(self) -> float | None:
        """Seconds until a job that waits for another worker may be taken by any; None: there is none."""
        now = time.monotonic()
        return min((max(job.asked + LOYALTY - now, 0.01) for job in self._waiting), default=None)

    def _leave(self, worker: int, table: str) -> None:
        """A worker's process is gone, and its players with it: tables other than the one at hand have no home there."""
        with self._changed:
            for other in [name for name, home in self._homes.items() if home == worker and name != table]:
                del self._homes[other]

    def _follow(self, process: _Process, job: Job) -> None:
        """Pass on what a process says about a job until it is done, stopped or ended."""
        began, worked, asked_to_stop, compiling = time.monotonic(), process.worked(), None, False
        try:
            process.pipe.send_bytes(job.work)
            while True:
                if process.pipe.poll(0.05):
                    kind, data = process.pipe.recv()
                    if kind == "compiling":
                        compiling = bool(data)
                        began, worked = time.monotonic(), process.worked()  # the limit is for thinking
                        data = data or None
                        kind = "compiling" if data else "thinking"
                    job.tell(kind, data)
                    if kind == "failed" and asked_to_stop is not None:
                        process.end()  # interrupted at a bad moment, such as an import: it may be broken for good
                    if kind in ("done", "failed"):
                        return
                now = time.monotonic()
                if compiling and not self._closed:
                    continue  # what is compiled stays for all that follow, so it is never thrown away
                # where the machine is busy a process gets little of it, so what counts is what it got
                late = process.worked() - worked > job.limit or now - began > PATIENCE * job.limit
                over = self._closed or job.stopped.is_set() or late
                if over and asked_to_stop is None:
                    asked_to_stop = now
                    process.interrupt()
                if asked_to_stop is not None and now - asked_to_stop > (1.0 if self._closed else GRACE):
                    process.end()
                    job.tell("failed", "the engine did not stop in time and was ended")
                    return
        except (EOFError, OSError):
            process.end()
            job.tell("failed", "the engine's process ended before it had an answer")


class NoEngines(Engines):
    """For a process that serves pages and leaves thinking to others."""

    def __init__(self) -> None:
        super().__init__(0)

    def submit(self, job: Job) -> None:
        raise Busy("no engines run in this process of the server; analyses and hints need one started with --workers")


class _Process:
    """One process that thinks."""

    def __init__(self, files: tuple[str, ...], memory: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=think, args=(theirs, files, os.getpid(), memory), daemon=True)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited: an interrupt waits for the first job
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        theirs.close()

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def worked(self) -> float:
        """Seconds of a core's work that it has had; by the clock where the system does not say."""
        try:
            words = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return time.monotonic()

    def forget(self, tables: Sequence[str]) -> None:
        with suppress(OSError):  # a process that is gone has forgotten them
            self.pipe.send(tuple(tables))

    def interrupt(self) -> None:
        if self._process.pid is not None and self.alive:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGINT)

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join(5.0)
