"""Fields of records: each is an array of its own that lies between the others in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from roofscan.ir.arrays import Array, Interleaving
from roofscan.ir.records import Field, RecordType
from roofscan.parse.lowering.builder import c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import Axis, Value, View
from roofscan.symbolic.expr import ZERO, Expr


def is_record(value: Value) -> bool:
    """Whether a value is one record: a reference to an element of an array."""
    return isinstance(value, View) and not value.ndim and isinstance(value.dtype, RecordType)


def field_named(cx: Context, view: View, name: str) -> View | None:
    """``view["x"]``; None where the elements have no such field."""
    field = view.dtype.field(name) if isinstance(view.dtype, RecordType) else None
    return None if field is None else _field(cx, view, field)


def named_fields(cx: Context, view: View) -> Iterator[View]:
    """The fields of a record in the order of its type."""
    assert isinstance(view.dtype, RecordType)
    return (_field(cx, view, field) for field in view.dtype.fields)


def all_bytes(cx: Context, view: View) -> Iterator[View]:
    """The fields of a record in the order of their places, and what pads it."""
    assert isinstance(view.dtype, RecordType)
    return (_field(cx, view, field) for field in view.dtype.all_bytes)


def _field(cx: Context, view: View, field: Field) -> View:
    name = f"{view.array}.{field.name}"
    if name not in cx.builder.arrays:
        cx.builder.arrays[name] = _array(cx.builder.arrays[view.array], field, name)
    extents = tuple(map(Expr.of, field.shape))
    axes = (*view.axes, *(Axis(ZERO, view.ndim + d) for d in range(len(extents))))
    return replace(
        view, array=name, dtype=field.dtype, shape=(*view.shape, *extents), axes=axes, temporary=False, or_none=False
    )


def _array(records: Array, field: Field, name: str) -> Array:
    """The array that a field of these records is."""
    assert isinstance(records.dtype, RecordType)
    around = records.record or Interleaving(records.memory, 0, records.dtype.size, len(records.shape))
    wider = Fraction(records.dtype.size, field.dtype.size)
    extents = tuple(map(Expr.of, field.shape))
    if records.dtype.overlaps:
        buffer = records.memory
    else:
        buffer = f"{records.memory}.{field.name}" if records.buffer else ""
    return replace(
        records,
        name=name,
        dtype=field.dtype,
        shape=(*records.shape, *extents),
        strides=(*(stride * wider for stride in records.strides), *c_strides(extents)),
        buffer=buffer,
        record=replace(around, offset=around.offset + field.offset),
    )
