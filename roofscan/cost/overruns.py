"""Accesses outside their arrays at the sizes of a call: Python raises an exception, compiled code reads or writes other
memory."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.counts import ExecutionCounts, StatementDomain
from roofscan.cost.fitted_sizes import ends, largest
from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Reason
from roofscan.ir.tree import Access, Branch, Loop, When
from roofscan.symbolic.counting.lattice_points import Uncountable
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable


@dataclass(frozen=True)
class Overrun:
    """An access outside the elements of an array along an axis, whatever the data are."""

    access: Access
    axis: int
    extent: int

    def __str__(self) -> str:
        return f"line {self.access.line} {self._beyond}"

    @property
    def reason(self) -> Reason:
        why = f"an access {self._beyond}: a call ends there, or reads outside the array"
        return Reason(self.access.line, why, "upper")

    @property
    def _beyond(self) -> str:
        along = f" along axis {self.axis}" if len(self.access.index) > 1 else ""
        return f"goes beyond the {self.extent} elements of {self.access.array}{along}"


def overruns(counts: ExecutionCounts, free: frozenset[str]) -> Iterator[Overrun]:
    """Those that are certain, whatever the ``free`` symbols are: none under a test of data, or in a loop that data may
    end."""
    for domain in counts.domains:
        if domain.domain is not None and not any(map(_hangs_on_data, domain.domain.path)):
            for access in (node for node in domain.body if isinstance(node, Access)):
                for axis, extent in enumerate(counts.kernel.array(access.array).shape):
                    if any(_occurs(excess, domain, counts, free) for excess in _excesses(access.index[axis], extent)):
                        yield Overrun(access, axis, int(extent.evaluate(counts.chamber.sample_point)))


def _excesses(subscript: Expr | None, extent: Expr) -> tuple[Expr, ...]:
    """What is not negative at subscripts outside: subscripts below 0 count from the end."""
    return () if subscript is None else (subscript - extent, -subscript - extent - 1)


def _hangs_on_data(node: Loop | When | Branch) -> bool:
    return isinstance(node, Branch) or (isinstance(node, Loop) and (node.early_exit or node.total is not None))


def _occurs(excess: Expr, domain: StatementDomain, counts: ExecutionCounts, free: frozenset[str]) -> bool:
    """Whether it is not negative at a point of the domain, where it is so at one of the box around it."""
    point = counts.chamber.sample_point
    most = largest(excess, {loop.var: ends(loop) for loop in domain.loops})
    try:
        if most is None or domain.domain is None or not free.isdisjoint(most.symbols) or most.evaluate(point) < 0:
            return False
        beyond = When((Condition(excess, "ge"),), (), domain.line)
        executions = domain.domain.enter(beyond, counts.aside).count(counts.aside, ONE)
        return free.isdisjoint(executions.symbols) and executions.evaluate(point) > 0
    except (Uncountable, NotEvaluable):
        return False
