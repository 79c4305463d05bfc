"""RFL525: a loop reads an element of the row that it writes, which keeps it scalar."""

from __future__ import annotations

from roofscan.advice.loop_code import CodeChange, may_be_vector_code, vector_code
from roofscan.cost.loop_body import reads_of_written_rows
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import accesses
from roofscan.remedy import Remedy
from roofscan.rules.faster_code import faster, may_be_faster, remedies
from roofscan.rules.rule import Code

CODE = Code(
    id="RFL525",
    title="an element of the row that is written keeps the loop scalar",
    remedy="copy the row",
    location="loop",
    meaning="""
        The loop writes a row and reads one element of it, the same in each iteration. The compiler must assume that
        the store may change this element, so each iteration loads it again, and the loop stays scalar.""",
    why="""
        Measured under Numba 0.68: M[i, j] -= c * M[i, k] over j takes 3.7 to 5.2 times as long as with the element
        in a scalar for rows of 100 to 1000 elements, x[i] += y[i] * x[k] 3.0 to 4.2 times; Floyd-Warshall 1.5 to
        1.7 times.""",
    action="""
        Copy the element to a scalar before the loop, if no iteration needs a value that the loop writes there. In the
        example none does: with D[k, k] = 0, the loop writes the old value to D[i, k].""",
    bad="""
        from numba import njit

        @njit
        def shorten(D, k):
            n, m = D.shape
            for i in range(n):
                for j in range(m):
                    D[i, j] = min(D[i, j], D[i, k] + D[k, j])
        """,
    good="""
        from numba import njit

        @njit
        def shorten(D, k):
            n, m = D.shape
            for i in range(n):
                to_k = D[i, k]
                for j in range(m):
                    D[i, j] = min(D[i, j], to_k + D[k, j])
        """,
)


def _change(cost: KernelCost) -> CodeChange | None:
    change = vector_code(cost, "overlap")
    return None if change is None or any(map(_stores_the_element, change.loops)) else change


def _stores_the_element(loop: Loop) -> bool:
    """Whether the loop itself writes the element, as one that swaps it for a smaller one: no copy of it stays right."""
    every = tuple(accesses(loop.body))
    stored = {(access.array, access.index) for access in every if access.write}
    return any((read.array, read.index) in stored for read in reads_of_written_rows(every, loop.var))


def _words(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    return remedies(kernel, change, "overlap"), "it is in the row that the loop writes"


may_apply = may_be_faster(_change, lambda kernel: may_be_vector_code(kernel, "overlap"))
find = faster(CODE.id, _change, _words)
