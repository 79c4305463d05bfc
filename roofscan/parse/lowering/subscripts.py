"""Subscripts: elements and views of arrays, with negative indices, slices, ellipsis and new axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Union

from roofscan.ir.kernel import Access
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import can_be_negative, extent, never_negative, surely_below_zero
from roofscan.parse.lowering.values import Axis, ModuleRef, NoneValue, Scalar, TupleValue, Value, View
from roofscan.parse.syntax import Expression, Literal, Slice
from roofscan.symbolic.expr import ONE, ZERO, Expr, ceil_div, maximum, minimum


@dataclass(frozen=True)
class Cut:
    """A slice whose ends are evaluated; None where it has none."""

    lower: Value | None = None
    upper: Value | None = None
    step: Value | None = None


@dataclass(frozen=True)
class Ellipsis_:
    """``...``: all dimensions that no other subscript takes."""


Index = Union[Value, Cut, Ellipsis_]


@dataclass(frozen=True)
class Selection:
    """A view some of whose dimensions are picked by arrays: ``picked`` lists them with the array of each.

    A boolean mask picks as many dimensions as it has. ``leading``: the picked dimensions come first in the
    result, since something stands between them.
    """

    view: View
    picked: tuple[tuple[int, View], ...]
    leading: bool = False


def evaluate_indices(cx: Context, items: tuple[Expression, ...], line: int) -> list[Index]:
    """The subscripts of ``x[items]``, each evaluated once, in order."""
    indices = [_index(cx, item, line) for item in items]
    if len(indices) == 1 and isinstance(indices[0], TupleValue) and indices[0].kind == "tuple":
        return [*indices[0].items]
    return [_listed(cx, index, line) for index in indices]


def _index(cx: Context, item: Expression, line: int) -> Index:
    if isinstance(item, Slice):
        return Cut(*(None if e is None else cx.eval(e) for e in (item.lower, item.upper, item.step)))
    if isinstance(item, Literal) and item.value is Ellipsis:
        return Ellipsis_()
    value = cx.eval(item)
    if isinstance(value, ModuleRef) and value.dotted.endswith(".newaxis"):
        return NoneValue()
    return value


def _listed(cx: Context, index: Index, line: int) -> Index:
    """A list of numbers as a subscript is an array."""
    if not isinstance(index, TupleValue):
        return index
    from roofscan.parse.lowering.numpy.array_operations import from_items

    return from_items(cx, index, line) or index


def subscript(cx: Context, view: View, indices: Sequence[Index], line: int) -> View | Selection:
    """``view[indices]``: a view (of no dimensions where all are fixed), or a selection by arrays."""
    shape: list[Expr] = []
    places: dict[int, Axis] = {}  # view dimension -> how it is now addressed (relative to the view)
    picked: list[tuple[int, View]] = []
    groups: list[int] = []  # where arrays and numbers stand among the subscripts
    dimension = 0
    for position, index in enumerate(_expanded(view, indices)):
        if isinstance(index, NoneValue):
            shape.append(ONE)
            continue
        if dimension >= view.ndim:
            cx.builder.reason(line, f"{view.array} has {view.ndim} dimensions, {len(indices)} subscripts", "lower")
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
            places[dimension], length = _cut(cx, index, view.shape[dimension], len(shape), line)
            shape.append(length)
        else:
            groups.append(position)
            places[dimension] = _fixed(cx, index, view, dimension)
        dimension += 1
    for rest in range(dimension, view.ndim):
        places[rest] = Axis(ZERO, len(shape))
        shape.append(view.shape[rest])
    found = replace(view, shape=tuple(shape), axes=tuple(_compose(a, places) for a in view.axes), temporary=False)
    if not picked:
        return found
    return Selection(found, tuple(picked), groups[-1] - groups[0] + 1 > len(groups))


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


def _compose(axis: Axis, places: Mapping[int, Axis]) -> Axis:
    """An axis of the array addressed through the old view, now addressed through the new one."""
    if axis.dim is None:
        return axis
    place = places[axis.dim]
    if axis.offset == ZERO and axis.step == ONE:
        return place
    if axis.offset is None or place.offset is None:
        return Axis(None, place.dim, why=axis.why or place.why)
    if axis.step == ONE:
        return Axis(axis.offset + place.offset, place.dim, place.step)
    return Axis(axis.offset + axis.step * place.offset, place.dim, axis.step * place.step)


def _fixed(cx: Context, value: Index, view: View, dimension: int) -> Axis:
    if isinstance(value, View):
        value = read(cx, value, 0)
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


# -- slices ---------------------------------------------------------------------------------------


def _cut(cx: Context, cut: Cut, size: Expr, dim: int, line: int) -> tuple[Axis, Expr]:
    """How a sliced dimension is addressed, and how long it is."""
    step = _number(cut.step, ONE)
    backwards = step is not None and step.constant is not None and step.constant < 0
    start = _end(cx, cut.lower, size, size - 1 if backwards else ZERO, line, longer=backwards)
    stop = _end(cx, cut.upper, size, Expr.of(-1) if backwards else size, line, longer=not backwards)
    if step is None or start is None or stop is None:
        why = "a slice whose start depends on data"
        axis = Axis(None, dim, why=why) if step is None or start is None else Axis(start, dim, step)
        return axis, _data_length(cx, cut, line)
    if backwards:
        start = _not_beyond(cx, start, size - 1, line)
        return Axis(start, dim, step), _not_negative(cx, ceil_div(start - stop, -step))
    stop = _not_beyond(cx, stop, size, line)
    length = stop - start if step == ONE else ceil_div(stop - start, step)
    return Axis(start, dim, step), _not_negative(cx, length)


def _number(value: Value | None, default: Expr) -> Expr | None:
    """A whole number that is known, the default where there is none; None where it depends on data."""
    if value is None or isinstance(value, NoneValue):
        return default
    return (
        value.expr
        if isinstance(value, Scalar) and value.is_whole and value.expr != ZERO
        else (ZERO if isinstance(value, Scalar) and value.expr == ZERO else None)
    )


def _end(cx: Context, value: Value | None, size: Expr, default: Expr, line: int, *, longer: bool) -> Expr | None:
    """One end of a slice in elements from the start; ``longer``: a later end makes the slice longer."""
    if value is None or isinstance(value, NoneValue):
        return default
    number = _number(value, default)
    if number is None:
        return None
    said = cx.builder.known_value(number)
    end = _free_end(cx, number, size, line, longer) if said is None else number + size if said < 0 else number
    known = cx.builder.known_value(end)
    if known is not None and known < 0:
        return ZERO if end.constant is not None else maximum(end, 0)
    if end.constant is None:
        lo, hi = extent(end, cx.builder.loops, cx.builder.guards)
        if (can_be_negative(lo) or surely_below_zero(lo)) and not surely_below_zero(hi):
            why = "a slice may start or end before the first element for some iterations"
            cx.builder.reason(line, why, "lower" if longer else "upper")
    return end


def _free_end(cx: Context, number: Expr, size: Expr, line: int, longer: bool) -> Expr:
    """``x[:-k]`` counts from the end for k >= 1 only: at k = 0 it is empty. That is assumed of a size, and
    makes a bound of the slices of a loop in which k is 0 at times."""
    lo, hi = extent(number, cx.builder.loops, cx.builder.guards)
    if hi is None or not never_negative(-hi) or (never_negative(lo) and never_negative(hi)):
        return number
    if not surely_below_zero(hi):
        why = "a slice counts from the end, and starts or ends at 0 for some iterations"
        cx.builder.reason(line, why, "upper" if longer else "lower")
    elif not hi.constant_term:
        cx.builder.assume(f"{-hi} is at least 1: a slice counts from the end by it (line {line})")
    return number + size


def _not_beyond(cx: Context, stop: Expr, size: Expr, line: int) -> Expr:
    """A slice ends with the array: the last tile of ``x[i : i + T]`` may be shorter."""
    beyond = stop - size
    known = cx.builder.known_value(beyond)
    if known is not None:
        if beyond.constant is not None:
            return size if known > 0 else stop
        return minimum(stop, size) if known > 0 else stop
    variables = stop.symbols & set(cx.builder.open_variables)
    if not variables:
        cx.builder.assume(f"a slice to {stop} stays inside the {size} elements there (line {line})")
        return stop
    _, hi = extent(beyond, cx.builder.loops, cx.builder.guards)
    most = None if hi is None else cx.builder.known_value(hi)
    if most is not None and most <= 0 and not _strided(cx, variables):
        return stop
    if _strided(cx, variables) or most is not None:
        return minimum(stop, size)
    cx.builder.assume(f"slices of line {line} stay inside the array")
    return stop


def _strided(cx: Context, variables: Set[str]) -> bool:
    """Whether one of the loops steps by more than one, and may overshoot."""
    return any(loop.var in variables and loop.step not in (ONE, -ONE) for loop in cx.builder.loops)


def _not_negative(cx: Context, length: Expr) -> Expr:
    """A slice that starts behind its end is empty: at the sizes that are known, or in some turns of a loop."""
    known = length.constant if length.constant is not None else cx.builder.known_value(length)
    if known is not None:
        return length if known >= 0 else ZERO
    least, _ = extent(length, cx.builder.loops, cx.builder.guards)
    if least is None or not length.symbols & set(cx.builder.open_variables):
        return length
    known = least.constant if least.constant is not None else cx.builder.known_value(least)
    return maximum(length, 0) if known is not None and known < 0 else length


def _data_length(cx: Context, cut: Cut, line: int) -> Expr:
    """The length of a slice with ends from data: CSR rows have a known total, others a symbol."""
    from roofscan.parse.lowering.control.iteration import rows_total

    if isinstance(cut.lower, Scalar) and isinstance(cut.upper, Scalar) and _number(cut.step, ONE) == ONE:
        rows = rows_total(cx, cut.lower, cut.upper, line)
        if rows is not None:
            return rows[2]
    key = ("slice", line, repr((_origin(cut.lower), _origin(cut.upper))))
    known = cx.builder.shares.get(key)
    if known is None:
        known = cx.builder.symbol(f"len_{line}", "length", f"mean length of the slice in line {line}", line)
        cx.builder.shares[key] = known
    cx.builder.reason(line, "the length of a slice depends on data", "parametric")
    return known


def _origin(value: Value | None) -> object:
    """What tells two ends of slices of one line apart."""
    if not isinstance(value, Scalar):
        return None
    return value.loaded_from if value.loaded_from else (str(value.expr), value.why_unknown)


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
    breadths, names = cx.builder.breadths, cx.builder.breadths.open_among((value.node,))
    if not cx.builder.in_array_expression:
        breadths.are_numbers(names)
    elif names and cx.builder.arrays[view.array].role == "temporary":
        breadths.arrays[view.array] = breadths.arrays.get(view.array, names) | names
    _touch(cx, view, line, column, write=True, inputs=(value.node,) if value.node and value.made else ())


def _touch(cx: Context, view: View, line: int, column: int, *, write: bool, inputs: tuple[int, ...]) -> int:
    """The access itself."""
    builder = cx.builder
    index = tuple(axis.offset for axis in view.axes)
    why = next((axis.why for axis in view.axes if axis.offset is None), "")
    within = tuple(axis.within for axis in view.axes) if why else ()
    node = builder.new_id()
    if view.array in builder.breadths.arrays:
        builder.breadths.of[node] = builder.breadths.arrays[view.array]
    if builder.elsewhere:
        line, column = builder.line(line), 0
    access = Access(node, view.array, index, write, line, column, inputs, why, within)
    return builder.access(access)


def element(view: View, indices: list[Expr]) -> View:
    """The element of ``view`` at ``indices`` (broadcast: aligned at the last, extents of 1 repeat)."""
    skip = len(indices) - len(view.shape)
    places = {d: Axis(ZERO if extent == ONE else indices[skip + d]) for d, extent in enumerate(view.shape)}
    axes = tuple(_compose(a, places) for a in view.axes)
    return View(view.array, view.dtype, (), axes, view.temporary, view.relative)


def tuple_item(value: TupleValue, index: Scalar) -> Value | None:
    """An item of a tuple at a constant place."""
    place = index.expr.constant if index.expr is not None else None
    if place is None or not -len(value.items) <= place < len(value.items):
        return None
    return value.items[int(place)]
