"""What holds at a place of the body of a kernel, for the threads that come there."""

from __future__ import annotations

from dataclasses import field, replace
from fractions import Fraction
from itertools import zip_longest

from roofscan.cost.memory.gpu.programs.program import SerialLoop
from roofscan.cost.memory.gpu.threads.domain import NO_GUARDS, Guards
from roofscan.cost.memory.gpu.threads.places import Cut
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.tree import Access, Loop
from roofscan.symbolic.expr import Expr

Address = tuple[str, tuple[Expr | None, ...], tuple[object, ...]]


@dataclass
class PlaceState:
    """What holds at a place of the body."""

    loops: tuple[tuple[SerialLoop, Loop], ...] = ()
    guards: Guards = NO_GUARDS
    executions: Num = 0
    share: Num = 1  # of the lanes that take the branches on data around it
    counted: Num = 0  # executions, as counting the conditions around it finds them
    among: Fraction = Fraction(1)  # of the threads, that conditions around it let through which are not counted
    sure: bool = True  # whether there is none
    tested: frozenset[str] = frozenset()  # the loops whose iterations the conditions around it tell apart
    known: dict[Address, None] = field(default_factory=dict)  # addresses whose value is in a register


def address_of(array: Array, node: Access) -> Address | None:
    """None where the source does not say whether another access has the same."""
    if any(e is None and (rest is None or rest.element is None) for e, rest in zip_longest(node.index, node.rests)):
        return None
    return array.memory, node.index, () if node.regular else tuple(r and (r.element, r.expr) for r in node.rests)


def with_cut(guards: Guards, found: Cut) -> Guards:
    if isinstance(found, bool):
        return guards if found else replace(guards, separable=False)
    if isinstance(found, tuple):
        return guards.among(found)
    cuts, strided = [*guards.cuts], [*guards.strided]
    cuts[found.axis] = (*cuts[found.axis], found.cut)
    strided[found.axis] = found.strided or strided[found.axis]
    return replace(guards, cuts=(cuts[0], cuts[1], cuts[2]), strided=(strided[0], strided[1], strided[2]))
