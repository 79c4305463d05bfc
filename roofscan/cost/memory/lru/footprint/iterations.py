"""How many iterations loops make, and which: over a part of the tree, with the loops around it standing still."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import floor, prod

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import Interval, Window, constraints, last_iterate, single_range
from roofscan.cost.memory.lru.footprint.domains import Domains
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.footprint.sweep import BOX_STEPS
from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, LoopNode, Ref, ShiftedRow
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, least, same, total, value_of
from roofscan.frozen import dataclass

MAX_LISTED_ITERATIONS = 64  # at most so many iterations of a loop that is not affine are listed

ANY_NUMBER = -1
"""Of iterations: all of one loop touch the same line."""


@dataclass(frozen=True)
class IterationRange:
    """The values of a loop at one place: first to last in order, and how many."""

    first: AlignedPoint
    last: AlignedPoint
    trips: Num


class Iterations:
    def __init__(self, buffers: Collection[Buffer], domains: Domains, budget: Budget) -> None:
        """``buffers``: those of the kernel; references that stand for loops take any of them."""
        self._buffers = buffers
        self._domains = domains
        self._budget = budget
        self._ranges: dict[object, IterationRange | None] = {}

    def range(self, loop: LoopNode, env: Env, window: Window | None = None) -> IterationRange | None:
        """The values of a loop with the loops around it fixed; None where there are none."""
        item = Subtree(loop, env, window)
        if item.key not in self._ranges:
            self._budget.spend(BOX_STEPS)
            self._ranges[item.key] = self._range(loop, env, window)
        return self._ranges[item.key]

    def _range(self, loop: LoopNode, env: Env, window: Window | None) -> IterationRange | None:
        probe = Ref(0, next(iter(self._buffers)), (), False, 0, loops=(loop,))
        system = constraints(probe, env, window)
        if system is None:
            return None
        span = single_range(loop.var, 1, [r for r in system.rows if r.coefs.keys() == {loop.var}])
        return None if span is None else _in_order(loop, span)

    def every(
        self, loop: LoopNode, env: Env, window: Window | None = None, most: int = MAX_LISTED_ITERATIONS
    ) -> list[AlignedPoint]:
        """The iterations of a loop one by one (evenly chosen ones of very many)."""
        span = self.range(loop, env, window)
        if span is None:
            return []
        trips = max(1, floor(value_of(span.trips) + 0.5))
        chosen = range(0, trips, max(1, trips // most))
        return [AlignedPoint(span.first.value + loop.direction * n * loop.step) for n in chosen]

    def executions(self, ref: Ref, item: Subtree) -> Num:
        """How often a reference is executed in an item: the points of its free loops within their guards."""
        return self.points(ref, item, 0)

    def points(self, ref: Ref, item: Subtree, row: int) -> Num:
        """The points of the free loops; of an innermost one along a row, the lines of ``row`` elements at most."""
        free = [loop for loop in ref.loops if loop.var not in item.env]
        return prod([ref.share, *(loop.share for loop in free), self.within(ref, free, item, row)])

    def times(self, node: Child, item: Subtree) -> Num:
        """How often a node is reached in an item, whatever branches on data are taken."""
        return self.within(node, [loop for loop in node.loops if loop.var not in item.env], item, 0)

    def of(self, loop: LoopNode, item: Subtree) -> Num:
        """How many iterations all executions of a loop in an item make."""
        buffer = next(iter(self._buffers))
        return self.times(Ref(0, buffer, (), False, loop.line, loop.guards, 1, (*loop.loops, loop)), item)

    def _trips(self, node: Child, free: Sequence[LoopNode], item: Subtree) -> Iterator[list[Num]]:
        """The iterations of the free loops, for each part of their domain."""
        self._budget.spend(BOX_STEPS)
        variables = tuple(Affine(0, {loop.var: 1}) for loop in free)
        buffer = next(iter(self._buffers))
        probe = Ref(0, buffer, variables, False, node.line, node.guards, 1, node.loops)
        for box in self._domains.boxes_of(probe, item.env, item.window):
            yield [(i.hi - i.lo) / i.step + 1 for i in box]

    def entered(self, ref: Ref, shifted: ShiftedRow, free: Sequence[LoopNode], item: Subtree) -> Num:
        """The lines that a reference enters along shifted rows. Where one begins again, it leaves a line and enters one
        before their ends; in a whole period it comes back to the line in which it began."""
        place, period = [loop.uid for loop in free].index(shifted.loop), shifted.period
        count: list[Num] = []
        for trips in self._trips(ref, free, item):
            steps = trips[place]
            trips[place] = ceil_to(steps - 1, ref.buffer.per_line) / ref.buffer.per_line + 1
            if period is not None:
                trips[place] = trips[place] + (1 if same(steps, period) else 2 * (steps / period + 1))
            count.append(prod(trips))
        return total(count)

    def within(self, node: Child, free: Sequence[LoopNode], item: Subtree, row: int) -> Num:
        count: list[Num] = []
        for trips in self._trips(node, free, item):
            if row and free and free[-1] is node.loops[-1]:
                mean = free[-1].mean  # of executions that may make one iteration, or none
                whole: Num = 1
                if row != ANY_NUMBER:
                    whole = (trips[-1] - 2 + row if mean else ceil_to(trips[-1] - 1, row)) / row + 1
                trips[-1] = least(whole, trips[-1]) if mean else whole
            count.append(prod(trips))
        return total(count)


def _in_order(loop: LoopNode, span: Interval) -> IterationRange:
    step = loop.step
    width = int(value_of(step))
    if width == 1:
        trips = span.hi - span.lo + 1
        low, high = AlignedPoint(span.lo, span.lo_alignment), AlignedPoint(span.hi, span.hi_alignment)
    elif loop.descending:
        bottom, alignment = last_iterate(-span.hi, -span.lo, span.hi_alignment, span.lo_alignment, width)
        low, high = AlignedPoint(-bottom, alignment), AlignedPoint(span.hi, span.hi_alignment)
        trips = (high.value - low.value) / step + 1
    else:
        top, alignment = last_iterate(span.lo, span.hi, span.lo_alignment, span.hi_alignment, width)
        low, high = AlignedPoint(span.lo, span.lo_alignment), AlignedPoint(top, alignment)
        trips = (high.value - low.value) / step + 1
    return IterationRange(high, low, trips) if loop.descending else IterationRange(low, high, trips)
