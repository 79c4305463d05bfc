"""Conversions: ``float(x)``, ``np.float32(x)``, ``x.astype(int)``, element by element."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import DType
from roofscan.parse.lowering.arithmetic import rounded
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import elementwise
from roofscan.parse.lowering.values import Scalar, Value, View, integer, unknown_integer


def cast(cx: Context, dtype: DType, value: Value, line: int) -> Value:
    """``float(x)``, ``int(x)``, ``np.float32(x)``: a conversion, weight 0."""
    if isinstance(value, View) and value.ndim:
        return elementwise(cx, [value], line, lambda s: _cast_scalar(cx, dtype, s[0], line), "convert")
    return _cast_scalar(cx, dtype, as_scalar(cx, value, line), line)


def _cast_scalar(cx: Context, dtype: DType, value: Scalar, line: int) -> Scalar:
    if dtype.kind in ("int", "bool"):
        if value.is_integer:
            return replace(value, dtype=dtype if dtype.kind == "int" else value.dtype, weak=False)
        number = value.number
        if isinstance(number, float) and abs(number) < 1e15:
            return replace(integer(int(number)), dtype=dtype)
        cx.builder.operation("convert", value.dtype, line, (value.node,))
        whole = rounded(value) if dtype.kind == "int" else None
        if whole is not None:
            return Scalar(dtype, whole)
        return unknown_integer("a floating number converted to an integer", dtype)
    if value.literal and isinstance(value.number, (int, float)):
        return Scalar(dtype, number=float(value.number))
    node = value.node
    if value.dtype != dtype:
        node = cx.builder.operation("convert", dtype, line, (value.node,))
    return Scalar(dtype, node=node)
