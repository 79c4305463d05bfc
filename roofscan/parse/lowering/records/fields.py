"""Fields of records: each is an array of its own that lies between the others in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array, Interleaving
from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import F8, I8
from roofscan.ir.records import Field, RecordType, packed, record_type
from roofscan.parse.inference.record_uses import RecordUse
from roofscan.parse.lowering.builder import c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import Axis, Value, View
from roofscan.parse.reader.record_types import structured_types
from roofscan.parse.reader.type_expressions import RECORDS
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


# -- records by their uses --------------------------------------------------------------------------
@dataclass(frozen=True)
class Records:
    """The type of records, and the rank of the array of them: 0 for one record."""

    dtype: RecordType
    ndim: int


def records_by_use(cx: Context, path: str, line: int) -> Records | None:
    """What a parameter with fields is, with the assumption stated; None for an object, whose fields are its own."""
    uses = cx.frame.type_facts.record_uses[path]
    names = tuple(dict.fromkeys(sorted(use.field for use in uses)))
    fitting = [t for t in structured_types(cx.here, RECORDS) if all(t.field(name) for name in names)]
    shown = ", ".join(names)
    if len(fitting) == 1:
        ndim = _rank(cx, path, uses, fitting[0])
        cx.builder.assume(
            Assumption(path, f"{'an array of ' if ndim else ''}{fitting[0].name} (it has the fields {shown})")
        )
        return Records(fitting[0], ndim)
    indexed = {use.field for use in uses if use.by_text and use.after}
    if not any(use.before for use in uses) and not (cx.compiled and indexed.issuperset(names)):
        return None  # an object or a dict, whose fields are its own
    dtype = _least(cx, path, uses)
    cx.builder.assume(Assumption(path, f"records of 8-byte fields: {shown} (default)"))
    cx.builder.reason(line, f"the type of the records in {path} is not known: other fields lie between these", "unseen")
    return Records(dtype, _rank(cx, path, uses, dtype))


def _least(cx: Context, path: str, uses: set[RecordUse]) -> RecordType:
    """The smallest record that the uses allow: the fields that are numbers."""
    integers = cx.frame.type_facts.integer_fields
    arrays = {use.field for use in uses if use.before and use.after}
    fields = sorted({use.field for use in uses} - arrays)
    parts = [(name, I8 if (path, name) in integers else F8, ()) for name in fields]
    return packed(parts) if parts else record_type((), F8.size)


def _rank(cx: Context, path: str, uses: set[RecordUse], dtype: RecordType) -> int:
    """By the subscripts in front of a field, else by those behind it that the field itself does not take."""
    found = max(use.before for use in uses)
    for use in uses:
        field = dtype.field(use.field)
        if not use.before and field is not None:
            found = max(found, use.after - len(field.shape))
    is_array = path in cx.frame.type_facts.ranks or not cx.compiled
    return found or int(is_array)
