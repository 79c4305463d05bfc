"""Accesses outside their arrays at the sizes of a call: compiled code does not test subscripts."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.counts import ExecutionCounts, StatementDomain
from roofscan.cost.fitted_sizes import ends, largest
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Access, Branch, Condition, Loop, When
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import Expr, NotEvaluable
from roofscan.symbolic.lattice_points import Uncountable


@dataclass(frozen=True)
class Overrun:
    """An access beyond the last element of an array along an axis, whatever the data are."""

    access: Access
    axis: int
    extent: int

    def __str__(self) -> str:
        along = f" along axis {self.axis}" if len(self.access.index) > 1 else ""
        return f"line {self.access.line} goes beyond the {self.extent} elements of {self.access.array}{along}"


def overruns(cost: KernelCost) -> Iterator[Overrun]:
    """Those that are certain at the sample point: none under a test of data, or in a loop that data may end."""
    counts = ExecutionCounts(cost.kernel, Chamber(cost.sample_point, cost.kernel.least_values))
    for visit in counts.visits:
        if visit.domain is not None and not any(map(_hangs_on_data, visit.domain.path)):
            for access in (node for node in visit.body if isinstance(node, Access)):
                for axis, extent in enumerate(cost.kernel.array(access.array).shape):
                    if _exceeds(access.index[axis], extent, visit, counts):
                        yield Overrun(access, axis, int(extent.evaluate(cost.sample_point)))


def _hangs_on_data(node: Loop | When | Branch) -> bool:
    return isinstance(node, Branch) or (isinstance(node, Loop) and (node.early_exit or node.total is not None))


def _exceeds(subscript: Expr | None, extent: Expr, visit: StatementDomain, counts: ExecutionCounts) -> bool:
    """Whether a point of the domain does, where one of the box around it does."""
    point = counts.chamber.sample_point
    last = largest(subscript, {loop.var: ends(loop) for loop in visit.loops}) if subscript is not None else None
    try:
        if subscript is None or last is None or visit.domain is None or (last - extent).evaluate(point) < 0:
            return False
        beyond = When((Condition(subscript - extent, "ge"),), (), visit.line)
        return visit.domain.enter(beyond, counts.counter).count(counts.counter).evaluate(point) > 0
    except (Uncountable, NotEvaluable):
        return False
