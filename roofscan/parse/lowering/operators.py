"""Operators and conversions (``float(x)``, ``x.astype(int)``) on numbers, arrays, tuples and lists."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import F8, DType
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, computed_here
from roofscan.parse.lowering.numpy.array_operations import as_operand, copy_into, elementwise
from roofscan.parse.lowering.numpy.contractions import matmul
from roofscan.parse.lowering.quotients import as_quotient, inexact, rounded, rounded_integer
from roofscan.parse.lowering.values import (
    A_TEXT,
    GeneratedValue,
    Scalar,
    Text,
    TextParameter,
    TupleValue,
    Value,
    View,
    integer,
)


def binary_values(cx: Context, op: str, left: Value, right: Value, line: int) -> Value:
    """``left op right`` for numbers, arrays, tuples and lists."""
    if isinstance(left, View) or isinstance(right, View):
        return array_binary(cx, op, left, right, line)
    if any(isinstance(side, (Text, TextParameter)) or side == A_TEXT for side in (left, right)):
        return A_TEXT
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return _tuple_binary(cx, op, left, right, line)
    one, other = as_scalar(cx, left, line), as_scalar(cx, right, line)
    return arithmetic.binary(cx, op, one, other, line)


def _tuple_binary(cx: Context, op: str, left: Value, right: Value, line: int) -> Value:
    if op == "+" and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue(left.items + right.items, left.kind)
    if op == "*" and isinstance(left, TupleValue) and isinstance(right, Scalar):
        if isinstance(right.number, int) and 0 <= right.number * len(left.items) <= 1024:
            return TupleValue(left.items * right.number, left.kind)
        if right.expr is not None and len(left.items) == 1 and isinstance(left.items[0], Scalar):
            return GeneratedValue(replace(left.items[0], literal=False), right.expr)
    return cx.unknown(line, "an operation on lists or tuples", "unseen")


def array_binary(cx: Context, op: str, left: Value, right: Value, line: int) -> Value:
    """``left op right`` where at least one is an array."""
    if op == "@":
        if isinstance(left, Scalar) or isinstance(right, Scalar):  # @ takes no numbers: one of them is misread
            return cx.unknown(line, "an operand of a matrix product is not an array")
        return matmul(cx, left, right, line)
    operands = [as_operand(cx, left, line), as_operand(cx, right, line)]
    return elementwise(cx, operands, line, lambda s: arithmetic.binary(cx, op, s[0], s[1], line), op)


def update_in_place(cx: Context, op: str, target: View, value: Value, line: int) -> None:
    """``x += y`` on an array: no temporary."""
    operands = [target, as_operand(cx, value, line)]
    if op == "@":
        copy_into(cx, target, array_binary(cx, op, target, value, line), line)
        return
    elementwise(cx, operands, line, lambda s: arithmetic.binary(cx, op, s[0], s[1], line), op, out=target)


def cast(cx: Context, dtype: DType, value: Value, line: int) -> Value:
    """``float(x)``, ``int(x)``, ``np.float32(x)``: a conversion, weight 0."""
    if isinstance(value, View) and value.ndim:
        return elementwise(cx, [value], line, lambda s: _cast_scalar(cx, dtype, s[0], line), "convert")
    return _cast_scalar(cx, dtype, as_scalar(cx, value, line), line)


def _cast_scalar(cx: Context, dtype: DType, value: Scalar, line: int) -> Scalar:
    if dtype.kind in ("int", "bool"):
        if value.is_integer:
            return replace(value, dtype=dtype, weak=False)
        number = value.number
        if isinstance(number, float) and abs(number) < 1e15:
            return replace(integer(int(number)), dtype=dtype)
        cx.builder.operation("convert", value.dtype, line, (value.node,))
        found = rounded(cx, value) if dtype.kind == "int" else None
        whole = rounded_integer(found, "a floating number converted to an integer", dtype)
        return whole if whole.expr is not None else replace(whole, moved=computed_here(cx))
    if value.literal and isinstance(value.number, (int, float)):
        return Scalar(dtype, number=float(value.number))
    node = value.node
    if value.dtype != dtype:
        counts_on = arithmetic.may_change(value)
        node = cx.builder.operation("convert", dtype, line, (value.node,), counts_on=counts_on)
    found = as_quotient(cx, value)
    return Scalar(dtype, node=node, quotient=found if dtype == F8 else found and inexact(found))
