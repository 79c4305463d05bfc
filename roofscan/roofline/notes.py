"""Remarks beside a verdict: what the roofline leaves out and a reader should know."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.ir.arrays import Array
from roofscan.ir.kernel import ABOVE, BELOW
from roofscan.ir.tree import When
from roofscan.ir.visitor import loops, walk
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.piecewise_bytes import below_where, everywhere
from roofscan.roofline.target import interpreted_loop
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import Expr, NotEvaluable, symbol
from roofscan.symbolic.intervals import describe, intersect

TENSOR_MULTIPLE = {"fp16": 8, "bf16": 8}
"""Matrix units want dimensions of 16 bytes' multiples (NVIDIA, Matrix Multiplication Background)."""


FUSED = "Numba runs the operators of one expression in one loop: the levels and the verdict are those of that loop"


def notes_on(point: RooflinePoint) -> tuple[str, ...]:
    makers = (_interpreted, _bounded, _line_size, _launch, _left_out, _tensor_dimensions)
    return tuple(note for make in makers for note in make(point))


def _interpreted(point: RooflinePoint) -> Iterator[str]:
    loop = interpreted_loop(point.cost.kernel)
    if point.target.why == "interpreted" and loop is not None:
        why = f"line {loop.line} loops over elements in Python, far below the roofline"
        yield f"{point.target.reason} ({why}; the interpreter's time is not predicted)"


def _bounded(point: RooflinePoint) -> Iterator[str]:
    effects = {reason.effect for reason in point.cost.kernel.reasons}
    below, above = (not effects.isdisjoint(some) for some in (BELOW, ABOVE))
    if below and not above:
        yield "FLOPs are a lower bound, so the true intensity is at least the one shown"
    elif above and not below:
        yield "FLOPs are an upper bound, so the true intensity is at most the one shown"


def _line_size(point: RooflinePoint) -> Iterator[str]:
    reuse = point.cost.reuse
    lines = {level.line for level in point.machine.levels if level.capacity}
    if reuse is not None and lines and reuse.line not in lines:
        yield f"counted in lines of {reuse.line} bytes; {point.machine.name} has {max(lines)}"


def _launch(point: RooflinePoint) -> Iterator[str]:
    """Where a launch costs more than the work: both its computing and its traffic."""
    overhead, memory = point.machine.launch_overhead, point.reported
    if overhead is None or memory is None or memory.bandwidth is None or not point.cost.flops:
        return
    flops, moved = (point.target.roof or 0) * overhead.value, memory.bandwidth * overhead.value
    where = _small_work(point, memory, round(flops), round(moved))
    if where:
        yield f"launch overhead ({overhead.value * 1e6:.3g} µs) outweighs the work{where}"


def _small_work(point: RooflinePoint, interface: InterfaceTraffic, flops: int, moved: int) -> str:
    """The sizes with less work than that, as " for n <= 300" ("" if there are none)."""
    cost, evaluation, path = point.cost, point.evaluation, point.evaluation.path
    if path.others != "grow":
        here = evaluation.value(cost.flops) < flops and interface.moved is not None and interface.moved < moved
        return " at these sizes" if here else ""
    try:
        pieces = TrafficCurve(interface.curves.traffic_model, path).into(interface.capacity)
        little = below_where(path.restrict(cost.flops), flops, everywhere(Expr.of(1)))
        ranges = intersect(little, below_where(Expr.of(-moved), -1, pieces))
    except NotEvaluable:
        return ""
    return f" for {describe(path.symbol, ranges)}" if ranges else ""


def _left_out(point: RooflinePoint) -> Iterator[str]:
    """Where a bound launch has fewer threads than its conditions let pass."""
    kernel, values = point.cost.kernel, point.cost.sample_point
    tests = [(node, c) for node in walk(kernel.body) if isinstance(node, When) for c in node.conditions]
    for loop in loops(kernel.body):
        if loop.axis is None or loop.axis.part != "grid" or loop.stop.symbols & point.cost.free:
            continue
        threads = loop.stop.evaluate(values)
        for node, test in tests:
            passing = test.expr + symbol(loop.var) + 1
            if test.relation == "ge" and passing.symbols <= values.keys() - point.cost.free:
                let = passing.evaluate(values)
                if let > threads:
                    yield (
                        f"the launch has {threads} threads along {loop.axis.direction}, and its condition lets {let} "
                        f"pass (line {node.line}): it leaves out the rest"
                    )
                    break


def _tensor_dimensions(point: RooflinePoint) -> Iterator[str]:
    found = odd_dimensions(point)
    if found is not None:
        yield f"tensor cores need multiples of {found[0]}: {', '.join(found[1])}"


def odd_dimensions(point: RooflinePoint) -> tuple[int, tuple[str, ...]] | None:
    """Matrix units reach their rate only on dimensions that are multiples of 16 bytes: the multiple, and those of a
    library's product that are none."""
    multiple = TENSOR_MULTIPLE.get(point.target.precision or "")
    library = any(nest.library for nest in point.cost.nests)
    if multiple is None or not library or point.target.precision not in point.machine.tensor:
        return None
    odd = dict.fromkeys(d for a in point.cost.kernel.arrays for d in _odd_dimensions(a, point, multiple))
    return (multiple, tuple(odd)) if odd else None


def _odd_dimensions(array: Array, point: RooflinePoint, multiple: int) -> Iterator[str]:
    """The dimensions of a matrix that are not such multiples, or are free and might not be."""
    if len(array.shape) < 2 or array.dtype.precision not in TENSOR_MULTIPLE:
        return
    bound = {name: v for name, v in point.cost.sample_point.items() if name not in point.cost.free}
    for extent in array.shape:
        try:
            number = extent.evaluate(bound)
        except NotEvaluable:
            yield str(extent)
            continue
        if number % multiple:
            yield str(extent) if extent.constant is not None else f"{extent} is {number}"
