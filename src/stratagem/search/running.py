"""Running compiled work under a clock. Compiled loops do not see signals: they read a stop flag now and then, run in a
thread of their own, and this thread watches the clock and the keyboard. A stopped search still returns what it has."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

StopFlag = NDArray[np.int64]


class Stopwatch:
    """Time used, and a flag that compiled loops read; set when time is up or the user interrupts."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.began = time.perf_counter()
        self.flag: StopFlag = np.zeros(1, np.int64)
        self.interrupted = False

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    @property
    def left(self) -> float | None:
        return None if self.seconds is None else self.seconds - self.elapsed

    @property
    def stopped(self) -> bool:
        return bool(self.flag[0])

    def run(self, work: Callable[..., Any], *args: Any) -> Any:
        """Call compiled work in a thread and return its result; Ctrl-C and the end of time set the flag."""
        result: list[Any] = []
        failure: list[BaseException] = []
        done = threading.Event()  # an interrupted Thread.join may call a running thread stopped; an event never lies

        def target() -> None:
            try:
                result.append(work(*args))
            except BaseException as error:
                failure.append(error)
            finally:
                done.set()

        threading.Thread(target=target, daemon=True).start()
        while not done.is_set():
            try:
                left = self.left
                done.wait(0.1 if left is None else max(min(left, 0.1), 0.0005))
                if left is not None and left <= 0:
                    self.flag[0] = 1
            except KeyboardInterrupt:
                self.interrupted = True
                self.flag[0] = 1
        if failure:
            raise failure[0]
        return result[0]
