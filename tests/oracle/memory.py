"""How a whole-array operation touches memory: element by element, in the C order of its shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.oracle.arrays import TracedArray
from tests.oracle.scratch import plain_number

if TYPE_CHECKING:
    from tests.oracle.recorder import Recorder


def sweep(recorder: Recorder, reads: Sequence[TracedArray], write: TracedArray | None, shape: tuple[int, ...]) -> None:
    """Touches one element of each array, and then the next of each, in the C order of ``shape``."""
    arrays = [*reads, *([write] if write is not None else [])]
    if not arrays or not math.prod(shape):
        return
    columns = [np.broadcast_to(a.positions() * a.buffer.pitch + a.buffer.base, shape).reshape(-1) for a in arrays]
    owners = [2 * a.buffer.index + (a is write and k == len(reads)) for k, a in enumerate(arrays)]
    record(recorder, np.stack(columns, axis=-1).reshape(-1), np.tile(owners, len(columns[0])))


def record(recorder: Recorder, addresses: Any, owners: Any) -> None:
    recorder.trace.addresses.frombytes(addresses.astype(np.int64).tobytes())
    recorder.trace.owners.frombytes(owners.astype(np.int64).tobytes())
    recorder.trace.lines.frombytes(np.full(len(addresses), recorder.line, np.int64).tobytes())


def read_all(recorder: Recorder, array: TracedArray) -> None:
    sweep(recorder, [array], None, array.shape)


def write_all(recorder: Recorder, array: TracedArray) -> None:
    sweep(recorder, [], array, array.shape)


def values_of(operand: Any) -> Any:
    if isinstance(operand, (tuple, list)):
        return type(operand)(values_of(part) for part in operand)
    return operand.values() if type(operand) is TracedArray else plain_number(operand)


def fresh(recorder: Recorder, values: Any) -> TracedArray:
    return recorder.allocate(np.asarray(values), "")
