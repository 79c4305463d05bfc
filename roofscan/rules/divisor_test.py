"""RFL523: Numba tests a divisor for zero, which keeps the loop scalar."""

from __future__ import annotations

from roofscan.advice.loop_code import CodeChange, may_be_vector_code, vector_code
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import Kernel
from roofscan.remedy import Remedy
from roofscan.rules.faster_code import faster, may_be_faster, remedies
from roofscan.rules.rule import Code

CODE = Code(
    id="RFL523",
    title="a test for a zero divisor keeps the loop scalar",
    remedy="error_model",
    location="loop",
    meaning="""
        By default Numba divides as Python does: a zero divisor raises ZeroDivisionError. Where the divisor
        changes in the loop, the test for it keeps the loop scalar. So does the test of a power that does not
        change, as in u / dx**2: Numba's power is a call when LLVM takes tests out of loops.""",
    why="""
        Measured under Numba 0.68: z[i] = x[i] / y[i] takes 4.5 times as long as under the error model of NumPy
        for 1,500 elements, 5.3 times for 60,000, 1.8 times for 4 million; a particle pusher whose called function
        divides takes 8.5 times as long. A relaxation that divides by 2 * (dx**2 + dy**2) takes 2.9 times as long
        as with the divisor computed before the loop. Up to 1,024 elements of an array of the enclosing scope keep no
        test: they are constants of the compiled code.""",
    action="""
        Compile the function that divides with error_model="numpy": a division by zero then gives inf or nan, as in
        NumPy. If the loop calls that function, the message names it. Or divide once outside the loop and multiply.
        An element that all iterations divide by may be copied to a scalar before the loop, as `roofscan fix` does:
        measured 2.4 to 7.9 times. Compute a divisor with powers before the loop; `roofscan fix` does that too.""",
    bad="""
        from numba import njit

        @njit
        def ratio(x, y, z):
            for i in range(len(x)):
                z[i] = x[i] / y[i]
        """,
    good="""
        from numba import njit

        @njit(error_model="numpy")
        def ratio(x, y, z):
            for i in range(len(x)):
                z[i] = x[i] / y[i]
        """,
)


def _change(cost: KernelCost) -> CodeChange | None:
    decorator = cost.kernel.decorator
    if decorator.kind not in ("njit", "jit") or decorator.inlined or decorator.has_unread:
        return None
    return vector_code(cost, "division")


def _words(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    return remedies(kernel, change, "division"), "zero tests keep it scalar"


may_apply = may_be_faster(_change, lambda kernel: may_be_vector_code(kernel, "division"))
find = faster(CODE.id, _change, _words)
