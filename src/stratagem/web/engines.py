"""Engines at work for the web: a few processes, one queue, every wait visible.

Players run in processes of their own, at low priority, so that the server answers while they think and a player that
hangs or crashes can be ended. A process is given a view, never the true position. An interrupt asks it to stop with
what it has; one that does not answer is ended and replaced.

A table's players stay between its moves, so that a search goes on with the tree that it has: each seat has its own, which
is given that seat's views and nothing else. A table goes to the process that has its players while that one is there and
not busy for long; any other makes new ones, and nothing but what a search had learned is lost.

Replies at tables come before analyses, and analyses before reviews; one in eight goes to whoever has waited longest, so that
nobody waits for ever. Among equals the visitor comes first who was served longest ago. An analysis is cut after a slice if
somebody else waits, and goes on with the time that it has left when it is its turn again.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import secrets
import signal
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from stratagem.compile import Compilers, Order
from stratagem.contract.game import Game
from stratagem.contract.player import LEVELS, Entry
from stratagem.readiness import mark, needs
from stratagem.registry import players
from stratagem.web.refusals import Busy
from stratagem.web.thinking import MOST_PLAYERS, STOPPED, Question, think

log = logging.getLogger("stratagem.web")

REPLY, ASKED, REVIEW = range(3)  # what comes first: a move at a table, what somebody waits for, what nobody waits for
LEAST_LEFT = 0.05  # seconds of an analysis that was cut
LONGEST_WAITING = 8  # every so manieth job is the one that has waited longest
SLICE = 1.0  # seconds that an analysis may think while others wait; see `Engines._goes_on`
UNANSWERED = 4.0  # times as long may one think that has not reported anything yet
PATIENCE = 5.0  # times its limit of work that an engine may take by the clock
GRACE = 10.0  # seconds between asking a process to stop and ending it
STARTING = 300.0  # seconds that a process may take until it is ready
COMPILING = 1800.0  # seconds that a process may compile without a word
LOYALTY = 1.0  # seconds that a table waits for the process that has its players before another one may take it over
MOST_VISITORS = 10_000  # whose turns are remembered
LEAST_MEMORY = 256 << 20  # bytes that the players of one process may keep, however many processes share the machine


LOADING = "the engine is loaded"
UNBEGUN = "stopped before it began"
MOST_PAGES = 8  # orders under way beyond which nothing is prepared that nobody waits for


def engines(game: Game) -> dict[str, Entry]:
    """The players of a game that the web may start: none that run other programs; the levels first."""
    known = {name: entry for name, entry in players(game).items() if not entry.external}
    return {name: known[name] for name in LEVELS if name in known} | known


class Job:
    """One thinking engine, or one that waits to. `tell(kind, data)` is called from another thread with
    `queued` (the place), `thinking`, `compiling` (what), `report` and then one of `done` (both a choice as JSON) and
    `failed` (a line). One that was cut for others is `queued` again. `client` is the visitor that it counts for."""

    def __init__(
        self,
        question: Question,
        tell: Callable[[str, Any], None],
        *,
        client: str = "",
        rank: int = ASKED,
        limit: float = 120.0,
    ) -> None:
        self.question, self.rank = question, rank
        self.slice = SLICE
        self.cut = False  # it was asked to stop for others
        self.alone = self.divisible and not question.table  # its player stays from slice to slice, and no longer
        if self.alone:
            self.question = question._replace(table=f"slices {secrets.token_hex(8)}")
        self.table = self.question.table
        self.work = pickle.dumps(self.question)
        self.asked = time.monotonic()
        self._tell = tell
        self.client = client
        self.limit = limit + (question.seconds or 0.0)
        self.stopped = threading.Event()

    def tell(self, kind: str, data: Any) -> None:
        """Tell who asked. Where that fails, nobody listens any more: the job stops, and the queue goes on."""
        try:
            self._tell(kind, data)
        except Exception:
            log.exception("nobody could be notified that an engine's work is %s", kind)
            self.stop()

    @property
    def divisible(self) -> bool:
        """Whether it can be cut into slices: it has a time of its own."""
        return self.rank != REPLY and self.question.seconds is not None and not self.question.compare

    def shorten(self, seconds: float) -> None:
        """It has thought for so long, and goes on later with what is left of its time."""
        left = max((self.question.seconds or 0.0) - seconds, LEAST_LEFT)
        self.question = self.question._replace(seconds=left)
        self.work = pickle.dumps(self.question)

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
        self.preparing = Compilers() if prepare else None  # for tables and pages that are opened
        self._waiting: deque[Job] = deque()
        self._running: set[Job] = set()
        self._begun = 0  # jobs so far
        self._served: OrderedDict[str, int] = OrderedDict()  # of visitors: the number of the job that they had last
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
            stopped = [other for other in self._waiting if other.stopped.is_set()]
            for other in stopped:
                self._waiting.remove(other)
        for other in stopped:
            other.tell("failed", UNBEGUN)
            if other.alone:
                self.forget(other.table)
        with self._changed:
            own = sum(other.client == job.client for other in self._waiting) if job.client else 0
            if own >= self.longest_queue - len(self._waiting):
                raise Busy(f"{len(self._waiting)} others wait for an engine; try again in a while")
            if job.client and job.rank == ASKED:
                mine = sum(
                    other.client == job.client and other.rank == ASKED for other in (*self._waiting, *self._running)
                )
                if mine >= self.each_client:
                    raise Busy(f"{mine} analyses of yours are under way; stop one, or wait for it")
            job.asked = time.monotonic()
            self._waiting.append(job)
            place = len(self._waiting)
            self._changed.notify_all()
        job.tell("queued", place)

    def prepare(self, game: Game, engines: Sequence[str], tell: Callable[[str | None], None] | None = None) -> bool:
        """Have ready what some engines of a game need, before they are asked; whether there is something to wait for.

        `tell` is called from another thread with what is being done, at last with None. Without it nobody waits: that is done
        when all else is, and not at all where many wait already."""
        if self.preparing is None or (tell is None and self.preparing.orders >= MOST_PAGES):
            return False
        wanted = list(dict.fromkeys(engines))
        said: list[str | None] = [""]

        def heard(order: Order) -> None:
            now = (order.notice or said[-1] or LOADING) if set(wanted) & set(order.waiting) else None
            if said[-1] is not None and now != said[-1] and tell is not None:
                said.append(now)
                tell(now)

        order = self.preparing.order(
            needs(game.start(seed=0), wanted),
            key=(
                game.address,
                tuple(sorted((name, str(value)) for name, value in game.chosen.items())),
                *sorted(wanted),
            ),
            urgent=tell is not None,
            mark=mark(game, wanted),
            tell=heard,
        )
        return bool(order.waiting)

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
            goes_on = False
            try:
                if work.stopped.is_set():
                    work.tell("failed", UNBEGUN)
                    continue
                if process is None or not process.alive:
                    self._leave(worker, work.table)
                    process = _Process(self.files, self._memory)
                work.tell("thinking", None)
                goes_on = self._follow(process, work, worker)
            except Exception:
                log.exception("an engine's process failed")
                if process is not None:
                    process.end()  # it may still be at work, and its answer is not the next job's
                work.tell("failed", "the engine's process failed")
            finally:
                self._end(work, goes_on)
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
            behind = sorted(self._waiting, key=self._order)
        for place, other in enumerate(behind[:50]):
            other.tell("queued", place + 1)
        return job

    def _fitting(self, worker: int) -> list[Job]:
        """The jobs for anybody, for this worker, or that waited for their own one long enough; whose turn it is, first."""
        now = time.monotonic()
        fitting = [j for j in self._waiting if self._homes.get(j.table, worker) == worker or now - j.asked >= LOYALTY]
        return sorted(fitting, key=self._order)

    def _order(self, job: Job) -> tuple[int, int, float]:
        return job.rank, self._served.get(job.client, 0), job.asked

    def _wanted(self, worker: int, job: Job) -> bool:
        """Whether a job that has had its slice gives way: to what comes first or is another visitor's, one job for each that
        waits."""
        with self._changed:
            others = (
                o for o in self._fitting(worker) if o.rank < job.rank or (o.rank == job.rank and o.client != job.client)
            )
            job.cut = any(others) and sum(one.cut for one in self._running) < len(self._waiting)
            return job.cut

    def _end(self, job: Job, goes_on: bool) -> None:
        """A job is done, or was cut and waits for its next slice."""
        with self._changed:
            self._running.discard(job)
            if goes_on:
                job.cut, job.asked = False, time.monotonic()
                self._waiting.append(job)
            place = len(self._waiting)
            self._changed.notify_all()
        if goes_on:
            job.tell("queued", place)
        elif job.alone:
            self.forget(job.table)

    def _next(self, worker: int) -> Job | None:
        """Take the job whose turn it is out of the queue."""
        fitting = self._fitting(worker)
        job = fitting[0] if fitting else None
        if job is not None:
            self._begun += 1
            if self._begun % LONGEST_WAITING == 0:
                job = min(fitting, key=lambda one: one.asked)
            self._waiting.remove(job)
            self._served[job.client] = self._begun
            self._served.move_to_end(job.client)
            if len(self._served) > MOST_VISITORS:
                self._served.popitem(last=False)
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

    def _follow(self, process: _Process, job: Job, worker: int) -> bool:
        """Pass on what a process says about a job until it is done, stopped or ended; whether it was cut, and goes on later."""
        try:
            if not self._ready(process, job):
                return False
            return self._heard(process, job, worker)
        except (EOFError, OSError):
            process.end()
            job.tell("failed", "the engine's process ended before it had an answer")
        return False

    def _ready(self, process: _Process, job: Job) -> bool:
        """Wait until a process is there. A job that is stopped meanwhile was never given to it, and it is there for the next."""
        while not process.ready:
            if process.says(0.05):
                process.ready = process.heard()[0] == "ready"
            elif self._closed or job.stopped.is_set():
                job.tell("failed", STOPPED)
                return False
            elif time.monotonic() - process.began > STARTING:
                process.end()
                job.tell("failed", "the engine's process did not start")
                return False
        return True

    def _heard(self, process: _Process, job: Job, worker: int) -> bool:
        began, worked, asked_to_stop = time.monotonic(), process.worked(), None
        begun = compiling = interrupted = reported = False
        process.pipe.send_bytes(job.work)
        while True:
            if process.says(0.05):
                kind, data = process.heard()
                if kind == "begun":  # what it took to read the question is not the job's
                    begun, began, worked = True, time.monotonic(), process.worked()
                    continue
                if kind == "compiling":
                    compiling = bool(data)
                    began, worked = time.monotonic(), process.worked()  # the limit is for thinking
                    data = data or None
                    kind = "compiling" if data else "thinking"
                over, reported = kind in ("done", "failed"), reported or kind == "report"
                if kind == "failed" and interrupted:
                    process.end()  # interrupted at a bad moment, such as an import: it may be broken for good
                if over and job.cut and not job.stopped.is_set() and not self._closed:
                    return self._goes_on(job, kind, data, time.monotonic() - began)
                job.tell(kind, data)
                if over:
                    return False
            now = time.monotonic()
            if compiling and not self._closed and now - began < COMPILING:
                continue  # what is compiled stays for all that follow, so it is never thrown away
            # where the machine is busy a process gets little of it, so what counts is what it got
            late = process.worked() - worked > job.limit or now - began > PATIENCE * job.limit
            over = self._closed or job.stopped.is_set() or late
            room = job.slice * (1.0 if reported else UNANSWERED)
            sliced = begun and job.divisible and now - began > room
            if asked_to_stop is None and (over or (sliced and self._wanted(worker, job))):
                asked_to_stop = now
            if asked_to_stop is not None and begun and not interrupted:  # before, an interrupt would be lost
                interrupted = True
                process.interrupt()
            if asked_to_stop is not None and now - asked_to_stop > (1.0 if self._closed else GRACE):
                process.end()
                if job.cut and not over:
                    return self._goes_on(job, "failed", None, 0.0)
                job.tell("failed", "the engine did not stop in time and was ended")
                return False

    def _goes_on(self, job: Job, kind: str, data: Any, seconds: float) -> bool:
        """Tell what a job that was cut has found so far; whether it has time left. Without an answer the next slice is twice as
        long, for it begins anew."""
        if kind == "failed":
            job.slice *= 2.0
            return True
        job.shorten(seconds)
        goes_on = job.question.seconds is not None and job.question.seconds > LEAST_LEFT
        job.tell("report" if goes_on else "done", data)
        return goes_on


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
        self.ready, self.began = False, time.monotonic()
        self._ended = False
        self._process = context.Process(target=think, args=(theirs, files, os.getpid(), memory), daemon=True)
        resource_tracker.ensure_running()  # starting a process starts this first, which would unblock what is blocked here
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited: Ctrl-C is not for a process that starts
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            theirs.close()

    @property
    def alive(self) -> bool:
        return not self._ended and self._process.is_alive()

    def says(self, seconds: float) -> bool:
        """Whether it says something within some seconds. What it started itself may hold its end of the pipe open after it."""
        if self.pipe.poll(seconds):
            return True
        if not self.alive and not self.pipe.poll():  # which has its last words
            raise EOFError
        return False

    def heard(self) -> tuple[str, Any]:
        kind, data = self.pipe.recv()
        return kind, data

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
        self._ended = True
        self.pipe.close()
        self._process.kill()
        self._process.join(5.0)
