"""Reductions read their input in C order, contractions each operand once; then the result is written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.oracle import rules
from tests.oracle.arrays import TracedArray, Unsupported, c_strides
from tests.oracle.elementwise import elementwise, kind_of
from tests.oracle.memory import fresh, read_all, sweep, values_of, write_all

if TYPE_CHECKING:
    from tests.oracle.recorder import Recorder

Counts = rules.Counts


def _counts_of_complex(counts: Counts, kind: str) -> Counts:
    """A complex add is two real ones; a complex mean divides by a real number all the same."""
    if kind != "c":
        return counts
    if counts == {"mul": 1}:  # a product of complex numbers
        return rules.arithmetic("*", "cc")
    return {k: v * 2 if k in ("add", "sub") else v for k, v in counts.items()}


def reduction(
    function: Any, per_element: Counts, per_result: Counts, passes: int,
    recorder: Recorder, literal: Any, array: Any, axis: Any = None, **options: Any,
) -> Any:  # fmt: skip
    out = options.pop("out", None)
    if isinstance(array, (tuple, list)) and array and all(map(rules.kind_of, array)):
        array = fresh(recorder, array)  # NumPy makes an array of the numbers first
        write_all(recorder, array)
    if type(array) is not TracedArray:
        return function(values_of(array), axis=axis, **options)
    result = function(array.values(), axis=axis, **options)
    kind = kind_of(array)
    if kind != "i" or per_result:  # means and norms of whole numbers are taken in float64
        precision = rules.precision_of_dtype(np.asarray(result).dtype)
        recorder.count(_counts_of_complex(per_element, kind), precision, array.size)
        recorder.count(per_result, precision, np.asarray(result).size)
    for _ in range(passes):
        read_all(recorder, array)
    return _reduced(recorder, result, out)


def _reduced(recorder: Recorder, result: Any, out: TracedArray | None = None) -> Any:
    if not isinstance(result, np.ndarray) or (result.ndim == 0 and out is None):
        return result
    target = out if out is not None else fresh(recorder, result)
    write_all(recorder, target)
    target.values()[...] = result
    return target


def norm(recorder: Recorder, literal: Any, array: TracedArray, axis: Any = None, **options: Any) -> Any:
    return reduction(np.linalg.norm, {"mul": 1, "add": 1}, {"sqrt": 1}, 1, recorder, literal, array, axis, **options)


def contract(recorder: Recorder, left: Any, right: Any, function: Any, out: Any = None) -> Any:
    """A matrix product: 2 operations a point of its index space; operands once, the result once."""
    result = function(values_of(left), values_of(right))
    summed = left.size if function is np.vdot else left.shape[-1]
    terms = left.size * right.size if function is np.outer else np.asarray(result).size * summed
    precision = rules.precision_of_dtype(np.asarray(result).dtype)
    kinds = kind_of(left) + kind_of(right)
    recorder.count(rules.arithmetic("*", kinds), precision, terms)
    if function is not np.outer:
        recorder.count(rules.arithmetic("+", kinds), precision, terms)
    for operand in (left, right):
        read_all(recorder, operand)
    return _reduced(recorder, result, out)


def einsum(recorder: Recorder, literal: Any, subscripts: str, *operands: Any, **options: Any) -> Any:
    """One or two operands; a point of the index space costs a product (of two) and, where indices are summed, a sum."""
    if len(operands) > 2 or "->" not in subscripts or "." in subscripts:
        raise Unsupported(f"einsum {subscripts!r} of {len(operands)} operands")
    inputs, output = subscripts.replace(" ", "").split("->")
    extents: dict[str, int] = {}
    for letters, operand in zip(inputs.split(","), operands, strict=True):
        for letter, extent in zip(letters, operand.shape, strict=True):
            if extents.setdefault(letter, extent) == 1:  # an extent of 1 repeats
                extents[letter] = extent
    result = np.einsum(subscripts, *map(values_of, operands), **options)
    precision, points = rules.precision_of_dtype(np.asarray(result).dtype), math.prod(extents.values())
    kinds = "".join(kind_of(operand) for operand in operands)
    if len(operands) == 2:
        recorder.count(rules.arithmetic("*", kinds), precision, points)
    if extents.keys() - set(output):
        recorder.count(rules.arithmetic("+", kinds), precision, points)
    for operand in operands:
        read_all(recorder, operand)
    return _reduced(recorder, result)


def contraction(function: Any, recorder: Recorder, literal: Any, left: Any, right: Any, out: Any = None) -> Any:
    return contract(recorder, left, right, function, out)


def running(
    function: Any, kind: str, recorder: Recorder, literal: Any, array: TracedArray, axis: int | None = None
) -> Any:
    """``cumsum``, ``cumprod``: one operation an element but for the first of each row; without an axis, of all."""
    if axis is None and array.ndim > 1 and not array.contiguous:
        array = elementwise(recorder, np.copy, {}, (array,))  # it is flattened
    result = function(array.values(), axis=axis)
    rows = 1 if axis is None else array.size // array.shape[axis]
    if kind_of(array) != "i":
        counts = rules.arithmetic({"add": "+", "mul": "*"}[kind], kind_of(array) * 2)
        recorder.count(counts, rules.precision_of_dtype(result.dtype), array.size - rows)
    target = fresh(recorder, result)
    sweep(recorder, [array], target.window(0, array.shape, c_strides(array.shape)), array.shape)
    return target


def differences(recorder: Recorder, literal: Any, array: TracedArray, *, axis: int = -1) -> TracedArray:
    shape = list(array.shape)
    shape[axis] -= 1
    parts = [array.window(array.offset + shift * array.strides[axis], tuple(shape), array.strides) for shift in (1, 0)]
    return elementwise(recorder, np.subtract, rules.arithmetic("-", kind_of(array) * 2), parts)


def tensordot(recorder: Recorder, literal: Any, left: Any, right: Any, axes: Any = 2) -> Any:
    """As a matrix product over the axes that both have."""
    result = np.tensordot(left.values(), right.values(), axes)
    summed = list(range(-axes, 0)) if isinstance(axes, int) else np.atleast_1d(axes[0])
    terms = result.size * math.prod(left.shape[axis] for axis in summed)
    kinds, precision = kind_of(left) + kind_of(right), rules.precision_of_dtype(result.dtype)
    for op in "*+" if len(summed) else "*":
        recorder.count(rules.arithmetic(op, kinds), precision, terms)
    for operand in (left, right):
        read_all(recorder, operand)
    return _reduced(recorder, result)
