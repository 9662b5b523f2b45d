"""What the web's tests share: a server on its own that can be killed, and requests about tables."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx
import pytest

KUHN = str(Path(__file__).parents[1] / "toys" / "kuhn.py")
OTTERS = str(Path(__file__).parents[1] / "toys" / "otters.py")
CARAVAN = str(Path(__file__).parents[1] / "toys" / "caravan.py")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser. One at a time in a process: Playwright has a loop for each, and refuses a second one."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install Debian's package chromium, or say where it is in CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Server:
    """`stratagem serve` in a process of its own."""

    def __init__(self, store: Path | str, *more: str, descriptors: int = 0, log: IO[str] | None = None) -> None:
        self.store, self.more, self.descriptors, self.log = store, more, descriptors, log
        self.start()

    def start(self, port: int = 0) -> None:
        command = [
            sys.executable,
            "-c",
            "from stratagem.cli import main; main()",
            "serve",
            "--no-warm",
            OTTERS,
            CARAVAN,
            "--no-open",
        ]
        command += ["--port", str(port), "--store", str(self.store), *self.more]
        if self.descriptors:
            command = ["/bin/sh", "-c", f'ulimit -n {self.descriptors} && exec "$@"', "sh", *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://[\d.]+:(\d+)/", line)
        assert found, line
        self.url, self.port = found[0].rstrip("/"), int(found[1])
        for _ in range(200):
            try:
                httpx.get(self.url + "/api/games", timeout=5)
                return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(entry.name))
            except (OSError, ValueError, IndexError):
                continue
    return found


def new_table(client: Any, game: str, seats: list[str], **more: Any) -> dict[str, Any]:
    answer = client.post("/api/tables", json={"game": game, "seats": seats, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def until(client: Any, table: str, token: str | None, ready: Any, seconds: float = 120.0) -> dict[str, Any]:
    """The table when `ready(state)` holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = client.get(f"/api/tables/{table}", headers=bearer(token) if token else {})
        assert answer.status_code == 200, answer.text
        state: dict[str, Any] = answer.json()
        if ready(state):
            return state
        time.sleep(0.02)
    raise AssertionError(f"it never came: {json.dumps(state)[:2000]}")
