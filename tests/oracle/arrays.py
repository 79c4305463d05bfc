"""Traced arrays: strided windows on a buffer that starts a cache line of its own.

They have no operators: the rewritten source calls the recorder for every operator and subscript, so
anything that is not recorded is an error and not a silent zero.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tests.oracle.scratch import Size, is_literal

if TYPE_CHECKING:
    from tests.oracle.recorder import Recorder

ALIGNMENT = 4096
"""Bytes: buffers start at multiples of this, so on lines of their own at any line size."""


class Unsupported(Exception):
    """The oracle does not know how to count this."""


class Buffer:
    """Elements in a row, ``pitch`` bytes apart: those of a stretch of memory, or one field of the records in it."""

    __slots__ = ("base", "elements", "fields", "index", "itemsize", "memory", "of_records", "pitch", "start")

    def __init__(
        self, elements: np.ndarray[Any, Any], base: int, index: int, pitch: int = 0, records: Buffer | None = None
    ) -> None:
        """``records``: the memory that the elements are a field of; they are ``pitch`` bytes apart in it."""
        self.elements = elements
        self.base = base
        self.index = index
        self.itemsize = elements.itemsize
        self.pitch = pitch or elements.itemsize
        self.fields: dict[str, Buffer] = {}
        self.of_records = elements.dtype.names is not None
        self.memory: Any = elements.view(np.uint8) if records is None and elements.dtype.names else None
        self.start = 0
        if records is not None:
            self.memory, self.start = records.memory, records.start + base - records.base


class TracedArray:
    """``shape`` and ``strides`` are in elements, ``offset`` is the buffer's element at the first index."""

    __slots__ = ("buffer", "offset", "recorder", "shape", "strides")

    def __init__(
        self,
        recorder: Recorder,
        buffer: Buffer,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> None:
        self.recorder = recorder
        self.buffer = buffer
        self.offset = offset
        self.shape = shape
        self.strides = strides

    # -- what a kernel may ask of an array without moving anything ------------------------------
    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape) if is_literal(self.shape) else Size(math.prod(self.shape))

    @property
    def dtype(self) -> np.dtype[Any]:
        kind: np.dtype[Any] = self.buffer.elements.dtype
        return kind

    @property
    def itemsize(self) -> int:
        return self.buffer.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def T(self) -> TracedArray:
        return self.window(self.offset, self.shape[::-1], self.strides[::-1])

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth value of an array is ambiguous")
        return bool(self.values().item())

    def __iter__(self) -> Iterator[Any]:
        line = self.recorder.line
        for i in range(self.shape[0]):
            yield self.recorder.load(self, i, line)

    @property
    def flat(self) -> Any:
        return self.ravel()

    def __getattr__(self, name: str) -> Any:
        if name in (self.dtype.names or ()):
            return self.recorder.load(self, name, self.recorder.line)
        return self.recorder.method(self, name)

    # -- places ---------------------------------------------------------------------------------
    def window(self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> TracedArray:
        return TracedArray(self.recorder, self.buffer, offset, shape, strides)

    def positions(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The buffer's element number of every element, in this array's shape."""
        places = np.full(self.shape, self.offset, dtype=np.int64)
        for axis, (extent, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            column = (np.arange(extent, dtype=np.int64) * stride).reshape(-1, *[1] * (self.ndim - axis - 1))
            places = places + column
        return places

    def values(self) -> np.ndarray[Any, Any]:
        """A NumPy window on the same elements. Reading through it records nothing."""
        size = self.buffer.pitch
        if self.dtype.names is not None:
            start = self.buffer.start + self.offset * size
            return np.ndarray(self.shape, self.dtype, self.buffer.memory, start, [s * size for s in self.strides])
        return as_strided(
            self.buffer.elements[self.offset :] if self.size else self.buffer.elements[:0],
            self.shape,
            [stride * size for stride in self.strides],
        )

    @property
    def contiguous(self) -> bool:
        return self.strides == c_strides(self.shape) or self.size <= 1


Place = Union[int, TracedArray]


def c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def f_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return c_strides(shape[::-1])[::-1]


_INTEGERS = frozenset((int, Size, np.int64, np.int32))


def element_at(array: TracedArray, index: Any) -> int | None:
    """The element number where all subscripts are integers. Most accesses are of this kind: it has to be fast."""
    shape, place = array.shape, array.offset
    if type(index) is not tuple:
        if len(shape) != 1 or type(index) not in _INTEGERS:
            return None
        return place + _inside(index, shape[0]) * array.strides[0]
    if len(index) != len(shape):
        return None
    for k, subscript in enumerate(index):
        if type(subscript) not in _INTEGERS:
            return None
        extent = shape[k]
        if not 0 <= subscript < extent:
            subscript = _inside(subscript, extent)
        place += subscript * array.strides[k]
    return int(place)


def locate(array: TracedArray, index: Any) -> Place:
    """The element number (all subscripts are integers), or the window that slices select."""
    place = element_at(array, index)
    if place is not None:
        return place
    return _window(array, _expand(index if type(index) is tuple else (index,), array.ndim))


def _expand(index: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    given = sum(1 for part in index if part is not None and part is not Ellipsis)
    if any(part is Ellipsis for part in index):
        at = next(k for k, part in enumerate(index) if part is Ellipsis)
        return index[:at] + (slice(None),) * (ndim - given) + index[at + 1 :]
    return index + (slice(None),) * (ndim - given)


def _window(array: TracedArray, index: tuple[Any, ...]) -> Place:
    offset, shape, strides, axis = array.offset, list[int](), list[int](), 0
    for part in index:
        if part is None:
            shape.append(1)
            strides.append(0)
            continue
        extent, stride = array.shape[axis], array.strides[axis]
        axis += 1
        if isinstance(part, slice):
            start, stop, step = part.indices(extent)
            array.recorder.trace.clamped |= any(abs(end) > extent for end in (part.start, part.stop) if end is not None)
            count = len(range(start, stop, step))
            offset += start * stride if count else 0
            shape.append(extent if part == slice(None) else count if _is_told(part, extent) else Size(count))
            strides.append(stride * step)
        else:
            offset += _subscript(part, extent) * stride
    if not shape and None not in index:
        return offset
    return array.window(offset, tuple(shape), tuple(strides))


def _is_told(part: slice, extent: int) -> bool:
    """Whether the length of a slice is spelled out: the ends are literal, and do not count from an unknown end."""
    ends = [end for end in (part.start, part.stop, part.step) if end is not None]
    forward = part.stop is not None and all(end >= 0 for end in ends)
    return is_literal(ends) and (forward or is_literal(extent))


def _subscript(part: Any, extent: int) -> int:
    if isinstance(part, TracedArray) or isinstance(part, (bool, np.bool_)):
        raise Unsupported("an array as a subscript")
    return _inside(part, extent)


def _inside(part: Any, extent: int) -> int:
    subscript = operator.index(part)
    if subscript < 0:
        subscript += extent
    if not 0 <= subscript < extent:
        raise IndexError(f"index {part} is out of bounds for axis with size {extent}")
    return subscript


def is_fancy(index: Any) -> bool:
    if type(index) is tuple:
        return any(isinstance(part, (TracedArray, list)) for part in index)
    return isinstance(index, (TracedArray, list))
