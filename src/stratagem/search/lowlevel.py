"""Two things that plain Python cannot say to the compiler, each with its plain meaning beside it for the interpreter.

`row` is a view of a row without the reference count that NumPy views carry in compiled code: 10 to 20 % of a search
whose nodes cost 60 ns. The table itself must outlive it. `prefetch` tells the processor which line of a table is needed
next: 5 to 30 %, the more the larger the table.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


def plain_row(table: Any, k: int) -> Any:
    return table[k]


def plain_prefetch(table: Any, slot: int) -> None:
    """Nothing: a hint changes no result."""


@intrinsic
def fast_row(typingctx: Any, table: Any, k: Any) -> Any:
    """table[k] of a two-dimensional C array, not counted as a reference."""
    kind = types.Array(table.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        width = builder.extract_value(array.shape, 1)
        view = context.make_array(kind)(context, builder)
        populate_array(  # type: ignore[no-untyped-call]
            view,
            data=builder.gep(array.data, [builder.mul(args[1], width)]),
            shape=[width],
            strides=[array.itemsize],
            itemsize=array.itemsize,
            meminfo=None,
        )
        return impl_ret_borrowed(context, builder, kind, view._getvalue())  # type: ignore[no-untyped-call]

    return kind(table, types.int64), build


@intrinsic
def fast_prefetch(typingctx: Any, table: Any, slot: Any) -> Any:
    """Fetch table[slot] of a one-dimensional array into the cache."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        hint = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        call = cgutils.get_or_insert_function(builder.module, hint, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        address = builder.bitcast(builder.gep(array.data, [args[1]]), byte)
        builder.call(call, [address, i32(0), i32(3), i32(1)])  # to read, into all levels, data
        return context.get_dummy_value()

    return types.void(table, types.int64), build


def bindings(target: str) -> dict[str, Any]:
    """What a template's names `row` and `prefetch` stand for."""
    fast = target == "cpu"
    return {"row": fast_row if fast else plain_row, "prefetch": fast_prefetch if fast else plain_prefetch}
