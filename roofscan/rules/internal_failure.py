"""RFL999: roofscan failed on a file, by its own fault."""

from __future__ import annotations

from roofscan.rules.code import Code

CODE = Code(
    id="RFL999",
    title="roofscan failed here, by its own fault",
    stands_at="file",
    default=True,
    meaning="""
        Something in this file made roofscan fail where it should have said that it does not know. All
        other kernels and files are analysed as usual, and so are the findings of other linters.""",
    why="""
        A failure that nobody sees would look like clean code.""",
    action="""
        Please report it with the smallest source that shows it. Until it is mended, a noqa comment on
        the line silences it.""",
    bad="""
        # no source is known that has it: each one that is reported is mended
        """,
    good="""
        from numba import njit

        @njit
        def double(x):
            for i in range(len(x)):
                x[i] = 2.0 * x[i]
        """,
)
