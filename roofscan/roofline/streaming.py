"""The bytes that whole-array operations stream, without a cache model: an estimate that selects the changes for which
the exact analysis is worth its time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, prod

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, When
from roofscan.ir.visitor import accesses
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ZERO, Number


@dataclass(frozen=True)
class ArrayPass:
    """A whole-array operation, how often it runs, and the bytes of each memory that one run reads and writes."""

    nest: Loop
    times: float
    read: Mapping[str, float]
    written: Mapping[str, float]
    in_loop: bool  # whether it is inside a written loop

    @property
    def bytes(self) -> float:
        """Of all runs, where nothing stays in a cache from one operation to the next; a write counts twice."""
        return self.times * (sum(self.read.values()) + sum(self.written.values()))


def last_cache(point: RooflinePoint) -> int:
    return max((level.capacity for level in point.machine.levels if level.capacity), default=0)


def size_of_arrays(kernel: Kernel, values: Mapping[str, Number]) -> float:
    """Bytes of all arrays that a kernel has, each once."""
    stretches = [a for a in kernel.arrays if a.record is None]
    sizes = {a.memory: a.dtype.size * prod(float(number(e, values)) for e in a.shape) for a in stretches}
    return sum(sizes.values())


def streamed(kernel: Kernel, values: Mapping[str, Number]) -> float:
    return sum(each.bytes for each in array_passes(kernel, values))


def most_streamed(kernel: Kernel, values: Mapping[str, Number], line: int) -> float | None:
    """The bytes that memory and each cache move at most where whole-array operations do all: were no access to find a
    line that another loaded, but the one before it in its row. None where other loops or statements access arrays."""
    passes = list(array_passes(kernel, values))
    if sum(1 for _ in accesses(kernel.body)) != sum(1 for walk in passes for _ in accesses((walk.nest,))):
        return None
    return sum(walk.times * _most_of(walk.nest, kernel, values, line) for walk in passes)


def _most_of(nest: Loop, kernel: Kernel, values: Mapping[str, Number], line: int) -> float:
    moved = 0.0
    for access, trips in _touches(nest, {}, dict(values)):
        array, innermost = kernel.array(access.array), next(reversed(trips))
        elements = prod(trips.values())
        one = min(float(line), _bytes_apart(array, access, innermost, values))
        rows = elements / max(trips[innermost], 1.0) * line if one < line else 0.0  # where each begins
        moved += (elements * one + rows) * (2 if access.write else 1)
    return moved


def _bytes_apart(array: Array, access: Access, innermost: str, values: Mapping[str, Number]) -> float:
    """From one iteration of the innermost loop to the next; infinite where that is not known."""
    apart = ZERO
    for subscript, elements in zip(access.index, array.strides, strict=True):
        if subscript is None or not subscript.is_linear_in([innermost]):
            return inf
        apart += subscript.coefficient(innermost) * elements
    return abs(float(number(apart, values))) * array.dtype.size


def array_passes(kernel: Kernel, values: Mapping[str, Number]) -> Iterator[ArrayPass]:
    """The whole-array operations in order, those in a loop at its middle iteration."""
    return _array_passes(kernel.body, kernel, 1.0, dict(values), False)


def _array_passes(
    body: Body, kernel: Kernel, times: float, values: dict[str, Number], in_loop: bool
) -> Iterator[ArrayPass]:
    for node in body:
        if isinstance(node, Loop) and node.array_expression:
            yield _array_pass(node, kernel, times, values, in_loop)
        elif isinstance(node, Loop):
            trips = _trips(node, values)
            middle = number(node.start, values) + number(node.step, values) * round(trips / 2)
            yield from _array_passes(node.body, kernel, times * trips, {**values, node.var: middle}, True)
        elif isinstance(node, (When, Branch)):
            yield from _array_passes(node.body, kernel, times, values, in_loop)


def _array_pass(nest: Loop, kernel: Kernel, times: float, values: dict[str, Number], in_loop: bool) -> ArrayPass:
    read: dict[str, float] = {}
    written: dict[str, float] = {}
    for access, trips in _touches(nest, {}, values):
        array = kernel.array(access.array)
        used = {s for e in access.index if e is not None for s in e.symbols}
        elements = prod(count for var, count in trips.items() if var in used or not access.regular)
        most = written if access.write else read
        most[array.memory] = max(most.get(array.memory, 0.0), elements * array.dtype.size)
    return ArrayPass(nest, times, read, written, in_loop)


def _touches(
    loop: Loop, trips: dict[str, float], values: dict[str, Number]
) -> Iterator[tuple[Access, dict[str, float]]]:
    """The accesses of a nest, each with the trips of the loops around it."""
    inside = {**trips, loop.var: _trips(loop, values)}
    for node in loop.body:
        if isinstance(node, Access):
            yield node, inside
        elif isinstance(node, Loop):
            yield from _touches(node, inside, {**values, loop.var: number(loop.start, values)})


def _trips(loop: Loop, values: Mapping[str, Number]) -> float:
    span = float(number(loop.stop - loop.start, values)) / float(number(loop.step, values))
    return max(span, 0.0)
