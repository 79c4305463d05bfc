"""Another layout of the same data: records as one array for each field, another axis contiguous, longer rows."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import ONE, Expr


def with_fields_apart(kernel: Kernel, name: str) -> Kernel:
    """The kernel with a structure of arrays in the place of the array ``name``: of a structured type, or with a short
    last axis."""
    records = kernel.array(name)
    return replace(kernel, arrays=tuple(_apart(array, records) for array in kernel.arrays))


def _apart(array: Array, records: Array) -> Array:
    if array.record is not None and array.record.records == records.name:
        inner = prod(array.shape[array.record.ndim :], start=ONE)
        outer = tuple(stride * inner for stride in records.strides)
        return replace(array, strides=(*outer, *array.strides[array.record.ndim :]), record=None)
    if array.name == records.name and array.dtype.kind != "record":
        fields = array.shape[-1]
        outer = tuple(stride / fields for stride in array.strides[:-1])
        return replace(array, strides=(*outer, prod(array.shape[:-1], start=ONE)))
    return array


def with_axis_last(kernel: Kernel, name: str, axis: int) -> Kernel | None:
    """The kernel with an array stored so that its elements along ``axis`` are contiguous."""
    array = kernel.array(name)
    return _stored(kernel, array, [*(n for n in range(len(array.shape)) if n != axis), axis])


def with_padded_rows(kernel: Kernel, name: str, elements: int) -> Kernel | None:
    """The kernel with so many elements more between the rows of an array: its contiguous axis is that much longer."""
    array = kernel.array(name)
    return _stored(kernel, array, sorted(range(len(array.shape)), key=lambda n: array.strides[n] == ONE), elements)


def _stored(kernel: Kernel, array: Array, axes: list[int], padding: int = 0) -> Kernel | None:
    """``axes``: in storage, the contiguous one last. None where other arrays show the same memory."""
    if sum(other.owner == array.owner for other in kernel.arrays) > 1 or len(axes) < 2 or array.record is not None:
        return None
    stride, strides = ONE, dict[int, Expr]()
    for axis in reversed(axes):
        strides[axis] = stride
        stride = stride * (array.shape[axis] + (padding if axis == axes[-1] else 0))
    stored = replace(array, strides=tuple(strides[n] for n in range(len(axes))))
    return replace(kernel, arrays=tuple(stored if other is array else other for other in kernel.arrays))
