"""Making, copying and viewing arrays: zeros writes, empty does not, a view moves nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tests.oracle import rules
from tests.oracle.arrays import TracedArray, Unsupported, c_strides, locate
from tests.oracle.elementwise import assign, elementwise, kind_of
from tests.oracle.memory import fresh, read_all, sweep, values_of, write_all
from tests.oracle.scratch import Size, is_literal

if TYPE_CHECKING:
    from tests.oracle.recorder import Recorder


def filled(function: Any, writes: bool, recorder: Recorder, literal: Any, *args: Any, **keywords: Any) -> TracedArray:
    order, values = keywords.get("order", "C"), np.asarray(function(*map(values_of, args), **keywords))
    recorder.operands = args if function is np.arange else args[:1]
    made = recorder.allocate(values, "", order)
    if writes:
        write_all(recorder, made)
    return made


def spaced(recorder: Recorder, literal: Any, *args: Any, **keywords: Any) -> TracedArray:
    """``linspace``: a multiple of the step from the start, an estimate of what the library does."""
    values = np.linspace(*args, **keywords)
    recorder.count({"mul": 1, "add": 1}, "fp64", values.size)
    return written(recorder, values)


def made(recorder: Recorder, literal: Any, values: Any, dtype: Any = None, copy: Any = True, order: str = "K") -> Any:
    if type(values) is TracedArray:
        return (copied if copy else as_array)(recorder, literal, values, dtype, order)
    if rules.kind_of(values):  # a number stays in its register
        return np.array(values, dtype)[()]
    recorder.operands = tuple(_arrays(values))  # as many items as the source spells out
    for item in recorder.operands:
        read_all(recorder, item)
    return written(recorder, np.array(values_of(values), dtype))


def _arrays(values: Any) -> Iterator[TracedArray]:
    """The arrays in nested lists."""
    for item in values if isinstance(values, (list, tuple)) else ():
        if type(item) is TracedArray:
            yield item
        else:
            yield from _arrays(item)


def written(recorder: Recorder, values: Any) -> TracedArray:
    made = fresh(recorder, values)
    write_all(recorder, made)
    return made


def as_array(recorder: Recorder, literal: Any, values: Any, dtype: Any = None, order: str | None = "K") -> Any:
    same = type(values) is TracedArray and (dtype is None or np.dtype(dtype) == values.dtype)
    if same and (order in (None, "A", "K") or (values.T if order == "F" else values).contiguous):
        return values
    if rules.kind_of(values):
        return np.asarray(values, dtype)[()]
    return made(recorder, literal, values, dtype, order=order or "K")


def copied(
    recorder: Recorder, literal: Any, array: TracedArray, dtype: Any = None, order: str = "K", copy: bool = True
) -> TracedArray:
    if not copy and np.dtype(dtype) == array.dtype:
        return array
    kind = "convert" if dtype is not None and kind_of(array) != "i" else ""
    if order == "F":
        made = recorder.allocate(array.values().astype(dtype or array.dtype), "", "F")
        recorder.count({kind: 1} if kind else {}, rules.precision_of_dtype(array.dtype), array.size)
        sweep(recorder, [array], made, array.shape)
        return made
    return elementwise(recorder, lambda a: a.astype(dtype or a.dtype), {kind: 1} if kind else {}, (array,))


def joined(function: Any, recorder: Recorder, literal: Any, arrays: Any, **axis: int) -> TracedArray:
    for array in arrays:
        read_all(recorder, array)
    made = fresh(recorder, function([a.values() for a in arrays], **axis))
    write_all(recorder, made)
    return made


def rearranged(function: Any, recorder: Recorder, literal: Any, array: Any, *args: Any, **keywords: Any) -> TracedArray:
    made = fresh(recorder, function(array.values(), *args, **keywords))
    read_all(recorder, array)
    write_all(recorder, made)
    return made


def reshaped(recorder: Recorder, literal: Any, array: TracedArray, *shape: Any, order: str = "C") -> TracedArray:
    if order == "F":
        flat = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return transposed(recorder, literal, reshaped(recorder, literal, array.T, tuple(reversed(flat))))
    flat = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    known = math.prod(extent for extent in flat if extent != -1)
    rest = array.size // max(known, 1)
    full = tuple(extent if extent != -1 else rest if is_literal(array) else Size(rest) for extent in flat)
    if math.prod(full) != array.size:
        raise ValueError(f"cannot reshape an array of {array.size} elements into {full}")
    if [extent for extent in full if extent != 1] == [extent for extent in array.shape if extent != 1]:
        steps = iter(step for extent, step in zip(array.shape, array.strides, strict=True) if extent != 1)
        return array.window(array.offset, full, tuple(next(steps) if extent != 1 else 0 for extent in full))
    strides = c_strides(full) if array.contiguous else _without_copy(array, full)
    if strides is None:
        array, strides = copied(recorder, literal, array), c_strides(full)
    return array.window(array.offset, full, strides)


def _without_copy(array: TracedArray, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides with which NumPy shows the same memory in another shape; None where it copies."""
    view = as_strided(np.empty(1, np.int8), array.shape, array.strides)
    try:
        view.shape = shape
    except AttributeError:
        return None
    return view.strides


def contiguous(recorder: Recorder, literal: Any, array: TracedArray) -> TracedArray:
    return array if array.contiguous else copied(recorder, literal, array)


def raveled(recorder: Recorder, literal: Any, array: TracedArray, order: str = "C") -> TracedArray:
    array = array.T if order == "F" else array
    return reshaped(recorder, literal, contiguous(recorder, literal, array), array.size)


def flattened(recorder: Recorder, literal: Any, array: TracedArray, order: str = "C") -> TracedArray:
    return raveled(recorder, literal, copied(recorder, literal, array.T if order == "F" else array))


def transposed(recorder: Recorder, literal: Any, array: TracedArray, *order: Any, axes: Any = None) -> TracedArray:
    order = order[0] if len(order) == 1 and isinstance(order[0], tuple) else order
    order = axes or order or tuple(reversed(range(array.ndim)))
    return array.window(array.offset, tuple(array.shape[k] for k in order), tuple(array.strides[k] for k in order))


def swapped(recorder: Recorder, literal: Any, array: TracedArray, a: int, b: int) -> TracedArray:
    order = list(range(array.ndim))
    order[a], order[b] = order[b], order[a]
    return transposed(recorder, literal, array, tuple(order))


def flipped(recorder: Recorder, literal: Any, array: TracedArray, axis: int | None = None) -> TracedArray:
    """A view that is reversed along one axis, or along all."""
    turned = range(array.ndim) if axis is None else [axis % array.ndim]
    parts = tuple(slice(None, None, -1 if k in turned else 1) for k in range(array.ndim))
    place = locate(array, parts)
    assert isinstance(place, TracedArray)
    return place


def widened(recorder: Recorder, literal: Any, array: TracedArray, axis: int) -> TracedArray:
    """``expand_dims``: a view with an axis of one element more."""
    at = axis % (array.ndim + 1)
    shape, strides = list(array.shape), list(array.strides)
    shape.insert(at, 1)
    strides.insert(at, 0)
    return array.window(array.offset, tuple(shape), tuple(strides))


def sliding(recorder: Recorder, literal: Any, array: TracedArray, window_shape: Any, axis: Any = None) -> TracedArray:
    """``sliding_window_view``: windows that share elements."""
    windows = window_shape if isinstance(window_shape, tuple) else (window_shape,)
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    shape, strides = [*array.shape, *windows], [*array.strides, *(array.strides[a] for a in axes)]
    for a, window in zip(axes, windows):
        shape[a % array.ndim] -= window - 1
    return array.window(array.offset, tuple(shape), tuple(strides))


def viewed(recorder: Recorder, literal: Any, array: TracedArray, kind: Any) -> TracedArray:
    """``p.view(np.recarray)``: the same records."""
    if kind is not np.recarray:
        raise Unsupported("a view of another type")
    return array


def filled_in(recorder: Recorder, literal: Any, array: TracedArray, value: Any) -> None:
    assign(recorder, array, value)


def split(recorder: Recorder, literal: Any, array: TracedArray, parts: Any, axis: int = 0) -> list[Any]:
    """Equal parts, or parts that end at places: views."""
    extent, ahead = array.shape[axis], (slice(None),) * (axis % array.ndim)
    ends = [*parts, extent] if isinstance(parts, list) else [extent // parts * (k + 1) for k in range(parts)]
    return [locate(array, (*ahead, slice(a, b))) for a, b in zip([0, *ends], ends, strict=False)]
