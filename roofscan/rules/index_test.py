"""RFL520: Numba tests the subscripts of a loop for negative values, which keeps it scalar."""

from __future__ import annotations

from roofscan.advice.loop_code import CodeChange, may_be_vector_code, vector_code
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import Kernel
from roofscan.remedy import Remedy
from roofscan.rules.faster_code import faster, may_be_faster, remedies
from roofscan.rules.rule import Code

CODE = Code(
    id="RFL520",
    title="a test for negative subscripts keeps the loop scalar",
    remedy="views from 0",
    location="loop",
    meaning="""
        A negative subscript counts from the end, so Numba tests the sign of each subscript. Where the loop starts at 0
        or 1, the compiler proves that none is negative and drops the test; from another number on it does so after the
        function made an array of n elements, or tested n. Otherwise, or from a variable on, it does not (Numba issues
        1226, 2390 and 10670), and the test keeps the loop scalar.""",
    why="""
        Measured under Numba 0.68: range(2, n - 2) takes 5.4 times as long as the same loop from 0 on views for
        1,500 elements, 7.0 times for 60,000, 2.3 times for 4 million; an LU factorization of 100 to 1000 rows
        takes 2.2 to 2.6 times as long.""",
    action="""
        Before the loop, take views that begin at the first element it accesses (row = A[i, k + 1:]), and count from 0
        in the loop (for j in range(len(row))). Subscripts of type np.uint64 avoid the test too, if both bounds and
        everything added to them have that type: for j in range(np.uint64(k + 1), np.uint64(n)). Where a caller in the
        file hands over a number to start at, the code is not reported: compiled with it, the loop has no test.""",
    bad="""
        from numba import njit

        @njit
        def smooth(x, y):
            for i in range(2, len(x) - 2):
                y[i] = x[i - 2] + x[i + 2]
        """,
    good="""
        from numba import njit

        @njit
        def smooth(x, y):
            inner = y[2:]
            for i in range(len(x) - 4):
                inner[i] = x[i] + x[i + 4]
        """,
)


def _change(cost: KernelCost) -> CodeChange | None:
    return vector_code(cost, "index test")


def _words(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    loop = change.loops[0]
    why = f"Numba tests if {'a subscript' if loop.start.constant in (0, 1) else loop.source_name} < 0"
    return remedies(kernel, change, "index test"), why


may_apply = may_be_faster(_change, lambda kernel: may_be_vector_code(kernel, "index test"))
find = faster(CODE.id, _change, _words)
