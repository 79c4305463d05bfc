"""Advice in words: what to do first, then what it brings and which ceiling says so."""

from __future__ import annotations

from roofscan.advice.codegen import form
from roofscan.advice.gain import Version, bytes_at
from roofscan.advice.interchange import ProfitableOrder
from roofscan.advice.tile import Tiling
from roofscan.cost.transform.perfect_nests import Perfect
from roofscan.finding import Subject
from roofscan.remedy import do
from roofscan.roofline.interfaces import Interface
from roofscan.roofline.model import Advice, Ratio
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.units import distinct


def of_interchange(point: RooflinePoint, start: Version, change: ProfitableOrder) -> Advice:
    """``start`` is the kernel as written, which the gain is relative to."""
    nest, perfect = change.transformation.nest, change.transformation.perfect
    reported = _reported(point)
    names = ", ".join(loop.source_name for loop in nest.loops)
    what, how = do("order", f"the loops {names}"), ": rows stay in cache longer"
    adding = f"accumulate in {_element(perfect)}, not in {perfect.accumulator}" if perfect.accumulator else ""
    stride = "unit stride" if change.to_unit_stride else "short strides"
    if change.denser:
        what = do("make", f"{nest.loops[-1].source_name} the innermost loop")
        how = f" (order {names}{', ' if adding else ''}{adding}): {stride}"
    leave = "; fastmath allows the sum to be reordered" if change.transformation.order.reordered else ""
    ratios = _ratios(point, start, change.version, reported)
    moved = _intensity_change(point, ratios, reported)
    return Advice(
        kind="interchange" if change.denser else "reorder",
        line=perfect.nest.loops[-1].line,
        message=f"{what}{how}{moved}{_speedup_phrase(change.speedup)}{leave}",
        intensity=ratios[1] if ratios else None,
        speedup_bound=start.bound.seconds / change.version.bound.seconds,
        speedup=change.speedup,
        example=_around(perfect, form(point.cost.kernel, nest)),
        code="RFL202" if change.denser else "",
        change=what,
        why=f"{stride}{moved}",
        brief=stride,
        subject=Subject("loop", (nest.loops[-1].source_name,)),
        transformation=change.transformation.record,
    )


def of_tiling(point: RooflinePoint, start: Version, before: Version, tiling: Tiling) -> Advice:
    """``before`` is what the tiling is done to: the kernel as written, or after an interchange."""
    tile = tiling.transformation
    loop, around = tile.loop, tile.around
    what = do("tile", f"{loop.source_name} by {tile.size}")
    where = f", with the loop over blocks outside {around.source_name}"
    ratios = _ratios(point, before, tiling.version, tiling.interface)
    return Advice(
        kind="tile",
        line=loop.line,
        message=f"{what}{where}{_intensity_change(point, ratios, tiling.interface)}{_speedup_phrase(tiling.speedup)}",
        intensity=ratios[1] if ratios else None,
        speedup_bound=start.bound.seconds / tiling.version.bound.seconds,
        speedup=tiling.speedup,
        example=form(point.cost.kernel, tile.perfect.nest, tile),
        change=what,
        subject=Subject("loop", (loop.source_name,)),
        transformation=tile.record,
    )


def of_product(perfect: Perfect, product: str) -> Advice:
    """A BLAS call; its gain depends on the library and on the cores that it takes."""
    return Advice(
        kind="library",
        line=perfect.top.line,
        message=f"this loop nest is the matrix product `{product}`; write one BLAS call, blocked for every cache",
        example=_around(perfect, product),
        change=do("write", product),
        subject=Subject("loop", tuple(loop.source_name for loop in perfect.nest.loops)),
    )


def _around(perfect: Perfect, form_: str) -> str:
    lines = [form_]
    if perfect.accumulator:
        starts = f"initialize every {_element(perfect)} as {perfect.accumulator}"
        lines.insert(0, f"...  # first, in loops of their own: {starts}")
    elif perfect.before:
        lines.insert(0, "...  # first, in loops of their own: what precedes the inner loop")
    if perfect.after:
        lines.append("...  # last, in loops of their own: what follows the inner loop")
    return "\n".join(lines)


def _element(perfect: Perfect) -> str:
    assert perfect.element is not None
    names = {loop.var: loop.source_name for loop in perfect.nest.loops}
    return f"{perfect.element.array}[{', '.join(names.get(str(e), str(e)) for e in perfect.element.index)}]"


def _speedup_phrase(speedup: Speedup | None) -> str:
    return f"; {speedup.phrase()}" if speedup else ""


def _intensity_change(point: RooflinePoint, ratios: tuple[Ratio, Ratio] | None, interface: Interface | None) -> str:
    """``, AI 0.25 instead of 0.0278 at L3``, where that changes."""
    if ratios is None or interface is None or not point.cost.flops:
        return ""
    before, after = (float(point.evaluation.value(r.flops) / point.evaluation.value(r.bytes)) for r in ratios)
    if after < before * 1.05:
        return ""
    new, old = distinct(after, before)
    return f", AI {new} instead of {old} at {interface.name}"


def _reported(point: RooflinePoint) -> Interface | None:
    counted = [c for c in point.interfaces if c.counts]
    interface = point.reported or (counted[-1] if counted else None)
    return interface.interface if interface else None


def _ratios(
    point: RooflinePoint, before: Version, after: Version, interface: Interface | None
) -> tuple[Ratio, Ratio] | None:
    if interface is None:
        return None
    known = [bytes_at(point, version.traffic_model, interface) for version in (before, after)]
    if not all(known):
        return None
    flops = point.cost.flops
    models = (version.traffic_model.among(interface.sharing) for version in (before, after))
    one, other = (Ratio(flops, model.bytes(interface.capacity)) for model in models)
    return one, other
