"""Elementwise operations: one loop over the broadcast shape, from the operands to a fresh array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.oracle import rules
from tests.oracle.arrays import TracedArray
from tests.oracle.memory import fresh, read_all, record, sweep, values_of, write_all
from tests.oracle.scratch import broadcast

if TYPE_CHECKING:
    from tests.oracle.recorder import Recorder

NOTHING: rules.Counts = {}


def elementwise(
    recorder: Recorder,
    compute: Callable[..., Any],
    counts: rules.Counts,
    operands: Sequence[Any],
    out: TracedArray | None = None,
    where: TracedArray | None = None,
) -> Any:
    """The array of the results; a number where all operands are numbers."""
    if where is not None:
        return _masked(recorder, compute, counts, operands, out, where)
    values = [values_of(operand) for operand in operands]
    if recorder.compiled and len(values) > 1:
        values = [_strong(value) for value in values]
        if compute is not np.where:
            values = _beside_floats(values)
    result = np.asarray(compute(*values))
    reads = [operand for operand in operands if type(operand) is TracedArray]
    if not reads and out is None and not result.ndim:
        recorder.count(counts, rules.precision_of_dtype(result.dtype))
        return result[()]
    shape = broadcast((operand.shape for operand in reads), result.shape)
    target = out if out is not None else recorder.allocate(np.empty(result.shape, result.dtype), "", shape=shape)
    number = result if rules.kind_of_dtype(result.dtype) != "i" else np.asarray(values[0])
    recorder.count(counts, rules.precision_of_dtype(number.dtype), result.size)
    sweep(recorder, reads, target, result.shape)
    target.values()[...] = result
    return target


def _masked(
    recorder: Recorder, compute: Callable[..., Any], counts: rules.Counts, operands: Sequence[Any],
    out: TracedArray | None, where: TracedArray,
) -> TracedArray:  # fmt: skip
    """``where=``: the mask is read, and the operation done where it holds."""
    assert out is not None
    mask = np.broadcast_to(where.values(), out.shape)
    result = np.asarray(compute(*map(values_of, operands)))
    recorder.trace.taken[recorder.line] += int(mask.sum())
    recorder.trace.tested[recorder.line] += mask.size
    recorder.count(counts, rules.precision_of_dtype(result.dtype), int(mask.sum()))
    read_all(recorder, where)
    touched = [(o, False) for o in operands if type(o) is TracedArray]
    for array, is_write in (*touched, (out, True)):
        places = np.broadcast_to(array.positions(), out.shape)[mask] * array.buffer.pitch + array.buffer.base
        record(recorder, places, np.full(places.size, 2 * array.buffer.index + is_write))
    np.copyto(out.values(), result, where=mask, casting="unsafe")
    return out


def _strong(value: Any) -> Any:
    """Python's numbers as Numba types them beside an array."""
    if isinstance(value, int) and type(value) is not bool and abs(value) < 2**63:
        return np.int64(value)
    return np.float64(value) if type(value) is float else np.complex128(value) if type(value) is complex else value


def _beside_floats(values: Sequence[Any]) -> list[Any]:
    """Numba's ufuncs convert integers, of any size, to the floating type beside them."""
    kinds = [rules.kind_of_dtype(np.asarray(value).dtype) for value in values]
    types = [np.int8 if kind == "i" else np.asarray(v).dtype for kind, v in zip(kinds, values, strict=True)]
    wide = np.result_type(*types)
    if set(kinds) == {"i"}:
        return list(values)
    return [np.asarray(v).astype(wide)[()] if k == "i" else v for k, v in zip(kinds, values, strict=True)]


def kind_of(operand: Any) -> str:
    if isinstance(operand, (tuple, list)):  # NumPy makes an array of one beside an array
        return rules.kind_of_dtype(np.asarray(values_of(operand)).dtype)
    return rules.kind_of_dtype(operand.dtype) if type(operand) is TracedArray else rules.kind_of(operand)


def binary(
    recorder: Recorder, op: str, left: Any, right: Any, literal: bool, out: Any = None, where: Any = None
) -> Any:
    from tests.oracle.recorder import OPERATORS  # the recorder uses this module

    kinds = kind_of(left) + kind_of(right)
    if op in ("+", "-", "*", "/", "//", "%"):
        counts = rules.arithmetic(op, kinds)
    elif op == "**":
        counts = rules.power(kinds[0], kinds[1], right if literal else None)
    else:
        counts = rules.comparison(kinds) if op in ("<", "<=", ">", ">=", "==", "!=") else NOTHING
    return elementwise(recorder, OPERATORS[op], counts, (left, right), out, where)


def outer(op: str, recorder: Recorder, literal: Any, left: TracedArray, right: TracedArray) -> Any:
    """``np.add.outer(a, b)``: every element of a with every element of b."""
    column = left.window(left.offset, left.shape + (1,) * right.ndim, left.strides + (0,) * right.ndim)
    return binary(recorder, op, column, right, False)


def augment(recorder: Recorder, op: str, array: TracedArray, value: Any, literal: bool) -> TracedArray:
    binary(recorder, op, array, value, literal, out=array)
    return array


def unary(recorder: Recorder, function: Any, value: TracedArray, out: Any = None) -> TracedArray:
    kind = kind_of(value)
    counts = {
        np.negative: rules.negation(kind), np.absolute: rules.absolute(kind),
        np.square: rules.power(kind, "i", 2),
    }.get(function, {"convert": 1} if kind != "i" and function is not np.invert else NOTHING)  # fmt: skip
    return elementwise(recorder, function, counts, (value,), out)


def elementwise_call(recorder: Recorder, function: Any, kind: str, args: Sequence[Any], out: Any = None) -> TracedArray:
    kinds = "".join(kind_of(arg) for arg in args)
    floating = "f" in kinds or "c" in kinds or kind in ("sqrt", "special", "mul")  # radians of integers are floats
    return elementwise(recorder, function, {kind: 1} if kind and floating else NOTHING, args, out)


def select(recorder: Recorder, literal: Any, condition: Any, then: Any, other: Any) -> Any:
    return elementwise(recorder, np.where, NOTHING, (condition, then, other))


def clip(recorder: Recorder, literal: Any, array: Any, low: Any = None, high: Any = None, out: Any = None) -> Any:
    bounds = [bound for bound in (low, high) if bound is not None]
    floating = kind_of(array) != "i" or any(kind_of(bound) == "f" for bound in bounds)
    if type(array) is not TracedArray:
        recorder.count({"minmax": len(bounds)} if floating else {}, rules.precision_of(array))
        return np.clip(array, low, high)
    counts = {"minmax": len(bounds)} if floating else NOTHING
    return elementwise(recorder, np.clip, counts, (array, low, high), out)


def assign(recorder: Recorder, window: TracedArray, value: Any) -> None:
    """``A[1:-1] = value``: reads the value element by element, unless it is one number."""
    values = np.array(values_of(value))
    reads = [value] if type(value) is TracedArray else []
    sweep(recorder, reads, window, window.shape)
    window.values()[...] = values


def gather(recorder: Recorder, base: TracedArray, index: Any) -> TracedArray:
    """A fancy or boolean index: reads the index, then the elements, and writes them to a fresh array."""
    places = _fancy_places(recorder, base, index)
    result = fresh(recorder, base.buffer.elements[places])
    _interleave(recorder, base, places, result)
    return result


def _interleave(recorder: Recorder, base: TracedArray, places: Any, result: TracedArray) -> None:
    source = base.window(0, (base.buffer.elements.size,), (1,))
    reads = source.positions()[places].reshape(-1) * base.buffer.pitch + base.buffer.base
    writes = result.positions().reshape(-1) * result.buffer.pitch + result.buffer.base
    owners = [2 * base.buffer.index, 2 * result.buffer.index + 1]
    record(recorder, np.stack([reads, writes], axis=-1).reshape(-1), np.tile(owners, len(reads)))


def scatter(recorder: Recorder, base: TracedArray, index: Any, value: Any) -> None:
    places = _fancy_places(recorder, base, index)
    if type(value) is TracedArray:
        read_all(recorder, value)
    addresses = places.reshape(-1) * base.buffer.pitch + base.buffer.base
    record(recorder, addresses, np.full(addresses.size, 2 * base.buffer.index + 1))
    base.buffer.elements[places] = values_of(value)


def _fancy_places(recorder: Recorder, base: TracedArray, index: Any) -> Any:
    for part in index if type(index) is tuple else (index,):
        if isinstance(part, list):  # NumPy makes an array of the numbers first
            part = fresh(recorder, values_of(part))
            write_all(recorder, part)
        if type(part) is TracedArray:
            read_all(recorder, part)
            if part.dtype == np.bool_:  # the length that it selects is a symbol of this line
                recorder.trace.entered[recorder.line] += 1
                recorder.trace.iterations[recorder.line] += int(part.values().sum())
    return base.positions()[values_of(index)]
