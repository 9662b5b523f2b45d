"""A terminal that is typed into as a person would: tmux runs the command, and what its screen shows is read back."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

PATIENCE = 60.0  # seconds until something shows that must come, also while a busy machine compiles


class Terminal:
    """`stratagem ARGUMENTS` in a terminal of 110 columns and 60 rows."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed, so nothing can be typed into a terminal")
        self.name = f"stratagem-{uuid.uuid4().hex[:8]}"
        command = [sys.executable, "-m", "stratagem", *arguments]
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "60", "-e", f"XDG_DATA_HOME={folder}",
            "-e", "TERM=screen-256color", *command, ";", "set-option", "-g", "remain-on-exit", "on",
        )  # fmt: skip

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", "-L", self.name, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def screen(self, *, with_colours: bool = False) -> str:
        """All that was shown, what has scrolled away included."""
        return self._tmux("capture-pane", "-p", "-S", "-2000", *(["-e"] if with_colours else []))

    def sees(self, text: str, times: int = 1) -> str:
        """Wait until a text is on the screen; returns the screen."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if (shown := self.screen()).count(text) >= times:
                return shown
            time.sleep(0.1)
        pytest.fail(f"{text!r} did not show {times} times; the screen is:\n{self.screen()}")

    def type(self, text: str) -> None:
        """A line, and the Enter key."""
        self._tmux("send-keys", "-l", text)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, check=False)
