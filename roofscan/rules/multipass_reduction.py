"""RFL303: an array is reduced in several passes."""

from __future__ import annotations

from roofscan.rules.conditions import fusing_may_pay
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import advised

CODE = Code(
    id="RFL303",
    title="an array is reduced in several passes",
    remedy="one pass",
    location="expression",
    default=True,
    meaning="""
        Two or more reductions (a sum, a mean, a variance, an extremum) each read one array that is too large to
        stay in a cache, and nothing writes to it in between. One pass can keep all accumulators. The message
        gives the avoidable bytes and both arithmetic intensities.""",
    why="""
        A reduction does one or two operations per element, so its traffic takes the time, and every pass moves the
        entire array again. np.var alone reads its operand twice.""",
    action="""
        Write one loop that keeps all accumulators, under Numba; `roofscan fix` makes one of loops that add up in
        scalars (measured: 1.3 to 1.8 times for two sums under fastmath, 1.8 to 2.0 times without). For a mean and a
        variance use Welford's update, which is as accurate as two passes; sums of x and x*x lose digits where the
        mean is large. The code is reported if the lower bound on the time falls by a seventh, if that saves a tenth
        of the kernel's time, and if the array exceeds the last-level cache.""",
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

may_apply = fusing_may_pay
find = advised(CODE.id)
