"""What compiled threads need to share a tree: an addition and a link between nodes that lose nothing."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj


@intrinsic
def atomic_link(typingctx: Any, array: Any, index: Any, x: Any) -> Any:
    """array[index] = x if it was 0, in one step; returns what is there then. For an int32 array of one dimension."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        of, index_type, x_type = signature.args
        held = arrayobj.make_array(of)(context, builder, args[0])  # type: ignore[no-untyped-call]
        at = [context.cast(builder, args[1], index_type, types.intp)]
        place = cgutils.get_item_pointer(context, builder, of, held, at)  # type: ignore[no-untyped-call]
        new = context.cast(builder, args[2], x_type, types.int32)
        tried = builder.cmpxchg(place, new.type(0), new, "acq_rel", "monotonic")
        found = builder.select(builder.extract_value(tried, 1), new, builder.extract_value(tried, 0))
        return context.cast(builder, found, types.int32, types.int64)

    return types.int64(array, index, x), codegen


@intrinsic
def atomic_add(typingctx: Any, array: Any, index: Any, x: Any) -> Any:
    """array[index] += x in one step, for a float64 array of one dimension and an index from its beginning."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        of, index_type, x_type = signature.args
        held = arrayobj.make_array(of)(context, builder, args[0])  # type: ignore[no-untyped-call]
        at = [context.cast(builder, args[1], index_type, types.intp)]
        place = cgutils.get_item_pointer(context, builder, of, held, at)  # type: ignore[no-untyped-call]
        builder.atomic_rmw("fadd", place, context.cast(builder, args[2], x_type, types.float64), "monotonic")
        return context.get_dummy_value()

    return types.void(array, index, x), codegen
