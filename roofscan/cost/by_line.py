"""Where in the source the work of a kernel is: FLOPs, and bytes between the core and its nearest cache, of each loop
and of each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from roofscan.cost.counts import ExecutionCounts, StatementDomain
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.tree import FLOP_WEIGHT, Access, Leaf, Operation
from roofscan.ir.visitor import LEAVES
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable

Place = TypeVar("Place")


@dataclass(frozen=True)
class Work:
    """Over a call: operations, and bytes that are loaded and stored."""

    flops: Expr = ZERO
    loaded: Expr = ZERO
    stored: Expr = ZERO

    @property
    def moved(self) -> Expr:
        return self.loaded + self.stored

    def __add__(self, other: Work) -> Work:
        return Work(self.flops + other.flops, self.loaded + other.loaded, self.stored + other.stored)


def work_by_line(cost: KernelCost) -> Mapping[int, Work]:
    """By the line of the source; nothing where it cannot be counted."""
    return _by_place(cost, lambda domain, node: (node.line,))


def work_by_loop(cost: KernelCost) -> Mapping[str, Work]:
    """By the variable of the loop, for each loop that holds the work."""
    return _by_place(cost, lambda domain, node: [loop.var for loop in domain.loops])


def _by_place(cost: KernelCost, places: Callable[[StatementDomain, Leaf], Iterable[Place]]) -> dict[Place, Work]:
    executions = ExecutionCounts(cost.kernel, Chamber(cost.sample_point, cost.kernel.least_values))
    found: dict[Place, Work] = {}
    try:
        for domain in executions.domains:
            for node in (node for node in domain.body if isinstance(node, LEAVES)):
                work = _work(executions, domain, node)
                found |= {place: found.get(place, Work()) + work for place in places(domain, node)}
    except NotEvaluable:
        return {}
    return found


def _work(executions: ExecutionCounts, domain: StatementDomain, node: Leaf) -> Work:
    if isinstance(node, Access):
        moved = executions.of(domain, ONE) * executions.kernel.array(node.array).dtype.size
        return Work(stored=moved) if node.write else Work(loaded=moved)
    weight = FLOP_WEIGHT.get(node.kind, 0) if isinstance(node, Operation) and node.dtype.precision else 0
    return Work(flops=executions.of(domain, node.count) * weight) if weight else Work()
