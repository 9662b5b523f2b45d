"""Records: arrays that belong together, as one argument of a template.

A record is a `NamedTuple` of arrays, numbers and further records, declared once with the shape and meaning of each field; a
template names it in the annotation of a parameter and reads it by name: `tree.visits[node]`. Compiled code is called with the
fields one by one and puts the record together again, which the compiler sees through. Two reasons: Numba takes several times as
long to unpack a tuple of arrays, and it does not tell two records apart whose fields have the same types in another order, so
that machine code of the old order would be loaded from the cache. In the generated text the fields stand in order, and so they
are part of its digest.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ForwardRef

from stratagem.errors import CompileError

Record = type[tuple[Any, ...]]


def is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def _resolved(annotation: Any, names: Mapping[str, Any]) -> Record | None:
    """The record class that an annotation means, or None where it means something else."""
    if isinstance(annotation, ForwardRef):  # what a named tuple makes of text
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(names))
        except Exception:  # a name for type checkers alone; an array, or something like it
            return None
    return annotation if is_record(annotation) else None


def records_of(function: Callable[..., Any]) -> dict[str, Record]:
    """The parameters of a function that are records."""
    names = function.__globals__
    found = {p: _resolved(a, names) for p, a in function.__annotations__.items() if p != "return"}
    return {parameter: record for parameter, record in found.items() if record is not None}


def fields_of(record: Record) -> Iterator[tuple[str, Record | None]]:
    """The fields in order, with the class of those that are records themselves."""
    names = vars(sys.modules[record.__module__])
    for name in record._fields:  # type: ignore[attr-defined]
        yield name, _resolved(record.__annotations__.get(name), names)


def flat_names(name: str, record: Record) -> list[str]:
    """Names for the fields of a record, and of the records in it, as parameters of their own."""
    found: list[str] = []
    for field, inner in fields_of(record):
        found += [f"{name}_{field}"] if inner is None else flat_names(f"{name}_{field}", inner)
    return found


def put_together(name: str, record: Record, called: Callable[[Record], str]) -> str:
    """The expression that makes a record of its flat parameters; `called` says by which name its class goes."""
    parts = [
        f"{name}_{field}" if inner is None else put_together(f"{name}_{field}", inner, called)
        for field, inner in fields_of(record)
    ]
    return f"{called(record)}({', '.join(parts)})"


def _taken_apart(value: str, record: Record) -> list[str]:
    """The expressions that give a record's fields in order."""
    if all(inner is None for _, inner in fields_of(record)):
        return [f"*{value}"]
    found: list[str] = []
    for field, inner in fields_of(record):
        found += [f"{value}.{field}"] if inner is None else _taken_apart(f"{value}.{field}", inner)
    return found


def by_fields(
    function: Callable[..., Any], records: Mapping[str, Record], run: Callable[..., Any]
) -> Callable[..., Any]:
    """`run`, which takes every record by its fields, to be called like the function."""
    if not records:
        return run
    parameters = list(inspect.signature(function).parameters)
    parts = [part for p in parameters for part in (_taken_apart(p, records[p]) if p in records else [p])]
    call: Callable[..., Any] = eval(f"lambda {', '.join(parameters)}: run({', '.join(parts)})", {"run": run})
    return call


def check_records(function: Callable[..., Any], records: Mapping[str, Record], args: tuple[Any, ...]) -> None:
    """Refuse a record where none is declared, and one other than is declared."""
    for parameter, value in zip(inspect.signature(function).parameters, args, strict=False):
        declared = records.get(parameter)
        if getattr(value, "_fields", None) != getattr(declared, "_fields", None):
            wanted = "says none" if declared is None else f"says {declared.__name__}"
            raise CompileError(
                f"{function.__qualname__} is given a {type(value).__name__} for {parameter!r}, and its annotation {wanted}: "
                "a record is named in the annotation of its parameter"
            )
