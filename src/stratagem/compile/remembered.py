# mypy: allow-untyped-calls
"""What Numba works out again and again while it compiles one template, worked out once.

A kernel adds, compares and indexes whole numbers thousands of times, and for each Numba tries every template of the operator,
with the flags of the compilation as a part of each look-up. Of a template with a hundred functions that was a fifth of the
time. Under `remembered` the answer to equal types is given again, and flags are compared by what was set in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction

_resolve, _equal, _hash = BaseFunction.get_call_type, TargetConfig.__eq__, TargetConfig.__hash__


@contextmanager
def remembered() -> Iterator[None]:
    """Remember meanwhile. The caller holds the compiler; what is registered with Numba later is not missed afterwards."""
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
