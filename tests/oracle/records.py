"""Records: arrays of structured types. A field of all records is a window on memory that other fields share."""

from __future__ import annotations

from math import gcd, prod
from typing import Any

import numpy as np

from tests.oracle.arrays import Buffer, TracedArray, c_strides


def field_of(array: TracedArray, name: str) -> TracedArray:
    """``array["x"]``: nothing is recorded."""
    buffer, (kind, *_) = array.buffer, (array.dtype.fields or {})[name]
    inner = kind.shape
    field = buffer.fields.get(name)
    if field is None:
        field = buffer.fields[name] = _buffer_of(array, name)
    outside, inside = buffer.pitch // field.pitch, kind.base.itemsize // field.pitch
    strides = (*(s * outside for s in array.strides), *(s * inside for s in c_strides(inner)))
    return TracedArray(array.recorder, field, array.offset * outside, (*array.shape, *inner), strides)


def _buffer_of(array: TracedArray, name: str) -> Buffer:
    """The memory of one field: an element for each place at which one may begin."""
    whole, trace = array.buffer, array.recorder.trace
    kind, offset = (array.dtype.fields or {})[name][:2]
    pitch = gcd(whole.pitch, kind.base.itemsize) if kind.shape else whole.pitch
    last = (whole.elements.size - 1) * whole.pitch + (prod(kind.shape) - 1) * kind.base.itemsize
    elements = np.ndarray((last // pitch + 1,), kind.base, whole.memory, whole.start + offset, (pitch,))
    trace.names.append(trace.names[whole.index])
    trace.itemsizes.append(kind.base.itemsize)
    trace.bases.append(trace.bases[whole.index])
    return Buffer(elements, whole.base + offset, len(trace.names) - 1, pitch, whole)


def record_at(array: TracedArray, place: int) -> TracedArray:
    return array.window(place, (), ())


def is_record(array: Any) -> bool:
    return type(array) is TracedArray and array.dtype.names is not None


def store_record(record: TracedArray, value: Any, line: int) -> None:
    """``p[i] = q`` copies a whole record; ``p[i] = (x, y)`` writes field by field."""
    recorder = record.recorder
    if is_record(value):
        recorder.touch(value, value.offset, False, line)
        recorder.touch(record, record.offset, True, line)
        record.buffer.elements[record.offset] = np.array(value.values())
        return
    for name, part in zip(record.dtype.names or (), value, strict=True):
        recorder.store(part, record, name, line)
