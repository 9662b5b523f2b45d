"""The server compiles what its front page offers beside its work, and leaves nothing behind when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from web.serving import children

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")


@pytest.mark.slow
def test_a_killed_server_leaves_no_warm_up_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "STRATAGEM_CACHE": str(tmp_path / "cache")}
    command = [
        sys.executable,
        "-m",
        "stratagem",
        "serve",
        "--no-open",
        "--port",
        "0",
        "--store",
        str(tmp_path / "s.sqlite"),
    ]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None and server.stdout.readline().startswith("Stratagem is at")
        until = time.monotonic() + 120
        warming: list[int] = []
        while time.monotonic() < until and not warming:
            warming = [
                pid
                for pid in children(server.pid)
                if b"stratagem.compile.processes" in Path(f"/proc/{pid}/cmdline").read_bytes()
            ]
            time.sleep(0.2)
        assert warming
        server.send_signal(signal.SIGTERM)
        _, said = server.communicate(timeout=60)
        assert "Traceback" not in said
    until = time.monotonic() + 120
    while time.monotonic() < until and any(Path(f"/proc/{pid}").exists() for pid in warming):
        time.sleep(0.2)
    assert not any(Path(f"/proc/{pid}").exists() for pid in warming)
