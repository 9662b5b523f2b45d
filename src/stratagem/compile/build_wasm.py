"""`python -m stratagem.compile.build_wasm`: one WebAssembly module, made in a process of its own.

Numba lowers for another machine here (`inside_wasm`), which would spoil whatever else a process compiles. A question comes in as
JSON: the generated text, the name of its entry, and the fields that it is called with. The module goes out, or a line that says
why there is none.
"""

from __future__ import annotations

import json
import os
import sys
import types

from numba.core.errors import NumbaError

from stratagem.compile.inside_wasm import module_of
from stratagem.errors import CompileError

NO_MODULE = 3  # the exit status where a line on the error stream says why


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


if __name__ == "__main__":
    main()
