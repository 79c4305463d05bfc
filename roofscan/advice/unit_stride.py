"""What makes a strided walk go along the lines: another loop innermost, blocks, or elements stored contiguously."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from roofscan.advice.denser import BLOCK, blocked, speedup_by, stored_along
from roofscan.advice.interchange import SHORTEST
from roofscan.cost.dependence import forbids
from roofscan.cost.transform.interchange import legal_orders
from roofscan.cost.transform.nest import Nest
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import accesses
from roofscan.remedy import Remedy, do
from roofscan.roofline.strides import StridedAccess, stride_of, strided_accesses
from roofscan.roofline.time.page_walks import PageWalk, axis_of
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable


@dataclass(frozen=True)
class StrideRemedy:
    """What to do with a walk that has a stride: another order of the loops, blocks, or another storage."""

    words: Remedy
    kind: Literal["order", "tile", "store"]


def speedup_of(remedy: StrideRemedy, point: RooflinePoint, walk: StridedAccess, least: float) -> Speedup | None:
    """Another order of the loops, where the nest is not a perfect one, walks as if the arrays were stored otherwise."""
    kernel, changed = point.cost.kernel, None
    if remedy.kind == "tile":
        tiled = blocked(kernel, PageWalk(walk.accesses[0], walk.array, walk.loop, walk.around, 0.0, 0.0))
        changed = tiled.kernel if tiled else None
    elif len(walk.array.shape) > 1:
        others = (w for w in strided_accesses(kernel) if w.loop is walk.loop) if remedy.kind == "order" else (walk,)
        changed = stored_along(kernel, walk.loop, (access for each in others for access in each.accesses))
    return speedup_by(point, changed, least) if changed else None


def stride_remedy(walk: StridedAccess, kernel: Kernel, line: int) -> StrideRemedy | None:
    """A loop around it that runs along the unit-stride axis belongs inside; if there is none, the storage is wrong.
    None where the loop would count in one element, or is known to be short."""
    for loop in reversed(walk.around):
        if _runs_along(loop, walk) and _may_go_inside(loop, walk, kernel):
            if _counts_in_place(loop, walk, kernel) or _is_short(loop, kernel):
                return None
            if _walks(loop, walk, kernel) < _walks(walk.loop, walk, kernel):
                return StrideRemedy(_inside(loop, walk), "order")
            if _leaves_lines(loop, walk, line):
                break
            blocks = f"{walk.loop.name} by {BLOCK} over views, with its blocks outside {loop.name}, if legal"
            return StrideRemedy(do("tile", blocks), "tile")
    axis, name = axis_of(walk.accesses[0], walk.loop), walk.array.name
    if axis is not None and any(_runs_along(loop, walk) and _is_forbidden(loop, walk, kernel) for loop in walk.around):
        return StrideRemedy(do("store", f"{name} (or a copy) with axis {axis} last"), "store")
    return StrideRemedy(do("store", f"what it uses of {name} contiguously"), "store")


def _inside(loop: Loop, walk: StridedAccess) -> Remedy:
    """Another order; where an array expression walks (``X[:, j].sum()``), its loop must be written first."""
    axis = axis_of(walk.accesses[0], walk.loop)
    if walk.loop.part_of is None or axis is None:
        return do("make", f"{loop.short_title} the innermost loop, if legal")
    what = "rows" if len(walk.array.shape) == 2 else f"axis {axis}"
    return do("loop", f"over {what} with {loop.short_title} inside, if legal")


def _is_short(loop: Loop, kernel: Kernel) -> bool:
    """Whether it has so few iterations that an innermost loop of them costs what it gains (three channels of 32 to
    1,500 rows and columns: 0.6 to 3.1 times the speed)."""
    try:
        length, step = (e.evaluate(kernel.guesses) for e in (loop.stop - loop.start, loop.step))
    except NotEvaluable:
        return False
    return abs(float(length)) < SHORTEST * abs(float(step))


def _walks(loop: Loop, walk: StridedAccess, kernel: Kernel) -> int:
    """The accesses that the loop, were it the innermost, would walk with a stride: a transposition has one each way."""
    strides = ((kernel.array(a.array), a) for a in accesses(walk.loop.body))
    sizes = ((array.record.size if array.record else array.dtype.size, array, a) for array, a in strides)
    steps = ((stride_of(a, array, loop), size) for size, array, a in sizes)
    return sum(bool(step) and step not in (size, -size) for step, size in steps)


def _leaves_lines(loop: Loop, walk: StridedAccess, line: int) -> bool:
    """Whether each iteration of the loop takes other lines, so that no order of the loops uses one again."""
    step = stride_of(walk.accesses[0], walk.array, loop).constant
    return isinstance(step, (int, Fraction)) and (step >= line or step <= -line)


def _counts_in_place(loop: Loop, walk: StridedAccess, kernel: Kernel) -> bool:
    """Whether each iteration of the loop would load and store one integer again: 0.89 to 1.2 times the speed."""
    written = [a for a in accesses(walk.loop.body) if a.write and kernel.array(a.array).dtype.kind == "int"]
    return any(all(e is None or loop.var not in e.symbols for e in a.index) for a in written)


def _runs_along(loop: Loop, walk: StridedAccess) -> bool:
    places = (place for a in walk.accesses for place in zip(a.index, walk.array.strides, strict=False))
    return any(step == 1 and subscript is not None and loop.var in subscript.symbols for subscript, step in places)


def _may_go_inside(loop: Loop, walk: StridedAccess, kernel: Kernel) -> bool:
    """Whether nothing forbids it: loops over threads and other functions' stay outside; known dependences decide."""
    if loop.parallel or loop.early_exit or loop.is_elsewhere or loop.name == walk.loop.name:
        return False
    if loop.var in walk.loop.start.symbols | walk.loop.stop.symbols:  # a triangle may be turned round
        return True
    nest = next((p.nest for p in perfect_nests(kernel) if p.nest.loops[-1].var == walk.loop.var), None)
    if nest is None or loop.var not in nest.variables:
        return not _is_forbidden(loop, walk, kernel)
    return any(nest.loops[order.positions[-1]].var == loop.var for order in legal_orders(kernel, nest))


def _is_forbidden(loop: Loop, walk: StridedAccess, kernel: Kernel) -> bool:
    """Whether what the walk itself reads and writes keeps the loop outside: each step of a scheme in time needs the
    neighbours of the step before."""
    inside = walk.around[walk.around.index(loop) + 1 :]
    nest = Nest((loop, *inside, walk.loop), walk.loop.body)
    return forbids(kernel, nest, (*range(1, len(nest.loops)), 0))
