"""The budget of a search: how much time and work it may use, when it reports, and what stops it.

Compiled loops do not see signals: they read a stop flag now and then, run in a thread of their own, and this thread watches the
clock and the keyboard. A stopped search still returns what it has. Work that can be done in parts is cut into slices, so that
there is something to report now and then; work that is over in a moment runs here, since a thread costs more.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.player import Clock
from stratagem.errors import OptionError

StopFlag = NDArray[np.int64]  # [1]; not 0: end as soon as you can
Slice = Callable[
    [int, int], int
]  # (at least, at most) -> done: units of work; fewer than at most only where it must end

POLL = 0.1  # seconds between two looks at the clock
MOST_THREADS = 64  # searches under way at once in one process
NO_LIMIT = 1 << 62  # units of work where time alone decides
FIRST_SLICE = 64  # units before the first report
BETWEEN_REPORTS = 0.25  # seconds, once it is known what a unit costs
TASTE = 32  # units that tell what one costs
MOMENT = 0.02  # seconds that a keyboard may wait
GROWN, GROWN_BY = 1.1, 100_000  # times the blocks of memory held after a collection, and blocks more: then one is due
DEAR = 10.0  # times what a collection takes that a clock must have


def check_threads(threads: int) -> None:
    if not 1 <= threads <= MOST_THREADS:
        raise OptionError(f"{threads} threads cannot search; there may be 1 to {MOST_THREADS}")


@cache
def _workers() -> ThreadPoolExecutor:
    """Threads are kept: starting one costs more than an easy search."""
    return ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="stratagem")


if hasattr(os, "register_at_fork"):
    # a forked process inherits the pool but none of its threads: work handed to it would wait for ever
    os.register_at_fork(after_in_child=_workers.cache_clear)


def _submit(work: Callable[..., Any], *args: Any) -> tuple[Future[Any], Callable[[], None]]:
    """Hand work to a thread; returns its future, and a function that delivers an interrupt which came meanwhile.

    An interrupt waits until the work is handed over: a pool that is interrupted while it starts a thread forgets the thread,
    and the interpreter would wait for it for ever at its end. The caller has the future before it is interrupted, so that
    what the work finds is not lost."""
    elsewhere = threading.current_thread() is not threading.main_thread()  # interrupts are the main thread's
    if elsewhere or signal.getsignal(signal.SIGINT) is None:
        return _workers().submit(work, *args), lambda: None
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        future = _workers().submit(work, *args)
    finally:
        signal.signal(signal.SIGINT, before)

    def deliver() -> None:
        if came and callable(before):
            before(signal.SIGINT, None)

    return future, deliver


def _side_by_side(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of works that run at once: the first in this thread, each of the others in one of its own."""
    results: list[Any] = [None] * len(works)
    failures: list[BaseException] = []

    def do(k: int) -> None:
        try:
            results[k] = works[k]()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=do, args=(k,), daemon=True) for k in range(1, len(works))]
    for thread in threads:
        thread.start()
    do(0)
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


_uncollected = 0  # searches under way that want no collection of garbage
_counting = threading.Lock()


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage is collected meanwhile: going through all that a process holds takes a tenth of a second and more, at a
    moment that nobody chooses. Counting references still frees whatever does not hold itself. What was made meanwhile counts
    as old afterwards, so that the end is not the moment. Python then never thinks a collection due by itself, so whoever
    searches calls `collect_when_due` where there is time."""
    global _uncollected
    with _counting:
        mine = _uncollected > 0 or gc.isenabled()  # else somebody has turned it off, and it stays so
        _uncollected += mine
        gc.disable()
    try:
        yield
    finally:
        with _counting:
            _uncollected -= mine
            if mine and not _uncollected:
                if gc.get_freeze_count() == 0:  # else somebody keeps objects apart, which must not be undone
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


class _Collected:
    """What is known of collections of garbage in this process."""

    held = 0  # blocks of memory after the last one, or fewer seen since; 0: nothing was looked at yet
    took = 0.3  # seconds, for the last one; before it a guess


def collect_when_due(seconds: float | None = None) -> None:
    """Collect garbage where much was made since that was done last: a tree holds itself by cycles, so that only this frees
    what a player leaves behind that nobody needs any more. With a clock only if that takes a small part of its seconds."""
    known = _Collected
    if seconds is not None and seconds <= DEAR * known.took:
        return  # without a look at how much is held, which takes milliseconds itself in a process that holds much
    held = sys.getallocatedblocks()
    known.held = min(known.held or held, held)  # memory freed since then must not hide garbage
    if held > GROWN * known.held + GROWN_BY and gc.isenabled():  # else somebody has turned it off
        began = time.perf_counter()
        gc.collect()
        known.took, known.held = time.perf_counter() - began, sys.getallocatedblocks()


class Budget:
    """Time and work to use, and a flag that compiled loops read; set when time is up or the user interrupts."""

    def __init__(
        self,
        seconds: float | None = None,  # None: as long as it takes
        work: int | None = None,  # units, such as simulations; None: by the clock alone
        report: Callable[[], None] | None = None,  # called between slices
    ) -> None:
        self.seconds, self.work, self.report = seconds, work, report
        self.began = time.perf_counter()
        self.idle = 0.0  # seconds that did not count
        self.flag: StopFlag = np.zeros(1, np.int64)
        self.interrupted = False
        self.tick: Callable[[], None] | None = None  # called now and then while work runs

    @classmethod
    def of(cls, clock: Clock | None, work: int | None, report: Callable[[], None] | None = None) -> Budget:
        """The budget of a search that goes on until it is stopped: it needs a limit of one kind or the other."""
        seconds = None if clock is None else clock.seconds
        if work is None and seconds is None:
            raise OptionError("a search needs a budget: give simulations, or a clock with seconds")
        return cls(seconds, work, report)

    # -- the clock

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    @property
    def left(self) -> float | None:
        return None if self.seconds is None else self.seconds - self.elapsed

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The clock stands still: compiling does not count."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.pause(time.perf_counter() - began)

    def pause(self, seconds: float) -> None:
        """Take back time that has passed."""
        self.began += seconds
        self.idle += seconds

    # -- stopping

    @property
    def stopped(self) -> bool:
        return bool(self.flag[0])

    def stop(self) -> None:
        """Ask the work to end; usable from any thread."""
        self.flag[0] = 1

    # -- running

    def start(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        """Begin compiled work beside other work; the caller sees to it that it ends, by this budget's flag."""
        future, deliver = _submit(work, *args)
        deliver()
        return future

    def run(self, work: Callable[..., Any], *args: Any) -> Any:
        """Call compiled work in a thread and return its result; Ctrl-C and the end of time set the flag."""
        try:
            future, deliver = _submit(work, *args)
            try:
                deliver()
            except KeyboardInterrupt:
                self.interrupted = True
                self.stop()
            while not future.done():
                try:
                    left = self.left
                    wait((future,), POLL if left is None else max(min(left, POLL), 0.0005))
                    if left is not None and left <= 0:
                        self.stop()
                    if self.tick is not None:
                        self.tick()
                except KeyboardInterrupt:
                    self.interrupted = True
                    self.stop()
            return future.result()
        except BaseException:
            self.stop()  # Ctrl-C between two looks: the work must not go on where nobody waits for it
            raise

    def run_together(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        """Call several works at once, each in a thread, and return their results."""
        return list(self.run(_side_by_side, works))

    def run_slice(self, work: Slice, at_least: int, at_most: int) -> int:
        """A taste of the work here, and the rest too where it is over in a moment; else in a thread that can be stopped."""
        done, cost = 0, 0.0
        for taste in (1, TASTE):
            began = self.elapsed
            taste = min(taste, at_most - done)
            new = work(min(max(at_least - done, 0), taste), taste)
            done += new
            if new < taste or done == at_most:
                return done
            cost = (self.elapsed - began) / new
            if cost * TASTE > MOMENT:
                break
        rest = at_most - done
        if cost * rest < MOMENT and (self.left is None or cost * rest < self.left):
            return done + work(rest, rest)
        return done + int(self.run(work, max(at_least - done, 0), rest))

    def spend(self, work: Slice, at_least: int = 0, first: int | None = None) -> int:
        """Do work slice by slice until it is all done, time is up or it is stopped; returns how much was done.

        `at_least` so much is done with any clock, also zero. Without reports there is one slice, unless `first` says how
        large the first one is: for work that reads no flag.
        """
        at_most = NO_LIMIT if self.work is None else self.work
        at_least = min(at_least, at_most)
        size = first or (at_most if self.report is None else FIRST_SLICE)
        done = 0
        if self.seconds == 0:
            self.stop()
        while done < at_most and (done < at_least or not self.stopped):
            now, began = min(size, at_most - done), self.elapsed
            new = work(min(max(at_least - done, 0), now), now)
            done += new
            if self.report is not None:
                self.report()
            if new < now or done >= at_most:
                break
            left = self.left
            if left is not None and left <= 0:
                self.stop()
            ahead = BETWEEN_REPORTS if left is None else min(BETWEEN_REPORTS, left)
            size = max(min(2 * size, int(ahead * new / max(self.elapsed - began, 1e-6))), FIRST_SLICE, at_least)
        return done
