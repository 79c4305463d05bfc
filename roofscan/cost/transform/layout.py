"""Another layout of the same data: records as one array for each field."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.kernel import Array, Kernel
from roofscan.symbolic.expr import ONE, Expr


def with_fields_apart(kernel: Kernel, name: str) -> Kernel:
    """The kernel with a structure of arrays in the place of the array ``name``: of a structured type, or with a short
    last axis."""
    records = kernel.array(name)
    return replace(kernel, arrays=tuple(_apart(array, records) for array in kernel.arrays))


def _apart(array: Array, records: Array) -> Array:
    if array.record is not None and array.record.records == records.name:
        inner = _elements(array.shape[array.record.ndim :])
        outer = tuple(stride * inner for stride in records.strides)
        return replace(array, strides=(*outer, *array.strides[array.record.ndim :]), record=None)
    if array.name == records.name and array.dtype.kind != "record":
        fields = array.shape[-1]
        outer = tuple(stride / fields for stride in array.strides[:-1])
        return replace(array, strides=(*outer, _elements(array.shape[:-1])))
    return array


def _elements(shape: tuple[Expr, ...]) -> Expr:
    elements = ONE
    for extent in shape:
        elements = elements * extent
    return elements
