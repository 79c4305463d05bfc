"""How many threads are active along each direction, in the sizes where these are free."""

from __future__ import annotations

from roofscan.cost.memory.gpu.domain import Activity, AxisCondition, active_threads
from roofscan.cost.memory.gpu.program import Program, Reference
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
from roofscan.symbolic.expr import ONE, Expr

TOLERANCE = 1e-3  # by which an expression may differ from the count


def active_spans(program: Program, reference: Reference, activity: Activity) -> tuple[Num, Num, Num]:
    """Along x, y and z; numbers where sizes are bound, or no expression is near enough."""
    counts = [active_threads((classes,)) for classes in activity]
    found = [_span(program, reference, axis, counts[axis]) for axis in range(3)]
    return found[0], found[1], found[2]


def launched_blocks(program: Program, axis: int) -> Num:
    launch = program.kernel.launch
    return program.number(launch.grid[axis]) if program.number and launch else program.launch.grid[axis]


def _span(program: Program, reference: Reference, axis: int, count: int) -> Num:
    launch = program.kernel.launch
    if program.number is None or launch is None:
        return count
    cuts = reference.guards.cuts[axis]
    ends = [_end(cut, program.launch.block[axis]) for cut in cuts]
    low = [-start for end in ends for start, is_end in [end] if not is_end]
    high = [last + 1 for end in ends for last, is_end in [end] if is_end] or [launch.grid[axis] * launch.block[axis]]
    spans = [program.number(last - first) for last in high for first in (low or [ONE * 0])]
    span = min(spans, key=value_of)
    return span if abs(value_of(span) - count) <= TOLERANCE * count else count


def _end(cut: AxisCondition, threads: int) -> tuple[Expr, bool]:
    """The constant of a condition, and whether it is an end or a start."""
    return cut.expr, cut.thread < 0
