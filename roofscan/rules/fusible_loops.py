"""RFL302: consecutive loops stream the same arrays and can be fused."""

from __future__ import annotations

from roofscan.rules.conditions import fusing_may_pay
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import advised

CODE = Code(
    id="RFL302",
    title="consecutive loops stream the same arrays",
    remedy="fuse loops",
    location="statement",
    meaning="""
        Consecutive loops, or whole-array statements, run over the same range and access the same arrays, which
        are too large to stay in a cache from one loop to the next: each element is fetched again. No iteration
        of a later loop depends on a later iteration of an earlier one, so the loops can be fused. The message
        gives the avoidable bytes and both arithmetic intensities.""",
    why="""
        Fusion is the one change that raises the intensity of streaming code: an array that two loops read is
        read once, and an array that only passes from one to the other is not needed.""",
    action="""
        Write the bodies in one loop, in the order of the statements. Merge small kernels that are called one after the
        other. The code is reported if the lower bound on the time falls by a seventh, if that saves a tenth of the
        kernel's time, and if the arrays exceed the last-level cache.""",
    bad="""
        from numba import njit

        @njit
        def step(x, v, a):
            for i in range(len(x)):
                v[i] += 0.5 * a[i]
            for i in range(len(x)):
                x[i] += 0.1 * v[i]
        """,
    good="""
        from numba import njit

        @njit
        def step(x, v, a):
            for i in range(len(x)):
                v[i] += 0.5 * a[i]
                x[i] += 0.1 * v[i]
        """,
)

may_apply = fusing_may_pay
find = advised(CODE.id)
