"""RFL901: a pragma that roofscan cannot read."""

from __future__ import annotations

from roofscan.rules.code import Code

CODE = Code(
    id="RFL901",
    title="a pragma cannot be read",
    stands_at="comment",
    default=True,
    meaning="""
        A comment that begins with "# roofscan:" tells what the source cannot say: sizes, element types,
        values. This one has a word that is none of these, so it is ignored as a whole.""",
    why="""
        The kernel is then analysed as if nothing were known of its sizes, and its verdict may differ
        from what you meant.""",
    action="""
        Write name=value words with blanks between them: n=4096 for a size, alpha=1.5 for a number,
        A=f8[n,1000] for an array (a NumPy type and its extents; a trailing F for Fortran order).""",
    bad="""
        from numba import njit

        # roofscan: A=f9[n,
        @njit
        def total(A):
            s = 0.0
            for i in range(len(A)):
                s += A[i]
            return s
        """,
    good="""
        from numba import njit

        # roofscan: A=f8[n]
        @njit
        def total(A):
            s = 0.0
            for i in range(len(A)):
                s += A[i]
            return s
        """,
)
