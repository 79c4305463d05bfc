"""Ways to walk through an array that touch fewer pages: another order of the loops, blocks of the walk, another axis
contiguous. Each with the expected time of a call before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofscan.advice.gain import counted, least_time, moving, speedup_to
from roofscan.advice.interchange import jump
from roofscan.cost.dependence import dependences
from roofscan.cost.transform.interchange import Interchange, is_tilable, legal_orders
from roofscan.cost.transform.layout import with_axis_last
from roofscan.cost.transform.perfect_nests import Perfect, perfect_nests
from roofscan.cost.transform.tile import Tile, may_be_tiled
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop
from roofscan.remedy import Remedy, do
from roofscan.roofline.time.page_walks import PageWalk, axis_of
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable
from roofscan.transformation import TransformationRecord

BLOCK = 32  # rows of a block: their lines fit the nearest cache, their pages the first table of translations


@dataclass(frozen=True)
class Denser:
    remedy: Remedy
    kernel: Kernel
    transformation: TransformationRecord | None = None


def denser_walks(point: RooflinePoint, walk: PageWalk) -> Iterator[Denser]:
    """The legal ones, what is easiest to write first."""
    kernel = point.cost.kernel
    for perfect in perfect_nests(kernel):
        if walk.loop.var in perfect.nest.variables:
            yield from _reordered(point, perfect)
            yield from _blocked(kernel, perfect, walk)
    stored = stored_along(kernel, walk.loop, (walk.access,)) if point.cost.flops else None
    if stored is not None:  # of a mere copy the storage of the result is the purpose
        yield Denser(do("store", f"{walk.array.name} (or a copy) with axis {walk.axis} last"), stored)


def speedup_by(point: RooflinePoint, kernel: Kernel, least: float = 0.0) -> Speedup | None:
    """None where it is not known. Where it is surely less than ``least``, a bound of it, and no more is worked out than
    shows that."""
    before = point.time
    if not isinstance(before, TimePrediction):
        return None
    seconds = float(before.expected)
    try:
        version = counted(point, kernel)
        found = least_time(point, version)
        if seconds < least * found:
            return Speedup(seconds, found)
        version = moving(point, version)
        found = least_time(point, version)
        return Speedup(seconds, found) if seconds < least * found else speedup_to(point, version)
    except NotEvaluable:
        return None


def stored_along(kernel: Kernel, loop: Loop, walked: Iterable[Access]) -> Kernel | None:
    """The kernel with arrays stored so that the loop walks them element by element; None where one may not be."""
    stored: Kernel | None = kernel
    for name, axis in {access.array: axis_of(access, loop) for access in walked}.items():
        stored = None if stored is None or axis is None else with_axis_last(stored, name, axis)
    return stored


def blocked(kernel: Kernel, walk: PageWalk) -> Denser | None:
    found = (d for p in perfect_nests(kernel) if walk.loop.var in p.nest.variables for d in _blocked(kernel, p, walk))
    return next(found, None)


def _reordered(point: RooflinePoint, perfect: Perfect) -> Iterator[Denser]:
    """The order whose inner loops move least far."""
    kernel, nest = point.cost.kernel, perfect.nest
    jumps = [jump(kernel, nest, loop, point.evaluation.values) for loop in nest.loops]
    orders = [order for order in legal_orders(kernel, nest) if not order.reordered]
    best = min(orders, key=lambda order: [jumps[n] for n in reversed(order.positions)], default=None)
    if best is not None and not best.as_written:
        change = Interchange(perfect, best)
        names = ", ".join(loop.source_name for loop in change.nest.loops)
        yield Denser(do("order", f"the loops {names}"), change.apply(kernel), change.record)


def _blocked(kernel: Kernel, perfect: Perfect, walk: PageWalk) -> Iterator[Denser]:
    """Blocks of the walk, outside the loop that moves along the contiguous axis."""
    nest, fast = perfect.nest, [n for n, stride in enumerate(walk.array.strides) if stride.constant == 1]
    along = [e.symbols for n in fast if (e := walk.access.index[n]) is not None]
    position = nest.variables.index(walk.loop.var)
    outside = next((n for n, var in enumerate(nest.variables[:position]) if any(var in names for names in along)), None)
    if outside is None or not may_be_tiled(nest, position) or not is_tilable(dependences(kernel, nest), position):
        return
    tile = Tile(perfect, position, outside, BLOCK)
    what = f"{tile.loop.source_name} by {BLOCK}, with the loop over blocks outside {tile.around.source_name}"
    yield Denser(do("tile", what), tile.modelled(kernel, BLOCK), tile.record)
