"""What is asked of `specialise`, as a digest that is found without making any text.

To make the text of a large game takes most of a second, and only its digest is wanted where the code is compiled already. So a
second digest is kept with it: of the byte code of the template and of every function below it, and of every value that they
mention. It looks at more than the text does, also at branches that a constant switches off, so equal fingerprints mean equal
texts; different ones may, too, which costs the time of making one.
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.compile.records import fields_of, is_record, records_of
from stratagem.hints import NATIVE
from stratagem.kernel import Unbound

INTRINSICS = "stratagem.compile.intrinsics"


class Unclear(Exception):
    """A value that has no fingerprint."""


def fingerprint(template: Any, *how: object) -> str | None:
    """The digest of a template with its names, and of how it is compiled; None where something in it has none."""
    numbers: dict[tuple[int, int], int] = {template.identity: 0}
    waiting = [template]
    digest = hashlib.sha256(repr(how).encode())
    try:
        for record in records_of(template.function).values():
            digest.update(repr(_record(record)).encode())
        while waiting:
            scope = waiting.pop()
            for part in _parts(scope, numbers, waiting):
                digest.update(repr(part).encode())
    except Unclear:
        return None
    return digest.hexdigest()[:24]


def _parts(scope: Any, numbers: dict[tuple[int, int], int], waiting: list[Any]) -> Iterator[object]:
    function = scope.function
    names, code = _code(function.__code__)
    yield function.__module__, function.__qualname__, code
    for default in function.__defaults__ or ():
        yield _value(scope, "", default, names, numbers, waiting, ())
    for name in names:
        if name in scope.names:
            value = scope.names[name]
        elif name in function.__globals__:
            value = function.__globals__[name]
        else:
            continue  # a builtin, which the byte code names, an attribute, or what a switched off branch lacks
        yield name, _value(scope, name, value, names, numbers, waiting, ())


def _value(
    scope: Any,
    name: str,
    value: Any,
    names: tuple[str, ...],
    numbers: dict[tuple[int, int], int],
    waiting: list[Any],
    inside: tuple[types.ModuleType, ...],
) -> object:
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return type(value).__name__, repr(value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_value(scope, name, item, names, numbers, waiting, inside) for item in value)
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, types.ModuleType):
        if value in inside or value.__name__.partition(".")[0] in ("numpy", "math", "numba"):
            return value.__name__
        attributes = [attribute for attribute in names if hasattr(value, attribute)]
        return value.__name__, [
            (attribute, _value(scope, attribute, getattr(value, attribute), names, numbers, waiting, (*inside, value)))
            for attribute in attributes
        ]
    if isinstance(value, Unbound):
        return "unbound", value.name
    if isinstance(value, types.FunctionType) and value in NATIVE:
        return "native", value.__qualname__, _stamp(INTRINSICS)
    if getattr(builtins, name, None) is value:
        return "builtin", name
    if isinstance(value, type):
        return _record(value) if is_record(value) else (value.__module__, value.__qualname__)
    try:
        child = scope.child(value)
    except Exception as error:  # a kernel that the game lacks: an error of making the text, where it is needed
        return type(error).__name__, str(error)
    if child is not None:
        known = numbers.get(child.identity)
        if known is None:
            known = numbers[child.identity] = len(numbers)
            waiting.append(child)
        return known
    home, attribute = getattr(value, "__module__", None), getattr(value, "__name__", name)
    if isinstance(home, str) and hasattr(sys.modules.get(home), attribute):
        return home, attribute, _stamp(home)
    raise Unclear(name)


def _record(record: Any) -> object:
    return record.__name__, [(field, None if inner is None else _record(inner)) for field, inner in fields_of(record)]


@cache
def _stamp(module: str) -> str:
    """The digest of a module's file: intrinsics are code that is not in the text. It is not imported for that."""
    found = sys.modules.get(module)
    try:
        path = Path(__file__).with_name("intrinsics.py") if module == INTRINSICS else Path(inspect.getfile(found))  # type: ignore[arg-type]
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except (TypeError, OSError):
        return ""


_codes: dict[int, tuple[types.CodeType, tuple[tuple[str, ...], str]]] = {}


def _code(code: types.CodeType) -> tuple[tuple[str, ...], str]:
    """The names that byte code mentions, in order, and its digest, in which no place of a file is."""
    found = _codes.get(id(code))
    if found is None or found[0] is not code:
        names: dict[str, None] = dict.fromkeys(code.co_names)
        constants: list[object] = []
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                inner, digest = _code(constant)
                names.update(dict.fromkeys(inner))
                constants.append(digest)
            elif isinstance(constant, frozenset):
                constants.append(sorted(map(repr, constant)))
            else:
                constants.append((type(constant).__name__, repr(constant)))
        whole = (code.co_code, code.co_names, code.co_varnames, code.co_argcount, code.co_kwonlyargcount, constants)
        found = _codes[id(code)] = code, (tuple(names), hashlib.sha256(repr(whole).encode()).hexdigest()[:24])
    return found[1]
