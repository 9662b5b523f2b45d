"""The command line, in this process (quicker, and what was compiled stays) or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from stratagem.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(*arguments: object, stdin: str = "", **environment: str) -> Ran:
    """`stratagem ARGUMENTS`, and what came of it."""
    out, err = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", io.StringIO(stdin)),
        patch.dict(os.environ, {"STRATAGEM_QUIET": "1", "NO_COLOR": "1", **environment}),
        pytest.raises(SystemExit) as end,
    ):  # fmt: skip
        main([str(argument) for argument in arguments])
    return Ran(int(end.value.code or 0), out.getvalue(), err.getvalue())


def process(*arguments: object, **environment: str) -> Ran:
    """The same in a process of its own, which has compiled nothing yet."""
    ended = subprocess.run(
        [sys.executable, "-m", "stratagem", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "STRATAGEM_QUIET": "1", **environment},
    )
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def running(process: int) -> bool:
    """Whether a process is there and has not ended; one that nobody has waited for stays as a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(process: int) -> bool:
    """Whether a process ends within two minutes."""
    until = time.monotonic() + 120.0
    while running(process) and time.monotonic() < until:
        time.sleep(0.01)
    return not running(process)
