# mypy: allow-untyped-calls
"""Private parts of Numba, for WebAssembly: lowers functions for wasm32 and links them into one module. For one process.

Numba's own code generator is told of another machine before anything is lowered, so that pointers have their size from the
start; whole numbers stay 64 bits wide. So this is only used in a process of its own, `build_wasm`, which compiles one
function and ends. It shares its range of tested versions with `inside_numba`.

The module imports its memory and nothing else. It is called with pointers: the entry takes the addresses of a result and of an
exception, then for each array its address and its lengths, for each number the number; it returns 0 unless something was raised.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from numba import from_dtype, njit, types
from numba.core import cgutils, codegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import impl_ret_borrowed
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy import dtype

from stratagem.compile.inside_numba import _types_resolved_once
from stratagem.errors import CompileError

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+multivalue"  # of every browser since 2021
STACK = 65_536  # bytes
LONGEST = 120  # seconds of a link
Field = tuple[str, str, int | None]  # name, type of a cell or number, dimensions (None: a number)


@intrinsic
def seen_as(typingctx: Any, pointer: Any, shape: Any) -> Any:
    """The C array of a shape that begins at a pointer. A lean build refuses `numba.carray`."""
    kind = types.Array(pointer.dtype, len(shape), "C")

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(kind)(context, builder)
        sizes = cgutils.unpack_tuple(builder, args[1], len(shape))
        item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        strides: list[Any] = []
        step = item
        for size in reversed(sizes):
            strides.insert(0, step)
            step = builder.mul(step, size)
        data = builder.bitcast(args[0], view.data.type)
        arrayobj.populate_array(view, data=data, shape=sizes, strides=strides, itemsize=item, meminfo=None)
        return impl_ret_borrowed(context, builder, kind, view._getvalue())

    return kind(pointer, shape), build


class WaitingLibrary(codegen.JITCodeLibrary):
    """A library that keeps what is lowered, and is never run here: all is optimised once it is linked."""

    def add_llvm_module(self, module: Any) -> None:
        # not left out: without these passes searches over information sets came out wrong
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)
        self._final_module.link_in(module)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # nobody calls it in this process

    def _below(self) -> list[Any]:
        """All libraries that this one needs, each once."""
        found: dict[int, Any] = {}
        to_see = list(self._linking_libraries)
        while to_see:
            library = to_see.pop()
            if id(library) not in found and library is not self:
                found[id(library)] = library
                to_see += library._linking_libraries
        return list(found.values())

    def linked(self, entry: str, name: str) -> Any:
        """One LLVM module of this and of all below, of which only the entry is seen, under another name."""
        module = self._final_module
        defined = {f.name for f in module.functions if not f.is_declaration}
        for library in self._below():
            below = library._final_module.clone()
            here = [f for f in below.functions if not f.is_declaration]
            for f in here:
                if f.name in defined and f.linkage == llvm.Linkage.external:
                    f.linkage = llvm.Linkage.linkonce_odr  # a helper that several bring: one is enough
            defined.update(f.name for f in here)
            module.link_in(below)
        for f in module.functions:
            if not f.is_declaration and f.name != entry:
                f.linkage = llvm.Linkage.internal
        for variable in module.global_variables:
            if variable.linkage == llvm.Linkage.common:
                variable.linkage = llvm.Linkage.internal
        seen = module.get_function(entry)
        seen.name, seen.linkage = name, llvm.Linkage.external
        module.verify()
        return module


@contextmanager
def _lowering() -> Iterator[Any]:
    """Numba compiles for wasm32 meanwhile; yields its code generator."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=3, reloc="static"
    )
    layout = str(machine.target_data)

    def empty(name: str) -> Any:
        module = ir.Module(cgutils.normalize_ir_text(name))
        module.triple, module.data_layout = TRIPLE, layout
        return module

    with global_compiler_lock, _types_resolved_once():
        maker: Any = cpu_target.target_context.codegen()
        maker._tm, maker._target_data, maker._data_layout = machine, machine.target_data, layout
        maker._library_class, maker._create_empty_module = WaitingLibrary, empty
        maker.set_env = lambda name, env: None
        yield maker


def module_of(function: Callable[..., Any], name: str, fields: Sequence[Field]) -> bytes:
    """The WebAssembly module of a jitted function whose arguments are such arrays and numbers.

    Raises:
        CompileError: the module would import something, or the linker is not there or fails.
    """
    text, signature = _by_pointers(fields)
    space: dict[str, Any] = {"inner": function, "seen_as": seen_as}
    exec(text, space)
    with _lowering() as maker:
        bare: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        entry: Any = njit(nogil=True, **bare)(space["entry"])
        entry.compile(signature)
        (compiled,) = entry.overloads.values()
        module = compiled.library.linked(compiled.fndesc.llvm_func_name, name)
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = options.slp_vectorization = False
        for _ in range(2):  # what is inlined by the first is made smaller by the second
            passes = llvm.create_pass_builder(maker._tm, options)
            passes.getModulePassManager().run(module, passes)
        return _link(maker._tm.emit_object(module), name)


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
        signature += [types.CPointer(cell), *[types.int64] * dimensions]
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
