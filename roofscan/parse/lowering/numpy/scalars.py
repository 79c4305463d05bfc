"""One application of a function of the table to numbers in registers."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import B1, BY_CODE, F4, F8, DType
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.reductions import result_type
from roofscan.parse.lowering.numpy.table import TABLE, Row
from roofscan.parse.lowering.values import Scalar, literal, unknown_integer

_OPERATORS = {
    "add": "+", "subtract": "-", "sub": "-", "multiply": "*", "mul": "*", "divide": "/", "true_divide": "/",
    "truediv": "/", "floor_divide": "//", "floordiv": "//", "mod": "%", "fmod": "%", "remainder": "%",
}  # fmt: skip


def scalar_function(cx: Context, name: str, scalars: list[Scalar], line: int) -> Scalar:
    """Its operations are added to the kernel; functions that are operators follow the operator's rules."""
    if name in ("fabs", "float_power") and scalars[0].is_integer:
        scalars = [replace(_plain(scalars[0]), dtype=float_of(scalars[0].dtype, weak=scalars[0].weak)), *scalars[1:]]
    if name in ("power", "pow", "float_power") and len(scalars) == 2:
        return arithmetic.power(cx, scalars[0], scalars[1], line)
    if name in _OPERATORS and len(scalars) == 2:
        return arithmetic.binary(cx, _OPERATORS[name], scalars[0], scalars[1], line)
    if name in ("negative", "neg"):
        return arithmetic.negate(cx, scalars[0], line)
    if name in ("absolute", "abs", "fabs"):
        return arithmetic.absolute(cx, scalars[0], line)
    if name == "square":
        return arithmetic.power(cx, scalars[0], literal(2), line)
    if name in ("maximum", "minimum", "fmax", "fmin"):
        return arithmetic.extremum(cx, "max" if "max" in name else "min", scalars, line)
    if name == "relu":
        return arithmetic.extremum(cx, "max", [*scalars, literal(0)], line)
    return _by_row(cx, name, TABLE[name], scalars, line)


def _plain(scalar: Scalar) -> Scalar:
    """A number of which only the type and the node are known."""
    return Scalar(scalar.dtype, node=scalar.node, weak=scalar.weak)


def _by_row(cx: Context, name: str, row: Row, scalars: list[Scalar], line: int) -> Scalar:
    operands = scalars[0]
    for other in scalars[1:]:
        dtype = arithmetic.result_type(cx, operands, other)
        operands = replace(operands, dtype=dtype, weak=operands.weak and other.weak)
    dtype = operands.dtype
    if not dtype.counts and row.dtype == "float":
        dtype = float_of(dtype, weak=operands.weak)
    node = scalars[0].node
    for kind in row.each if dtype.counts else ():
        node = cx.builder.operation(kind, dtype, line, tuple(s.node for s in scalars))
    if row.dtype == "bool":
        return Scalar(B1, node=node, why_unknown=f"{name} of data")
    result = result_type(row.dtype, dtype)
    if not result.counts and not row.each:
        return unknown_integer(f"{name} of whole numbers", result)
    return Scalar(result, node=node, weak=operands.weak, why_unknown=f"{name} of data")


def float_of(dtype: DType, *, weak: bool) -> DType:
    """The float type that NumPy computes a function of whole numbers in."""
    if weak or dtype.size > 2:
        return F8
    return BY_CODE["f2"] if dtype.size == 1 else F4
