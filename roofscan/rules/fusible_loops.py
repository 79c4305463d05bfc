"""RFL302: neighbouring loops stream the same arrays, and may become one."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.roofline.model import Finding
from roofscan.rules.code import Code
from roofscan.rules.conditions import fusing_may_pay
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL302",
    title="neighbouring loops stream the same arrays",
    stands_at="statement",
    default=True,
    meaning="""
        Consecutive loops, or whole-array statements, run over the same range and touch the same arrays,
        which are too large to stay in a cache from one loop to the next: each element is fetched again. No
        iteration of a later loop needs what a later iteration of an earlier one does, so one loop may do
        all the work. The message gives the bytes that it would not move, and both intensities.""",
    why="""
        Fusing is the one change that raises the intensity of streaming code: an array that two loops read
        is read once, and an array that only passes from one to the other need not exist.""",
    action="""
        Write the bodies in one loop, in the order of the statements. Calls of small kernels one after the
        other become one kernel. It is told where the model's least time falls by a seventh, a tenth of the
        kernel's time is saved, and the arrays exceed the last cache.""",
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


def may_apply(context: RuleContext) -> bool:
    return fusing_may_pay(context)


def find(subject: RuleContext) -> Iterator[Finding]:
    yield from subject.advised(CODE.id)
