"""New arrays: their extents and types, written once or left empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.dtypes import F8, DType
from roofscan.parse.lowering.builder import f_strides
from roofscan.parse.lowering.calls.arguments import argument, dtype_of
from roofscan.parse.lowering.casts import cast
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import (
    allocate,
    as_operand,
    copy_into,
    fill,
)
from roofscan.parse.lowering.values import (
    Keywords,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    unknown_integer,
)
from roofscan.symbolic.expr import Expr


def shape_of(cx: Context, value: Value, line: int) -> tuple[Expr, ...] | None:
    """The extents that an argument gives; sizes from data become symbols."""
    items = value.items if isinstance(value, TupleValue) else (value,)
    extents: list[Expr] = []
    for place, item in enumerate(items):
        if isinstance(item, View) and item.ndim == 0:
            item = as_scalar(cx, item, line)
        if isinstance(item, Unknown) and isinstance(value, TupleValue):
            item = unknown_integer(item.why)
        if not isinstance(item, Scalar):
            return None
        extents.append(item.expr if item.expr is not None else data_length(cx, item, line, place))
    return tuple(extents)


def data_length(cx: Context, item: Scalar, line: int, place: int = 0) -> Expr:
    """The symbol for an extent from data: the ``place``-th of those that a line asks for."""
    key = ("extent", line, place, item.why_unknown)
    if key not in cx.builder.shares:
        meaning = f"an extent in line {line}, from {item.why_unknown or 'data'}"
        cx.builder.shares[key] = cx.builder.symbol(f"len_{line}", "length", meaning, line)
        cx.builder.reason(line, "the size of an array depends on data", "parametric")
    return cx.builder.shares[key]


def allocate_call(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``zeros`` and its like: an array that is written once, or (``empty``) not at all."""
    like_another = name.endswith("_like")
    first = argument(args, keywords, 0, "a") if like_another else argument(args, keywords, 0, "shape")
    first = first or keywords.get("prototype" if like_another else "N")
    if first is None:
        return None
    if like_another:
        like = as_operand(cx, first, line)
        if isinstance(like, Scalar):
            kind = argument(args, keywords, 2 if name == "full_like" else 1, "dtype")
            return Scalar(dtype_of(cx, kind, like.dtype, line))
        if not isinstance(like, View):
            return Unknown("an array like something unknown")
        said = argument([], keywords, 0, "shape")
        shape, default = like.shape if said is None else shape_of(cx, said, line), like.dtype
        if shape is None:
            return cx.unknown(line, "an array whose size is not known")
    else:
        sizes = shape_of(cx, first, line)
        if sizes is None:
            return cx.unknown(line, "an array whose size is not known")
        shape, default = sizes, F8
    if name in ("eye", "identity", "tri"):
        columns = argument(args, keywords, 1, "M") if name != "identity" else None
        shape = (shape[0], (shape_of(cx, columns, line) or shape)[0] if columns is not None else shape[0])
    if name == "full":
        filler = argument(args, keywords, 1, "fill_value")
        default = filler.dtype if isinstance(filler, (Scalar, View)) else default
    position = {"full": 2, "full_like": 2, "eye": 3, "tri": 3}.get(name, 1)
    view = allocate(cx, shape, dtype_of(cx, argument(args, keywords, position, "dtype"), default, line), line)
    order = argument(args, keywords, position + 1, "order")
    if isinstance(order, Text) and order.value == "F" and not name.endswith("_like"):
        made = cx.builder.arrays[view.array]
        cx.builder.arrays[view.array] = replace(made, strides=f_strides(made.shape))
    if not name.startswith("empty") and name != "ndarray":
        fill(cx, view, Scalar(view.dtype), line)
    return view


def copied(cx: Context, view: View, line: int, dtype: DType | None = None) -> View:
    """A fresh array with the same elements; of another type, they are converted."""
    if dtype is not None and dtype != view.dtype:
        made = cast(cx, dtype, view, line)
        assert isinstance(made, View)
        return made
    target = allocate(cx, view.shape, view.dtype, line)
    copy_into(cx, target, view, line)
    return target


def typed(cx: Context, view: View, said: Value | None, line: int) -> View:
    """A new array's elements as another type from the start."""
    dtype = dtype_of(cx, said, view.dtype, line)
    cx.builder.arrays[view.array] = replace(cx.builder.arrays[view.array], dtype=dtype)
    return replace(view, dtype=dtype)


def written(cx: Context, shape: Sequence[Expr], dtype: DType, line: int) -> View:
    """A fresh array, each element written once."""
    view = allocate(cx, shape, dtype, line)
    fill(cx, view, Scalar(dtype), line)
    return view
