"""Several things are compiled at once, by several processes."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratagem.compile import beside, together
from stratagem.errors import StratagemError

MODULE = """
import os
from pathlib import Path
import numpy as np
from stratagem.compile import specialise
from stratagem.errors import StratagemError

SCALE = 1  # another one makes another build

def root(x): return x * x + SCALE
def first(out): return root(out[0]) + root(out[1])
def second(out): return 10 * root(out[0])

def use(name, scale):
    return int(specialise(globals()[name], {"SCALE": scale}, lean=True)(np.array([2, 3], np.int64)))

def use_and_note(name, scale, path):
    use(name, scale)
    with Path(path).open("a") as file:
        file.write(f"{name} {os.getpid()}\\n")

def refuse(): raise StratagemError("this job cannot be done")
"""  # in a file of its own: other processes find it by its name


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("STRATAGEM_QUIET", "1")
    return tmp_path / "cache"


@pytest.fixture
def apart(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "kernels_apart.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("kernels_apart")
    del sys.modules["kernels_apart"]


def test_another_process_takes_jobs_from_the_end(apart: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_cores", lambda: 2)
    waited = threading.Event()
    taken = beside._Work.wait_for
    log = tmp_path / "log"
    jobs = [partial(apart.use_and_note, name, 8, str(log)) for name in ("first", "second")]

    def patient(self: beside._Work, k: int) -> None:
        if k == 1:  # until the other process has taken it
            for _ in range(600):
                if 1 not in self._free:
                    break
                waited.wait(0.1)
        taken(self, k)

    monkeypatch.setattr(beside._Work, "wait_for", patient)
    together(*jobs)
    done = [line.split() for line in log.read_text().splitlines()]
    others = [name for name, number in done if int(number) != os.getpid()]
    assert others == ["second"], "the last one was done beside"
    assert [name for name, number in done if int(number) == os.getpid()] == ["first", "second"]


def test_nothing_is_begun_beside_where_all_is_in_the_cache(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    apart.use("first", 9), apart.use("second", 9)
    monkeypatch.setattr(beside.subprocess, "Popen", None)
    monkeypatch.setattr(beside, "_cores", lambda: 4)
    together(partial(apart.use, "first", 9), partial(apart.use, "second", 9))


def test_jobs_that_cannot_travel_or_fail_are_done_or_told_here(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_cores", lambda: 2)
    done: list[int] = []
    together(lambda: done.append(apart.use("first", 10)), lambda: done.append(apart.use("second", 10)))
    assert done == [33, 140]
    monkeypatch.setattr(beside.sys, "executable", "/there/is/no/python")
    together(partial(apart.use, "first", 11), partial(apart.use, "second", 11))
    with pytest.raises(StratagemError, match="cannot be done"):
        together(partial(apart.use, "first", 12), apart.refuse)
