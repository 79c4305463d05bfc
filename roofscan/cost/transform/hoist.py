"""Reductions of whole arrays that a loop repeats although nothing in it changes them, done once before the loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofscan.cost.transform.array_operation import array_operation
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Body, Leaf, Loop, Node, Operation
from roofscan.ir.visitor import accesses, leaves, loops, loops_of, replace_nodes, walk_with_blocks


@dataclass(frozen=True)
class Hoist:
    """Reductions, and what their expressions make on the way, before the outermost loop that repeats them."""

    outer: Loop
    nodes: tuple[Loop, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(node.line for node in self.nodes))

    def apply(self, kernel: Kernel) -> Kernel:
        gone = {node.var for node in self.nodes}

        def without(node: Node) -> Body | None:
            return () if isinstance(node, Loop) and node.var in gone else None

        def before(node: Node) -> Body | None:
            if not isinstance(node, Loop) or node.var != self.outer.var:
                return None
            return (*self.nodes, replace(node, body=replace_nodes(node.body, without)))

        touched = {access.array for access in accesses(self.nodes)}
        arrays = (replace(a, fresh_in=(), made_in=()) if a.name in touched else a for a in kernel.arrays)
        return replace(kernel, body=replace_nodes(kernel.body, before), arrays=tuple(arrays))


def hoists(kernel: Kernel) -> Iterator[Hoist]:
    """Those of each loop of the source, outermost first; a reduction goes before the outermost loop that may repeat
    it."""
    done: set[str] = set()
    for outer, _ in walk_with_blocks(kernel.body):
        if isinstance(outer, Loop) and _is_of_source(outer):
            nodes = _repeated(kernel, outer)
            if nodes and done.isdisjoint(node.var for node in nodes):
                done.update(node.var for node in nodes)
                yield Hoist(outer, nodes)


def _is_of_source(loop: Loop) -> bool:
    return not loop.array_expression and bool(loop.source_name) and not loop.is_elsewhere


def _repeated(kernel: Kernel, outer: Loop) -> tuple[Loop, ...]:
    """Reductions that no iteration of a loop changes, each behind what its expression makes."""
    every = _Repeating(kernel, outer)
    found: list[Loop] = []
    for node, around in walk_with_blocks(outer.body):
        outermost = isinstance(node, Loop) and node.array_expression and not _in_expression(loops_of(around))
        if isinstance(node, Loop) and outermost and every.leaves_alone(node):
            every.take(node)
            found.append(node)
    used = {a.array for node in found if _is_reduction(node) for a in accesses((node,))}
    for node in reversed(found):  # what the reductions need, and what that needs
        made = {a.array for a in accesses((node,)) if a.write}
        used |= {a.array for a in accesses((node,)) if not a.write} if made & used else set()
    kept = (node for node in found if _is_reduction(node) or {a.array for a in accesses((node,)) if a.write} <= used)
    return tuple(kept) if any(map(_is_reduction, found)) else ()


def _in_expression(around: Sequence[Loop]) -> bool:
    return any(loop.array_expression for loop in around)


def _is_reduction(node: Loop) -> bool:
    found = array_operation(node)
    return found is not None and bool(found.reads) and bool(found.operations) and not found.writes


class _Repeating:
    """What stays the same in all iterations of a loop, and of those in it."""

    def __init__(self, kernel: Kernel, outer: Loop) -> None:
        self._kernel = kernel
        inside = tuple(loops((outer,)))
        self._variables = {loop.var for loop in inside if not loop.array_expression}
        self._made = {node.id for node in leaves(outer.body)}
        self._carried = {carried.entry for loop in inside for carried in loop.carried}
        self._written: dict[str, set[int]] = {}
        for access in accesses(outer.body):
            if access.write:
                self._written.setdefault(kernel.array(access.array).owner, set()).add(access.id)

    def take(self, node: Loop) -> None:
        """What comes before the loop no longer changes in it."""
        ids = {leaf.id for leaf in leaves((node,))}
        self._made -= ids
        for written in self._written.values():
            written -= ids

    def leaves_alone(self, node: Loop) -> bool:
        nest, own = tuple(loops((node,))), {leaf.id for leaf in leaves((node,))}
        changing = (self._made | self._carried) - own
        if any(loop.carried or loop.total is not None or loop.parallel for loop in nest):
            return False
        bounds = (symbol for loop in nest for e in (loop.start, loop.stop, loop.step) for symbol in e.symbols)
        if not self._variables.isdisjoint(bounds):
            return False
        return all(self._keeps(leaf, changing, own) for leaf in leaves((node,)))

    def _keeps(self, leaf: Leaf, changing: set[int], own: set[int]) -> bool:
        if isinstance(leaf, Operation):
            same = leaf.kind != "compare" and not leaf.counts_on and not leaf.library
            return same and changing.isdisjoint(leaf.inputs)
        if not leaf.regular or not changing.isdisjoint(leaf.inputs):
            return False
        symbols = {symbol for e in leaf.index if e is not None for symbol in e.symbols}
        if not symbols.isdisjoint(self._variables):
            return False
        array = self._kernel.array(leaf.array)
        if leaf.write and array.role != "temporary":
            return False
        return self._written.get(array.owner, set()) <= own
