"""RFL301: an expression moves temporaries that a fused loop would not need."""

from __future__ import annotations

from roofscan.rules.conditions import fusing_may_pay
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import advised

CODE = Code(
    id="RFL301",
    title="temporaries move more bytes than a fused loop",
    remedy="fuse",
    location="expression",
    meaning="""
        NumPy runs an expression one operator at a time, and each operator writes its entire result to memory
        for the next to read. One fused loop over the elements keeps these temporaries in registers. The message
        gives the bytes that move as written, the bytes that a fused loop avoids, and the arithmetic intensity
        of both. Numba fuses the operators of one expression by itself; there the code reports a result that is
        then copied into a slice, or summed.""",
    why="""
        A memory-bound expression takes as long as its bytes do. A chain of five operators moves its arrays five
        times where once is enough.""",
    action="""
        Compile the function with Numba, or pass the expression to numexpr. Under Numba write the loop, or let the last
        operation write into its destination: np.add(t, c, out=y). Give the loop an array to write into: the first
        touch of fresh memory can cost more than the temporaries did. The code is reported if the lower bound on the
        time falls by a quarter, if that saves a tenth of the kernel's time, and if the arrays exceed the last-level
        cache.""",
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

YIELDS_TO = ("RFL504",)  # which asks for the same loop where rows are short: no bytes at memory come of them
may_apply = fusing_may_pay
find = advised(CODE.id)
