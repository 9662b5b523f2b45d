"""Without an extra, whatever needs it says so in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("psycopg", "ray", "pettingzoo", "gymnasium", "pyspiel", "anywidget", "mcp", "pyarrow", "torch")


def without_extras(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A Python in which no extra can be imported."""
    for name in EXTRAS:
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('not here', name={name!r})\n")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=120, env=environment)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("arena", "show", "--store", "postgresql://x@localhost/y"), "postgres"),
        (("play", "openspiel:leduc_poker"), "neighbours"),
        (("train", "othello", "--folder", "{folder}"), "train"),
        (("mcp",), "mcp"),
    ],
)
def test_a_command_without_its_extra_is_refused_in_a_line(tmp_path: Path, words: tuple[str, ...], extra: str) -> None:
    found = without_extras(tmp_path, "-m", "stratagem", *(word.format(folder=tmp_path / "kept") for word in words))
    assert found.returncode == 2 and f"pip install 'stratagem[{extra}]'" in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1, found.stderr


def test_a_module_without_its_extra_says_which(tmp_path: Path) -> None:
    modules = ("protocols.pettingzoo", "protocols.gymnasium", "protocols.openspiel", "notebook")
    program = (
        "import importlib\n"
        "from stratagem import StratagemError\n"
        f"for name in {modules!r}:\n"
        "    try: importlib.import_module('stratagem.' + name)\n"
        "    except StratagemError as error: print(name, error)\n"
    )
    reported = without_extras(tmp_path, "-c", program)
    assert reported.returncode == 0, reported.stderr
    assert [line.split()[0] for line in reported.stdout.splitlines()] == list(modules)
    assert reported.stdout.count("pip install 'stratagem[") == len(modules)
