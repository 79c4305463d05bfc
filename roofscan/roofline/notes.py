"""Remarks beside a verdict: what the roofline leaves out and a reader should know."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.ir.kernel import Array
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.piecewise_bytes import below_where, everywhere
from roofscan.roofline.target import INTERPRETED, interpreted_loop
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import Expr, NotEvaluable
from roofscan.symbolic.intervals import describe, intersect

TENSOR_MULTIPLE = {"fp16": 8, "bf16": 8}
"""Matrix units want dimensions of 16 bytes' multiples (NVIDIA, Matrix Multiplication Background)."""


FUSED = "Numba runs the operators of one expression in one loop: the levels and the verdict speak of that loop"


def notes_on(judged: RooflinePoint) -> tuple[str, ...]:
    makers = (_interpreted, _bounded, _line_size, _launch, _tensor_dimensions)
    return tuple(note for make in makers for note in make(judged))


def _interpreted(judged: RooflinePoint) -> Iterator[str]:
    loop = interpreted_loop(judged.cost.kernel.body)
    if judged.setting.reason == INTERPRETED and loop is not None:
        yield f"{INTERPRETED} (line {loop.line} loops over elements in Python, far below any roof)"


def _bounded(judged: RooflinePoint) -> Iterator[str]:
    effects = {reason.effect for reason in judged.cost.kernel.reasons}
    if "lower" in effects:
        yield "FLOPs are a lower bound, so the intensity is at least the one shown"
    elif "upper" in effects:
        yield "FLOPs are an upper bound, so the intensity is at most the one shown"


def _line_size(judged: RooflinePoint) -> Iterator[str]:
    reuse = judged.cost.reuse
    lines = {level.line for level in judged.machine.levels if level.capacity}
    if reuse is not None and lines and reuse.line not in lines:
        yield f"counted in lines of {reuse.line} bytes; {judged.machine.name} has {max(lines)}"


def _launch(judged: RooflinePoint) -> Iterator[str]:
    """Where a launch costs more than the work: both its computing and its traffic."""
    overhead, memory = judged.machine.launch_overhead, judged.spoken
    if overhead is None or memory is None or memory.interface.bandwidth is None or not judged.cost.flops:
        return
    flops, moved = (judged.setting.roof or 0) * overhead.value, memory.interface.bandwidth * overhead.value
    where = _small_work(judged, memory, round(flops), round(moved))
    if where:
        yield f"launch overhead ({overhead.value * 1e6:.3g} us) outweighs the work{where}"


def _small_work(judged: RooflinePoint, crossing: InterfaceTraffic, flops: int, moved: int) -> str:
    """The sizes with less work than that, as " for n <= 300" ("" if there are none)."""
    cost, stand, path = judged.cost, judged.stand, judged.stand.path
    if path.others != "grow":
        here = stand.value(cost.flops) < flops and crossing.moved is not None and crossing.moved < moved
        return " at these sizes" if here else ""
    try:
        pieces = TrafficCurve(judged.books, path).into(crossing.interface.capacity)
        little = below_where(path.along(cost.flops), flops, everywhere(Expr.of(1)))
        ranges = intersect(little, below_where(Expr.of(-moved), -1, pieces))
    except NotEvaluable:
        return ""
    return f" for {describe(path.symbol, ranges)}" if ranges else ""


def _tensor_dimensions(judged: RooflinePoint) -> Iterator[str]:
    """Matrix units reach their rate only on dimensions that are multiples of 16 bytes."""
    multiple = TENSOR_MULTIPLE.get(judged.setting.precision or "")
    library = any(nest.library for nest in judged.cost.nests)
    if multiple is None or not library or judged.setting.precision not in judged.machine.tensor:
        return
    odd = dict.fromkeys(d for a in judged.cost.kernel.arrays for d in _odd_dimensions(a, judged, multiple))
    if odd:
        yield f"tensor cores want multiples of {multiple}: {', '.join(odd)}"


def _odd_dimensions(array: Array, judged: RooflinePoint, multiple: int) -> Iterator[str]:
    """The dimensions of a matrix that are not such multiples, or are free and might not be."""
    if len(array.shape) < 2 or array.dtype.precision not in TENSOR_MULTIPLE:
        return
    bound = {name: v for name, v in judged.cost.sample_point.items() if name not in judged.cost.free}
    for extent in array.shape:
        try:
            number = extent.evaluate(bound)
        except NotEvaluable:
            yield str(extent)
            continue
        if number % multiple:
            yield str(extent) if extent.constant is not None else f"{extent} is {number}"
