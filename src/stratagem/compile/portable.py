"""Templates as WebAssembly modules, which browsers run: the module of a template for one game, and the arrays that it is given.

A module is found where it was shipped, else in the cache folder, else it is built in a process of its own (`build_wasm`) by the
linker of the extra `browser`. What a call here would be given is written as a *manifest*: each array's type, shape and first
contents, of which only what is not zero is written, and which arrays are the same memory.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.compile.cache import (
    MODULE,
    cache_folder,
    expected_seconds,
    note_time,
    read_code,
    usable_folder,
    write_code,
)
from stratagem.compile.notices import announced
from stratagem.compile.records import flat_names
from stratagem.compile.service import TESTED, Generated, Template, inside_numba
from stratagem.compile.shipped import shipped_modules
from stratagem.errors import CompileError

LONGEST = 600  # seconds of one build
LARGEST = 4_000_000  # bytes of first contents that a manifest tells
MAGIC = b"\0asm"
NAME = re.compile(r"[a-z_]{1,60}_[0-9a-f]{20}\.[0-9a-f]{12}")


class Portable:
    """A template for one game as a WebAssembly module. It runs elsewhere, with arrays like those of a call here."""

    def __init__(self, generated: Generated, template: Template, label: str) -> None:
        self.generated, self.template, self.label = generated, template, label

    def __call__(self, *args: Any) -> Any:
        raise CompileError(f"{self.label} is compiled for browsers, and cannot be called here; use the target cpu")

    def _fields(self, args: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """The arguments of a call, records taken apart, with their names."""
        self.template.check(args)
        values = self.template.calling(lambda *flat: flat)(*args)
        names: list[str] = []
        for parameter in inspect.signature(self.template.function).parameters:
            record = self.template.records.get(parameter)
            names += [parameter] if record is None else flat_names(parameter, record)
        return list(zip(names, values, strict=True))

    def _signature(self, args: tuple[Any, ...]) -> list[tuple[str, str, int | None]]:
        """The name, the type and the dimensions of each field; a number has none."""
        return [(name, _kind(name, x), x.ndim if isinstance(x, np.ndarray) else None) for name, x in self._fields(args)]

    def manifest(self, args: tuple[Any, ...], used: int | None = None) -> dict[str, Any]:
        """What a call with these arguments is given, for JSON: the entry's name and the fields in order.

        A number has its `value`. An array has its `shape` and either `same`, the name of an earlier array whose memory it is,
        or `first`, the bytes that it begins with in base64; the rest is zero.

        Args:
            args: of a call.
            used: cells behind which every array holds zeros; None looks through all of them.
        """
        fields: list[dict[str, Any]] = []
        seen: dict[int, str] = {}
        for name, x in self._fields(args):
            field: dict[str, Any] = {"name": name, "kind": _kind(name, x)}
            fields.append(field)
            if not isinstance(x, np.ndarray):
                # a browser's numbers hold 53 bits, so whole ones travel as text
                field["value"] = float(x) if isinstance(x, float) else str(int(x))
                continue
            if not x.flags.c_contiguous:
                raise CompileError(f"{name} of {self.label} does not lie in one piece, as arrays in a browser do")
            field["shape"] = list(x.shape)
            place = x.__array_interface__["data"][0]
            if x.size and place in seen:
                field["same"] = seen[place]
                continue
            seen[place] = name
            field["first"] = base64.b64encode(self._first(name, x, used)).decode()
        return {"entry": self.generated.entry, "fields": fields}

    def _first(self, name: str, x: np.ndarray[Any, Any], used: int | None) -> bytes:
        """The bytes of an array up to the last one that is not zero."""
        raw = x.reshape(-1)[:used].view(np.uint8)
        filled = np.flatnonzero(raw)
        end = int(filled[-1]) + 1 if len(filled) else 0
        if end > LARGEST:
            raise CompileError(f"{name} of {self.label} begins with {end} bytes; at most {LARGEST} go to a browser")
        return raw[:end].tobytes()

    def name(self, args: tuple[Any, ...]) -> str:
        """The name of the module for arguments like these: digests of all that it depends on."""
        mark = hashlib.sha256(json.dumps(self._signature(args)).encode()).hexdigest()[:12]
        return f"{self.generated.path.stem}.{mark}"

    def module(self, args: tuple[Any, ...]) -> bytes:
        """The module for arguments like these.

        Raises:
            CompileError: it cannot be built here; the message says why.
        """
        name = self.name(args)
        found = module_named(name)
        if found is None:
            found = self._built(args)
            if usable_folder() is not None:
                write_code(_file(name), found)
        return found

    def _built(self, args: tuple[Any, ...]) -> bytes:
        if (lacking := cannot_build()) is not None:
            raise CompileError(lacking)
        text, entry = self.generated.text, self.generated.entry
        label, lines = f"{self.label}, for browsers", text.count("\n")
        question = json.dumps({"text": text, "entry": entry, "fields": self._signature(args)})
        # as in a build of a package, so that equal texts give equal modules
        own = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        own |= {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PYTHONHASHSEED": "0"}
        own |= {"NUMBA_DISABLE_INTEL_SVML": "1"}
        command = [sys.executable, "-P", "-m", "stratagem.compile.build_wasm"]
        began = time.perf_counter()
        with announced(label, expected_seconds(label, entry, lines)):
            try:
                done = subprocess.run(command, input=question.encode(), capture_output=True, env=own, timeout=LONGEST)
            except (OSError, subprocess.TimeoutExpired) as error:
                raise CompileError(f"{label}, cannot be built: {error}") from None
        if done.returncode != 0 or not done.stdout.startswith(MAGIC):
            said = done.stderr.decode(errors="replace").strip().splitlines()
            why = said[-1] if said else f"the process that builds it ended with {done.returncode}"
            raise CompileError(f"{label}, cannot be built: {why}")
        note_time(label, entry, lines, time.perf_counter() - began)
        return done.stdout


def cannot_build() -> str | None:
    """Why no module can be built here; None where one can."""
    import numba

    if inside_numba() is None:
        low, high = (".".join(map(str, version)) for version in TESTED)
        return (
            f"modules for browsers are built with Numba from {low} up to, not including, {high}, and this is "
            f"{numba.__version__}"
        )
    if importlib.util.find_spec("ziglang") is None:
        return "modules for browsers are linked by a linker that is not installed: pip install 'stratagem[browser]'"
    return None


def module_named(name: str) -> bytes | None:
    """The module of a name, if it was shipped or built; None also for what is no name of a module."""
    if not NAME.fullmatch(name):
        return None
    return shipped_modules().code(*name.split(".")) or read_code(_file(name))


def _file(name: str) -> Path:
    return cache_folder() / f"{name}{MODULE}"


def _kind(name: str, x: Any) -> str:
    if isinstance(x, np.ndarray):
        return str(x.dtype)
    if isinstance(x, bool) or not isinstance(x, int | float | np.integer):
        raise CompileError(f"{name} is {x!r}: a module is given arrays, whole numbers and floats")
    return "float64" if isinstance(x, float) else "int64"
