"""RFL303: the same array is reduced in several passes."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.roofline.model import Finding
from roofscan.rules.code import Code
from roofscan.rules.conditions import fusing_may_pay
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL303",
    title="an array is reduced in several passes",
    stands_at="expression",
    default=True,
    meaning="""
        Two reductions or more (a sum, a mean, a variance, an extremum) each walk over one array that is
        too large to stay in a cache, with nothing written to it in between. One pass can keep all their
        accumulators. The message gives the bytes that would not move, and both intensities.""",
    why="""
        A reduction does one or two operations on each element that it fetches: its time is the time of the
        bytes, and every pass pays for them again. np.var alone walks over its operand twice.""",
    action="""
        Write one loop that keeps all sums, under Numba. For a mean and a variance use Welford's update,
        which is as accurate as two passes; sums of x and x*x lose digits where the mean is large. It is
        told where the model's least time falls by a seventh, a tenth of the kernel's time is saved, and
        the array exceeds the last cache.""",
    bad="""
        import numpy as np

        # roofscan: x=f8[n]
        def moments(x):
            return np.mean(x), np.var(x)
        """,
    good="""
        from numba import njit

        @njit
        def moments(x):
            mean, spread = 0.0, 0.0
            for i in range(len(x)):
                change = x[i] - mean
                mean += change / (i + 1)
                spread += change * (x[i] - mean)
            return mean, spread / len(x)
        """,
)


def may_apply(context: RuleContext) -> bool:
    return fusing_may_pay(context)


def find(subject: RuleContext) -> Iterator[Finding]:
    yield from subject.advised(CODE.id)
