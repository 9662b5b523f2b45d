"""WebAssembly modules of templates: what they are called, what they are given, and why there is none."""

from __future__ import annotations

import base64
import importlib.util
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from stratagem.compile import portable, specialise
from stratagem.compile.cache import cache_folder, write_code
from stratagem.errors import CompileError

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    values: Floats
    again: Floats  # the same memory


def add_up(pair: Pair, weight: float, most: int) -> int:
    total = 0.0
    for k in range(most):
        total += weight * pair.values[k]
    pair.again[0] = total
    return most


def by_logarithm(values: Floats) -> int:
    values[0] = math.log(values[0])
    return 0


def made(template: Any = add_up) -> portable.Portable:
    found = specialise(template, target="wasm", lean=True)
    assert isinstance(found, portable.Portable)
    return found


def arguments() -> tuple[Pair, float, int]:
    values = np.zeros(50_000)
    values[:2] = 1.5, 2.5
    return Pair(values, values), 0.5, 2


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    return tmp_path


def test_a_manifest_tells_numbers_shapes_shared_memory_and_what_is_not_zero() -> None:
    manifest = made().manifest(arguments())
    assert manifest["entry"] == "add_up"
    values, again, weight, most = manifest["fields"]
    assert values["shape"] == [50_000]
    first = base64.b64decode(values["first"])
    assert len(first) <= 16 and first == np.array([1.5, 2.5]).tobytes()[: len(first)]
    assert again == {"name": "pair_again", "kind": "float64", "shape": [50_000], "same": "pair_values"}
    assert weight == {"name": "weight", "kind": "float64", "value": 0.5}
    assert most == {"name": "most", "kind": "int64", "value": "2"}


def test_arrays_that_do_not_fit_are_refused() -> None:
    every_other = np.ones(8)[::2]
    with pytest.raises(CompileError, match="one piece"):
        made(by_logarithm).manifest((every_other,))
    with pytest.raises(CompileError, match=r"begins with \d+ bytes"):
        made(by_logarithm).manifest((np.ones(portable.LARGEST),))


def test_a_module_cannot_be_called_here() -> None:
    with pytest.raises(CompileError, match="compiled for browsers"):
        made()(*arguments())


def test_a_module_that_was_built_is_found_by_its_name_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "cannot_build", lambda: "nothing is built here")
    template, args = made(), arguments()
    name = template.name(args)
    assert name != template.name((*args[:2], 2.0)), "an argument of another type makes another module"
    with pytest.raises(CompileError, match="nothing is built here"):
        template.module(args)
    write_code(cache_folder() / f"{name}.wasm", b"\0asm ..")
    assert template.module(args) == portable.module_named(name) == b"\0asm .."
    (folder / f"{name}.wasm").write_bytes(b"damaged" * 10)
    assert portable.module_named(name) is None
    assert not (folder / f"{name}.wasm").exists(), "it is thrown away"


def test_nothing_but_modules_is_found_by_name(folder: Path) -> None:
    write_code(folder / "secret.wasm", b"\0asm")
    for name in ("secret", "../secret", "add_up_" + "0" * 20, "", "add_up_" + "0" * 20 + "." + "0" * 12):
        assert portable.module_named(name) is None


def test_what_is_lacking_to_build_modules_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "pip install 'stratagem[browser]'" in str(portable.cannot_build())
    monkeypatch.setattr(portable, "inside_numba", lambda: None)
    assert "Numba from 0.65" in str(portable.cannot_build())


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="modules are linked by ziglang")
def test_a_module_imports_nothing_but_its_memory(folder: Path) -> None:
    with pytest.raises(CompileError, match="would import log"):
        made(by_logarithm).module((np.ones(3),))
    module = made().module(arguments())
    assert module.startswith(portable.MAGIC) and module.count(b"\x03env\x06memory") == 1
    (kept,) = folder.glob("*.wasm")
    assert made().module(arguments()) == module and kept.exists()
