"""Compile in other processes and threads: jobs that each use something, so that what they need lies in the cache.

A *job* is a function of a module, or a partial of one, that is called without arguments. `Compilers` runs jobs in processes of
their own, the urgent ones first: a process can be ended in the middle of a compilation, and does not slow down who waits for a
keyboard or serves pages. `in_parallel` does jobs here and lets other processes begin with the last of them. `Background` does
one job in a thread of this process. Whatever goes wrong in another process, the one who needs the code compiles it: they only
ever save time.

Processes are started as commands, not as copies of this process: the caller may be a script without a main guard, a thread, or
a daemon that may have no children of its own. They end when this process does, since then nobody writes to them any more.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from stratagem.compile.notices import BEGUN, telling
from stratagem.compile.service import State, before_compiling, impatient, is_building
from stratagem.errors import StratagemError

Job = Callable[[], object]
NICENESS = 5  # what is done for later gives way to what is done now
MOST_PROCESSES = 3  # beside this one, for jobs that somebody waits for
CRASHED = "its process ended by a signal or a crash"


class Order:
    """Jobs that were asked for together, and how far they are."""

    def __init__(self, jobs: Mapping[str, Job], urgent: bool, mark: Path | None, changed: threading.Condition) -> None:
        self.urgent = urgent
        self.waiting = list(jobs)  # jobs that are not done, by name
        self.failed: dict[str, str] = {}  # what went wrong, by job
        self.notice = ""  # what is being compiled, and about how long it takes
        self.tells: list[Callable[[Order], None]] = []  # called after each change, from another thread
        self._jobs = {name: pickle.dumps(job) for name, job in jobs.items()}
        self._free = list(jobs)  # that nobody has begun
        self._mark = mark  # a file that says that nothing is left to be done
        self._changed = changed
        if mark is not None and mark.exists():
            self.waiting, self._free = [], []

    @property
    def under_way(self) -> list[str]:
        """The jobs that a process does now."""
        return [name for name in self.waiting if name not in self._free]

    def wait(self, name: str | None = None, seconds: float | None = None) -> bool:
        """Wait until a job (None: every job) is done, or so many seconds; whether it is."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not self.waiting if name is None else name not in self.waiting, seconds
            )

    def take(self, name: str) -> bool:
        """Take a job that nobody has begun out of the order, to be done by the caller; whether there was one."""
        with self._changed:
            found = name in self._free
            if found:
                self._free.remove(name)
                self.waiting.remove(name)
            return found

    def _done(self, name: str, wrong: str | None = None) -> None:
        with self._changed:
            if name not in self.waiting:  # the order was given up meanwhile
                return
            self.waiting.remove(name)
            self.notice = ""
            if wrong is not None:
                self.failed[name] = wrong
            if not self.waiting and self._mark is not None and CRASHED not in self.failed.values():
                with contextlib.suppress(OSError):
                    self._mark.touch()
            self._changed.notify_all()
        self._tell()

    def _say(self, text: str) -> None:
        self.notice = text if text.startswith(BEGUN) else ""
        with self._changed:
            self._changed.notify_all()
        self._tell()

    def _tell(self) -> None:
        for tell in list(self.tells):
            tell(self)


class Compilers:
    """Up to `most` processes that do what is ordered: urgent orders first, the others as they came."""

    def __init__(self, most: int = 1, niceness: int = NICENESS) -> None:
        self._most, self._niceness = most, niceness
        self._changed = threading.Condition()
        self._orders: dict[Any, Order] = {}  # by key, those that are not done
        self._children: dict[subprocess.Popen[bytes], Order] = {}
        self._threads = 0
        self._closed = False

    def order(
        self,
        jobs: Mapping[str, Job],
        *,
        key: Any = None,
        urgent: bool = True,
        mark: Path | None = None,
        tell: Callable[[Order], None] | None = None,
    ) -> Order:
        """Have jobs done, in order. An equal key joins the order that is under way. With a mark that exists nothing is done,
        and a mark is made when all is. A process that works for who is not urgent is ended where somebody urgent waits."""
        with self._changed:
            found = self._orders.get(key) if key is not None else None
            if found is None:
                found = Order(jobs, urgent, mark, self._changed)
                if found.waiting and not self._closed:
                    self._orders[key if key is not None else id(found)] = found
            if tell is not None:
                found.tells.append(tell)
            found.urgent = found.urgent or urgent
            if urgent and found._free and self._threads >= self._most:
                for child, other in self._children.items():
                    if not other.urgent:
                        child.kill()
                        break
            if self._next() is not None and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._direct, daemon=True, name="compilers").start()
        return found

    @property
    def orders(self) -> int:
        """How many orders are not done."""
        return len(self._orders)

    def wait(self, seconds: float) -> None:
        """Wait for something to change, or so many seconds."""
        with self._changed:
            self._changed.wait(seconds)

    def close(self) -> None:
        """End all processes; what is compiled stays."""
        with self._changed:
            self._closed = True
            for order in self._orders.values():
                order.waiting, order._free = [], []
            self._orders.clear()
            for child in self._children:
                child.kill()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._threads, 2.0)

    def _next(self) -> Order | None:
        free = [order for order in self._orders.values() if order._free]
        return min(free, key=lambda order: not order.urgent, default=None)

    def _direct(self) -> None:
        """One process after another, while there is something to do."""
        while True:
            with self._changed:
                order = None if self._closed else self._next()
                if order is None:
                    self._threads -= 1
                    self._changed.notify_all()
                    return
            self._work_for(order)

    def _work_for(self, order: Order) -> None:
        """Start a process, and give it one job after another, until none is left or it ends."""
        name: str | None = None
        try:
            child = subprocess.Popen(
                [sys.executable, "-P", "-c", "from stratagem.compile.processes import main; main()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
        except OSError as error:
            with self._changed:
                given_up, order._free = order._free, []
            for each in given_up:
                order._done(each, f"no process can be started ({error.strerror})")
            self._finish(order)
            return
        assert child.stdin is not None and child.stdout is not None
        with self._changed:
            self._children[child] = order
        order._tell()
        try:
            with contextlib.suppress(OSError, ValueError):
                given = pickle.dumps((self._niceness, order._jobs))
                child.stdin.write(len(given).to_bytes(8, "little") + given)
                child.stdin.flush()
                for line in child.stdout:
                    kind, text = json.loads(line)
                    if kind == "said":
                        order._say(text)
                        continue
                    if name is not None:
                        order._done(name, text)
                    with self._changed:
                        later = self._next()
                        way = not order.urgent and later is not None and later.urgent and self._threads >= self._most
                        name = order._free.pop(0) if order._free and not way else None
                    if name is None:
                        break
                    child.stdin.write(name.encode() + b"\n")
                    child.stdin.flush()
        finally:
            with self._changed:
                del self._children[child]
                way = not order.urgent and any(other.urgent and other._free for other in self._orders.values())
                if name is not None and name in order.waiting and way:  # ended for somebody who waits
                    order._free.insert(0, name)
                    name = None
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
        if name is not None and name in order.waiting:
            order._done(name, CRASHED)
        self._finish(order)

    def _finish(self, order: Order) -> None:
        with self._changed:
            if not order.waiting:
                self._orders = {key: other for key, other in self._orders.items() if other is not order}


def main() -> None:
    """In a process of its own: do jobs by their names, as they are asked for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who began this ends it
    out, asked = os.fdopen(os.dup(1), "w"), sys.stdin.buffer
    os.dup2(2, 1)  # whatever a job prints is no message
    niceness, jobs = pickle.loads(asked.read(int.from_bytes(asked.read(8), "little")))
    if hasattr(os, "nice"):
        os.nice(niceness)
    names: list[str] = []
    came = threading.Condition()

    def listen(source: IO[bytes]) -> None:
        for line in source:
            with came:
                names.append(line.decode().removesuffix("\n"))
                came.notify()
        os._exit(0)  # whoever began this is gone, or has nothing more

    def send(kind: str, text: str | None) -> None:
        out.write(json.dumps([kind, text]) + "\n")
        out.flush()

    threading.Thread(target=listen, args=(asked,), daemon=True).start()
    wrong: str | None = None
    with telling(lambda text: send("said", text)):
        while True:
            send("ready", wrong)
            with came:
                came.wait_for(lambda: bool(names))
                name = names.pop()
            wrong = None
            try:
                pickle.loads(jobs[name])()
            except StratagemError as error:
                wrong = str(error)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"


def in_parallel(*jobs: Job) -> None:
    """Do all jobs, the longest first; what they compile is compiled by several processes where there are cores for it.

    Other processes begin when the first job is about to compile something, and with the last job; what they have compiled is
    loaded here. A process that builds a package does all alone, so that copies of it compile."""
    if is_building():
        for job in jobs:
            job()
        return
    order: Order | None = None
    compilers = Compilers(min(len(jobs) - 1, _cores() - 1, MOST_PROCESSES), niceness=0)
    begun = 0

    def begin_others() -> None:
        nonlocal order
        later = list(enumerate(jobs))[:begun:-1]
        with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
            order = compilers.order({str(k): partial(_thoroughly, job) for k, job in later})

    try:
        with before_compiling(begin_others):
            for begun, job in enumerate(jobs):
                if order is not None and not order.take(str(begun)):
                    order.wait(str(begun))
                job()
    finally:
        compilers.close()


def _thoroughly(job: Job) -> None:
    with impatient():
        job()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Background:
    """One job in a thread of this process, begun when somebody first asks whether it is done."""

    def __init__(self, job: Job, name: str) -> None:
        self._job = job
        self._thread = threading.Thread(target=self._work, daemon=True, name=name)
        self._lock = threading.Lock()
        self.state = State.ABSENT

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the job is done, or so many seconds; whether it is. It is also done where it failed."""
        with self._lock:
            if self.state is State.ABSENT:
                self.state = State.COMPILING
                self._thread.start()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._job()
            self.state = State.READY
        except StratagemError:  # whoever needs it does it again, and says what is wrong
            self.state = State.FAILED
