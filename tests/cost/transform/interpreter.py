"""Runs a kernel's tree on integers, so that two orders of the same work can be compared.

Every operation is a hash of its operands: neither commutative nor associative, so that any change of order shows.
Constants, which the tree does not hold, are one number. Memory is a mapping from elements to values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, Operation, When
from roofscan.symbolic.expr import Expr

_PRIME = 2_147_483_647
_CONSTANT = 7
_LARGE = 50

Element = tuple[str, tuple[int, ...]]


@dataclass
class Run:
    """``memory`` holds what was written; other elements have values of their own."""

    values: dict[str, int]
    memory: dict[Element, int] = field(default_factory=dict)
    results: dict[int, int] = field(default_factory=dict)

    def body(self, body: Body) -> None:
        for node in body:
            if isinstance(node, Access):
                self._access(node)
            elif isinstance(node, Operation):
                self.results[node.id] = mixed(node.kind, *(self.results[i] for i in node.inputs))
            elif isinstance(node, Loop):
                self._loop(node)
            elif isinstance(node, When):
                if all(map(self._holds, node.conditions)):
                    self.body(node.body)
            else:
                assert isinstance(node, Branch)
                raise NotImplementedError("branches that depend on data")

    def _access(self, node: Access) -> None:
        element = node.array, tuple(self._whole(e) for e in node.index if e is not None)
        if node.write:
            self.memory[element] = self.results[node.inputs[0]] if node.inputs else _CONSTANT
        else:
            self.results[node.id] = self.memory.get(element, initial(element))

    def _loop(self, loop: Loop) -> None:
        for c in loop.carried:
            before = _CONSTANT if c.initial is None else self.results[c.initial]
            self.results[c.entry] = self.results[c.exit] = before
        for value in range(self._whole(loop.start), self._whole(loop.stop), self._whole(loop.step)):
            self.values[loop.var] = value
            self.body(loop.body)
            exits = [self.results[c.exit] for c in loop.carried]
            for c, result in zip(loop.carried, exits, strict=True):
                self.results[c.entry] = result

    def _holds(self, condition: Condition) -> bool:
        value = self._whole(condition.expr)
        value = value % condition.modulus if condition.modulus else value
        return {"ge": value >= 0, "eq": value == 0, "ne": value != 0}[condition.relation]

    def _whole(self, expr: Expr) -> int:
        return int(expr.evaluate(self.values))


def mixed(*parts: str | int) -> int:
    """A number that depends on all parts and on their order."""
    result = 17
    for part in parts:
        number = sum(map(ord, part)) if isinstance(part, str) else part
        result = (result * 31_337 + number * 7_919 + 13) % _PRIME
    return result


def memory_after(kernel: Kernel, sizes: Mapping[str, int]) -> dict[Element, int]:
    """The elements that the kernel leaves changed in its arrays; sizes that are not given are large."""
    run = Run({s.name: _LARGE for s in kernel.symbols} | dict(sizes))
    run.body(kernel.body)
    return {element: value for element, value in run.memory.items() if value != initial(element)}


def initial(element: Element) -> int:
    return mixed(element[0], *element[1])
