"""`python -m stratagem.compile.build_wasm`: one WebAssembly module, made in a process of its own.

Numba lowers for another machine here (`inside_numba`), which would spoil whatever else a process compiles. A question comes in as
JSON: the generated text, the name of its entry, and the fields that it is called with. The module goes out, or a line that says
why there is none.

The module imports its memory and nothing else. It is called with pointers: the entry takes the addresses of a result and of an
exception, then for each array its address and its lengths, for each number the number; it returns 0 unless something was raised.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numba import from_dtype
from numba import types as numba_types
from numba.core.errors import NumbaError
from numpy import dtype

from stratagem.compile.inside_numba import code_for_browsers, seen_as
from stratagem.errors import CompileError

NO_MODULE = 3  # the exit status where a line on the error stream says why
STACK = 65_536  # bytes
LONGEST = 120  # seconds of a link
Field = tuple[str, str, int | None]  # name, type of a cell or number, dimensions (None: a number)


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no module
    asked = json.load(sys.stdin)
    generated = types.ModuleType("stratagem_cache_wasm")
    sys.modules[generated.__name__] = generated  # Numba asks for functions' modules by name
    exec(compile(asked["text"], generated.__name__, "exec"), generated.__dict__)
    fields = [(str(name), str(kind), dimensions) for name, kind, dimensions in asked["fields"]]
    try:
        made = module_of(getattr(generated, asked["entry"]), asked["entry"], fields)
    except (CompileError, NumbaError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        print(" ".join(lines)[:2000], file=sys.stderr)
        sys.exit(NO_MODULE)
    with out:
        out.write(made)


def module_of(function: Callable[..., Any], name: str, fields: Sequence[Field]) -> bytes:
    """The WebAssembly module of a jitted function whose arguments are such arrays and numbers.

    Raises:
        CompileError: the module would import something, or the linker is not there or fails.
    """
    text, signature = _by_pointers(fields)
    space: dict[str, Any] = {"inner": function, "seen_as": seen_as}
    exec(text, space)
    return _link(code_for_browsers(space["entry"], signature, name), name)


def _by_pointers(fields: Sequence[Field]) -> tuple[str, tuple[Any, ...]]:
    """A function of pointers and lengths that makes arrays of them and calls `inner`, and its signature."""
    parameters: list[str] = []
    given: list[str] = []
    signature: list[Any] = []
    for name, kind, dimensions in fields:
        cell = from_dtype(dtype(kind))
        if dimensions is None:
            parameters.append(name)
            given.append(name)
            signature.append(cell)
            continue
        lengths = [f"{name}_n{axis}" for axis in range(dimensions)]
        parameters += [name, *lengths]
        given.append(f"seen_as({name}, ({', '.join(lengths)},))")
        signature += [numba_types.CPointer(cell), *[numba_types.int64] * dimensions]
    text = f"def entry({', '.join(parameters)}):\n    return inner({', '.join(given)})\n"
    return text, tuple(signature)


def _link(code: bytes, name: str) -> bytes:
    """A module of an object file, by the linker of the extra `browser`."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "module.o"), Path(folder, "module.wasm")
        source.write_bytes(code)
        command = [sys.executable, "-m", "ziglang", "wasm-ld", str(source), "-o", str(made), "--no-entry", "-O2"]
        command += ["--gc-sections", "--strip-all", "--import-memory", "--stack-first", "-z", f"stack-size={STACK}"]
        command += [f"--export={name}", "--export=__heap_base"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
            if done.returncode == 0:
                return made.read_bytes()
            if wanted := sorted(set(re.findall(r"undefined symbol: (\S+)", done.stderr))):
                raise CompileError(
                    f"the module of {name} would import {', '.join(wanted)}, whose last digits differ between browsers: kernels "
                    "that run in browsers use a table or plain arithmetic"
                )
            why = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
        except (OSError, subprocess.TimeoutExpired) as error:
            why = [str(error)]
        raise CompileError(f"the module of {name} cannot be linked: {why[0]}")


if __name__ == "__main__":
    main()
