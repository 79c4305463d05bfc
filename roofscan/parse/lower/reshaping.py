"""Other shapes of the same memory: reshape, ravel, transpose."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.ir.expr import Expr
from roofscan.ir.kernel import Array
from roofscan.parse.lower.arrays import allocate, copy_into, total
from roofscan.parse.lower.builder import c_strides
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.expressions import transpose
from roofscan.parse.lower.making import copy_array, shape_of
from roofscan.parse.lower.names import whole_view
from roofscan.parse.lower.values import (
    Axis,
    Keywords,
    Scalar,
    TupleValue,
    Value,
    View,
    literal,
)


def reshape(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    view = args[0]
    wanted: Value = TupleValue(tuple(args[1:])) if len(args) > 2 else args[1] if len(args) > 1 else literal(-1)
    shape = shape_of(cx, wanted, line)
    return None if shape is None else reshaped(cx, view, shape, line)


def reshaped(cx: Context, view: View, shape: Sequence[Expr], line: int) -> Value:
    """``view.reshape(shape)``: the same memory where it is contiguous, else a copy."""
    elements = total(view.shape)
    known = total([e for e in shape if e.constant != -1])
    if any(e.constant == -1 for e in shape):
        rest = elements / known if len(known.terms) == 1 else elements // known
        shape = [rest if e.constant == -1 else e for e in shape]
    sizes = tuple(shape)
    if not is_whole(cx, view):
        target = allocate(cx, view.shape, view.dtype, line)
        copy_into(cx, target, view, line)
        view = target
    base = cx.builder.arrays[view.array]
    alias = Array(
        f"{base.name}.reshape", base.dtype, sizes, c_strides(sizes), base.role, line, base.fresh_in, base.memory,
        base.live_out,
    )  # fmt: skip
    return whole_view(cx.builder.array(alias))


def is_whole(cx: Context, view: View) -> bool:
    """Whether a view is all of a C-ordered array, in order."""
    array = cx.builder.arrays[view.array]
    return (
        view.shape == array.shape
        and array.strides == c_strides(array.shape)
        and all(a == Axis(Expr.of(0), d) for d, a in enumerate(view.axes))
    )


def ravel(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    view = args[0]
    if name == "flatten":
        copied = copy_array(cx, "copy", [view], {}, line)
        view = copied if isinstance(copied, View) else view
    return reshaped(cx, view, [total(view.shape)], line)


def transposed(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    view = args[0]
    said = args[1] if len(args) == 2 and isinstance(args[1], TupleValue) else TupleValue(tuple(args[1:]))
    if "axes" in keywords and isinstance(keywords["axes"], TupleValue):
        said = keywords["axes"]
    assert isinstance(said, TupleValue)
    order = [i.expr.constant for i in said.items if isinstance(i, Scalar) and i.expr is not None]
    if name == "swapaxes" and len(order) == 2 and all(o is not None for o in order):
        a, b = (int(o) % view.ndim for o in order if o is not None)
        places = list(range(view.ndim))
        places[a], places[b] = places[b], places[a]
        return transpose(view, tuple(places))
    if len(order) == view.ndim and all(o is not None for o in order):
        return transpose(view, tuple(int(o) % view.ndim for o in order if o is not None))
    return transpose(view, tuple(reversed(range(view.ndim))))
