"""Interprets a lowered kernel's tree at bound sizes: its accesses and operations, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Branch, Loop, Node, Operation, When
from roofscan.symbolic.expr import Number
from tests.oracle.trace import Trace

Event = tuple[int, int, bool]
"""Which memory (numbered by first touch), byte offset in it, is a write."""


class DependsOnData(Exception):
    """The tree holds a branch, a trip count or a subscript that only the data decides."""


class Walk:
    """The interpretation of one kernel: ``events`` and ``operations`` by class."""

    def __init__(self, kernel: Kernel, sizes: Mapping[str, Number]) -> None:
        self.operations: Counter[str] = Counter()
        self.places: list[tuple[object, int, bool]] = []
        self._arrays = {array.name: array for array in kernel.arrays}
        known = {name: value.evaluate(sizes) for name, value in kernel.values.items()}
        self._body(kernel.body, {**sizes, **known})

    @property
    def events(self) -> list[Event]:
        return in_order_of_touch(self.places)

    def _body(self, body: Iterable[Node], values: dict[str, Number]) -> None:
        for node in body:
            if isinstance(node, Access):
                self._access(node, values)
            elif isinstance(node, Operation):
                self.operations[node.kind] += int(node.count.evaluate(values))
            elif isinstance(node, Loop):
                for value in _iterations(node, values):
                    self._body(node.body, {**values, node.var: value})
            elif isinstance(node, When):
                if all(holds(condition, values) for condition in node.conditions):
                    self._body(node.body, values)
            elif isinstance(node, Branch):
                raise DependsOnData(f"line {node.line}: a branch")

    def _access(self, access: Access, values: dict[str, Number]) -> None:
        array = self._arrays[access.array]
        place: Number = array.record.offset if array.record else 0
        for subscript, stride in zip(access.index, array.strides, strict=True):
            if subscript is None:
                raise DependsOnData(f"line {access.line}: {access.why_irregular}")
            place += int(subscript.evaluate(values)) * stride.evaluate(values) * array.dtype.size
        memory = (array.owner, *(values[variable] for variable in array.fresh_in))
        self.places.append((memory, int(place), access.write))


def _iterations(loop: Loop, values: dict[str, Number]) -> range:
    if loop.total is not None or loop.early_exit:
        raise DependsOnData(f"line {loop.line}: a trip count")
    start, stop, step = (int(e.evaluate(values)) for e in (loop.start, loop.stop, loop.step))
    return range(start, stop, step)


def holds(condition: Condition, values: Mapping[str, Number]) -> bool:
    value = condition.expr.evaluate(values)
    if condition.modulus:
        value %= condition.modulus
    return {"ge": value >= 0, "eq": value == 0, "ne": value != 0}[condition.relation]


def events_of(trace: Trace) -> list[Event]:
    """The events of a run, comparable with an interpretation's."""
    base = trace.bases
    return in_order_of_touch(
        (base[owner >> 1], address - base[owner >> 1], bool(owner & 1))
        for address, owner in zip(trace.addresses, trace.owners, strict=True)
    )


def in_order_of_touch(places: Iterable[tuple[object, int, bool]]) -> list[Event]:
    return list(_numbered(places))


def _numbered(places: Iterable[tuple[object, int, bool]]) -> Iterator[Event]:
    numbers: dict[object, int] = {}
    for memory, offset, write in places:
        yield numbers.setdefault(memory, len(numbers)), offset, write
