"""Operators on values of any kind: numbers, arrays, tuples and lists."""

from __future__ import annotations

from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import as_operand, copy_into, elementwise
from roofscan.parse.lowering.numpy.contractions import matmul
from roofscan.parse.lowering.values import Scalar, TupleValue, Unknown, Value, View


def binary_values(cx: Context, op: str, left: Value, right: Value, line: int) -> Value:
    """``left op right`` for numbers, arrays, tuples and lists."""
    if isinstance(left, View) or isinstance(right, View):
        return array_binary(cx, op, left, right, line)
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return _tuple_binary(op, left, right)
    return arithmetic.binary(cx, op, as_scalar(cx, left, line), as_scalar(cx, right, line), line)


def _tuple_binary(op: str, left: Value, right: Value) -> Value:
    if op == "+" and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue(left.items + right.items, left.kind)
    if op == "*" and isinstance(left, TupleValue) and isinstance(right, Scalar) and isinstance(right.number, int):
        if 0 <= right.number * len(left.items) <= 1024:
            return TupleValue(left.items * right.number, left.kind)
    return Unknown("an operation on tuples")


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
