"""Fixes keep comments, tabs, line ends and encoding, and find nothing more to fix in what they wrote."""

from __future__ import annotations

import pytest

from roofscan.api import Options
from roofscan.fix.offers import Choice, FixedFile, fixed

TEXT = """# -*- coding: latin-1 -*-
from numba import (
    njit,
)
@njit(
    cache=False,  # no
    nogil=True,
)
def total(
    x,  # \xe9
    y,
):
\ts = 0.0 # start
\t# before the loop
\tfor i in range(len(x)): # over all
\t\t# inside
\t\ts += ( x[ i ]*y[i] ) # odd

\t# between
\tq = 0.0
\tfor i in range(len(x)):
\t\tq += x[i]   *   x[i]
\treturn s, q
class C:
\tclass D:
\t\t@staticmethod
\t\t@njit
\t\tdef m(A, x):
\t\t\tfor i in range(A.shape[0]):
\t\t\t\tfor j in range(A.shape[1]):
\t\t\t\t\tA[i, j] /= x[i] # div
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("fastmath", [True, False])
def test_comments_tabs_line_ends_and_encoding_stay(end: str, fastmath: bool) -> None:
    data = TEXT.replace("\n", end).encode("latin-1")
    made = made_of(data, fastmath)
    after = made.after.decode("latin-1")
    compile(made.after, "k.py", "exec")
    assert len(made.fixes) >= 2 and after.count("#") == TEXT.count("#") and "\xe9" in after
    assert end == "\n" or after.count("\n") == after.count("\r\n")
    assert ("\tq = 0.0" in after) and not made_of(made.after, fastmath).fixes


def made_of(data: bytes, fastmath: bool) -> FixedFile:
    return fixed("k.py", data, Options(kernels="all"), Choice(unsafe=True, fastmath=fastmath), lambda found, _: found)
