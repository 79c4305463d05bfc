"""What a change brings at modest sizes, where sizes are free: the best of them promise what short vectors do not keep.
There the nearest cache holds all data, so that operations, the starts of loops and the arrays that a call makes are
all that takes time. Compiled code calls it: Python would take longer for the call than for so little work."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from roofscan.advice.loop_code import CodeChange
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop, Operation
from roofscan.ir.visitor import accesses, innermost_loops, leaves, loops
from roofscan.roofline.interfaces import TrafficCurves
from roofscan.roofline.size_paths import HELD, SizePath
from roofscan.roofline.target import target_on
from roofscan.roofline.time.call import allocation_seconds
from roofscan.roofline.time.predict import least_seconds
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import Expr

VECTOR, SIDE, COORDINATES = 64, 32, 4
"""Elements of a vector, of each side of a matrix, and of a row in a table of points."""

OVER_HELD = 2  # times what is held beside it (a window, a number of lags), that a size is at least


def pays_at_modest_sizes(point: RooflinePoint, change: CodeChange, least: float) -> bool:
    """Whether other machine code gains so much there. Yes where no size is free, or a time is not known."""
    curves, cost, machine = modest_sizes(point), point.cost, point.machine
    if curves is None:
        return True
    target = target_on(cost, machine, curves.evaluation.values)
    before, after = (least_seconds(curves, machine, target, nests) for nests in (cost.nests, change.nests))
    made = allocation_seconds(cost.kernel, machine)
    return not (before > 0 and after > 0) or before + made >= least * (after + made)


def modest_sizes(point: RooflinePoint) -> TrafficCurves | None:
    """None where no size is free."""
    if not point.interfaces:
        return None
    curves, kernel = point.interfaces[0].curves, point.cost.kernel
    evaluation = curves.evaluation
    if not evaluation.path.symbol or not evaluation.generalises:
        return None
    path = _with_short_rows(kernel, evaluation.path)
    position = max(_modest_size(kernel, path), path.domain[0])
    if position >= evaluation.position:
        return None
    return curves.moved_to(replace(evaluation, path=path, position=position))


def _modest_size(kernel: Kernel, path: SizePath) -> int:
    growing = {name for name, value in path.values.items() if value.symbols}
    free = (sum(not extent.symbols.isdisjoint(growing) for extent in array.shape) for array in kernel.arrays)
    size = SIDE if max(free, default=0) > 1 else VECTOR
    return max((size, *(OVER_HELD * held for held in _held(kernel, path))))


def _held(kernel: Kernel, path: SizePath) -> Iterator[int]:
    """The numbers that loops run to and that a user would hold."""
    kinds = {symbol.name for symbol in kernel.symbols if symbol.kind in (*HELD, "int")}
    bounds = {name for loop in loops(kernel.body) for name in (loop.start.symbols | loop.stop.symbols) & kinds}
    values = (path.values[name].constant for name in bounds & path.values.keys())
    return (int(value) for value in values if value is not None)


def _with_short_rows(kernel: Kernel, path: SizePath) -> SizePath:
    """The path on which points have a few coordinates."""
    names = {name for name in _coordinates(kernel) if name in path.values and path.values[name].symbols}
    return replace(path, values={**path.values, **dict.fromkeys(names, Expr.of(COORDINATES))}) if names else path


def _coordinates(kernel: Kernel) -> Iterator[str]:
    """The sizes of points that a nest subtracts from one another, pair after pair: ``x[i, k] - y[j, k]``."""
    counters = {loop.var for loop in loops(kernel.body)}
    for loop in innermost_loops(kernel.body):
        rows = {a.id: a for a in accesses(loop.body) if not a.write and _is_along(a, loop)}
        differences = (n for n in leaves(loop.body) if isinstance(n, Operation) and n.kind == "sub")
        if any(_are_pairs([rows[read] for read in n.inputs if read in rows], counters) for n in differences):
            yield from loop.stop.symbols


def _is_along(access: Access, loop: Loop) -> bool:
    """Whether the loop walks a row, which others choose."""
    rows, last = access.index[:-1], access.index[-1:]
    chosen = all(e is not None and loop.var not in e.symbols for e in rows)
    return bool(rows) and chosen and last == (Expr.of(loop.var),)


def _are_pairs(rows: Sequence[Access], counters: Collection[str]) -> bool:
    """Whether they are two, each of which another loop chooses."""
    chosen = [{name for e in row.index[:-1] if e is not None for name in e.symbols & {*counters}} for row in rows]
    return len(rows) == 2 and all(chosen) and chosen[0].isdisjoint(chosen[1])
