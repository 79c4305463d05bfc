"""New arrays: their extents and types, written once or left empty."""

from __future__ import annotations

from collections import abc
from dataclasses import KW_ONLY, replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F8, DType
from roofscan.parse.inference.operands import keyword, operand, operands_of
from roofscan.parse.inference.rule import RankOf
from roofscan.parse.lowering import values
from roofscan.parse.lowering.builder import f_strides
from roofscan.parse.lowering.calls.arguments import argument, dtype_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import allocate, as_operand, copy_into, fill
from roofscan.parse.lowering.numpy.rule import NumpyRule
from roofscan.parse.lowering.operators import cast
from roofscan.parse.syntax import Call, Sequence
from roofscan.symbolic.expr import Expr


def shape_of(cx: Context, value: values.Value, line: int) -> tuple[Expr, ...] | None:
    """The extents that an argument gives; an extent that depends on data becomes a symbol."""
    items = value.items if isinstance(value, values.TupleValue) else (value,)
    extents: list[Expr] = []
    for place, item in enumerate(items):
        if isinstance(item, values.View) and item.ndim == 0:
            item = as_scalar(cx, item, line)
        if isinstance(item, values.Unknown) and isinstance(value, values.TupleValue):
            item = values.unknown_integer(item.why)
        if not isinstance(item, values.Scalar):
            return None
        extents.append(item.expr if item.expr is not None else data_length(cx, item, line, place))
    return tuple(extents)


def data_length(cx: Context, item: values.Scalar, line: int, place: int = 0) -> Expr:
    """The symbol for an extent that depends on data, the ``place``-th one of a line."""
    key = ("extent", line, place, item.why_unknown)
    meaning = f"an extent in line {line}, from {item.why_unknown or 'data'}"
    cx.builder.reason(line, "the size of an array depends on data", "parametric")
    return cx.builder.once(key, f"len_{line}", "length", meaning, line)


class OfGivenShape(NumpyRule):
    """The first argument may be the shape of the result."""

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        shape = operand(call, 0)
        return len(shape.items) if isinstance(shape, Sequence) else None


@dataclass(frozen=True)
class Allocation(OfGivenShape):
    """``zeros`` and its like: an array that is written once, or (``empty``) not at all."""

    _: KW_ONLY
    written: bool = True
    is_square: bool = False  # identity
    has_columns: bool = False  # eye(N, M)
    has_fill_value: bool = False  # full(shape, fill_value)
    extents_position: int | None = 0
    moves_only: bool = True

    def lower(
        self, cx: Context, name: str, args: list[values.Value], keywords: values.Keywords, line: int
    ) -> values.Value | None:
        first = argument(args, keywords, 0, "shape") or keywords.get("N")
        if first is None:
            return None
        shape = shape_of(cx, first, line)
        position = 3 if self.has_columns else 2 if self.has_fill_value else 1
        said = argument(args, keywords, position, "dtype")
        if shape is None:
            return replace(cx.unknown(line, "the size of a new array is unknown"), dtype=dtype_of(cx, said, F8, line))
        if self.is_square or self.has_columns:
            columns = argument(args, keywords, 1, "M") if self.has_columns else None
            shape = (shape[0], (shape_of(cx, columns, line) or shape)[0] if columns is not None else shape[0])
        filler = argument(args, keywords, 1, "fill_value") if self.has_fill_value else None
        default = filler.dtype if isinstance(filler, (values.Scalar, values.View)) else F8
        view = allocate(cx, shape, dtype_of(cx, said, default, line), line)
        order = argument(args, keywords, position + 1, "order")
        if isinstance(order, values.Text) and order.value == "F":
            made = cx.builder.arrays[view.array]
            cx.builder.arrays[view.array] = replace(made, strides=f_strides(made.shape))
        if self.written:
            fill(cx, view, values.Scalar(view.dtype), line)
        return view


@dataclass(frozen=True)
class AllocationLike(OfGivenShape):
    """``zeros_like`` and its like: the shape and the type of another array, unless they are given."""

    _: KW_ONLY
    written: bool = True
    has_fill_value: bool = False
    takes_array: bool = True
    treats_elements_alike: bool = True
    moves_only: bool = True

    def has_rank_of_operand(self, call: Call) -> bool:
        return keyword(call, "shape") is None and bool(operands_of(call))

    def lower(
        self, cx: Context, name: str, args: list[values.Value], keywords: values.Keywords, line: int
    ) -> values.Value | None:
        first = argument(args, keywords, 0, "a") or keywords.get("prototype")
        if first is None:
            return None
        like = as_operand(cx, first, line)
        kind = argument(args, keywords, 2 if self.has_fill_value else 1, "dtype")
        if isinstance(like, values.Scalar):
            return values.Scalar(dtype_of(cx, kind, like.dtype, line))
        if not isinstance(like, values.View):
            return values.Unknown("an array like something unknown")
        said = argument([], keywords, 0, "shape")
        shape = like.shape if said is None else shape_of(cx, said, line)
        if shape is None:
            return cx.unknown(line, "the size of a new array is unknown")
        view = allocate(cx, shape, dtype_of(cx, kind, like.dtype, line), line)
        if self.written:
            fill(cx, view, values.Scalar(view.dtype), line)
        return view


EMPTY = Allocation(written=False)


def copied(cx: Context, view: values.View, line: int, dtype: DType | None = None) -> values.View:
    """A fresh array with the same elements, converted where ``dtype`` differs."""
    if dtype is not None and dtype != view.dtype:
        made = cast(cx, dtype, view, line)
        assert isinstance(made, values.View)
        return made
    target = allocate(cx, view.shape, view.dtype, line)
    copy_into(cx, target, view, line)
    return target


def typed(cx: Context, view: values.View, said: values.Value | None, line: int) -> values.View:
    """Changes the element type of an array that was just made."""
    dtype = dtype_of(cx, said, view.dtype, line)
    cx.builder.arrays[view.array] = replace(cx.builder.arrays[view.array], dtype=dtype)
    return replace(view, dtype=dtype)


def written(cx: Context, shape: abc.Sequence[Expr], dtype: DType, line: int) -> values.View:
    """A fresh array, each element written once."""
    view = allocate(cx, shape, dtype, line)
    fill(cx, view, values.Scalar(dtype), line)
    return view
