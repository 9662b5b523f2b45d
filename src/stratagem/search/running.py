"""Running compiled work under a clock. Compiled loops do not see signals: they read a stop flag now and then, run in a
thread of their own, and this thread watches the clock and the keyboard. A stopped search still returns what it has."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import OptionError

StopFlag = NDArray[np.int64]

POLL = 0.1  # seconds between two looks at the clock
MOST_THREADS = 64  # searches under way at once in one process


def check_threads(threads: int) -> None:
    if not 1 <= threads <= MOST_THREADS:
        raise OptionError(f"{threads} threads cannot search; there may be 1 to {MOST_THREADS}")


@cache
def _workers() -> ThreadPoolExecutor:
    """Threads are kept: starting one costs more than an easy search."""
    return ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="stratagem")


def _submit(work: Callable[..., Any], *args: Any) -> Future[Any]:
    """Hand work to a thread. An interrupt waits until that is done: a pool that is interrupted while it starts a thread
    forgets the thread, and the interpreter would wait for it for ever at its end."""
    elsewhere = threading.current_thread() is not threading.main_thread()  # interrupts are the main thread's
    if elsewhere or signal.getsignal(signal.SIGINT) is None:
        return _workers().submit(work, *args)
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        return _workers().submit(work, *args)
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(signal.SIGINT, None)


class Stopwatch:
    """Time used, and a flag that compiled loops read; set when time is up or the user interrupts."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.began = time.perf_counter()
        self.flag: StopFlag = np.zeros(1, np.int64)
        self.interrupted = False
        self.tick: Callable[[], None] | None = None  # called now and then while work runs

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    @property
    def left(self) -> float | None:
        return None if self.seconds is None else self.seconds - self.elapsed

    @property
    def stopped(self) -> bool:
        return bool(self.flag[0])

    def stop(self) -> None:
        """Ask the work to end; usable from any thread."""
        self.flag[0] = 1

    def start(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        """Begin compiled work beside other work; the caller sees to it that it ends, by this watch's flag."""
        return _submit(work, *args)

    def run(self, work: Callable[..., Any], *args: Any) -> Any:
        """Call compiled work in a thread and return its result; Ctrl-C and the end of time set the flag."""
        try:
            future: Future[Any] = _submit(work, *args)
            while not future.done():
                try:
                    left = self.left
                    wait((future,), POLL if left is None else max(min(left, POLL), 0.0005))
                    if left is not None and left <= 0:
                        self.flag[0] = 1
                    if self.tick is not None:
                        self.tick()
                except KeyboardInterrupt:
                    self.interrupted = True
                    self.flag[0] = 1
            return future.result()
        except BaseException:
            self.flag[0] = 1  # Ctrl-C between two looks: the work must not go on where nobody waits for it
            raise
