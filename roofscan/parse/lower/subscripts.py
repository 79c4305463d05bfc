"""Subscripts: elements and views of arrays, with negative indices, slices, ellipsis and new axes."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.expr import ONE, ZERO, Expr, ceil_div
from roofscan.ir.kernel import Access
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.intervals import can_be_negative, extent, surely_below_zero
from roofscan.parse.lower.values import Axis, ModuleRef, NoneValue, Scalar, TupleValue, Value, View
from roofscan.parse.syntax import Expression, Literal, Slice

Subscripts = list[tuple[str, object]]


def index_view(cx: Context, view: View, items: tuple[Expression, ...], line: int) -> View | None:
    """``view[items]`` as a view (of no dimensions where all are fixed); None where an item is an array."""
    values = [(item, None if isinstance(item, Slice) else _item_value(cx, item)) for item in items]
    if any(isinstance(value, View) and value.ndim > 0 for _, value in values):
        return None
    values = _expand_ellipsis(values, view)
    shape: list[Expr] = []
    places: dict[int, Axis] = {}  # view dimension -> how it is now addressed (relative to the view)
    dimension = 0
    for item, value in values:
        if isinstance(value, NoneValue):
            shape.append(ONE)
            continue
        if dimension >= view.ndim:
            cx.builder.reason(line, f"{view.array} has {view.ndim} dimensions, {len(items)} subscripts", "lower")
            break
        if isinstance(item, Slice):
            places[dimension] = _slice_axis(cx, item, view.shape[dimension], len(shape), line)
            shape.append(_slice_extent(cx, item, view.shape[dimension], line))
        else:
            places[dimension] = _fixed(cx, value, view, dimension)
        dimension += 1
    for rest in range(dimension, view.ndim):
        places[rest] = Axis(ZERO, len(shape))
        shape.append(view.shape[rest])
    return replace(view, shape=tuple(shape), axes=tuple(_compose(a, places) for a in view.axes), temporary=False)


def _item_value(cx: Context, item: Expression) -> Value:
    value = cx.eval(item)
    if isinstance(value, ModuleRef) and value.dotted == "numpy.newaxis":
        return NoneValue()
    return value


def _expand_ellipsis(
    values: list[tuple[Expression, Value | None]], view: View
) -> list[tuple[Expression, Value | None]]:
    marks = [k for k, (item, _) in enumerate(values) if isinstance(item, Literal) and item.value is Ellipsis]
    if not marks:
        return values
    used = sum(1 for item, v in values if not isinstance(v, NoneValue)) - 1
    everything = Slice(values[marks[0]][0].place, None, None, None)
    fill: list[tuple[Expression, Value | None]] = [(everything, None)] * max(0, view.ndim - used)
    return values[: marks[0]] + fill + values[marks[0] + 1 :]


def _compose(axis: Axis, places: dict[int, Axis]) -> Axis:
    """An axis of the array addressed through the old view, now addressed through the new one."""
    if axis.dim is None:
        return axis
    place = places[axis.dim]
    if axis.offset is None or place.offset is None:
        return Axis(None, place.dim, why=axis.why or place.why)
    return Axis(axis.offset + axis.step * place.offset, place.dim, axis.step * place.step)


def _fixed(cx: Context, value: Value | None, view: View, dimension: int) -> Axis:
    if not isinstance(value, Scalar):
        return Axis(None, why="a subscript that is not a number")
    if value.expr is None or not value.is_whole:
        return Axis(None, why=value.why_unknown or "a subscript that depends on data", within=value.within)
    if view.relative:
        return Axis(value.expr)
    size = view.shape[dimension]
    index = wrapped(cx, value.expr, size)
    return Axis(index if _is_plain(view, dimension) else _wrapped_inside(cx, index, size))


def _is_plain(view: View, dimension: int) -> bool:
    """Whether a view's subscript is the array's own; negative ones are then resolved in the last pass."""
    axis = next((a for a in view.axes if a.dim == dimension), None)
    return axis is None or (axis.offset == ZERO and axis.step == ONE)


def _wrapped_inside(cx: Context, index: Expr, size: Expr) -> Expr:
    """A subscript of part of an array that may go below zero wraps inside that part."""
    lo, hi = extent(index, cx.builder.loops, cx.builder.guards)
    return index - size * (index // size) if can_be_negative(lo) and not surely_below_zero(hi) else index


def wrapped(cx: Context, index: Expr, size: Expr) -> Expr:
    """A subscript that is surely negative counts from the end."""
    constant = index.constant
    if constant is not None:
        return index + size if constant < 0 else index
    _, hi = extent(index, cx.builder.loops, cx.builder.guards)
    return index + size if surely_below_zero(hi) else index


def _slice_end(cx: Context, part: Expression | None, size: Expr, default: Expr) -> Expr | None:
    """One end of a slice in elements from the start; None where it depends on data."""
    if part is None:
        return default
    value = cx.eval(part)
    if isinstance(value, NoneValue):
        return default
    if not isinstance(value, Scalar) or value.expr is None:
        return None
    return wrapped(cx, value.expr, size)


def _slice_step(cx: Context, item: Slice) -> Expr | None:
    if item.step is None:
        return ONE
    value = cx.eval(item.step)
    return value.expr if isinstance(value, Scalar) else None


def _slice_axis(cx: Context, item: Slice, size: Expr, dim: int, line: int) -> Axis:
    step = _slice_step(cx, item)
    backwards = step is not None and step.constant is not None and step.constant < 0
    start = _slice_end(cx, item.lower, size, size - 1 if backwards else ZERO)
    if start is None or step is None:
        return Axis(None, dim, why="a slice whose start depends on data")
    return Axis(start, dim, step)


def _slice_extent(cx: Context, item: Slice, size: Expr, line: int) -> Expr:
    step = _slice_step(cx, item)
    backwards = step is not None and step.constant is not None and step.constant < 0
    start = _slice_end(cx, item.lower, size, size - 1 if backwards else ZERO)
    stop = _slice_end(cx, item.upper, size, Expr.of(-1) if backwards else size)
    if start is None or stop is None or step is None:
        return data_slice_length(cx, item, line)
    stop = _clipped(stop, size)
    if step == ONE:
        return stop - start
    return ceil_div(start - stop, -step) if backwards else ceil_div(stop - start, step)


def _clipped(stop: Expr, size: Expr) -> Expr:
    """A slice ends with the array: ``x[: i + 5]`` on a short one."""
    beyond = (stop - size).constant
    return size if beyond is not None and beyond > 0 else stop


def data_slice_length(cx: Context, item: Slice, line: int) -> Expr:
    """The length of a slice with ends from data: CSR rows have a known total, others a symbol."""
    key = ("slice", item.place.line, item.place.column)
    known = cx.builder.shares.get(key)
    if known is None:
        known = cx.builder.symbol(f"len_{line}", "length", f"mean length of the slice in line {line}", line)
        cx.builder.shares[key] = known
    cx.builder.reason(line, "the length of a slice depends on data", "parametric")
    return known


# -- elements -------------------------------------------------------------------------------------


def read(cx: Context, view: View, line: int, column: int = 0) -> Scalar:
    """Read the one element that a view of no dimensions shows."""
    node = _touch(cx, view, line, column, write=False, inputs=())
    array = cx.builder.arrays[view.array]
    place = tuple(axis.offset for axis in view.axes)
    why = f"an element of {array.name}"
    dtype = view.dtype
    return Scalar(
        dtype,
        node=node,
        loaded_from=(array.name, place),
        why_unknown=why,
        depends=frozenset(cx.builder.open_variables),
    )


def write(cx: Context, view: View, value: Scalar, line: int, column: int = 0) -> None:
    """Write one element."""
    _touch(cx, view, line, column, write=True, inputs=() if value.node is None else (value.node,))


def _touch(cx: Context, view: View, line: int, column: int, *, write: bool, inputs: tuple[int, ...]) -> int:
    """The access itself."""
    builder = cx.builder
    index = tuple(axis.offset for axis in view.axes)
    why = next((axis.why for axis in view.axes if axis.offset is None), "")
    within = tuple(axis.within for axis in view.axes) if why else ()
    node = builder.new_id()
    access = Access(node, view.array, index, write, line, column, inputs, why, within)
    return builder.access(access)


def element(view: View, indices: list[Expr]) -> View:
    """The element of ``view`` at ``indices`` (broadcast: aligned at the last, extents of 1 repeat)."""
    skip = len(indices) - view.ndim
    places = {d: Axis(ZERO if view.shape[d] == ONE else indices[skip + d]) for d in range(view.ndim)}
    return replace(view, shape=(), axes=tuple(_compose(a, places) for a in view.axes))


def tuple_item(value: TupleValue, index: Scalar) -> Value | None:
    """An item of a tuple at a constant place."""
    place = index.expr.constant if index.expr is not None else None
    if place is None or not -len(value.items) <= place < len(value.items):
        return None
    return value.items[int(place)]
