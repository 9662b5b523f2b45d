"""The command line in this process: quicker than one of its own, and what was compiled stays."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
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
