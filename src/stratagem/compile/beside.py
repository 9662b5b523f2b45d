"""Compile several things at once: another process takes half of what is to be done, and leaves it in the cache.

Compiling is bound to one core of a process. `together` is given jobs, each of which uses something that must be compiled, and
does them one by one; as soon as the first is about to compile, processes beside this one begin with the last. What they have
done this one loads. Whatever goes wrong with them, this process does what is left: they only ever save time.

They are started as commands, not as copies of this process: the caller may be a script without a main guard, a thread, or a
daemon that may have no children of its own. They end when this process does, since then nobody writes to them any more.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import IO

from stratagem.compile.service import before_compiling, impatient

Job = Callable[[], object]  # a function of a module, or a partial of one: it is pickled
MOST_PROCESSES = 3  # beside this one
NO_MORE = -1


def together(*jobs: Job) -> None:
    """Do all jobs, the longest first; what they compile is compiled by several processes where there are cores for it."""
    work = _Work(jobs)
    try:
        with before_compiling(work.begin_beside):
            for k, job in enumerate(jobs):
                work.wait_for(k)
                job()
    finally:
        work.end()


class _Work:
    """Jobs, who does which, and the processes that help."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self._free = list(range(len(jobs)))  # that nobody has begun
        self._done = [threading.Event() for _ in jobs]
        self._lock = threading.Lock()
        self._beside: list[subprocess.Popen[bytes]] = []

    def wait_for(self, k: int) -> None:
        """Take a job, or wait until the process that has taken it is done with it."""
        with self._lock:
            if k in self._free:
                self._free.remove(k)
                return
        self._done[k].wait()

    def begin_beside(self) -> None:
        """Start processes for what nobody has begun."""
        try:
            given = pickle.dumps(self.jobs)
        except (pickle.PicklingError, AttributeError, TypeError):
            return
        for _ in range(min(len(self._free), _cores() - 1, MOST_PROCESSES)):
            try:
                beside = subprocess.Popen(
                    [sys.executable, "-P", "-c", "from stratagem.compile.beside import main; main()"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                )
            except OSError:
                return
            self._beside.append(beside)
            threading.Thread(target=self._direct, args=(beside, given), daemon=True).start()

    def _direct(self, beside: subprocess.Popen[bytes], given: bytes) -> None:
        """Give a process one job after another, from the last."""
        assert beside.stdin is not None and beside.stdout is not None
        mine: int | None = None
        with contextlib.suppress(OSError):
            beside.stdin.write(len(given).to_bytes(8, "little") + given)
            beside.stdin.flush()
            while beside.stdout.readline():  # it is ready for another
                if mine is not None:
                    self._done[mine].set()
                with self._lock:
                    mine = self._free.pop() if self._free else None
                beside.stdin.write(b"%d\n" % (NO_MORE if mine is None else mine))
                beside.stdin.flush()
                if mine is None:
                    break
        if mine is not None:
            self._done[mine].set()  # it ended in the middle: the job is done here

    def end(self) -> None:
        for beside in self._beside:
            beside.kill()
            beside.wait()
            for pipe in (beside.stdin, beside.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main() -> None:
    """In a process of its own: do jobs by their numbers, as they are asked for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who began this ends it
    asked: IO[bytes] = sys.stdin.buffer
    jobs: Sequence[Job] = pickle.loads(asked.read(int.from_bytes(asked.read(8), "little")))
    numbers: list[int] = []
    came = threading.Condition()

    def listen() -> None:
        for line in asked:
            with came:
                numbers.append(int(line))
                came.notify()
        os._exit(0)  # whoever began this is gone

    threading.Thread(target=listen, daemon=True).start()
    while True:
        print("ready", flush=True)
        with came:
            while not numbers:
                came.wait()
            number = numbers.pop()
        if number == NO_MORE:
            return
        with contextlib.suppress(Exception), impatient():  # whoever began this does it again, and says what is wrong
            jobs[number]()
