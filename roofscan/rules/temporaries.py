"""RFL301: an expression moves temporaries that one loop would not need."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.roofline.model import Finding
from roofscan.rules.code import Code
from roofscan.rules.conditions import fusing_may_pay
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL301",
    title="temporaries move more than the expression needs",
    stands_at="expression",
    default=True,
    meaning="""
        NumPy runs an expression one operator after the other, and each writes its whole result to memory
        for the next to read. One loop over the elements would keep these temporaries in registers. The
        message gives the bytes that move as written, those that a fused loop would not move, and the
        arithmetic intensity of both. Numba fuses the operators of one expression by itself; what is left
        there is a result that is then copied into a slice, or summed.""",
    why="""
        A memory-bound expression takes as long as its bytes do. A chain of five operators moves its
        arrays five times where once would be enough.""",
    action="""
        Compile the function with Numba, or hand the expression to numexpr; under Numba write the loop, or
        let the last operation write where its result belongs: np.add(t, c, out=y). Give the loop an array to
        write into: the first touch of fresh memory can cost more than the temporaries did. It is told where the
        model's least time falls by a quarter, a tenth of the kernel's time is saved, and the arrays
        exceed the last cache.""",
    bad="""
        # roofscan: a=f8[n] b=f8[n] c=f8[n]
        def blend(a, b, c):
            return 0.5 * a + 0.25 * b - a * c
        """,
    good="""
        from numba import njit

        @njit
        def blend(a, b, c):
            return 0.5 * a + 0.25 * b - a * c
        """,
)


def may_apply(context: RuleContext) -> bool:
    return fusing_may_pay(context)


def find(subject: RuleContext) -> Iterator[Finding]:
    yield from subject.advised(CODE.id)
