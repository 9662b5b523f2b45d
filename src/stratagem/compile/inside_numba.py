# mypy: allow-untyped-calls
"""Private parts of Numba, used nowhere else: shorter compilations, a cache of checked files, and code for WebAssembly.

`service` imports this module only for versions of Numba in the range that it was tested with (`TESTED` there, and
`[tool.stratagem]` in pyproject.toml). With any other version plain `njit` compiles the same text: slower, with equal results.

- Machine code for what is called. Numba finishes every function that it compiles: it links all that lies below, optimises that
  in full and makes machine code, also for functions that only other compiled functions call. Of a template with a hundred
  functions below it one is called from Python, and in that one all are linked and optimised once more. Here a library waits
  until somebody asks for an address in it. What is linked into another is optimised alone first, and with the other when that
  one is finished.
- Types resolved once. A kernel adds, compares and indexes whole numbers thousands of times, and for each Numba tries every
  template of the operator, with the flags of the compilation as a part of each look-up. Of a template with a hundred functions
  that was a fifth of the time. Here the answer to equal types is given again, and flags are compared by what was set in them.
- Loading without SciPy (`_load_arrays`): a sixth of the time of a command that compiles nothing.
- Files with a checksum (`KeptCode`). Numba reads its own cache files as they are, and a damaged one ends in a traceback.
- Code for another machine (`code_for_browsers`), in a process of its own.
"""

from __future__ import annotations

import hashlib
import importlib
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from numba import njit
from numba import types as numba_types
from numba.core import cgutils, codegen, environment, serialize
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import impl_ret_borrowed
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction
from numba.extending import intrinsic
from numba.np import arrayobj

from stratagem.compile import cache
from stratagem.compile.shipped import shipped

LINEAR_ALGEBRA = "scipy.linalg.cython_blas"


def _load_arrays() -> None:
    """Load what Numba knows of arrays without SciPy's linear algebra.

    Numba imports that to see whether it is there, 0.19 s of the processor, which kernels never use. It is there, since SciPy is
    needed anyhow. Whoever uses it gets it: Numba imports it again then."""
    if LINEAR_ALGEBRA in sys.modules:
        return
    sys.modules[LINEAR_ALGEBRA] = types.ModuleType(LINEAR_ALGEBRA)
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[LINEAR_ALGEBRA]


_load_arrays()

VERSION = 8  # of this way of building: part of the name of what is kept on disk
SIGNATURE, TYPES_AS_TEXT = 2, 5  # places in what Numba keeps of a function, after the library
ENVIRONMENT = "_ZN08NumbaEnv"  # how globals begin that hold a function's environment


class _Library(codegen.JITCodeLibrary):
    """A library that finds all that it needs."""

    _linked = False  # whether all that is below is in its module

    def _optimize_functions(self, module: Any) -> None:
        """As Numba does, but not for what is only declared: passes are made anew for each, and most are declarations.

        Not left out, although more is done right afterwards: without them functions whose inlining is forced came out
        wrong (`decisions`, in searches over information sets)."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _below(self) -> list[Any]:
        """All libraries that this one needs, each once."""
        found: dict[int, Any] = {}
        to_see = list(self._linking_libraries)
        while to_see:
            library = to_see.pop()
            if id(library) not in found and library is not self:
                found[id(library)] = library
                if isinstance(library, _Library) and not library._linked:
                    to_see += library._linking_libraries
        return list(found.values())


class LazyLibrary(_Library):
    """A library that is linked, optimised and made into machine code when it is first needed."""

    _waits = False  # lowered and optimised alone, and nothing more

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._optimize_final_module()  # alone, before it is put into others: loops come out better, and linking takes less
        self._waits = self._finalized = True

    def _link(self) -> None:
        """Put all that is below into this module: libraries that wait one by one, others with all that is below them.

        What waits is linked while its functions are external, and made optional afterwards: a linker leaves out at once what
        is optional and not called yet, and a later library may be the one that calls it.
        """
        if self._linked:
            return
        module = self._final_module
        own = {f.name for f in module.functions if not f.is_declaration}
        below = self._below()
        waiting = [library for library in below if isinstance(library, LazyLibrary) and not library._linked]
        defined = set(own)
        for library in waiting:
            here = [f for f in library._final_module.functions if not f.is_declaration]
            # a helper that several lowered functions bring: one is enough
            again = [f for f in here if f.name in defined and f.linkage == llvm.Linkage.external]
            for f in again:
                f.linkage = llvm.Linkage.linkonce_odr
            module.link_in(library._final_module, preserve=True)
            for f in again:  # it may be the first of its name where it is linked next
                f.linkage = llvm.Linkage.external
            defined.update(f.name for f in here)
        for library in below:
            self._reload_init.update(library._reload_init)
            if library not in waiting:
                module.link_in(library._get_module_for_linking(), preserve=True)
        for f in module.functions:
            if not f.is_declaration and f.linkage == llvm.Linkage.external and f.name not in own:
                f.linkage = llvm.Linkage.linkonce_odr
        self._linked = True

    def _get_module_for_linking(self) -> Any:
        """For one who links no more than this: all that is below, too."""
        if self._waits:
            self._link()
        return super()._get_module_for_linking()

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        if self._waits:
            if not any(f.name == name and not f.is_declaration for f in self._final_module.functions):
                return 0  # a function that only other compiled functions call
            self._finish()
        return int(super().get_pointer_to_function(name))

    def _finish(self) -> None:
        self._link()
        self._waits = False
        self._shared_module = None  # it was made of what was not linked yet
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                found = environment.lookup_environment(variable.name)
                if found is not None:
                    maker: Any = self._codegen
                    maker.set_env(variable.name, found)


@contextmanager
def quickly() -> Iterator[None]:
    """Compile meanwhile only what is called, and resolve types once. The compiler is kept for the caller."""
    with global_compiler_lock:
        maker: Any = cpu_target.target_context.codegen()
        library, set_env = maker._library_class, maker.set_env
        if library is LazyLibrary:
            yield
            return

        def set_env_if_there(name: str, env: Any) -> None:
            if maker._engine.is_symbol_defined(name):  # else when the library is finished
                set_env(name, env)

        maker._library_class, maker.set_env = LazyLibrary, set_env_if_there
        try:
            with _types_resolved_once():
                yield
        finally:
            maker._library_class, maker.set_env = library, set_env


_resolve, _equal, _hash = BaseFunction.get_call_type, TargetConfig.__eq__, TargetConfig.__hash__


@contextmanager
def _types_resolved_once() -> Iterator[None]:
    """The caller holds the compiler. What is registered with Numba later is not missed afterwards."""
    known: dict[Any, tuple[Any, Any]] = {}

    def resolve(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return _resolve(self, context, args, kws)
        key = id(self), id(context), tuple(args), ConfigStack.top_or_none()
        found = known.get(key)
        if found is None:
            signature = _resolve(self, context, args, kws)
            if signature is None or not all(given.is_precise() for given in args):
                return signature
            found = known[key] = self, signature  # the function is held, so that its id stays its own
        return found[1]

    changed: Any = BaseFunction
    flags: Any = TargetConfig
    changed.get_call_type, flags.__eq__, flags.__hash__ = resolve, _same_flags, _hash_of_kind
    try:
        yield
    finally:
        changed.get_call_type, flags.__eq__, flags.__hash__ = _resolve, _equal, _hash


def _same_flags(self: Any, other: Any) -> Any:
    if type(self) is type(other) and self._values == other._values:
        return True
    return _equal(self, other)


def _hash_of_kind(self: Any) -> int:
    """Numba's own is made of the options' names alone, and so the same for all flags of a kind, too."""
    return hash(type(self))


class KeptCode:
    """Stands in the place of a dispatcher's cache: shipped code, or one checked file a signature, beside the module."""

    def __init__(self, module: Path, *, bare: bool = False) -> None:
        self.module, self.cache_path = module, str(module.parent)
        self.bare = bare  # whether nothing can be compiled, since the text is not there

    def _file(self, signature: Any, context: Any) -> Path:
        key = f"{signature} {context.codegen().magic_tuple()}"
        return self.module.with_name(
            f"{cache.code_stem(self.module)}{hashlib.sha256(key.encode()).hexdigest()[:12]}{cache.CODE}"
        )

    def load_overload(self, signature: Any, context: Any) -> Any:
        context.refresh()
        code = shipped().code(self.module.stem, str(signature))
        if code is not None:
            return CompileResult._rebuild(context, *pickle.loads(code))
        path = self._file(signature, context)
        kept = cache.read_code(path)
        if kept is not None:
            try:
                return CompileResult._rebuild(context, *pickle.loads(kept))
            except Exception:  # whole, but not what this Numba writes
                cache.throw_away(path)
        if self.bare:
            raise cache.NothingKept
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        if not result.library.has_dynamic_globals:
            cache.write_code(self._file(signature, result.target_context), serialize.dumps(result._reduce()))

    def flush(self) -> None:
        """Nothing is kept in memory."""


def keep(dispatcher: Any, module: Path) -> None:
    """Let a dispatcher keep what it compiles beside its generated module."""
    dispatcher._cache = KeptCode(module)


def bare(entry: str, parameters: list[str], module: Path) -> Any:
    """A dispatcher that only loads what is kept: it has the parameters of the template and no text."""
    space = types.ModuleType(f"stratagem_cache_{module.stem}")
    sys.modules[space.__name__] = space  # environments ask for it by name
    exec(compile(f"def {entry}({', '.join(parameters)}): raise AssertionError", str(module), "exec"), space.__dict__)
    dispatcher: Any = njit(nogil=True)(getattr(space, entry))
    dispatcher._cache = KeptCode(module, bare=True)
    return dispatcher


def lightened(module: str, code: bytes) -> tuple[str, bytes]:
    """The signature of kept code, and the code without what only compilers need: what a package ships.

    Numba keeps LLVM's bitcode beside machine code, and asks it for names alone when it loads. A module that defines the same
    names and nothing else takes its place; the text of inferred types goes.
    """
    sys.modules.setdefault(module, types.ModuleType(module))  # environments ask for it by name
    (name, kind, (machine_code, bitcode)), *rest = pickle.loads(code)
    assert kind == "object", kind
    whole = llvm.parse_bitcode(bitcode)
    functions = sorted(f.name for f in whole.functions if not f.is_declaration)
    variables = sorted(v.name for v in whole.global_variables if not v.is_declaration)
    lines = [f'target triple = "{whole.triple}"']
    lines += [f'define void @"{function}"() {{ unreachable }}' for function in functions]
    lines += [f'@"{variable}" = global i8 0' for variable in variables]
    stub = llvm.parse_assembly("\n".join(lines)).as_bitcode()
    rest[TYPES_AS_TEXT] = ""
    return str(tuple(rest[SIGNATURE].args)), serialize.dumps(((name, kind, (machine_code, stub)), *rest))


# ---- WebAssembly

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+multivalue"  # of every browser since 2021


@intrinsic
def seen_as(typingctx: Any, pointer: Any, shape: Any) -> Any:
    """The C array of a shape that begins at a pointer. A lean build refuses `numba.carray`."""
    kind = numba_types.Array(pointer.dtype, len(shape), "C")

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(kind)(context, builder)
        sizes = cgutils.unpack_tuple(builder, args[1], len(shape))
        item = context.get_constant(numba_types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        strides: list[Any] = []
        step = item
        for size in reversed(sizes):
            strides.insert(0, step)
            step = builder.mul(step, size)
        data = builder.bitcast(args[0], view.data.type)
        arrayobj.populate_array(view, data=data, shape=sizes, strides=strides, itemsize=item, meminfo=None)
        return impl_ret_borrowed(context, builder, kind, view._getvalue())

    return kind(pointer, shape), build


class WaitingLibrary(_Library):
    """A library that keeps what is lowered, and is never run here: all is optimised once it is linked."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # nobody calls it in this process

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
    """Numba compiles for wasm32 meanwhile; yields its code generator.

    It is set to another machine before anything is lowered, so that pointers have their size from the start; whole numbers stay
    64 bits wide. Whatever else this process compiles is spoilt."""
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


def code_for_browsers(function: Callable[..., Any], signature: tuple[Any, ...], name: str) -> bytes:
    """The object file for wasm32 of a function and of all that it calls, to be linked under a name."""
    with _lowering() as maker:
        bare: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        entry: Any = njit(nogil=True, **bare)(function)
        entry.compile(signature)
        (compiled,) = entry.overloads.values()
        module = compiled.library.linked(compiled.fndesc.llvm_func_name, name)
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = options.slp_vectorization = False
        for _ in range(2):  # what is inlined by the first is made smaller by the second
            passes = llvm.create_pass_builder(maker._tm, options)
            passes.getModulePassManager().run(module, passes)
        return bytes(maker._tm.emit_object(module))
