"""RFL503: a loop computes again a function or a reciprocal that stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofscan.advice.denser import speedup_by
from roofscan.advice.invariants import Repeated, may_repeat, reciprocals, repeated_rows, rows_once
from roofscan.advice.loop_code import WORTHWHILE, CodeChange
from roofscan.cost.transform.hoist import Hoist, hoists
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import INTEGER_POWER
from roofscan.ir.visitor import accesses
from roofscan.remedy import Remedy, do
from roofscan.rules.conditions import has_roofline
from roofscan.rules.faster_code import element, faster, may_be_faster, over
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times

MAX_NAMED = 2  # arrays that a message names

CODE = Code(
    id="RFL503",
    title="a loop computes again what stays the same",
    remedy="compute once",
    location="loop",
    meaning="""
        The innermost loop calls a function of values that a loop around it does not change, or divides by a number
        that it does not change itself; or a loop reduces an entire array that it does not change, as x.max() does, in
        each of its iterations. The compiler neither keeps results for the next iteration of a loop nor multiplies by a
        reciprocal, which rounds differently.""",
    why="""
        Measured under Numba 0.68 for rows of 100 to 1000 elements: with the row stored before the nest, math.exp(x[j])
        in a loop over i and j is 18 to 20 times faster, x[j] ** p 37 to 47 times, np.cos(x[j]) in a sum 16 to 20
        times. With the reciprocal, x[i] / c is 2.9 times faster for 1,500 elements and 1.4 times for 20,000,
        rows divided by a number 1.7 to 2.7 times; nothing is gained from memory. A loop over 5,000 elements that
        divides each by x.max() - x.min() takes 2,900 times as long as with these computed before it.""",
    action="""
        Store the function's values in an array before the loop that the message names, and read them in the loop, or
        assign the reduction to a name before it: the results stay the same. Or compute the reciprocal once, and
        multiply by it, as `roofscan fix --unsafe` does: the last digit may differ (leave quotients that are compared or
        cut to integers), and if the divisor is 0, the error comes before the loop.""",
    bad="""
        from numba import njit
        import math

        @njit
        def damp(A, x):
            for i in range(A.shape[0]):
                for j in range(A.shape[1]):
                    A[i, j] *= math.exp(-x[j])
        """,
    good="""
        from numba import njit
        import math
        import numpy as np

        @njit
        def damp(A, x):
            factor = np.empty(A.shape[1])
            for j in range(A.shape[1]):
                factor[j] = math.exp(-x[j])
            for i in range(A.shape[0]):
                for j in range(A.shape[1]):
                    A[i, j] *= factor[j]
        """,
)


def may_apply(context: RuleContext) -> bool:
    return _may_hoist(context) or _may_store(context) or _may_multiply(context)


def find(context: RuleContext) -> Iterator[Finding]:
    """A reduction or a row that is worth storing first: what is left may then be worth a reciprocal."""
    yield from list(repeated_reductions(context)) or list(_find_rows(context)) or _find_quotients(context)


def _may_hoist(context: RuleContext) -> bool:
    return has_roofline(context) and next(hoists(context.kernel), None) is not None


def repeated_reductions(context: RuleContext) -> Sequence[Finding]:
    """Found once: the rule of dependent sums asks too."""
    if repeated_reductions not in context.found:
        context.found[repeated_reductions] = tuple(_find_reductions(context)) if _may_hoist(context) else ()
    return context.found[repeated_reductions]


def _find_reductions(context: RuleContext) -> Iterator[Finding]:
    kernel = context.point.cost.kernel
    for hoist in hoists(kernel):
        speedup = speedup_by(context.point, hoist.apply(kernel), WORTHWHILE)
        if speedup and speedup.gain >= WORTHWHILE:
            loop = hoist.outer.source_name
            remedy = do("compute", f"{_reduced(kernel, hoist)} before the loop over {loop}")
            why = f"each {loop} computes the same again"
            message = sentence(context.name, speedup, remedy, *with_times(why, speedup))
            about = Subject("loop", (loop,))
            yield context.at(CODE.id, hoist.outer.line, 0, message, about, speedup.figures, hoist.lines)
            return


def _reduced(kernel: Kernel, hoist: Hoist) -> str:
    """``the reduction of x``"""
    found = {kernel.array(access.array).owner for access in accesses(hoist.nodes)}
    named = sorted(name for name in found if kernel.array_named[name].role != "temporary")
    several = len(hoist.nodes) > 1
    return f"the reduction{'s' * several} of {' and '.join(named) if len(named) <= MAX_NAMED else 'its arrays'}"


def _store(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    row = next(row for row in repeated_rows(kernel) if row.outer == change.loops[0])
    what = f"{_called(kernel, row)} of all {row.inner.source_name} before {over(change)}"
    return do("store", what), f"line {row.operations[0].line} calls it again in each iteration"


def _called(kernel: Kernel, row: Repeated) -> str:
    """``exp(x[j])``, or the function alone."""
    call = row.operations[0]
    read = [a for a in accesses(row.inner.body) if a.id in call.inputs]
    name = call.function if call.function not in ("", INTEGER_POWER) else "the power"
    return (
        f"{name}({element(kernel, read[0])})" if name == call.function and len(call.inputs) == len(read) == 1 else name
    )


def _multiply(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    return do("multiply", f"by the reciprocal, computed before {over(change)}"), "the divisor stays the same"


_may_store, _find_rows = may_be_faster(rows_once, may_repeat), faster(CODE.id, rows_once, _store)
_may_multiply, _find_quotients = may_be_faster(reciprocals, may_repeat), faster(CODE.id, reciprocals, _multiply)
