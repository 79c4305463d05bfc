"""What rules on GPU kernels share: the launch on the machine, and accesses in words."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding, Subject
from roofscan.ir.launch import LaunchAxis
from roofscan.ir.visitor import loops
from roofscan.roofline.gpu.coalescing import Wasteful, uncoalesced
from roofscan.roofline.gpu.resources import Launched
from roofscan.roofline.gpu.time import launched_on
from roofscan.rules.faster_code import element
from roofscan.rules.rule_context import RuleContext
from roofscan.symbolic.expr import NotEvaluable

LEAST_GAIN = 1.05


def on_gpu(context: RuleContext) -> bool:
    return context.kernel.on_gpu and context.hardware.gpu is not None and context.kernel.unsupported is None


def launched(context: RuleContext) -> Launched | None:
    """What the launch of the kernel does on the machine; None where that is not known."""
    point = context.point
    if point.target.why not in (None, "no work"):
        return None
    try:
        return launched_on(point.cost, context.hardware, point.evaluation.values)
    except (NotEvaluable, ArithmeticError):
        return None


def across_lanes(context: RuleContext, code: str) -> Iterator[Finding]:
    """One finding for each array whose neighbouring threads ask for too many sectors."""
    found = launched(context)
    reported: set[str] = set()
    for waste in uncoalesced(found) if found is not None else ():
        if waste.reference.name not in reported:
            reported.add(waste.reference.name)
            yield _of_array(context, code, waste)


def _of_array(context: RuleContext, code: str, waste: Wasteful) -> Finding:
    reference, access = waste.reference, waste.reference.access
    what = element(context.kernel, access)
    message = (
        f"{what} is not coalesced: a warp asks for {waste.asked:.3g} sectors where {waste.least:.3g} would do, "
        f"its threads are {waste.apart} bytes apart; {_remedy(context, waste)}"
    )
    figures = (("gain", waste.gain), ("sectors", waste.asked), ("sectors_at_best", waste.least))
    return context.at(code, access.line, access.column, message, Subject("array", (reference.name,)), figures)


def _remedy(context: RuleContext, waste: Wasteful) -> str:
    """Which subscript should follow the lanes: the one of the contiguous axis."""
    access, lanes = waste.reference.access, (LaunchAxis("grid", "x"), LaunchAxis("thread", "x"))
    names = {loop.var for loop in loops(context.kernel.body) if loop.axis in lanes}
    last = access.index[-1] if access.index else None
    if len(access.index) > 1 and last is not None and not last.symbols & names:
        return "let threadIdx.x run along the last subscript, or go through a tile in shared memory"
    if waste.reference.loops and len(access.index) == 1:
        return "let the lanes of a warp take neighbouring elements of a row"
    return "store contiguously what neighbouring threads use"
