"""A hundred games at once by scripted clients, with engine moves, on the machine's few cores: the benchmark as a test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "bench_web.py"


@pytest.mark.slow
def test_a_hundred_games_at_once_lose_no_move_and_stay_quick() -> None:
    run = subprocess.run([sys.executable, BENCHMARK, "--json"], capture_output=True, text=True, timeout=500)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    print(found)
    assert found["games"] == 100 and found["wrong"] == []
    assert found["errors_500"] == found["refused"] == found["lost_moves"] == 0
    # where others have a share of the cores, everything takes as much longer as what is left is less
    left = max(1.0 - found["others_share"], 0.1)
    assert found["milliseconds"]["all"]["p95"] < 200 / left
