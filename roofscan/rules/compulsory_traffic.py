"""RFL102: left of the ridge even at compulsory traffic."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.gain import with_float32
from roofscan.finding import Finding
from roofscan.roofline.left_of_ridge import held_by_memory, is_left_at_best, is_near, live_bytes
from roofscan.roofline.model import Ratio
from roofscan.roofline.size_range import ALWAYS
from roofscan.roofline.time.statements import setups
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules import fields_of_lanes, serial_loop, strided_access
from roofscan.rules.conditions import may_be_left_of_ridge
from roofscan.rules.lanes import gain_without_queue, records_across_lanes
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext, lines_of_sizes, sizes, value
from roofscan.rules.sentence import shortest
from roofscan.units import distinct, figure

CODE = Code(
    id="RFL102",
    title="memory-bound even at compulsory traffic",
    remedy="fuse, float32",
    location="kernel",
    meaning="""
        Compulsory traffic reads every input array once and writes every output array once. Even then the kernel does
        fewer FLOPs per byte than the ridge point of the machine, so no loop order and no cache can make it
        compute-bound. Temporaries do not count, only arrays that are live on entry or on exit. A helper is judged in
        its callers, because its data may stay in a cache between two calls. A helper is a function that compiled
        functions of its file call in a loop or take as an argument (a distance of two rows), or that nothing else in
        the file refers to.""",
    why="""
        The kernel runs at the speed of memory, and tuning its arithmetic gains nothing. Only doing more work on
        the data while they are in a cache helps, and that takes the code around the kernel.""",
    action="""
        Nothing, in this kernel: bandwidth is the limit on this machine. Fuse it with kernels before and after it
        that use the same arrays, or use a smaller element type where the precision allows it. A comment
        "# roofscan: accept" on the def accepts the verdict.""",
    bad="""
        from numba import njit

        @njit
        def axpy(a, x, y):
            for i in range(len(x)):
                y[i] += a * x[i]
        """,
    good="""
        from math import exp, sin

        from numba import njit

        @njit
        def damped(x, y):
            for i in range(len(x)):
                y[i] = sin(x[i]) * exp(-x[i])
        """,
)


DIFFERS = 1.05  # a better intensity is worth naming from here on
WAITS = 1.5  # so much faster without waiting, atomic updates are named
NOTHING_TO_GAIN = "it streams, nothing to gain"
ELEMENTS_MAY_GAIN = "loops in place of its array statements may gain"

YIELDS_TO = ("RFL101", "RFL103", "RFL701", "RFL702", "RFL703", "RFL704", "RFL705")


def may_apply(context: RuleContext) -> bool:
    return not context.kernel.is_helper and may_be_left_of_ridge(context)


def find(context: RuleContext) -> Iterator[Finding]:
    interface = held_by_memory(context.point)
    point = context.point
    if interface is None or point.size_range.how != ALWAYS or point.cost.kernel.is_helper:
        return
    memory = point.interfaces[-1]
    least = live_bytes(point.traffic_model)
    if memory.ridge is None or not is_left_at_best(context.point):
        return
    best = value(Ratio(point.cost.flops, least), context)
    if is_near(best / float(memory.ridge), point):
        return
    now = point.intensity(memory) if memory.moved else best
    ai, ridge = distinct(now, float(memory.ridge))
    strided = strided_access.CODE.id if strided_access.applies_to(context) else ""
    if not strided and context.kernel.on_gpu and any(records_across_lanes(context, fields_of_lanes.CODE.id)):
        strided = fields_of_lanes.CODE.id
    near = point.cost.kernel.neighbour
    beside = f"fuse it with {near.name}, which {near.caller} calls beside it (line {near.line})" if near else ""
    shorter = f"fuse it with {near.name}, called beside it (line {near.line})" if near else ""
    nothing = _nothing(context)
    without = gain_without_queue(context)
    gain = without if without >= WAITS and not strided else 1.0
    queued = f"atomic updates wait for each other: add up in each block first, up to {figure(gain, 2)}x"
    what = str(strided_access.TRAVERSE_LINES_FIRST) if strided else queued if gain > 1 else beside or nothing
    said = f"{what}; memory-bound{sizes(point)}"
    if what == nothing and best >= now * DIFFERS:
        ai, said = f"{ai}, at best {figure(best)}", f"memory-bound{sizes(point)} even if each byte moved once"
    known = f"AI {ai}, ridge {ridge}"
    forms = [f"{context.name}: {said}{end}" for end in (f" ({known}, {context.machine})", f" ({known})", "")]
    forms += [form.replace(beside, shorter) for form in forms] if near else []
    yield context.at_def(
        CODE.id,
        shortest(forms, naming=(0, 3)),
        figures=(("intensity", now), ("intensity_at_best", best), ("ridge", float(memory.ridge)), ("gain", gain)),
        lines=(*lines_of_sizes(context), *((near.line,) if near else ())),
        defers_to=strided,
        more=" ".join(filter(None, (_at_best(point, best, now), _smaller_type(context)))),
    )


def _nothing(context: RuleContext) -> str:
    """What is said where no advice is known. A loop over elements is faster than an array statement inside a loop, on
    long rows too (measured): there something may be gained."""
    if next(setups(context.kernel), None) is not None:
        return ELEMENTS_MAY_GAIN
    return f"{NOTHING_TO_GAIN} on one core" if serial_loop.may_apply(context) else NOTHING_TO_GAIN


def _at_best(point: RooflinePoint, best: float, now: float) -> str:
    """A sentence with the intensity by the bytes that must move in any case, where that is another."""
    if best < now * DIFFERS:
        return ""
    temporaries = any(not array.is_live for array in point.cost.kernel.arrays)
    return f"{'Without temporaries the AI is' if temporaries else 'The AI is at best'} {figure(best)}."


def _smaller_type(context: RuleContext) -> str:
    point = context.point
    arrays, precision = point.cost.kernel.arrays, point.target.precision
    is_complex = any(a.dtype.kind == "complex" for a in arrays)
    if precision == "fp64" and any(a.dtype.precision == "fp64" for a in arrays):
        wide = all(a.dtype.counts and a.dtype.precision == "fp64" for a in arrays)
        speedup, what = with_float32(point) if wide else None, "complex64" if is_complex else "float32"
        return f"Where the precision allows it, {what} {f'is {speedup.phrase()}' if speedup else 'halves its bytes'}."
    smaller = any(a.dtype.precision == "fp32" for a in arrays) and not is_complex
    return "Where the precision allows it, a smaller type halves its bytes." if smaller else ""
