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
    meaning="""
        Two or more reductions (a sum, a mean, a variance, an extremum) each read one array that is too large to
        stay in a cache, and nothing writes to it in between. One pass can keep all accumulators. The message
        gives the avoidable bytes and both arithmetic intensities.""",
    why="""
        A reduction does one or two operations per element, so its traffic takes the time, and every pass moves the
        entire array again. np.var alone reads its operand twice.""",
    action="""
        Write one loop that keeps all accumulators, under Numba; `roofscan fix` makes one of loops that add up in
        scalars (measured: 1.3 to 1.8 times for two sums under fastmath, 1.8 to 2.0 times without). For a mean
        and a variance add up x - x[0] and its square (measured on 256 MB: 2.0 times, with fastmath or without);
        that loses digits only where x[0] is far from the mean beside the spread. Welford's update loses none,
        but its divisions wait for one another: it took 3.4 times as long as two passes, and 11 times with
        fastmath. The code is reported if the lower bound on the time falls by a seventh, if that saves a tenth
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
            first, total, squares, n = x[0], 0.0, 0.0, len(x)
            for i in range(n):
                d = x[i] - first
                total += d
                squares += d * d
            return first + total / n, (squares - total * total / n) / n
        """,
)

may_apply = fusing_may_pay
find = advised(CODE.id)
