"""RFL202: another legal loop order would give the innermost loop unit stride."""

from __future__ import annotations

from roofscan.advice.gain import WORTHWHILE_GAIN
from roofscan.rules.conditions import may_be_reordered
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import advised

CODE = Code(
    id="RFL202",
    title="another loop order would have unit stride",
    remedy="loop order",
    location="loop",
    meaning="""
        The loops of this nest may legally run in another order, in which the innermost loop accesses its arrays with
        unit stride. As written, the loop fetches a cache line for each element and is not vectorized.""",
    why="""
        Interchanging two loops costs nothing and often gains more than any other change. Measured under Numba:
        4 to 15 times for sweeps over columns, 5 to 16 for matrix products.""",
    action="""
        Write the loops in the order that the message gives; "roofscan report --advice" prints the code. Run the
        innermost loop over entire rows, from a constant start (c = C[i] before it, c[j] in it): that is what Numba's
        vector code needs. Each element is computed by the same operations in the same order, so the results stay the
        same. A sum is reordered only where fastmath allows it, and the message says so. Arguments are assumed not to
        overlap.""",
    bad="""
        from numba import njit

        @njit
        def scale(A, B):
            n, m = A.shape
            for j in range(m):
                for i in range(n):
                    B[i, j] = 2.0 * A[i, j]
        """,
    good="""
        from numba import njit

        @njit
        def scale(A, B):
            n, m = A.shape
            for i in range(n):
                for j in range(m):
                    B[i, j] = 2.0 * A[i, j]
        """,
)

may_apply = may_be_reordered
find = advised(CODE.id, WORTHWHILE_GAIN)
