"""A short run of the hostile visitor in `fuzz.py`; the long one is started by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REQUESTS = int(os.environ.get("STRATAGEM_FUZZ", "1500"))  # about a minute
HANGS = 300.0 + REQUESTS  # seconds after which the request at hand never came back


REACHED = {  # among what is answered well
    "games": {"POST /api/tables/{key}/moves", "POST /api/rooms/{key}/picks", "POST /api/rooms"},
    "draft": {"POST /api/rooms/{key}/picks", "POST /api/rooms/{key}/undo", "POST /api/rooms"},
    "auction": {"POST /api/rooms/{key}/nominate", "POST /api/rooms/{key}/sold", "POST /api/rooms/{key}/bid"},
}


@pytest.mark.slow
@pytest.mark.parametrize("serves", REACHED)
def test_a_hostile_visitor_causes_no_server_error_and_no_long_work(tmp_path: Path, serves: str) -> None:
    command = [sys.executable, Path(__file__).with_name("fuzz.py"), "--requests", REQUESTS, "--log", tmp_path / "last"]
    command += ["--serves", serves]
    try:
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=HANGS)
    except subprocess.TimeoutExpired:
        pytest.fail(f"no answer came to {(tmp_path / 'last').read_text()[:3000]}")
    assert done.returncode in (0, 1), done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert not found["harm"], found["harm"]
    assert found["statuses"].get("200", 0) > REQUESTS // 10, "sane requests are among them"
    assert not REACHED[serves] & set(found["unreached"]), "they come as far as moves, picks and sales"
