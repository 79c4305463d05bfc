"""The balance of threads: Numba gives each the same number of iterations of a prange loop, one after the other. Where
inner loops are longer for some of them, and where there are few, the call takes the time of the slowest thread."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.ir.tree import Loop
from roofscan.ir.visitor import leaves, loops, outermost_loops
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number

POINTS = 64  # iterations at which the work is looked at

Values = Mapping[str, Number]


def imbalance(loop: Loop, values: Values, threads: int) -> float:
    """The work of the slowest thread over the mean of all; 1 where it is not known."""
    try:
        return _imbalance(loop, values, threads)
    except NotEvaluable:
        return 1.0


def _imbalance(loop: Loop, values: Values, threads: int) -> float:
    trips = int(_trips(loop, values))
    if trips < 1 or threads < 2:
        return 1.0
    rounded = threads * -(-trips // threads) / trips
    if not any(loop.var in inner.start.symbols | inner.stop.symbols for inner in loops(loop.body)):
        return rounded
    used = min(threads, trips)
    each = max(1, POINTS // used)
    start, step = number(loop.start, values), number(loop.step, values)
    places = (int(start + step * int(trips * (k + 0.5) / (each * used))) for k in range(each * used))
    work = [_work(loop, {**values, loop.var: place}) for place in places]
    slowest = max(sum(work[k : k + each]) for k in range(0, len(work), each))
    return max(rounded, slowest * threads / sum(work)) if sum(work) else rounded


def _trips(loop: Loop, values: Values) -> float:
    return max(0.0, float((number(loop.stop, values) - number(loop.start, values)) / number(loop.step, values)))


def _work(loop: Loop, values: Values) -> float:
    """Of one iteration: its own operations, and those of inner loops at the middle of their ranges."""
    inner = list(outermost_loops(loop.body))
    held = {id(leaf) for each in inner for leaf in leaves(each.body)}
    own = sum(id(leaf) not in held for leaf in leaves(loop.body))
    total = float(own)
    for each in inner:
        trips = _trips(each, values)
        middle = number(each.start, values) + int(trips / 2) * number(each.step, values)
        total += trips * _work(each, {**values, each.var: middle})
    return total
