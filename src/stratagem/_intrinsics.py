"""The functions of `native` as Numba intrinsics for the CPU."""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

SLOW_DEPOSIT = ("znver1", "znver2")  # have the instruction, in microcode: slower than the loop


@cache
def available(name: str) -> bool:
    """Whether this processor has what an intrinsic needs."""
    if name != "nth":
        return True
    return bool(binding.get_host_cpu_features().get("bmi2")) and binding.get_host_cpu_name() not in SLOW_DEPOSIT


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
