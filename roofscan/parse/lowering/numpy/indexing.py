"""Indexing functions (``take``, ``select``, ``copyto``) and array inspection (``shape``, ``size``, ``ndindex``)."""

from __future__ import annotations

from functools import reduce

from roofscan.ir.dtypes import promote
from roofscan.parse.lowering.calls.arguments import argument, axis_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import as_operand, copy_into, elementwise, fill, read_arrays, total
from roofscan.parse.lowering.numpy.creation import data_array
from roofscan.parse.lowering.numpy.fancy_indexing import gathered
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, OfArray, rows
from roofscan.parse.lowering.numpy.views import diagonal_of
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


def take(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    places = argument(args, keywords, 1, "indices")
    index = None if places is None else as_operand(cx, places, line)
    said = argument(args, keywords, 2, "axis")
    if not isinstance(index, (View, Scalar)):
        return None
    axis = axis_of(said, view.ndim, 0)
    if axis is None:
        return None
    chosen = index.shape if isinstance(index, View) else ()
    before, behind = (view.shape[:axis], view.shape[axis + 1 :]) if said is not None else ((), ())
    return gathered(cx, view, (*before, *chosen, *behind), [index] if isinstance(index, View) else [], line)


def select(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.select([a, b], [x, y])``: all choices are read."""
    lists = [a.items for a in args[:2] if isinstance(a, TupleValue)]
    if len(lists) != 2:
        return None
    operands = [as_operand(cx, v, line) for v in (*lists[0], *lists[1], *args[2:3])]
    chosen = len(lists[0])

    def pick(scalars: list[Scalar]) -> Scalar:
        dtype = reduce(promote, (scalar.dtype for scalar in scalars[chosen:]))
        return Scalar(dtype, node=scalars[chosen].node)

    return elementwise(cx, operands, line, pick, name, ufunc=False)


def choose(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.choose(k, [x, y])``: all choices are read."""
    choices = args[1].items if len(args) > 1 and isinstance(args[1], TupleValue) else ()
    if not choices:
        return None
    return select(cx, name, [TupleValue((args[0],)), TupleValue(tuple(choices))], {}, line)


def copyto(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if len(args) < 2 or not isinstance(args[0], View):
        return None
    mask = argument([], keywords, 0, "where")
    if isinstance(mask, View):
        elementwise(cx, [args[1]], line, lambda s: s[0], name, args[0], mask)
    else:
        copy_into(cx, args[0], args[1], line)
    return NONE


def fill_diagonal(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = args[0] if args else None
    target = diagonal_of(cx, view, 0) if isinstance(view, View) else None
    if target is None or len(args) < 2:
        return None
    if isinstance(args[1], Scalar):
        fill(cx, target, args[1], line)
    else:
        copy_into(cx, target, args[1], line)
    return NONE


def take_along_axis(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """None: its form is not read, so that the call is reported as unknown."""
    return None


INDEXING: dict[str, NumpyRule] = {
    **rows("take", OfArray(take, takes_array=True, axis_position=2, moves_only=True, is_method=True)),
    **rows("take_along_axis", Function(take_along_axis, takes_array=True, axis_position=2, moves_only=True)),
    **rows("delete insert compress extract", Function(data_array), methods="compress"),
    **rows("select", Function(select, is_elementwise=True)),
    **rows("choose", Function(choose, is_method=True)),
    **rows("copyto", Function(copyto)),
    **rows("fill_diagonal", Function(fill_diagonal)),
}


def ndindex(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    items = args[0].items if len(args) == 1 and isinstance(args[0], TupleValue) else tuple(args)
    return IteratorValue("ndindex", items) if items else None


def first(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return args[0] if args else NONE


def shape(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return TupleValue(tuple(integer(extent) for extent in view.shape))


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
    **rows("shape", OfArray(shape)),
    **rows("size", Function(size)),
    **rows("allclose array_equal", Function(equal)),
}
