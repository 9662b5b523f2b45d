"""The script that plays two versions against each other: whole matches, stops, and versions that do not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def played(
    file: Path, *more: str, pairs: int = 2, game: str = "nim", player: str = "random"
) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, "benchmarks/two_checkouts.py", ".", ".", "--game", game, "--player", player]
    return subprocess.run(
        [*script, "--pairs", str(pairs), "--file", str(file), *more],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_match_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    first = played(file, pairs=2)
    assert first.returncode == 0, first.stderr
    kept = file.read_text().splitlines()
    assert len(kept) == 1 + 4
    file.write_text("\n".join(kept[:3]) + '\n{"pair": 1, "tur')  # killed while it wrote its third game
    again = played(file, pairs=3)
    assert again.returncode == 0, again.stderr
    assert "3 pairs" in again.stdout
    lines = [json.loads(line) for line in file.read_text().splitlines()][1:]
    assert sorted((game["pair"], game["turned"]) for game in lines) == [(p, t) for p in range(3) for t in (0, 1)]
    # One version against itself: within a pair the sides change seats and have the same luck, so neither leads.
    assert "above one half: +0 ± 0" in again.stdout
    for game in lines:
        assert game["seats"] == (["before", "after"] if game["turned"] else ["after", "before"])


@pytest.mark.slow
def test_decisions_at_once_and_chance(tmp_path: Path) -> None:
    for game in ("goofspiel", "pig"):
        done = played(tmp_path / game, pairs=1, game=game)
        assert done.returncode == 0, done.stderr
        assert "1 pairs" in done.stdout


@pytest.mark.slow
def test_what_does_not_fit_is_said_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    assert played(file, pairs=1).returncode == 0
    for asked, said in (
        (("--seed", "1"), "holds a match of other terms"),
        (("--option", "x"), "NAME=VALUE"),
    ):
        wrong = played(file, *asked)
        assert wrong.returncode == 1
        assert said in wrong.stderr
        assert "Traceback" not in wrong.stderr
    nobody = played(tmp_path / "other", player="nobody")
    assert nobody.returncode == 1
    assert "failed at 'warm_up'" in nobody.stderr
