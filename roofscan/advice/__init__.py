"""Changes to a kernel's loops that are legal, by a dependence test, and pay, by the same model as the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.blas_product import product_of
from roofscan.advice.gain import Version, as_written
from roofscan.advice.interchange import ProfitableOrder, profitable_orders
from roofscan.advice.messages import of_interchange, of_product, of_tiling
from roofscan.advice.tile import tilings
from roofscan.cost.transform.interchange import legal_orders
from roofscan.cost.transform.perfect_nests import Perfect, perfect_nests
from roofscan.roofline.left_of_ridge import is_left_at_best, left_of_ridge
from roofscan.roofline.model import Advice
from roofscan.roofline.verdict import RooflinePoint


def advise(point: RooflinePoint) -> tuple[Advice, ...]:
    """What would help a kernel that is left of its ridge, or that a stride robs of vector code; each on top of those
    before."""
    if not _is_asked(point):
        return ()
    return tuple(_advice(point))


def _is_asked(point: RooflinePoint) -> bool:
    cost = point.cost
    if not point.target.has_time or cost.reuse is None or point.machine.kind == "gpu":
        return False
    if not cost.kernel.decorator.compiled or cost.kernel.on_gpu:
        return False
    return any(nest.strided_innermost for nest in cost.nests) or left_of_ridge(point) is not None


def _advice(point: RooflinePoint) -> Iterator[Advice]:
    start = now = as_written(point)
    moved: dict[str, ProfitableOrder] = {}
    for change in profitable_orders(point, start):
        yield of_interchange(point, start, change)
        moved[change.transformation.perfect.top.var] = change
        now = change.version
    if not _may_be_blocked(point, now):
        return
    for perfect in perfect_nests(start.kernel):
        if all(loop.callee for loop in perfect.nest.loops):  # the called function has findings of its own
            continue
        current = _current(now, perfect, moved.get(perfect.top.var))
        for tiling in tilings(point, now, current) if current else ():
            yield of_tiling(point, start, now, tiling)
            now = tiling.version
        product = product_of(start.kernel, perfect.nest)
        if product:
            yield of_product(perfect, product)


def _may_be_blocked(point: RooflinePoint, now: Version) -> bool:
    """Whether blocks may help: not where a kernel of free sizes must move too much anyway, and fits at most sizes."""
    if now.waits_at is None or (now.kernel is point.cost.kernel and left_of_ridge(point) is None):
        return False
    return point.evaluation.path.others != "grow" or not is_left_at_best(point)


def _current(now: Version, perfect: Perfect, change: ProfitableOrder | None) -> Perfect | None:
    if change is not None:
        nest = change.transformation.nest
        return Perfect(nest.loops[0], nest)
    return perfect if any(order.as_written for order in legal_orders(now.kernel, perfect.nest)) else None
