"""The bytes that whole-array operations stream, without a cache model: an estimate that selects the changes for which
the exact analysis is worth its time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, prod

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, When
from roofscan.ir.visitor import loops
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


def most_streamed(
    kernel: Kernel, values: Mapping[str, Number], line: int, capacities: Sequence[int]
) -> Sequence[float] | None:
    """The bytes that cross the interfaces of caches at most where whole-array operations do all. A line is found again
    by the next iteration of a loop of which two iterations fit the cache. None where other loops or statements access
    arrays."""
    if not _is_of_array_operations(kernel.body):
        return None
    walks = _walks(kernel.body, kernel, dict(values), line, capacities)
    moved = [[m * (2 if walk.access.write else 1) for m in walk.moved] for walk in walks]
    return [sum(each) for each in zip(*moved, strict=True)] or [0.0] * len(capacities)


def _is_of_array_operations(body: Body) -> bool:
    """Whether no other loop or statement accesses arrays."""
    return not any(
        isinstance(node, Access)
        or (isinstance(node, Loop) and not node.array_expression and not _is_of_array_operations(node.body))
        or (isinstance(node, (When, Branch)) and not _is_of_array_operations(node.body))
        for node in body
    )


@dataclass(frozen=True)
class _Walk:
    """What one execution of a part of a kernel does at an access: its elements, and the bytes of lines that cross the
    interface of each cache, and that it touches, at most."""

    access: Access
    elements: float
    moved: Sequence[float]
    touched: float

    def repeated(self, trips: float, apart: float, line: int, found_again: Sequence[bool]) -> _Walk:
        """In all iterations of a loop, which lie ``apart`` bytes; each element begins somewhere in a line."""
        anew = self.elements * (min(line, apart) * max(0.0, trips - 1) + line) if apart else 0.0
        moved = [min(m * trips, m + anew) if again else m * trips for m, again in zip(self.moved, found_again)]
        return _Walk(self.access, self.elements * trips, moved, min(self.touched * trips, self.touched + anew))


def _walks(body: Body, kernel: Kernel, values: dict[str, Number], line: int, capacities: Sequence[int]) -> list[_Walk]:
    found: list[_Walk] = []
    for node in body:
        if isinstance(node, Access):
            found.append(_Walk(node, 1.0, [float(line)] * len(capacities), line))
        elif isinstance(node, Loop):
            found += _walks_of(node, kernel, values, line, capacities)
        elif isinstance(node, (When, Branch)):
            found += _walks(node.body, kernel, values, line, capacities)
    return found


def _walks_of(
    loop: Loop, kernel: Kernel, values: dict[str, Number], line: int, capacities: Sequence[int]
) -> list[_Walk]:
    trips = _trips(loop, values)
    if not trips:
        return []
    inside = {**values, loop.var: number(loop.start, values) if loop.array_expression else _middle(loop, values, trips)}
    walks = _walks(loop.body, kernel, inside, line, capacities)
    inner = list(loops(loop.body))
    even = all(loop.var not in other.start.symbols | other.stop.symbols for other in inner)
    touched = sum(walk.touched for walk in walks) if even else inf
    found_again = [not inner or 2 * touched <= capacity for capacity in capacities]
    if not any(found_again):
        return [walk.repeated(trips, inf, line, found_again) for walk in walks]
    apart = (_bytes_apart(kernel.array(walk.access.array), walk.access, loop, inside) for walk in walks)
    return [walk.repeated(trips, by, line, found_again) for walk, by in zip(walks, apart, strict=True)]


def _bytes_apart(array: Array, access: Access, loop: Loop, values: Mapping[str, Number]) -> float:
    """From one iteration of the loop to the next; infinite where that is not known, or each has memory of its own."""
    if loop.var in array.fresh_in:
        return inf
    apart = ZERO
    for subscript, elements in zip(access.index, array.strides, strict=True):
        if subscript is None or not subscript.is_linear_in([loop.var]):
            return inf
        apart += subscript.coefficient(loop.var) * elements
    if apart.symbols & {inner.var for inner in loops(loop.body)}:
        return inf
    return abs(float(number(apart * loop.step, values))) * array.dtype.size


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
            inside = {**values, node.var: _middle(node, values, trips)}
            yield from _array_passes(node.body, kernel, times * trips, inside, True)
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


def _middle(loop: Loop, values: Mapping[str, Number], trips: float) -> Number:
    return number(loop.start, values) + number(loop.step, values) * round(trips / 2)


def _trips(loop: Loop, values: Mapping[str, Number]) -> float:
    span = float(number(loop.stop - loop.start, values)) / float(number(loop.step, values))
    return max(span, 0.0)
