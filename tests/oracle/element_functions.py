"""Functions of one element, applied to arrays: ``@vectorize`` and ``@stencil``, each one loop over a fresh array."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from tests.oracle.arrays import TracedArray

_NAMES = {"boolean": "bool"}  # Numba's names that NumPy has not


class Vectorized:
    """For each element: reads those of the operands, runs the function, writes the result."""

    def __init__(self, function: Callable[..., Any], signatures: tuple[str, ...] = ()) -> None:
        self.function = function
        self.signatures = [_types(text) for text in signatures]

    def __call__(self, *args: Any) -> Any:
        arrays = [arg for arg in args if type(arg) is TracedArray]
        if not arrays:
            return self._one(*args)
        recorder, line = arrays[0].recorder, arrays[0].recorder.line
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        operands = [_spread(arg, shape) for arg in args]
        result = None
        for index in np.ndindex(shape):
            one = self._one(*(recorder.load(o, index, line) if type(o) is TracedArray else o for o in operands))
            if result is None:
                result = recorder.allocate(np.empty(shape, np.asarray(one).dtype), "")
            recorder.store(one, result, index, line)
        return arrays[0] if result is None else result

    def _one(self, *args: Any) -> Any:
        """One element, in the types of the first signature to which all arguments are cast safely. Numba counts an
        integer beside a float as one of a byte."""
        kinds = [np.asarray(arg).dtype for arg in args]
        mixed = any(kind.kind in "fc" for kind in kinds)
        seen = [np.dtype("i1") if mixed and kind.kind in "iu" else kind for kind in kinds]
        for result, taken in self.signatures:
            if len(taken) == len(kinds) and all(map(np.can_cast, seen, taken)):
                value = self.function(*(t.type(arg) if t != k else arg for t, k, arg in zip(taken, kinds, args)))
                return value if np.asarray(value).dtype == result else result.type(value)
        return self.function(*args)


def _types(signature: str) -> tuple[np.dtype[Any], list[np.dtype[Any]]]:
    result, *taken = [np.dtype(_NAMES.get(name, name)) for name in re.findall(r"\w+", signature)]
    return result, taken


def _spread(operand: Any, shape: tuple[int, ...]) -> Any:
    """An array as broadcasting sees it: a stride of 0 along what it repeats."""
    if type(operand) is not TracedArray:
        return operand
    missing = len(shape) - operand.ndim
    strides = (s if extent > 1 else 0 for s, extent in zip(operand.strides, operand.shape, strict=True))
    return operand.window(operand.offset, shape, (0,) * missing + tuple(strides))


class Stencil:
    """At each element that has all neighbours: runs the function, whose subscripts are relative. The rest is 0."""

    def __init__(self, function: Callable[..., Any], signatures: tuple[str, ...] = ()) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        first = next(arg for arg in args if type(arg) is TracedArray)
        recorder, line = first.recorder, first.recorder.line
        around = _Probe()
        counters = [counter.copy() for counter in recorder.trace.counters]
        probe = self.function(*(around if type(arg) is TracedArray else arg for arg in args))
        for counter, before in zip(recorder.trace.counters, counters, strict=True):
            counter.clear()
            counter.update(before)
        result = recorder.allocate(np.zeros(first.shape, np.result_type(first.dtype, type(probe))), "")
        for index in around.interior(first.shape):
            seen = (_Relative(arg, index) if type(arg) is TracedArray else arg for arg in args)
            recorder.store(self.function(*seen), result, index, line)
        return result


class _Relative:
    """An array whose subscripts count from one element."""

    def __init__(self, array: TracedArray, at: tuple[int, ...]) -> None:
        self._array = array
        self._at = at

    def __getitem__(self, index: Any) -> Any:
        steps = index if type(index) is tuple else (index,)
        place = tuple(here + step for here, step in zip(self._at, steps, strict=True))
        return self._array.recorder.load(self._array, place, self._array.recorder.line)


class _Probe:
    """Learns the neighbourhood: every element is 1.0."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, ...]] = []

    def __getitem__(self, index: Any) -> float:
        self._steps.append(index if type(index) is tuple else (index,))
        return 1.0

    def interior(self, shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        columns = list(zip(*self._steps, strict=True))
        margins = [(max(0, -min(column)), max(0, *column, 0)) for column in columns]
        ends = zip(margins, shape, strict=True)
        return product(*(range(low, extent - high) for (low, high), extent in ends))
