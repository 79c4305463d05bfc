"""Array inspection: shape, size, equality, and iteration over indices."""

from __future__ import annotations

from roofscan.parse.lowering.calls.arguments import axis_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import as_operand, read_arrays, total
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, rows
from roofscan.parse.lowering.values import (
    NONE,
    IteratorValue,
    Keywords,
    Scalar,
    TupleValue,
    Value,
    View,
    integer,
    unknown_integer,
)
from roofscan.symbolic.expr import ONE


def ndindex(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    items = args[0].items if len(args) == 1 and isinstance(args[0], TupleValue) else tuple(args)
    return IteratorValue("ndindex", items) if items else None


def first(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return args[0] if args else NONE


def shape(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = as_operand(cx, args[0], line) if args else None
    return TupleValue(tuple(integer(extent) for extent in view.shape)) if isinstance(view, View) else None


def size(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = as_operand(cx, args[0], line) if args else None
    if not isinstance(view, View):
        return integer(ONE) if isinstance(view, Scalar) else None
    axis = axis_of(args[1], view.ndim, 0) if len(args) > 1 else None
    return integer(total(view.shape) if len(args) < 2 or axis is None else view.shape[axis])


def equal(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    read_arrays(cx, args, line)
    cx.builder.reason(line, f"the comparisons of {name} are not counted", "lower" if name == "allclose" else "traffic")
    return unknown_integer(f"a result of {name}")


INSPECTION: dict[str, NumpyRule] = {
    **rows("ndindex", Function(ndindex)),
    **rows("dtype", Function(first)),
    **rows("shape", Function(shape)),
    **rows("size", Function(size)),
    **rows("allclose array_equal", Function(equal)),
}
