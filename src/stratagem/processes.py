"""Processes beside this one that share out long work."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor


@contextlib.contextmanager
def workers(count: int, begin: Callable[..., None] | None = None, *given: object) -> Iterator[ProcessPoolExecutor]:
    """Give processes that leave Ctrl-C to this one and end with it; each calls `begin(*given)` first."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, _begin, (os.getpid(), begin, given))
    try:
        yield pool
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()  # nobody waits for what it was at
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int, begin: Callable[..., None] | None, given: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["STRATAGEM_QUIET"] = "1"
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    if begin is not None:
        begin(*given)


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
