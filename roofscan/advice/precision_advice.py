"""Advice of the kind ``precision``: float32 data that are promoted to float64 implicitly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofscan.advice.change import Change, figures
from roofscan.advice.gain import Version, as_written, changed, is_known, is_timed
from roofscan.advice.loop_code import CodeChange, speedup
from roofscan.advice.modest_sizes import pays_at_modest_sizes
from roofscan.cost.precision import Widening, narrowed, widenings
from roofscan.finding import Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop, Operation
from roofscan.ir.visitor import loops, walk_with_blocks
from roofscan.remedy import Remedy, do
from roofscan.roofline.model import Advice, Ratio
from roofscan.roofline.target import target_on
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable

FASTER = 1.2
"""The least gain of the whole kernel that is worth a change: a memory-bound one may gain nothing until its arrays are
smaller, and a constant beside other work gains nothing that anyone can time."""


def precision_advice(point: RooflinePoint) -> Iterator[Advice]:
    """One piece of advice, at the first place where float32 becomes float64."""
    kernel = point.cost.kernel
    if kernel.also_double:  # what is written for float32 would round the constants of its float64 version
        return
    found = widenings(kernel) if point.target.has_roofline and point.cost.reuse is not None else ()
    if not found:
        return
    cause, remedy = _cause(kernel, found[0])
    subject = Subject("array", (found[0].array,)) if found[0].array else Subject("statement")
    lines = (found[0].array_line,) if found[0].array else ()
    start, why = f"float32 data are promoted to float64 here: {cause}", f"float32 data become float64, {cause}"
    advice = Advice(
        "precision", found[0].line, f"{start}; {remedy}", code="RFL401", subject=subject, lines=lines, change=remedy,
        why=why, brief="float32 data become float64",
    )  # fmt: skip
    if kernel.on_gpu:
        yield replace(advice, speedup=_of_launch(point))
        return
    try:
        narrow = changed(point, narrowed(kernel))
        change = Change(point, *(figures(point, v.kernel, [v]) for v in (as_written(point), narrow)))
        is_figure = is_known(point, point.traffic_model) and is_known(point, narrow.traffic_model)
        less = change.intensity_change()
    except (NotEvaluable, ZeroDivisionError):
        if not is_timed(point) and _are_where_time_goes(kernel, found):
            yield advice
        return
    if is_figure and change.gain >= FASTER:
        advice = replace(
            advice, message=f"{start}, {change.instead(str(remedy), after='')}", why=f"{why}{less}",
            intensity=Ratio(change.flops, change.after.moved), speedup_bound=round(change.gain, 2),
            speedup=change.speedup,
        )  # fmt: skip
    elif sooner := speedup(point, code := CodeChange((), frozenset(), narrow.cost.nests), FASTER):
        if not pays_at_modest_sizes(point, code, FASTER):
            return
        message = f"{start}; {remedy}: {sooner.phrase()}"
        advice = replace(advice, message=message, why=f"{why} ({sooner.times})", speedup=sooner)
    elif isinstance(point.time, TimePrediction):
        advice = replace(advice, speedup=Speedup(float(point.time.expected), float(point.time.expected)))
    if not is_timed(point):
        is_said = _are_where_time_goes(kernel, found)
    elif advice.speedup is None or advice.speedup.gain >= FASTER:
        is_said = advice.speedup is not None
    else:
        is_said = _are_where_time_goes(kernel, found) and _is_all_widened(point, narrow)
    if is_said:
        yield advice


def _are_where_time_goes(kernel: Kernel, found: Sequence[Widening]) -> bool:
    """Whether some are in the deepest loops: elsewhere they are noted for their gain alone."""
    lines = {widening.line for widening in found}
    depths = [
        (sum(isinstance(block, Loop) for block in around), node.line in lines)
        for node, around in walk_with_blocks(kernel.body)
        if isinstance(node, (Access, Operation))
    ]
    deepest = max((depth for depth, _ in depths), default=0)
    return deepest > 0 and any(depth == deepest and is_widened for depth, is_widened in depths)


def _is_all_widened(point: RooflinePoint, narrow: Version) -> bool:
    """Whether most of its FLOPs are in float64 for this alone, and memory holds it back: then it is said, as a note,
    where nothing is gained before arrays are smaller."""
    written = as_written(point)
    return (
        written.bound != written.computing
        and target_on(narrow.cost, point.machine, point.evaluation.values).precision != point.target.precision
    )


def _reads(loop: Loop, array: str) -> Iterator[bool]:
    """Of each access in the loop itself, whether it reads the array."""
    return (node.array == array and not node.write for node in loop.body if isinstance(node, Access))


def _of_launch(point: RooflinePoint) -> Speedup | None:
    from roofscan.roofline.gpu.time import launched_on  # of modules that few files need
    from roofscan.roofline.gpu.what_if import in_single

    try:
        found = launched_on(point.cost, point.machine, point.evaluation.values)
    except (NotEvaluable, ArithmeticError):
        return None
    return Speedup(found.seconds, in_single(found).seconds) if found is not None else None


def _cause(kernel: Kernel, widening: Widening) -> tuple[str, Remedy]:
    array = kernel.array(widening.array) if widening.array else None
    if array is not None and array.dtype.counts and array.role == "local":
        return f"{array.name} is a float64 array (line {widening.array_line})", do("give", "it dtype=np.float32")
    if array is not None and not array.dtype.counts:
        by_element = any(loop.source_name and any(_reads(loop, array.name)) for loop in loops(kernel.body))
        what = f"elements of {array.name} with np.float32(...)" if by_element else f"{array.name} by astype(np.float32)"
        return f"{array.name} holds integers", do("convert", what)
    if kernel.decorator.compiled:
        return "the other operand is a Python number or float64", do("write", "np.float32(...)")
    return "the other operand is float64", do("convert", "it with np.float32(...)")
