"""Implicit upcasts: float32 data meet float64, and what follows is computed in float64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import BY_CODE, DType
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Barrier, Body, Branch, Leaf, Loop, Operation, When
from roofscan.ir.visitor import map_leaves

NARROW = {"f8": "f4", "c16": "c8"}

HARMLESS = ("convert", "compare")
"""Operations that widen nothing implicitly: a cast is explicit, a comparison makes a boolean."""


@dataclass(frozen=True)
class Widening:
    """The first operation or store that one cause makes float64."""

    line: int
    array: str  # the array that causes it, of float64 or integers; "": a scalar
    array_line: int = 0


def widenings(kernel: Kernel) -> tuple[Widening, ...]:
    """The causes, each once, in the order of the source; none unless all floating inputs are float32."""
    inputs = [a for a in kernel.arrays if a.role in ("parameter", "global") and a.dtype.counts]
    if not inputs or any(a.dtype.precision != "fp32" for a in inputs):
        return ()
    found: dict[str, Widening] = {}
    for widening in _Values(kernel).widened(kernel.body, frozenset()):
        found.setdefault(widening.array, widening)
    return tuple(found.values())


def narrowed(kernel: Kernel) -> Kernel:
    """The kernel with all its work, and all arrays of its own, in float32."""
    own = ("local", "temporary")
    arrays = tuple(replace(a, dtype=_narrow(a.dtype)) if a.role in own else a for a in kernel.arrays)
    return replace(kernel, arrays=arrays, body=map_leaves(kernel.body, _narrowed))


def _narrow(dtype: DType) -> DType:
    return BY_CODE[NARROW[dtype.code]] if dtype.code in NARROW else dtype


def _narrowed(leaf: Leaf) -> Leaf:
    return replace(leaf, dtype=_narrow(leaf.dtype)) if isinstance(leaf, Operation) else leaf


class _Values:
    """The types of the values of a kernel, in the order of the tree."""

    def __init__(self, kernel: Kernel) -> None:
        self._arrays = {a.name: a for a in kernel.arrays}
        self._made: dict[int, Access | Operation] = {}
        self._types: dict[int, str] = {}

    def widened(self, body: Body, carried: frozenset[int]) -> Iterator[Widening]:
        """The upcasts below a body. A sum carried in float64 is there for its accuracy, and none; a float32 number that
        a loop changes is one."""
        for node in body:
            if isinstance(node, (Loop, When, Branch)):
                if isinstance(node, Loop) and node.state and node.array_expression:
                    continue  # a reduction in float64: its dtype was said
                states = node.carried if isinstance(node, Loop) else ()
                data = {c.entry for c in states if self._types.get(c.initial or 0) == "fp32"}
                self._types.update(dict.fromkeys(data, "fp32"))
                yield from self.widened(node.body, carried | {c.entry for c in states} - data)
                continue
            if isinstance(node, Barrier):
                continue
            if isinstance(node, Operation):
                yield from self._operation(node, carried)
            elif node.write:
                yield from self._store(node)
            self._made[node.id] = node
            self._types[node.id] = self._type(node)

    def _operation(self, node: Operation, carried: frozenset[int]) -> Iterator[Widening]:
        narrow = any(self._types.get(i) == "fp32" for i in node.inputs)
        if node.dtype.precision == "fp64" and narrow and node.kind not in HARMLESS and not carried & set(node.inputs):
            if any(self._is_sum(i, carried) for i in node.inputs):
                return
            yield self._because(node.line, node.inputs)

    def _store(self, node: Access) -> Iterator[Widening]:
        array = self._arrays[node.array]
        if array.dtype.precision == "fp64" and any(self._types.get(i) == "fp32" for i in node.inputs):
            yield Widening(node.line, array.name, array.line)

    def _because(self, line: int, inputs: tuple[int, ...]) -> Widening:
        for value in inputs:
            made = self._made.get(value)
            if isinstance(made, Access) and self._types[value] in ("fp64", ""):
                array = self._arrays[made.array]
                return Widening(line, array.name, array.line)
        return Widening(line, "")

    def _is_sum(self, value: int, carried: frozenset[int]) -> bool:
        """Whether a value continues a carried sum: ``s + a + b`` adds to ``s`` twice."""
        made = self._made.get(value)
        if not isinstance(made, Operation) or made.kind not in ("add", "sub", "minmax"):
            return False
        return bool(carried & set(made.inputs)) or any(self._is_sum(i, carried) for i in made.inputs)

    def _type(self, node: Access | Operation) -> str:
        dtype = self._arrays[node.array].dtype if isinstance(node, Access) else node.dtype
        return (dtype.precision or "") if dtype.counts else ""
