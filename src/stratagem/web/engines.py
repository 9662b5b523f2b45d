"""Engines at work for the web: a few processes, one queue, every wait visible.

Players run in processes of their own, at low priority, so that the server answers while they think and a player that
hangs or crashes can be ended. A process is given a view, never the true position. An interrupt asks it to stop with
what it has; one that does not answer is ended and replaced.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from stratagem.contract.game import Game, Position
from stratagem.contract.player import Choice, Clock, Entry
from stratagem.errors import StratagemError
from stratagem.registry import game_class, player, players

log = logging.getLogger("stratagem.web")

REPORTS_A_SECOND = 8.0
SMALLEST = 6 << 30  # bytes of address space that any engine may have: compilers reserve much and use little
PATIENCE = 5.0  # times its limit of work that an engine may take by the clock
GRACE = 10.0  # seconds between asking a process to stop and ending it


class Busy(StratagemError):
    """More engine work was asked for than is taken on."""


COMMANDS = {"command", "program", "path", "file"}  # options that name something outside


def engines(game: Game) -> dict[str, Entry]:
    """The players of a game that the web may start: none that run other programs, whether they say so or not."""
    return {
        name: entry
        for name, entry in players(game).items()
        if not entry.external and name != "umi" and not COMMANDS & set(entry.options)
    }


class Job:
    """One thinking engine, or one that waits to. `tell(kind, data)` is called from another thread with
    `queued` (the place), `thinking`, `report` and then one of `done` (both a choice as JSON) and `failed` (a line)."""

    def __init__(
        self, view: Position, seat: int, engine: str, tell: Callable[[str, Any], None], *,
        client: str = "", seconds: float | None = None, seed: int = 0, lines: int = 0, limit: float = 120.0,
    ) -> None:  # fmt: skip
        # lines: how many to report while it thinks; none for a move in a game, which is shown when it is played
        self.work = pickle.dumps((view, seat, engine, seconds, seed, lines))
        self.tell = tell
        self.client = client
        self.limit = limit + (seconds or 0.0)
        self.stopped = threading.Event()

    def stop(self) -> None:
        self.stopped.set()


class Engines:
    """The queue and the processes that take from it."""

    def __init__(
        self, workers: int = 1, *, longest_queue: int = 400, each_client: int = 4, files: Sequence[str] = ()
    ) -> None:
        self.longest_queue = longest_queue
        self.each_client = each_client  # analyses and hints under way or waiting, for one client
        self.files = tuple(files)
        self._waiting: deque[Job] = deque()
        self._running: set[Job] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True, name=f"engine {k}") for k in range(workers)]
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
            self._waiting.append(job)
            place = len(self._waiting)
            self._changed.notify()
        job.tell("queued", place)

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
        for thread in self._threads:
            thread.join(1.0)

    # -- one thread for each process

    def _serve(self) -> None:
        process: _Process | None = None
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    break
                job = self._waiting.popleft()
                self._running.add(job)
                behind = list(self._waiting)
            for place, other in enumerate(behind[:50]):
                other.tell("queued", place + 1)
            try:
                if job.stopped.is_set():
                    job.tell("failed", "stopped before it began")
                    continue
                process = process if process is not None and process.alive else _Process(self.files)
                job.tell("thinking", None)
                self._follow(process, job)
            except Exception:
                log.exception("an engine's process failed")
                job.tell("failed", "the engine's process failed")
            finally:
                with self._changed:
                    self._running.discard(job)
        if process is not None:
            process.end()

    def _follow(self, process: _Process, job: Job) -> None:
        """Pass on what a process says about a job until it is done, stopped or ended."""
        began, worked, asked_to_stop = time.monotonic(), process.worked(), None
        try:
            process.pipe.send_bytes(job.work)
            while True:
                if process.pipe.poll(0.05):
                    kind, data = process.pipe.recv()
                    job.tell(kind, data)
                    if kind == "failed" and asked_to_stop is not None:
                        process.end()  # interrupted at a bad moment, such as an import: it may be broken for good
                    if kind in ("done", "failed"):
                        return
                now = time.monotonic()
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


class _Process:
    """One process that thinks."""

    def __init__(self, files: tuple[str, ...]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=think, args=(theirs, files, os.getpid()), daemon=True)
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

    def interrupt(self) -> None:
        if self._process.pid is not None and self.alive:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGINT)

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join(5.0)


# ------------------------------------------------------------------------------------------- inside such a process


def think(pipe: Connection, files: tuple[str, ...], parent: int) -> None:
    """Answer one job after another until the server goes away."""
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
    while True:
        try:
            view, seat, engine, seconds, seed, lines = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        answer: tuple[str, Any]
        try:
            busy = True
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked while the process was set up
            answer = "done", choose(view, seat, engine, seconds, seed, lines, pipe).json()
        except KeyboardInterrupt:
            answer = "failed", "stopped before there was an answer"
        except StratagemError as error:
            answer = "failed", str(error)
        except Exception as error:
            log.exception("%s failed", engine)
            answer = "failed", f"{engine} failed: {type(error).__name__}"
        finally:
            busy = False
        try:
            pipe.send(answer)
        except OSError:
            return


def choose(
    view: Position, seat: int, engine: str, seconds: float | None, seed: int, lines: int, pipe: Connection
) -> Choice:
    """A player's choice; if an interrupt falls between two of its steps, the last that it reported."""
    thinker = player(view.game, engine, seed=seed)
    last, reported = 0.0, None

    def report(choice: Choice) -> None:
        nonlocal last, reported
        reported, now = choice, time.monotonic()
        if lines and now - last > 1.0 / REPORTS_A_SECOND:
            last = now
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # half a message would spoil all that follow
            pipe.send(("report", choice.json()))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    try:
        return thinker.choose(view, Clock(seconds), seat=seat, report=report, lines=lines or 1)
    except KeyboardInterrupt:
        if reported is None:
            raise
        return reported


def _die_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
