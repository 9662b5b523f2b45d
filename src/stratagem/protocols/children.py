"""Programs that others wrote, run as processes: the end of what they complain of, and an end of all that they started."""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import signal
import threading
import time
from pathlib import Path
from typing import IO

KEPT = 4096  # bytes of standard error
DRAINING = 2.0  # seconds for the last lines of a program that has ended
MARK = "STRATAGEM_STARTED"  # the variable by which descendants of a program are known


class LastWords:
    """Reads a program's standard error for as long as there is any, and keeps the end of it."""

    def __init__(self, stream: IO[bytes] | IO[str] | None) -> None:
        assert stream is not None
        self._kept = b""
        self._thread = threading.Thread(target=self._listen, args=(stream,), daemon=True)
        self._thread.start()

    def _listen(self, stream: IO[bytes] | IO[str]) -> None:
        with contextlib.suppress(OSError, ValueError), stream:
            while piece := os.read(stream.fileno(), KEPT):
                self._kept = (self._kept + piece)[-KEPT:]

    def lines(self, seconds: float = 0.5) -> list[str]:
        """The last lines; after a program has ended, those that are still on their way are waited for."""
        self._thread.join(seconds)
        return self._kept.decode(errors="replace").strip().splitlines()


def drain(lines: queue.Queue[bytes | None]) -> None:
    """Take the last lines of a program that has ended, so that the thread that reads them has room and ends too. A descendant
    that was not found may hold the pipe, and write to it for ever: it is not waited for."""
    until = time.monotonic() + DRAINING
    with contextlib.suppress(queue.Empty):
        while time.monotonic() < until and lines.get(timeout=0.05) is not None:
            pass


def marked_environment() -> tuple[dict[str, str], str]:
    """The environment of a program to be started, and the mark by which `end_marked` knows all that it starts."""
    mark = secrets.token_hex(8)
    return {**os.environ, MARK: mark}, mark


def end_marked(mark: str) -> int:
    """End the processes that carry a mark, also those that left their group; returns how many there were.

    Linux tells the environment of every process of one's own. A program that takes the mark out of the environment of what it
    starts is not found: only a container holds such a one.
    """
    found, ended = f"{MARK}={mark}".encode(), 0
    for _ in range(3):  # one may start another meanwhile
        among = [entry for entry in Path("/proc").glob("[0-9]*") if _carries(entry, found)]
        for entry in among:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(entry.name), signal.SIGKILL)
                ended += 1
        if not among:
            break
    return ended


def _carries(entry: Path, mark: bytes) -> bool:
    try:
        return mark in (entry / "environ").read_bytes().split(b"\0")
    except OSError:  # gone, or somebody else's
        return False
