"""The cache folder: damaged files, a full disk, a limit of size, and estimates by what this machine has measured."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from stratagem.compile import State, cache, service, specialise
from stratagem.errors import CompileError, OptionError

ROOT = Path(__file__).parents[2]
RUN = """
import resource, sys
from stratagem.compile import service, specialise
import template
PLAIN, LIMIT = sys.argv[1] == "plain", int(sys.argv[2])
if PLAIN:
    service.TESTED = ((0, 0), (0, 1))
if LIMIT:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
run = specialise(template.twice)
print(run(21), len(run.dispatcher.stats.cache_hits), type(run.dispatcher._cache).__name__)
"""


@pytest.fixture
def once(tmp_path: Path):
    """Run a small template in a fresh process; returns what it printed and said."""
    (tmp_path / "template.py").write_text("def twice(x):\n    return 2 * x\n")
    (tmp_path / "run.py").write_text(RUN)

    def run(way: str = "", limit: int = 0) -> tuple[list[str], str]:
        environment = {**os.environ, "STRATAGEM_CACHE": str(tmp_path / "cache")}
        for name in ("STRATAGEM_QUIET", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        command = [sys.executable, str(tmp_path / "run.py"), way, str(limit)]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert found.returncode == 0, found.stderr
        return found.stdout.split(), found.stderr

    return run


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path / "cache"


@pytest.mark.parametrize(("way", "kind"), [("", "KeptCode"), ("plain", "FunctionCache")])
def test_a_damaged_file_is_thrown_away_and_compiled_again(once, tmp_path: Path, way: str, kind: str) -> None:
    assert once(way)[0] == ["42", "0", kind]
    assert once(way)[0] == ["42", "1", kind]
    for pattern in ("*.code", "*.nbc", "*.nbi"):
        for path in (tmp_path / "cache").rglob(pattern):
            path.write_bytes(path.read_bytes()[:40])
    out, err = once(way)
    assert out[0] == "42"
    assert "is damaged: it is thrown away and made again" in err and "Traceback" not in err
    assert once(way) == (["42", "1", kind], "")


def test_a_changed_byte_is_seen(once, tmp_path: Path) -> None:
    once()
    (path,) = (tmp_path / "cache").glob("*.code")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    out, err = once()
    assert out == ["42", "0", "KeptCode"] and "is damaged" in err


@pytest.mark.parametrize("pattern", ["twice_*.py", "__pycache__/twice_*.pyc"])
def test_a_damaged_module_is_written_again(once, tmp_path: Path, pattern: str) -> None:
    """It is read where something has to be compiled."""
    once()
    (path,) = (tmp_path / "cache").glob(pattern)
    path.write_bytes(path.read_bytes()[:20])
    assert once() == (["42", "1", "KeptCode"], ""), "code is loaded without the text"
    for code in (tmp_path / "cache").glob("*.code"):
        code.unlink()
    out, err = once()
    assert out[0] == "42" and "is damaged" in err and "Traceback" not in err
    assert once() == (["42", "1", "KeptCode"], "")


@pytest.mark.skipif(sys.platform == "win32", reason="has no limits of this kind")
@pytest.mark.parametrize("way", ["", "plain"])
@pytest.mark.parametrize("limit", [10, 1000])  # bytes: less than the text, less than the code
def test_where_nothing_can_be_written_a_run_compiles_for_itself(once, tmp_path: Path, way: str, limit: int) -> None:
    out, err = once(way, limit)
    assert out[0] == "42" and "Traceback" not in err
    assert f"the cache folder {tmp_path / 'cache'}" in err and "cannot be written to" in err
    assert not list((tmp_path / "cache").rglob("*.tmp"))


def test_a_full_disk_is_said_with_its_folder(
    empty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.delenv("STRATAGEM_QUIET", raising=False)
    monkeypatch.setattr(os, "replace", full)
    assert not cache.write(empty / "a.code", b"x") and not cache.write(empty / "b.code", b"x")
    assert capsys.readouterr().err.splitlines() == [
        f"the cache folder {empty} is full: its disk has no space left; compiling for this run only; free some space there"
    ]
    assert not list(empty.iterdir())


def test_what_was_used_least_recently_is_evicted(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE_MB", "0.005")
    for age, name in enumerate(("old_1", "used_2", "new_3")):
        for suffix in (".py", ".abc.code"):
            (empty / f"{name}{suffix}").write_bytes(bytes(1000))
            os.utime(empty / f"{name}{suffix}", (1e9 + age, 1e9 + age))
    (empty / "all.warm").touch()
    (empty / "old_1.abc.code").touch()  # was read: its text stays with it
    assert cache.make_room() == 2
    left = {path.name for path in empty.iterdir()}
    assert left == {"old_1.py", "old_1.abc.code", "new_3.py", "new_3.abc.code"}, "a mark may be wrong now"
    assert cache.make_room() == 0
    monkeypatch.setenv("STRATAGEM_CACHE_MB", "0.0001")
    assert cache.make_room() == 2, "what was used last stays, whatever its size"


def test_compiling_keeps_the_folder_within_its_limit(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty / "old_1.code").write_bytes(bytes(300_000))
    os.utime(empty / "old_1.code", (1e9, 1e9))
    monkeypatch.setenv("STRATAGEM_CACHE_MB", "0.2")
    assert specialise(thrice)(2) == 6
    assert not (empty / "old_1.code").exists() and len(list(empty.glob("thrice_*.code"))) == 1


def test_a_wrong_limit_is_refused_in_a_line(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("much", "-1", "nan", "inf"):
        monkeypatch.setenv("STRATAGEM_CACHE_MB", wrong)
        with pytest.raises(OptionError, match=f"STRATAGEM_CACHE_MB is '{wrong}'"):
            cache.limit_bytes()


def test_estimates_are_scaled_by_what_was_measured(empty: Path) -> None:
    first = cache.expected_seconds("hex mcts", "simulate", 1000)
    cache.note_time("nim mcts", "simulate", 1000, 10 * first)
    assert cache.expected_seconds("hex mcts", "simulate", 1000) == pytest.approx(10 * first, rel=0.01)
    cache.note_time("hex mcts", "simulate", 1000, 2 * first)
    assert cache.expected_seconds("hex mcts", "simulate", 1000) == pytest.approx(2 * first, rel=0.01)
    (empty / cache.TIMES).write_text("[nonsense")
    assert cache.expected_seconds("hex mcts", "simulate", 1000) == first


def thrice(x):
    return 3 * x


def four_times(x):
    return 4 * x


def wrong(x):
    return x.is_no_number()


def test_the_service_knows_what_is_absent_ready_and_failed(empty: Path) -> None:
    run = specialise(four_times)
    assert run.state is State.ABSENT
    with service._one_at_a_time(run.path):
        assert run.state is State.COMPILING
    assert run(2) == 8 and run.state is State.READY
    bad = specialise(wrong)
    for _ in range(2):
        with pytest.raises(CompileError, match="cannot be compiled"):
            bad(1)
        assert bad.state is State.FAILED


def test_private_parts_of_numba_are_used_in_one_file() -> None:
    """`numba.core.errors` is public: Numba's pages name it."""
    private = re.compile(r"numba\.(core(?!\.errors)|np)\b|dispatcher\._(?!_)|_library_class")
    used = {path.name for path in (ROOT / "src").rglob("*.py") if private.search(path.read_text())}
    assert used == {"inside_numba.py"}


def test_the_tested_range_is_the_one_of_the_project_file() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["stratagem"]["numba-inside"]
    first, last = (".".join(map(str, version)) for version in service.TESTED)
    assert said == f">={first},<{last}"
