"""Calls that make arrays: allocations, copies, ranges."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import F8, I8, DType
from roofscan.ir.dtypes import lookup as dtype_named
from roofscan.ir.expr import Expr, ceil_div
from roofscan.parse.lower.arrays import allocate, copy_into, fill, from_items, library_work
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.expressions import as_scalar
from roofscan.parse.lower.values import (
    Bound,
    DTypeValue,
    Keywords,
    ModuleRef,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    literal,
    whole,
)


def dtype_of(cx: Context, value: Value | None, default: DType) -> DType:
    """The element type that an argument names; the default where it is not there or not known."""
    if isinstance(value, DTypeValue):
        return value.dtype
    if isinstance(value, Text):
        return dtype_named(value.value) or default
    if isinstance(value, ModuleRef):
        return dtype_named(value.dotted.rpartition(".")[2]) or default
    return default


def shape_of(cx: Context, value: Value, line: int) -> tuple[Expr, ...] | None:
    """The extents that an argument gives; sizes from data become symbols."""
    items = value.items if isinstance(value, TupleValue) else (value,)
    extents: list[Expr] = []
    for item in items:
        if isinstance(item, View) and item.ndim == 0:
            item = as_scalar(cx, item, line)
        if not isinstance(item, Scalar):
            return None
        extents.append(item.expr if item.expr is not None else data_length(cx, item, line))
    return tuple(extents)


def data_length(cx: Context, item: Scalar, line: int) -> Expr:
    key = ("extent", line, item.why_unknown)
    if key not in cx.builder.shares:
        meaning = f"an extent in line {line}, from {item.why_unknown or 'data'}"
        cx.builder.shares[key] = cx.builder.symbol(f"len_{line}", "length", meaning, line)
        cx.builder.reason(line, "the size of an array depends on data", "parametric")
    return cx.builder.shares[key]


def allocate_call(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args and "shape" not in keywords:
        return None
    first = args[0] if args else keywords["shape"]
    like = name.endswith("_like")
    position = 2 if name.startswith("full") else 1
    said = keywords.get("dtype", args[position] if len(args) > position else None)
    if like:
        if not isinstance(first, View):
            return Unknown("an array like something unknown")
        shape, default = first.shape, first.dtype
    else:
        shape_or_none = shape_of(cx, first, line)
        if shape_or_none is None:
            return cx.unknown(line, "an array whose size is not known")
        shape, default = shape_or_none, F8
    if name == "full" and len(args) > 1 and isinstance(args[1], Scalar):
        default = args[1].dtype
    if name in ("eye", "identity"):
        columns = shape_of(cx, args[1], line) if len(args) > 1 and name == "eye" else shape
        shape = (shape[0], (columns or shape)[0])
        said = keywords.get("dtype")
    view = allocate(cx, shape, dtype_of(cx, said, default), line)
    if not name.startswith("empty"):
        fill(cx, view, Scalar(view.dtype), line)
    return view


def copy_array(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args:
        return None
    value = args[0]
    if isinstance(value, TupleValue):
        made = from_items(cx, value, line)
        if made is not None:
            return typed(cx, made, keywords.get("dtype", args[1] if len(args) > 1 else None))
        return cx.unknown(line, "an array made of a list that is not plain numbers", "traffic")
    if isinstance(value, Bound) and value.name == "generated" and isinstance(value.owner, TupleValue):
        item, length = value.owner.items
        if isinstance(item, Scalar) and isinstance(length, Scalar) and length.expr is not None:
            view = allocate(cx, (length.expr,), item.dtype, line)
            fill(cx, view, item, line)
            return view
    if not isinstance(value, View):
        return value if isinstance(value, Scalar) else Unknown("an array made of something unknown")
    if name not in ("copy", "array"):
        return value
    target = allocate(cx, value.shape, dtype_of(cx, keywords.get("dtype"), value.dtype), line)
    copy_into(cx, target, value, line)
    return target


def typed(cx: Context, view: View, said: Value | None) -> View:
    dtype = dtype_of(cx, said, view.dtype)
    cx.builder.arrays[view.array] = replace(cx.builder.arrays[view.array], dtype=dtype)
    return replace(view, dtype=dtype)


def arange(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    scalars = [as_scalar(cx, a, line) for a in args if not isinstance(a, (DTypeValue, ModuleRef))]
    if not scalars:
        return None
    start, stop = (scalars[0], scalars[1]) if len(scalars) > 1 else (whole(0), scalars[0])
    step = scalars[2] if len(scalars) > 2 else whole(1)
    floats = any(s.dtype.counts for s in (start, stop, step))
    dtype = dtype_of(cx, keywords.get("dtype"), F8 if floats else I8)
    if start.expr is None or stop.expr is None or step.expr is None or not step.expr:
        length = data_length(cx, stop, line)
    else:
        length = ceil_div(stop.expr - start.expr, step.expr)
    view = allocate(cx, (length,), dtype, line)
    fill(cx, view, Scalar(dtype), line)
    return view


def linspace(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    number = keywords.get("num", args[2] if len(args) > 2 else literal(50))
    shape = shape_of(cx, number, line)
    if shape is None:
        return None
    for kind in ("mul", "add"):
        library_work(cx, kind, F8, line, shape[0])
    view = allocate(cx, shape, F8, line)
    fill(cx, view, Scalar(F8), line)
    return view
