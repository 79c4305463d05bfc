"""Subscripts: elements and views of arrays, with negative indices, slices, ellipsis and new axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Union

from roofscan.frozen import dataclass
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import compose, read
from roofscan.parse.lowering.numpy.array_operations import from_items
from roofscan.parse.lowering.records.fields import field_named
from roofscan.parse.lowering.slices import cut_axis
from roofscan.parse.lowering.subscript_ranges import always_negative, can_be_negative, extent
from roofscan.parse.lowering.values import (
    Axis,
    Cut,
    ModuleRef,
    NoneValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
)
from roofscan.parse.syntax import Expression, Literal, Slice
from roofscan.symbolic.expr import ONE, ZERO, Expr
from roofscan.units import counted


@dataclass(frozen=True)
class Ellipsis_:
    """``...``: all dimensions that no other subscript takes."""


Index = Union[Value, Ellipsis_]


@dataclass(frozen=True)
class Selection:
    """A view some of whose dimensions are indexed by arrays: ``picked`` lists each dimension with its array. A boolean
    mask indexes as many dimensions as it has. ``leading``: the indexed dimensions come first in the result, because a
    slice or a new axis stands between them."""

    view: View
    picked: tuple[tuple[int, View], ...]
    leading: bool = False


def evaluate_indices(cx: Context, items: tuple[Expression, ...], line: int) -> list[Index]:
    """The subscripts of ``x[items]``, each evaluated once, in order."""
    indices = [index_value(cx, item) for item in items]
    if len(indices) == 1 and isinstance(indices[0], TupleValue) and indices[0].kind == "tuple":
        return [*indices[0].items]
    return [_listed(cx, index, line) for index in indices]


def index_value(cx: Context, item: Expression) -> Index:
    if isinstance(item, Slice):
        return Cut(*(None if e is None else cx.eval(e) for e in (item.lower, item.upper, item.step)))
    if isinstance(item, Literal) and item.value is Ellipsis:
        return Ellipsis_()
    value = cx.eval(item)
    if isinstance(value, ModuleRef) and value.dotted.endswith(".newaxis"):
        return NoneValue()
    return value


def _listed(cx: Context, index: Index, line: int) -> Index:
    """A list of numbers used as a subscript is an array."""
    if not isinstance(index, TupleValue):
        return index
    return from_items(cx, index, line) or index


def subscript(cx: Context, view: View, indices: Sequence[Index], line: int) -> View | Selection:
    """``view[indices]``: a view (of no dimensions where all are fixed), or a selection by arrays."""
    if len(indices) == 1 and isinstance(indices[0], Text):
        return _field(cx, view, indices[0].value, line)
    shape: list[Expr] = []
    places: dict[int, Axis] = {}  # view dimension -> how it is now addressed (relative to the view)
    picked: list[tuple[int, View]] = []
    groups: list[int] = []  # positions of arrays and numbers among the subscripts
    dimension = 0
    for position, index in enumerate(_expanded(view, indices)):
        if isinstance(index, NoneValue):
            shape.append(ONE)
            continue
        if dimension >= view.ndim:
            rank, given = counted(view.ndim, "dimension"), counted(len(indices), "subscript")
            cx.builder.reason(line, f"{view.array} has {rank}, {given}", "lower")
            break
        if isinstance(index, View) and index.ndim:
            groups.append(position)
            for _ in range(min(index.ndim if index.dtype.kind == "bool" else 1, view.ndim - dimension)):
                picked.append((len(shape), index))
                places[dimension] = Axis(ZERO, len(shape))
                shape.append(view.shape[dimension])
                dimension += 1
            continue
        if isinstance(index, Cut):
            places[dimension], length = cut_axis(cx, index, view.shape[dimension], len(shape), line)
            shape.append(length)
        else:
            groups.append(position)
            places[dimension] = _fixed(cx, index, view, dimension, line)
        dimension += 1
    for rest in range(dimension, view.ndim):
        places[rest] = Axis(ZERO, len(shape))
        shape.append(view.shape[rest])
    found = replace(view, shape=tuple(shape), axes=tuple(compose(a, places) for a in view.axes), temporary=False)
    if not picked:
        return found
    return Selection(found, tuple(picked), groups[-1] - groups[0] + 1 > len(groups))


def _field(cx: Context, view: View, name: str, line: int) -> View:
    """``view["x"]``; the array itself where its elements are not known to have such a field."""
    field = field_named(cx, view, name)
    if field is None:
        cx.builder.reason(line, f"{view.array} is not known to have a field {name!r}", "lower")
    return field or view


def _expanded(view: View, indices: Sequence[Index]) -> list[Index]:
    marks = [k for k, index in enumerate(indices) if isinstance(index, Ellipsis_)]
    if not marks:
        return list(indices)
    used = sum(_dimensions_taken(index) for index in indices)
    fill: list[Index] = [Cut()] * max(0, view.ndim - used)
    return [*indices[: marks[0]], *fill, *indices[marks[0] + 1 :]]


def _dimensions_taken(index: Index) -> int:
    if isinstance(index, (NoneValue, Ellipsis_)):
        return 0
    return index.ndim if isinstance(index, View) and index.dtype.kind == "bool" else 1


def _fixed(cx: Context, value: Index, view: View, dimension: int, line: int) -> Axis:
    if isinstance(value, View):
        value = read(cx, value, 0)
    if isinstance(value, Unknown):  # it may be a slice, or several subscripts
        cx.builder.reason(line, f"a subscript of {cx.builder.shown(view.array)} is not known to be a number", "lower")
    if not isinstance(value, Scalar):
        return Axis(None, why="a subscript that is not a number")
    if value.expr is None or not value.is_integer:
        why = value.why_unknown or "a subscript that depends on data"
        if value.quotient is not None and value.is_integer and _is_plain(view, dimension):
            return Axis(value.quotient.top, why=why)
        return Axis(None, why=why, within=value.within, moved=value.moved)
    if view.relative:
        return Axis(value.expr)
    size = view.shape[dimension]
    index = wrapped(cx, value.expr, size)
    offset = index if _is_plain(view, dimension) else _wrapped_inside(cx, index, size)
    return Axis(offset, unsigned=value.dtype.is_unsigned)


def _is_plain(view: View, dimension: int) -> bool:
    """Whether a subscript of the view is one of the array; the last pass then resolves negative ones."""
    axis = next((a for a in view.axes if a.dim == dimension), None)
    return axis is None or (axis.offset == ZERO and axis.step == ONE)


def _wrapped_inside(cx: Context, index: Expr, size: Expr) -> Expr:
    """A subscript of part of an array that may be negative wraps inside that part."""
    lo, hi = extent(index, cx.builder.loops, cx.builder.guards)
    return index - size * (index // size) if can_be_negative(lo) and not always_negative(hi) else index


def wrapped(cx: Context, index: Expr, size: Expr) -> Expr:
    """A subscript that is always negative counts from the end."""
    constant = index.constant
    if constant is not None:
        return index + size if constant < 0 else index
    _, hi = extent(index, cx.builder.loops, cx.builder.guards)
    return index + size if always_negative(hi) else index


def tuple_item(value: TupleValue, index: Scalar) -> Value | None:
    place = index.expr.constant if index.expr is not None else None
    if place is None or not -len(value.items) <= place < len(value.items):
        return None
    return value.items[int(place)]
