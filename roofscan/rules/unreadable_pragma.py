"""RFL901: a pragma that roofscan cannot read."""

from __future__ import annotations

from roofscan.rules.rule import Code

CODE = Code(
    id="RFL901",
    title="a pragma cannot be read",
    location="comment",
    meaning="""
        A comment that begins with "# roofscan:" gives what the source does not say: sizes, element types, values. A
        word of this comment is none of these, so roofscan ignores the entire comment. An annotation in quotes that
        begins like the type of an array (x: "f8[n") is reported too.""",
    why="""
        The kernel is then analyzed without the sizes that you gave, and its verdict may differ from what you
        meant.""",
    action="""
        Write name=value words separated by blanks: n=4096 for a size, alpha=1.5 for a number, A=f8[n,1000] for
        an array (a NumPy type and its extents; a trailing F for Fortran order).""",
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
