"""Local arrays that only forward an element within one loop: they become scalars, and what fills them goes, too."""

from __future__ import annotations

from dataclasses import replace

from roofscan.cost.dataflow import Dataflow
from roofscan.cost.transform.array_operation import array_operation
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Leaf, Loop, Node
from roofscan.ir.visitor import accesses, map_leaves, walk


@dataclass(frozen=True)
class Forwarding:
    """A fused loop, and the loops that fill nothing but arrays which it has no more."""

    loop: Loop
    fills: tuple[str, ...] = ()


def without_forwarded(kernel: Kernel, loop: Loop) -> Forwarding:
    """A fused loop without the local arrays that only forward an element within it: they become scalars."""
    inside: dict[str, list[Access]] = {}
    for access in accesses((loop,)):
        inside.setdefault(access.array, []).append(access)
    passed, dataflow, fills = set[str](), Dataflow.of(kernel), _fills(kernel)
    for name, mine in inside.items():
        array = kernel.array(name)
        uses = dataflow.reads(array.memory) + dataflow.writes(array.memory) - list(fills.values()).count(name)
        if array.role != "parameter" and not array.live_out and uses == len(mine) and mine[0].write:
            if len({a.index for a in mine}) == 1 and mine[0].regular:
                passed.add(name)
    [left] = _without((loop,), passed)
    assert isinstance(left, Loop)
    return Forwarding(left, tuple(var for var, name in fills.items() if name in passed))


def _fills(kernel: Kernel) -> dict[str, str]:
    """The loops that give all elements of one array one number, with the array."""
    outermost = walk(kernel.body, lambda block: array_operation(block) is None)
    found = ((node, filled_by(node)) for node in outermost)
    return {node.var: name for node, name in found if name and isinstance(node, Loop)}


def filled_by(node: Node) -> str:
    """The array that a whole-array operation gives one number; "" of any other node."""
    nest = array_operation(node)
    if nest is None or nest.reads or nest.operations or len(nest.writes) != 1 or nest.writes[0].inputs:
        return ""
    return nest.writes[0].array


def _without(body: Body, names: set[str]) -> Body:
    """A body without the accesses to these arrays: what reads an element takes what was written to it."""
    held: dict[str, tuple[int, ...]] = {}  # the value that each array would hold
    same: dict[int, tuple[int, ...]] = {}  # the value that each removed read is

    def changed(node: Leaf) -> Leaf | None:
        inputs = tuple(i for old in node.inputs for i in same.get(old, (old,)))
        if not isinstance(node, Access) or node.array not in names:
            return replace(node, inputs=inputs)
        if node.write:
            held[node.array] = inputs
        else:
            same[node.id] = held[node.array]
        return None

    return map_leaves(body, changed)
