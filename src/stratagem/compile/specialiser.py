"""Specialise a template to a game: from names to one generated text, and to the function that the service hands out.

A *template* is a plain function that mentions names it does not define: kernels (`stratagem.kernel`) and constants.
`specialise(template, names)` resolves every global name that the template and the functions below it use and makes one
game's version, for one of four targets:

- `python`: copies of the functions with their globals rebound; they run in the interpreter, and a debugger steps through
  the original lines.
- `cpu`: all functions are written into one generated module in the cache folder, and Numba compiles that and caches it on
  disk. The module's name is a hash of its text, the tables in it, the flags, the versions and the CPU, so that nothing
  stale can be loaded and two specialisations of one template never collide (Numba's own cache sees neither a changed
  callee nor a changed global).
- `cuda`: the same text, the callees as device functions and the template as the kernel to launch.
- `wasm`: the text of `cpu`, as a WebAssembly module that browsers run (`portable`).

Names resolve like this, `module.name` included: a name in `names` first, else a global of the module. A plain function inherits
the names of the function that mentions it; a `Bound` brings its own, which is how specialisation nests (search over the
bidding wrapper over a base game). `if NAME:` with a constant name is decided here, so what a game does not give is never
looked at. Parameters annotated with a record are given as one and read by name (`records`).
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib.util
import inspect
import linecache
import math
import os
import sys
import textwrap
import threading
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.compile.cache import cache_folder, module_asked, note_asked, throw_away, usable_folder, write
from stratagem.compile.fingerprint import fingerprint
from stratagem.compile.levels import deposits
from stratagem.compile.portable import Portable
from stratagem.compile.records import Record, flat_names, is_record, put_together, records_of
from stratagem.compile.service import Function, GradualFunction, Template, inside_numba, is_building
from stratagem.compile.shipped import shipped, shipped_modules
from stratagem.errors import CompileError, MissingKernel
from stratagem.hints import NATIVE
from stratagem.kernel import DERIVED, NAMES, Unbound

TARGETS = ("python", "cpu", "cuda", "wasm")
LARGEST_TABLE = 4096  # cells of a constant array; larger ones belong in the ground
OF_X86 = ("nth",)  # hints whose instruction no other machine has
_LIBRARIES = ("numpy", "math", "numba", "numba.cuda")
# of a number `math` gives the same as NumPy, and some CUDA targets of Numba know only `math`
SAME_IN_MATH = ("sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "tanh", "hypot")


@dataclass(frozen=True, eq=False)
class Bound:
    """A plain function with names of its own."""

    function: Callable[..., Any]
    names: Mapping[str, Any] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------------- resolving names


class _Scope:
    """A function together with the names that it inherits."""

    def __init__(self, function: Callable[..., Any], names: Mapping[str, Any]) -> None:
        function = inspect.unwrap(getattr(function, "py_func", function))
        if not isinstance(function, types.FunctionType):
            raise CompileError(f"{function!r} is not a plain Python function, and only those can be specialised")
        if function.__closure__:
            raise CompileError(
                f"{function.__qualname__} is a closure over {function.__code__.co_freevars}; "
                "move it to the module's top level and bind what it needs by name"
            )
        self.function = function
        self.names = names

    @property
    def identity(self) -> tuple[int, int]:
        return id(self.function), id(self.names)

    def lookup(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        where = f"{self.function.__qualname__} of {self.function.__code__.co_filename}"
        raise CompileError(f"{where} mentions {name!r}, which is neither bound nor defined")

    def attribute(self, module: types.ModuleType, name: str) -> Any:
        """What `module.name` means: as for a bare name, what is bound comes first."""
        return self.names[name] if name in self.names else getattr(module, name)

    def child(self, value: Any) -> _Scope | None:
        """The scope of a value that is a function to specialise, or None."""
        if isinstance(value, Bound):
            return _Scope(value.function, value.names)
        value = getattr(value, "py_func", value)
        if isinstance(value, types.FunctionType) and value.__module__.partition(".")[0] not in (
            "numpy",
            "numba",
            "math",
        ):
            if value.__module__ == "stratagem.kernel" and value.__name__ in NAMES and value.__name__ not in DERIVED:
                raise MissingKernel(
                    f"{self.function.__name__} needs the kernel {value.__name__!r}, which this game does not give"
                )
            return _Scope(value, self.names)
        return None


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_constant(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str | np.generic)


class _Printer(ast.NodeTransformer):
    """Rewrites one function's syntax tree so that all its globals are names of the generated module."""

    def __init__(self, module: _Module, scope: _Scope, tree: ast.FunctionDef) -> None:
        self.module = module
        self.scope = scope
        self.local = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.local.add(node.id)
            if isinstance(node, ast.FunctionDef | ast.Lambda | ast.Global) and node is not tree:
                raise CompileError(f"{scope.function.__qualname__} holds a nested function or a global statement")

    def _constant(self, test: ast.expr) -> Any:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._constant(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            parts = [self._constant(value) for value in test.values]
            if isinstance(test.op, ast.And):
                return False if False in parts else (None if None in parts else True)
            return True if True in parts else (None if None in parts else False)
        value: Any = None
        if isinstance(test, ast.Name) and test.id not in self.local:
            value = self.scope.lookup(test.id)
        elif isinstance(test, ast.Attribute) and (owner := self._module(test)) is not None:
            value = self.scope.attribute(owner, test.attr)
        return bool(value) if isinstance(value, bool | int | np.bool_) else None

    def _module(self, node: ast.Attribute) -> types.ModuleType | None:
        """The module that an attribute is read of, or None."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.local:
            owner = self.scope.lookup(node.value.id)
            return owner if isinstance(owner, types.ModuleType) else None
        return None

    def visit_If(self, node: ast.If) -> Any:
        known = self._constant(node.test)
        if known is None:
            return self.generic_visit(node)
        chosen = [self.visit(child) for child in (node.body if known else node.orelse)]
        flat: list[ast.stmt] = []
        for child in chosen:
            flat.extend(child if isinstance(child, list) else [child])
        return flat or ast.Pass()

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        known = self._constant(node.test)
        if known is None:
            return self.generic_visit(node)
        return self.visit(node.body if known else node.orelse)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.Pass()
        return self.visit(ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno))

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        owner = self._module(node)
        if owner is not None and owner.__name__ not in _LIBRARIES:
            return self._value(node.attr, self.scope.attribute(owner, node.attr))
        if self.module.target == "cuda" and owner is np and node.attr in SAME_IN_MATH:
            return ast.Attribute(self._value("math", math), node.attr, node.ctx)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Store) or node.id in self.local:
            return node
        return self._value(node.id, self.scope.lookup(node.id))

    def _value(self, name: str, value: Any) -> ast.expr:
        if isinstance(value, Unbound):
            raise MissingKernel(f"{self.scope.function.__name__} needs the constant {value.name!r}, which is not bound")
        if isinstance(value, bool | int | float | str) or value is None:
            if isinstance(value, float) and not math.isfinite(value):
                return ast.parse("np.nan" if value != value else "np.inf" if value > 0 else "-np.inf", mode="eval").body
            return ast.Constant(value)
        if getattr(builtins, name, None) is value:
            return ast.Name(name, ast.Load())
        value = self.module.native(value)
        child = self.scope.child(value)
        return ast.Name(self.module.function(child) if child else self.module.value(name, value), ast.Load())


class _Module:
    """The text of one generated module."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.taken: set[str] = {"np", "njit", "cuda", "namedtuple"}
        self.scopes: dict[tuple[int, int], str] = {}
        self.values: dict[int, str] = {}
        self.keep: list[Any] = []  # ids above stay valid while their owners live
        self.header: list[str] = []
        self.functions: list[tuple[str, str, str]] = []  # name, source, where it came from
        self.entry: _Scope | None = None  # the template
        self.records: dict[str, Record] = {}  # its parameters that are records

    def _fresh(self, wanted: str) -> str:
        name, k = wanted, 2
        while name in self.taken or hasattr(builtins, name):
            name, k = f"{wanted}_{k}", k + 1
        self.taken.add(name)
        return name

    def native(self, value: Any) -> Any:
        """The intrinsic in place of a function of `hints`, on a CPU that has it; any other value as it is."""
        if self.target == "cuda" or not isinstance(value, types.FunctionType) or value not in NATIVE:
            return value
        from stratagem.compile import intrinsics

        name = value.__name__
        if self.target == "wasm" and name in OF_X86:
            return value
        return getattr(intrinsics, name) if intrinsics.available(name) else value

    def template(self, scope: _Scope) -> str:
        """The function that is called from outside: its records are taken field by field."""
        self.entry, self.records = scope, records_of(scope.function)
        return self.function(scope)

    def _unpack(self, tree: ast.FunctionDef) -> list[ast.stmt]:
        """Put parameters for the fields in the place of records; returns what makes the records of them."""
        flat: list[ast.arg] = []
        for argument in tree.args.args:
            record = self.records.get(argument.arg)
            flat += [argument] if record is None else [ast.arg(name) for name in flat_names(argument.arg, record)]
        tree.args.args = flat
        return [
            ast.parse(f"{name} = {put_together(name, record, lambda r: self.value(r.__name__, r))}").body[0]
            for name, record in self.records.items()
        ]

    def function(self, scope: _Scope) -> str:
        known = self.scopes.get(scope.identity)
        if known is not None:
            if self.records and self.entry is not None and scope.identity == self.entry.identity:
                raise CompileError(
                    f"{scope.function.__qualname__} takes records and calls itself; put a loop in its place"
                )
            return known
        function = scope.function
        name = self.scopes[scope.identity] = self._fresh(function.__name__)
        self.keep.append(scope)
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError):
            raise CompileError(
                f"the source of {function.__qualname__} cannot be read; put kernels into a file"
            ) from None
        tree = ast.parse(source).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise CompileError(f"{function.__qualname__} is not a plain function definition")
        tree.decorator_list = []
        tree.returns = None
        for argument in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
            argument.annotation = None
        printer = _Printer(self, scope, tree)
        body: list[ast.stmt] = []
        for statement in tree.body:
            new = printer.visit(statement)
            body.extend(new if isinstance(new, list) else [new])
        if scope is self.entry:
            body[:0] = self._unpack(tree)
        tree.body = body or [ast.Pass()]
        tree.args.defaults = [printer.visit(default) for default in tree.args.defaults]
        tree.name = name
        ast.fix_missing_locations(tree)
        self.functions.append((name, ast.unparse(tree), f"{function.__module__}.{function.__qualname__}"))
        return name

    def value(self, name: str, value: Any) -> str:
        if isinstance(value, types.ModuleType):
            if value.__name__ == "numpy":
                return "np"
            if value.__name__.endswith("cuda") or "cuda.simulator" in value.__name__:
                return "cuda"
            return self._define(name, value, f"import {value.__name__} as {{}}")
        if isinstance(value, np.ndarray):
            if value.size > LARGEST_TABLE:
                raise CompileError(
                    f"the table {name} has {value.size} cells; more than {LARGEST_TABLE} belong in the ground array"
                )
            return self._define(name, value, f"{{}} = np.array({value.tolist()!r}, dtype=np.{value.dtype})")
        if isinstance(value, np.generic):
            return self._define(name, value, f"{{}} = np.{value.dtype}({value.item()!r})")
        if isinstance(value, type) and issubclass(value, np.generic):
            return self._define(name, value, f"{{}} = np.{np.dtype(value)}")
        if _is_constant(value):
            return self._define(name, value, f"{{}} = {value!r}")
        if is_record(value):
            fields = " ".join(value._fields)
            return self._define(name, value, f"{{}} = namedtuple({value.__name__!r}, {fields!r})")
        home, attribute = getattr(value, "__module__", None), getattr(value, "__name__", name)
        if home and hasattr(sys.modules.get(home), attribute):
            # an intrinsic or a library function: imported, and its file stamped into the hash
            with contextlib.suppress(TypeError, OSError):
                stamp = hashlib.sha256(Path(inspect.getfile(sys.modules[home])).read_bytes()).hexdigest()[:16]
                self.header.append(f"# {home} {stamp}")
            return self._define(name, value, f"from {home} import {attribute} as {{}}")
        raise CompileError(f"{name} is {value!r}: only functions, numbers, tuples and small arrays can be bound")

    def _define(self, name: str, value: Any, line: str) -> str:
        if id(value) not in self.values:
            self.values[id(value)] = self._fresh(name)
            self.keep.append(value)
            self.header.append(line.format(self.values[id(value)]))
        return self.values[id(value)]

    def text(self, entry: str, target: str, flags: str, inline: frozenset[str]) -> str:
        if target != "cuda":
            lines = ["import numpy as np", "from numba import njit"]
            # nobody calls an inner function from Python, and a wrapper costs about a quarter of its compilation
            inner = f"@njit({flags}, no_cpython_wrapper=True, no_cfunc_wrapper=True)"
            outer = f"@njit({flags})"
        else:
            lines = ["import numpy as np", "from numba import cuda"]
            inner, outer = "@cuda.jit(device=True)", "@cuda.jit"
        if any(is_record(value) for value in self.keep):
            lines.insert(0, "from collections import namedtuple")
        lines += self.header
        for name, source, origin in self.functions:
            decorator = outer if name == entry else inner
            if name != entry and target != "cuda" and origin in inline:
                decorator = inner.replace(")", ", forceinline=True)")
            lines += ["", "", f"# {origin}", decorator, source]
        return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------------- the generated module


def _versions() -> str:
    import llvmlite
    import numba

    inside = inside_numba()
    way = "plain" if inside is None else f"way {inside.VERSION}"
    return f"{sys.implementation.cache_tag} {numba.__version__} {llvmlite.__version__} {way}"


def _digest(target: str, text: str) -> str:
    """The name of a generated text: it holds all that the compiled code depends on but the processor."""
    return hashlib.sha256(f"{_versions()}\n{target}\n{text}".encode()).hexdigest()[:20]


class _Generated:
    """The module that is generated for a template. Its name is looked up by the fingerprint of what is asked; its text is made
    where that does not help, or something has to be compiled."""

    def __init__(self, scope: _Scope, target: str, flags: str, inlined: frozenset[str]) -> None:
        self._scope, self._how = scope, (target, flags, inlined)
        self._text: str | None = None
        self._asked: str | None = None
        stem = None
        if target != "cuda" and inside_numba() is not None:
            deposit = target == "cpu" and deposits()
            self._asked = fingerprint(scope, _versions(), target, flags, sorted(inlined), deposit)
        if self._asked is not None:
            there = shipped_modules() if target == "wasm" else shipped()
            known = there.module_asked(self._asked) or (usable_folder() and module_asked(self._asked))
            stem = known or None
        self._name(stem or self._make())

    def _name(self, stem: str) -> None:
        self.stem, self.entry = stem, stem.rpartition("_")[0]
        self.path = cache_folder() / f"{stem}.py"

    def _make(self) -> str:
        """Make the text; returns the name of the module."""
        target, flags, inlined = self._how
        module = _Module(target)
        with _reading:
            entry = module.template(self._scope)
        self._text = module.text(entry, target, flags, inlined)
        stem = f"{entry}_{_digest(target, self._text)}"
        if self._asked is not None and usable_folder() is not None:
            note_asked(self._asked, stem)
        return stem

    @property
    def text(self) -> str:
        if self._text is None:
            self._name(self._make())
        assert self._text is not None
        return self._text

    def bare(self) -> Any:
        """A dispatcher that can only load."""
        records, parameters = records_of(self._scope.function), inspect.signature(self._scope.function).parameters
        flat = [name for p in parameters for name in (flat_names(p, records[p]) if p in records else [p])]
        inside = inside_numba()
        assert inside is not None
        return inside.bare(self.entry, flat, self.path)

    def whole(self) -> tuple[Any, bool]:
        """A dispatcher that can compile, and whether the module lies in the cache folder; else it is made from memory."""
        text = self.text
        stored = _stored(self.path, text)
        loaded = _load(self.path, text, stored)
        return getattr(loaded, self.entry), stored


def _load(path: Path, text: str, stored: bool) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"stratagem_cache_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    if stored and not is_building():
        try:
            spec.loader.exec_module(loaded)
            return loaded
        except (EOFError, ValueError, TypeError, SyntaxError, ImportError):  # of Python's own compiled file
            throw_away(Path(importlib.util.cache_from_source(str(path))))
    else:
        linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    exec(compile(text, path.name if is_building() else str(path), "exec"), loaded.__dict__)
    return loaded


def _stored(path: Path, text: str) -> bool:
    """Whether the folder holds the text, written now if need be. A file that holds it stays: it may be locked."""
    if usable_folder() is None:
        return False
    try:
        if path.read_text() == text:
            return True
        throw_away(path)
    except OSError:
        pass  # not there yet
    except UnicodeDecodeError:
        throw_away(path)
    return write(path, text.encode(), replace=False)


# ------------------------------------------------------------------------------------------------------- specialising


class Launched:
    """A template compiled for a GPU: `run[blocks, threads](...)`, called like the template."""

    def __init__(self, dispatcher: Any, template: Template) -> None:
        self.dispatcher, self.template = dispatcher, template

    def __getitem__(self, shape: Any) -> Callable[..., None]:
        def launch(*args: Any) -> None:
            self.template.check(args)
            self.template.calling(self.dispatcher[shape])(*args)

        return launch


def cuda_target() -> Any:
    """Numba's `cuda`, loaded; a CompileError says why it cannot be."""
    for name, now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, name):  # NumPy dropped these, and releases of numba-cuda look for them at import
            setattr(np, name, getattr(np, now))
    try:
        from numba import cuda
    except Exception as error:
        raise CompileError(f"Numba's CUDA target cannot be loaded ({type(error).__name__}: {error})") from None
    return cuda


def _interpreted(scope: _Scope, made: dict[tuple[int, int], Callable[..., Any]]) -> Callable[..., Any]:
    """A copy of a function whose globals are rebound, and likewise all it calls."""
    if scope.identity in made:
        return made[scope.identity]
    function = scope.function
    bound: dict[str, Any] = dict(function.__globals__)
    copy = types.FunctionType(function.__code__, bound, function.__name__, function.__defaults__)
    made[scope.identity] = copy

    def rebound(value: Any) -> Any:
        try:
            child = scope.child(value)
        except MissingKernel:
            child = None  # raises its own message if it is ever called
        return _interpreted(child, made) if child else value

    mentioned = _global_names(function.__code__)
    for name in mentioned:
        if name not in scope.names and name not in bound:
            continue
        value = scope.lookup(name)
        if isinstance(value, types.ModuleType) and value.__name__ not in _LIBRARIES:
            read = {a: rebound(scope.attribute(value, a)) for a in mentioned if hasattr(value, a)}
            bound[name] = types.SimpleNamespace(**read)  # its functions are rebound too
        else:
            bound[name] = rebound(value)
    return copy


def _global_names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _global_names(constant)
    return names


_made: dict[Any, Any] = {}
_asked: dict[
    Any, Any
] = {}  # by template and the very objects bound: an engine made again for each game needs no new text
MOST_ASKED = 512
_made_lock = threading.RLock()
# Python 3.11 loses count of depths where two threads make syntax trees at once, and complains.
_reading = threading.RLock()


def specialise(
    template: Callable[..., Any],
    names: Mapping[str, Any] | None = None,
    *,
    target: str = "cpu",
    label: str | None = None,
    fastmath: bool = False,
    lean: bool = False,
    inline: Iterable[Callable[..., Any]] = (),
    meanwhile: Callable[..., float] | None = None,
) -> Callable[..., Any]:
    """The template's version for the names given; see the module's docstring.

    `label` is what the announcement of a compilation says. `STRATAGEM_BOUNDSCHECK=1` makes a build that checks every
    index, for tests. A lean build counts no references, so nothing in it may allocate; each
    counted reference costs an atomic addition. `inline` names parts of the template that must be inlined, since a call
    that passes arrays costs as much as a ply of a playout. Name only parts that a test compares with the interpreter:
    forced inlining of one function of `decisions` was seen to give wrong code (Numba 0.68). With `meanwhile`, which
    says what a call costs, the interpreter answers at first (`GradualFunction`): for short calls that come often.
    """
    names = dict(names or {})
    scope = _Scope(template, names)

    copy: Callable[..., Any] | None = None

    def plain(*args: Any) -> Any:
        nonlocal copy
        copy = copy or _interpreted(scope, {})
        with np.errstate(over="ignore"):
            return copy(*args)

    if target == "python":
        copy = _interpreted(scope, {})
        return plain
    if meanwhile is not None:
        build: dict[str, Any] = {"target": target, "label": label, "fastmath": fastmath, "lean": lean, "inline": inline}
        return GradualFunction(lambda: specialise(template, names, **build), plain, meanwhile, template.__name__)
    if target not in TARGETS:
        raise CompileError(f"unknown target {target!r}; there are: {', '.join(TARGETS)}")

    checked = os.environ.get("STRATAGEM_BOUNDSCHECK") == "1"
    asked = (template, target, fastmath, lean, tuple(inline), checked, os.environ.get("STRATAGEM_CACHE"))
    same = (asked, tuple(sorted((name, id(value)) for name, value in names.items())))
    with _made_lock:
        if same in _asked:
            return _asked[same][0]
    flags = f"nogil=True, boundscheck={checked}, fastmath={fastmath}" + (", _nrt=False" if lean else "")
    inlined = frozenset(f"{f.__module__}.{f.__qualname__}" for f in inline)
    generated = _Generated(scope, target, flags, inlined)
    with _made_lock:
        if generated.stem not in _made:
            called = Template(scope.function, records_of(scope.function))
            if target == "cuda":
                _made[generated.stem] = Launched(generated.whole()[0], called)
            elif target == "wasm":
                _made[generated.stem] = Portable(generated, called, label or template.__name__)
            else:
                _made[generated.stem] = Function(generated, called, label or template.__name__, plain=plain)
        made = _made[generated.stem]
        if len(_asked) >= MOST_ASKED:
            _asked.clear()
        _asked[same] = (made, names)  # holding the names keeps their ids valid
        return made
