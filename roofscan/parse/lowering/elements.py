"""Elements of arrays: how they are addressed, read and written; numbers in registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import prod

from roofscan.ir.arrays import Array
from roofscan.ir.data_subscripts import Element, Rest, Shift
from roofscan.ir.dtypes import F8, I8, DType
from roofscan.ir.records import RecordType
from roofscan.ir.tree import Access
from roofscan.parse.lowering import values
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.records.fields import all_bytes
from roofscan.parse.reader.module_arrays import integer_at
from roofscan.parse.syntax import Expression
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

SMALL = 2  # bytes of a type whose values are few beside the elements of large tables
MAX_PARTS = 64  # the most numbers of a record that is read or written whole


def compose(axis: values.Axis, places: Mapping[int, values.Axis]) -> values.Axis:
    """An axis that is addressed through the old view, addressed through the new one."""
    if axis.dim is None:
        return axis
    place = places[axis.dim]
    if axis.offset == ZERO and axis.step == ONE:
        return place
    if axis.offset is None or place.offset is None:
        return _onwards(axis, place)
    written, offset, step = place.offset if place.dim is None else None, place.offset, place.step
    if axis.step != ONE:
        offset, step = axis.step * offset, axis.step * step
    why = axis.why or place.why
    return values.Axis(axis.offset + offset, place.dim, step, why, written=written, unsigned=place.unsigned)


def _onwards(axis: values.Axis, place: values.Axis) -> values.Axis:
    """An unknown place in a view, or a place in a view that begins at an unknown one."""
    unknown, known = (axis, place) if axis.offset is None else (place, axis)
    why = axis.why or place.why
    if known.offset is None or unknown.moved is None or ONE not in (axis.step, known.step):
        return values.Axis(None, place.dim, why=why)
    moved = unknown.moved.by(known.offset * (axis.step if known is place else ONE))
    return values.Axis(None, place.dim, why=why, moved=moved.anywhere)


def computed_here(cx: Context, element: Element | None = None) -> values.Displaced:
    """An integer that is not known, but stays what it is in the loops that are opened from here on."""
    shift = element and Shift(ZERO, element)
    return values.Displaced(cx.builder.new_id(), frozenset(cx.builder.open_variables), element=element, shift=shift)


def as_computed_here(cx: Context, value: values.Value) -> values.Value:
    """A value that gets a name: an integer that is not known stays what it is from here on."""
    if not isinstance(value, values.Scalar) or not value.is_integer or value.expr is not None or value.moved:
        return value
    return replace(value, moved=computed_here(cx))


def read(cx: Context, view: values.View, line: int, column: int = 0, *, atomic: bool = False) -> values.Scalar:
    """Read the element of a view of no dimensions; of a record, all of its bytes."""
    if isinstance(view.dtype, RecordType):
        nodes = [read(cx, part, line, column).node for part in _parts(cx, view, line)]
        return values.Scalar(view.dtype, node=nodes[-1] if nodes else None, why_unknown="a record")
    node = _touch(cx, view, line, column, write=False, inputs=(), atomic=atomic)
    array = cx.builder.arrays[view.array]
    place = tuple(axis.offset for axis in view.axes)
    why = f"an element of {cx.builder.shown(array.name)}"
    known = tuple(offset for offset in place if offset is not None)
    moved = computed_here(cx, (array.name, known) if len(known) == len(place) else None)
    return values.Scalar(
        view.dtype, _constant_at(cx, array, place), node, loaded_from=(array.name, place), why_unknown=why,
        within=_range_of(view.dtype), moved=moved,
    )  # fmt: skip


def _range_of(dtype: DType) -> tuple[Expr, Expr] | None:
    """The values of a small unsigned type: a table that bytes index has 256 places."""
    return (ZERO, Expr.of(2 ** (8 * dtype.size) - 1)) if dtype.is_unsigned and dtype.size <= SMALL else None


def _constant_at(cx: Context, array: Array, place: tuple[Expr | None, ...]) -> Expr | None:
    """The integer that an array of literals holds at a known place: one that is only read, or a global one, which
    compiled code takes as a constant."""
    if array.dtype.kind != "int" or not (array.role == "local" or (array.role == "global" and cx.compiled)):
        return None
    made = cx.table_of(array.name) if array.role == "local" else cx.here.constants.get(array.name)
    if made is None:
        return None
    known = [offset.constant for offset in place if offset is not None]
    if None in known or len(known) < len(place):
        return None
    number = integer_at(cx.here, made, (int(k) for k in known if k is not None))
    return None if number is None else Expr.of(number)


def write(
    cx: Context, view: values.View, value: values.Scalar, line: int, column: int = 0, *, atomic: bool = False
) -> None:
    """Write the element of a view of no dimensions; of a record, all of its bytes."""
    if isinstance(view.dtype, RecordType):
        for part in _parts(cx, view, line):
            write(cx, part, value, line, column)
        return
    broadcast_sizes, names = cx.builder.broadcast_sizes, cx.builder.broadcast_sizes.open_sources((value.node,))
    if not cx.builder.in_array_expression:
        broadcast_sizes.mark_scalars(names)
    elif names and cx.builder.arrays[view.array].role == "temporary":
        broadcast_sizes.arrays[view.array] = broadcast_sizes.arrays.get(view.array, names) | names
    inputs = (value.node,) if value.node and value.made else ()
    _touch(cx, view, line, column, write=True, inputs=inputs, atomic=atomic)


def _parts(cx: Context, record: values.View, line: int) -> list[values.View]:
    """The numbers in a record, one by one, and what pads it."""
    assert isinstance(record.dtype, RecordType)
    if sum(prod(field.shape) for field in record.dtype.all_bytes) > MAX_PARTS:
        cx.builder.reason(line, f"a record of {record.array} has more than {MAX_PARTS} numbers", "unseen")
        return []
    return [
        element(field, [Expr.of(n) for n in place])
        for field in all_bytes(cx, record)
        for place in product(*(range(int(extent.constant or 0)) for extent in field.shape))
    ]


def _touch(
    cx: Context, view: values.View, line: int, column: int, *, write: bool, inputs: tuple[int, ...], atomic: bool
) -> int:
    builder = cx.builder
    index = tuple(axis.offset for axis in view.axes)
    why = next((axis.why for axis in view.axes if axis.offset is None), "")
    within = tuple(axis.within for axis in view.axes) if why else ()
    rests = tuple(_rest(axis, builder.open_variables) for axis in view.axes) if why else ()
    node = builder.new_id()
    if view.array in builder.broadcast_sizes.arrays:
        builder.broadcast_sizes.of[node] = builder.broadcast_sizes.arrays[view.array]
    if builder.elsewhere:
        line, column = builder.line(line), 0
    written: tuple[Expr | None, ...] = ()
    if any(axis.written is not None or axis.unsigned for axis in view.axes):
        written = tuple(None if axis.unsigned else axis.written or axis.offset for axis in view.axes)
    nearly = any(axis.offset is not None and axis.why for axis in view.axes)
    pointer = next((axis.moved.pointer for axis in view.axes if axis.moved and axis.moved.pointer), None)
    access = Access(
        node, view.array, index, write, line, column, inputs, why, within, written, rests, atomic, nearly=nearly,
        pointer=pointer, any_stride=view.any_stride,
    )  # fmt: skip
    return builder.access(access)


def _rest(axis: values.Axis, around: tuple[str, ...]) -> Rest | None:
    """``around``: the variables of the loops around the access, outermost first."""
    moved = axis.moved
    if axis.offset is not None or moved is None:
        return None
    computed_in = next((symbol(var) for var in reversed(around) if var in moved.depends), None)
    fixed = moved.depends.isdisjoint(around[-1:])
    return Rest(moved.rest, fixed, moved.element, None, moved.origin, computed_in, moved.shift)


def element(view: values.View, indices: list[Expr]) -> values.View:
    """The element of ``view`` at ``indices``, broadcast: aligned at the last dimension, extents of 1 repeat."""
    skip = len(indices) - len(view.shape)
    places = {d: values.Axis(ZERO if extent == ONE else indices[skip + d]) for d, extent in enumerate(view.shape)}
    axes = tuple(compose(a, places) for a in view.axes)
    return values.View(view.array, view.dtype, (), axes, view.temporary, view.relative, any_stride=view.any_stride)


def as_scalar(cx: Context, value: values.Value, line: int) -> values.Scalar:
    """``value`` as a number in a register; a view of no dimensions is read."""
    if isinstance(value, values.Scalar):
        return value
    if isinstance(value, values.View):
        if value.ndim == 0:
            return read(cx, value, line)
        return values.Scalar(value.dtype, why_unknown="an array used as a number")
    known = value.dtype if isinstance(value, values.Unknown) else None
    if isinstance(value, values.Unknown) and value.several:
        cx.builder.reason(line, f"{value.why}: an array of unknown size counts as one number", "lower")
    if known is None and any(array.dtype.kind == "complex" for array in cx.builder.arrays.values()):
        cx.builder.reason(line, "a number that may be complex is counted as a real one", "hidden")
    return values.Scalar(known or F8, weak=known is None, least=None if known else I8, why_unknown="data")


def scalar(cx: Context, expression: Expression) -> values.Scalar:
    return as_scalar(cx, cx.eval(expression), expression.place.line)
