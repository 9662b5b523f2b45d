"""Programs that others wrote, run as processes: the end of what they complain of, and an end of all that they started."""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

KEPT = 4096  # bytes of standard error
DRAINING = 2.0  # seconds for the last lines of a program that has ended
LAST_LINES = 1.0  # seconds until it counts as ended, though what it started may hold its output open
WAITING_LINES = 512  # that are kept; a program that floods us waits
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


class Child:
    """A program in a process of its own that is talked to by lines. Its output is read by a thread."""

    def __init__(
        self, command: Sequence[str], longest: int, *, stderr: int = subprocess.DEVNULL, folder: str | None = None
    ) -> None:
        """Start it. `longest`: bytes of a line that are read at once. With a folder it works there, in a session of its own;
        else whoever ends this process's group ends it too."""
        environment, self._mark = marked_environment()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=folder,
            env=environment,
            start_new_session=folder is not None,
        )
        self._apart = folder is not None and hasattr(os, "killpg")
        self.lines: queue.Queue[bytes | None] = queue.Queue(maxsize=WAITING_LINES)
        threading.Thread(target=self._pump, args=(self.process.stdout, longest), daemon=True).start()

    def _pump(self, pipe: IO[bytes], longest: int) -> None:
        """Lines of a pipe into the queue, None at its end."""
        with contextlib.suppress(ValueError, OSError), pipe:
            while line := pipe.readline(longest):
                self.lines.put(line)
        self.lines.put(None)

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def send(self, data: bytes) -> None:
        """Write to its standard input; an OSError says that it reads no more."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self, deadline: float) -> bytes | None:
        """The next line; None if it has ended. A TimeoutError says that there was none until the deadline."""
        ended = False
        while True:
            left = deadline - time.monotonic()
            with contextlib.suppress(queue.Empty):
                return self.lines.get(timeout=max(min(left, LAST_LINES), 0.001))
            if ended:  # and what it has started holds its output open
                return None
            if left <= 0:
                raise TimeoutError
            ended = self.ended

    def status(self) -> str:
        """With which status it ended, in words; nothing if it goes on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f" with status {self.process.wait(0.5)}"
        return ""

    def close(self) -> None:
        """End it with all that it started."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL) if self._apart else self.process.kill()
        end_marked(self._mark)
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        self.process.wait()
        self._drain()

    def _drain(self) -> None:
        """Take the last lines, so that the thread that reads them has room and ends too. A descendant that was not found may
        hold the pipe, and write to it for ever: it is not waited for."""
        until = time.monotonic() + DRAINING
        with contextlib.suppress(queue.Empty):
            while time.monotonic() < until and self.lines.get(timeout=0.05) is not None:
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
