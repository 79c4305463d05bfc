"""RFL999: an internal error of roofscan on a file."""

from __future__ import annotations

from roofscan.rules.rule import Code

CODE = Code(
    id="RFL999",
    title="internal error of roofscan",
    location="file",
    meaning="""
        roofscan raised an exception on this file. All other kernels and files are analyzed as usual, and other
        linters are not affected.""",
    why="""
        An error that nobody sees would look like clean code.""",
    action="""
        Report it with the smallest source that shows it. Until it is fixed, silence it with a noqa comment on
        the line.""",
    bad="""
        # no known source has it: each one that is reported is fixed
        """,
    good="""
        from numba import njit

        @njit
        def double(x):
            for i in range(len(x)):
                x[i] = 2.0 * x[i]
        """,
)
