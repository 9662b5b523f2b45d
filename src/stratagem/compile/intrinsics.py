"""What plain Python cannot say to the compiler, as Numba intrinsics for the CPU.

The first six are put by `specialise` in the place of the functions of the same names in `hints`. `row` is a view of a row
without the reference count that NumPy views carry in compiled code: 10 to 20 % of a search whose nodes cost 60 ns; the table
itself must outlive it. `prefetch` tells the processor which line of a table is needed next: 5 to 30 %, the more the larger the
table. The atomic ones let threads share a tree and lose nothing; a search binds them where several do.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from stratagem.compile.levels import deposits

PREFETCH = "llvm.prefetch.p0"  # declared by hand: llvmlite derives an older name


def available(name: str) -> bool:
    """Whether the processor that is compiled for has what an intrinsic needs."""
    return name != "nth" or deposits()


@intrinsic
def rare(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bit = ir.IntType(1)
        truth = context.cast(builder, args[0], signature.args[0], types.boolean)
        expect = builder.module.declare_intrinsic("llvm.expect.i1", (), ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [truth, ir.Constant(bit, 0)])

    return types.boolean(x), codegen


@intrinsic
def nth(typingctx: Any, b: Any, k: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
        return builder.call(deposit, [builder.shl(ir.Constant(word, 1), args[1]), args[0]])

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def index(typingctx: Any, k: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        assume = builder.module.declare_intrinsic("llvm.assume", (), ir.FunctionType(ir.VoidType(), [ir.IntType(1)]))
        builder.call(assume, [builder.icmp_signed(">=", args[0], ir.Constant(ir.IntType(64), 0))])
        return args[0]

    return types.int64(types.int64), codegen


@intrinsic
def pick(typingctx: Any, x: Any, a: Any, b: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(context.cast(builder, args[0], signature.args[0], types.boolean), args[1], args[2])

    return types.int64(x, types.int64, types.int64), codegen


@intrinsic
def row(typingctx: Any, table: Any, k: Any) -> Any:
    """table[k] of a two-dimensional C array, not counted as a reference."""
    kind = types.Array(table.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        width = builder.extract_value(array.shape, 1)
        view = context.make_array(kind)(context, builder)
        view.meminfo, view.parent = view.meminfo.type(None), view.parent.type(None)  # nobody owns it
        view.nitems, view.itemsize = width, array.itemsize
        view.data = builder.gep(array.data, [builder.mul(args[1], width)])
        view.shape = builder.insert_value(view.shape.type(ir.Undefined), width, 0)
        view.strides = builder.insert_value(view.strides.type(ir.Undefined), array.itemsize, 0)
        return view._getvalue()

    return kind(table, types.int64), build


@intrinsic
def prefetch(typingctx: Any, table: Any, slot: Any) -> Any:
    """Fetch table[slot] of a one-dimensional array into the cache."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        hint = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        call = builder.module.globals.get(PREFETCH) or ir.Function(builder.module, hint, PREFETCH)
        address = builder.bitcast(builder.gep(array.data, [args[1]]), byte)
        builder.call(call, [address, i32(0), i32(3), i32(1)])  # to read, into all levels, data
        return context.get_dummy_value()

    return types.void(table, types.int64), build


# ---- for threads that share a tree


def _item(context: Any, builder: Any, of: Any, array: Any, index: Any) -> Any:
    """The address of array[index], for an index from its beginning."""
    assert of.ndim == 1 and of.layout == "C", of
    return builder.gep(context.make_array(of)(context, builder, array).data, [index])


@intrinsic
def atomic_link(typingctx: Any, array: Any, index: Any, x: Any) -> Any:
    """array[index] = x if it was 0, in one step; returns what is there then. For an int32 array of one dimension."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        of, index_type, x_type = signature.args
        place = _item(context, builder, of, args[0], context.cast(builder, args[1], index_type, types.intp))
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
        place = _item(context, builder, of, args[0], context.cast(builder, args[1], index_type, types.intp))
        builder.atomic_rmw("fadd", place, context.cast(builder, args[2], x_type, types.float64), "monotonic")
        return context.get_dummy_value()

    return types.void(array, index, x), codegen


@intrinsic
def atomic_claim(typingctx: Any, array: Any, index: Any) -> Any:
    """array[index] = 1 if it was 0, in one step; returns whether it was. For an int64 array of one dimension."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        of, index_type = signature.args
        place = _item(context, builder, of, args[0], context.cast(builder, args[1], index_type, types.intp))
        word = ir.IntType(64)
        return builder.extract_value(builder.cmpxchg(place, word(0), word(1), "acquire", "monotonic"), 1)

    return types.boolean(array, index), codegen


@intrinsic
def atomic_give_up(typingctx: Any, array: Any, index: Any) -> Any:
    """array[index] = 0, after all that was written before it. For an int64 array of one dimension."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        of, index_type = signature.args
        place = _item(context, builder, of, args[0], context.cast(builder, args[1], index_type, types.intp))
        builder.store_atomic(ir.IntType(64)(0), place, "release", 8)
        return context.get_dummy_value()

    return types.void(array, index), codegen
