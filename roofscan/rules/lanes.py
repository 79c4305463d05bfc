"""What rules on GPU kernels share: the launch on the machine, and accesses in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.cost.memory.models import launch_of
from roofscan.finding import Finding, Subject
from roofscan.ir.launch import LaunchAxis
from roofscan.ir.visitor import loops
from roofscan.rules.faster_code import element
from roofscan.rules.rule_context import RuleContext
from roofscan.symbolic.expr import ONE, NotEvaluable
from roofscan.units import figure

if TYPE_CHECKING:
    from roofscan.roofline.gpu.coalescing import Wasteful
    from roofscan.roofline.gpu.resources import Launched

LEAST_GAIN = 1.05
SMALLER = (4, 16, 64)  # times, that sizes are tried at, too
WARP = 32


def on_gpu(context: RuleContext) -> bool:
    return context.kernel.on_gpu and context.hardware.gpu is not None and context.kernel.unsupported is None


def launched(context: RuleContext) -> Launched | None:
    """What the launch of the kernel does on the machine; None where that is not known."""
    point = context.point
    if not point.target.has_time:
        return None
    from roofscan.roofline.gpu.time import launched_on  # of modules that few files need

    try:
        return launched_on(point.cost, context.hardware, point.evaluation.values)
    except (NotEvaluable, ArithmeticError):
        return None


def gain_without_queue(context: RuleContext) -> float:
    """How much faster the launch is where no atomic update waits for another of the same place."""
    found = launched(context) if on_gpu(context) else None
    if found is None:
        return 1.0
    from roofscan.roofline.gpu.what_if import without_queue

    return found.seconds / without_queue(found).seconds


def across_lanes(context: RuleContext, code: str) -> Iterator[Finding]:
    """One finding for each array whose neighbouring threads ask for too many sectors."""
    for waste, where in _wasteful(context):
        if not waste.of_records:
            what = f"is not coalesced: a warp requests {waste.asked:.3g} sectors where {waste.least:.3g} would do"
            what = f"{what}, its threads are {waste.apart} bytes apart"
            yield _of_array(context, code, (waste, where), what, _remedy(context, waste))


def records_across_lanes(context: RuleContext, code: str) -> Iterator[Finding]:
    """The same where the threads use fields of neighbouring records."""
    for waste, where in _wasteful(context):
        if waste.of_records:
            what = f"is a field of records of {waste.apart} bytes: a warp requests {waste.asked:.3g} sectors where"
            remedy = f"store each field of {waste.reference.name} in an array of its own"
            yield _of_array(context, code, (waste, where), f"{what} {waste.least:.3g} would do", remedy)


def _wasteful(context: RuleContext) -> Iterator[tuple[Wasteful, str]]:
    """For each array, the access that gains most, if that is enough, and at which sizes where not at the verdict's."""
    found = launched(context)
    best = _best(found) if found is not None else {}
    where = ""
    if any(waste.gain < LEAST_GAIN for waste in best.values()):
        best, where = max(((best, ""), *_at_smaller_sizes(context)), key=_most_gain)
    yield from ((waste, where) for waste in best.values() if waste.gain >= LEAST_GAIN)


def _best(launched: Launched) -> dict[str, Wasteful]:
    from roofscan.roofline.gpu.coalescing import uncoalesced

    best: dict[str, Wasteful] = {}
    for waste in uncoalesced(launched):
        known = best.get(waste.reference.name)
        if known is None or waste.gain > known.gain:
            best[waste.reference.name] = waste
    return best


def _most_gain(found: tuple[dict[str, Wasteful], str]) -> float:
    return max((waste.gain for waste in found[0].values()), default=0.0)


def _at_smaller_sizes(context: RuleContext) -> Iterator[tuple[dict[str, Wasteful], str]]:
    """The same at sizes below those of the verdict, where these are free: there, memory may hide less of it."""
    point, model = context.point, launch_of(context.point.cost)
    if model is None:
        return
    from roofscan.cost.memory.gpu.model import growing
    from roofscan.cost.memory.gpu.model import launched as launch_values
    from roofscan.roofline.gpu.time import launched_on

    values, names = point.evaluation.values, growing(model.kernel, model.free)
    for smaller in SMALLER if names else ():
        sizes = {name: max(1, int(values[name]) // smaller) for name in names}
        with suppress(NotEvaluable, ArithmeticError):
            there = launch_values(model.kernel, {**values, **sizes}, model.free)
            found = launched_on(point.cost, context.hardware, there)
            if found is not None:
                yield _best(found), f" at {', '.join(f'{name} = {figure(size)}' for name, size in sizes.items())}"


def _of_array(context: RuleContext, code: str, found: tuple[Wasteful, str], what: str, remedy: str) -> Finding:
    waste, where = found
    reference, access = waste.reference, waste.reference.access
    message = f"{element(context.kernel, access)} {what}{where}; {remedy}"
    figures = (("gain", waste.gain), ("sectors", waste.asked), ("sectors_at_best", waste.least))
    made = context.at(code, access.line, access.column, message, Subject("array", (reference.name,)), figures)
    return replace(made, defers_to="RFL704" if waste.narrow else "")  # which names the best shape of a block


def _remedy(context: RuleContext, waste: Wasteful) -> str:
    """Which subscript should follow the lanes: the one of the contiguous axis."""
    if waste.narrow:
        return f"blocks are {waste.narrow} wide along x: let them be {WARP}"
    access, lanes = waste.reference.access, (LaunchAxis("grid", "x"), LaunchAxis("thread", "x"))
    names = {loop.var for loop in loops(context.kernel.body) if loop.axis in lanes}
    near = [k for k, stride in enumerate(waste.reference.array.strides) if stride == ONE]
    along = access.index[near[-1]] if near and len(access.index) > 1 else None
    where = _contiguous(waste, near[-1]) if along is not None and not along.symbols & names else _other_lanes(waste)
    if where:
        return f"let threadIdx.x run along {where}, or go through a tile in shared memory"
    if waste.reference.loops and len(access.index) == 1:
        return "let the lanes of a warp take neighbouring elements of a row"
    return "store contiguously what neighbouring threads use"


def _contiguous(waste: Wasteful, axis: int) -> str:
    return "the last subscript" if axis == len(waste.reference.access.index) - 1 else f"subscript {axis + 1}"


def _other_lanes(waste: Wasteful) -> str:
    """The direction of a block whose threads are neighbours in memory."""
    steps = zip("yz", waste.reference.thread[1:])
    found = next((d for d, step in steps if abs(value_of(step)) == waste.reference.size), "")
    return f"what threadIdx.{found} does" if found else ""
