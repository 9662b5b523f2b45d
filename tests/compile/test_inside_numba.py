"""Machine code is made for what is called, and what is called is whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stratagem.compile import Unneeded, before_compiling, specialise, telling
from stratagem.compile.inside_numba import LazyLibrary

SCALE = 1  # another one makes another build


def twice(x: int) -> int:
    return max(x, 0) * 2


def used_late(x: int) -> int:
    return twice(x) + max(x, 1)


def outer(out: np.ndarray, n: int) -> int:
    for i in range(n):
        out[i] = (twice(i) + used_late(i)) * SCALE
    return n


def library_of(built: object) -> LazyLibrary:
    (compiled,) = built.dispatcher.overloads.values()  # type: ignore[attr-defined]
    found = compiled.library
    assert isinstance(found, LazyLibrary)
    return found


def test_inner_functions_are_linked_and_wait_and_the_outer_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`used_late` calls what `twice` called before, which a linker may leave out; then the call would go nowhere."""
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    built, out = specialise(outer, lean=True), np.zeros(5, np.int64)
    assert built(out, 5) == 5 and out.tolist() == [1, 5, 10, 15, 20]
    library = library_of(built)
    assert not library._waits
    inner = [below for below in library._below() if isinstance(below, LazyLibrary)]
    assert inner and all(below._waits for below in inner), "nobody asked for their machine code"


def test_a_first_answer_may_make_a_compilation_unneeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    built, out, looked = specialise(outer, {"SCALE": 2}, lean=True), np.zeros(3, np.int64), []

    def look() -> None:
        looked.append(1)
        raise Unneeded

    with pytest.raises(Unneeded), before_compiling(look):
        built(out, 3)
    assert looked == [1] and not list((tmp_path / "cache").rglob("*.code"))
    with before_compiling(lambda: looked.append(2)):
        built(out, 3)
        built(out, 3)
    assert looked == [1, 2], "once, and only where something is compiled"


def test_a_note_says_about_how_long_a_compilation_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("stratagem.compile.notices.WORTH_SAYING", 0.0)
    reported: list[str] = []
    with telling(reported.append):
        specialise(outer, {"SCALE": 3}, lean=True, label="a test")(np.zeros(3, np.int64), 3)
    assert reported[0].startswith("compiling a test ... (about ") and reported[-1].startswith("compiled a test in ")


def test_linear_algebra_is_loaded_where_it_is_used_and_not_before() -> None:
    """It takes as long to load as most of the rest, and Numba would load it to see whether it is there."""
    code = """
import sys
from stratagem.compile import inside_numba
print(any(name.startswith("scipy.linalg") for name in sys.modules))
import numba, numpy as np
print(numba.njit(lambda a, b: np.linalg.solve(a, b))(np.eye(2) * 2, np.ones(2)).tolist())
print("scipy.linalg.cython_blas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert done.stdout.split("\n")[:3] == ["False", "[0.5, 0.5]", "True"], done.stderr
