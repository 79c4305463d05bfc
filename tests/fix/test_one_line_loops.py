"""``roofscan fix``: loops whose body stands on the line of their head are left alone."""

from __future__ import annotations

import pytest

from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.fix.every_fix import every_fix
from tests.fix.test_interchange import HEAD

COLUMN = """def f(A, B, y):
    n, m = A.shape
    for j in range(m):
        s = 0.0
        for i in range(n):
            s += A[i, j]
        for i in range(n): s = s * A[i, j]
        y[j] = s
"""
PASSES = """def f(A, B, y):
    n, m = A.shape
    for j in range(n):
        for i in range(m): B[j, i] = A[j, i] * 2.0
    for j in range(n):
        for i in range(m): y[i] = A[j, i] + 1.0
"""


@pytest.mark.parametrize("text", [COLUMN, PASSES])
def test_they_stay(text: str) -> None:
    module = read_module(HEAD + text, "k.py")
    kernel = lower(module, find_candidates(module, False).candidates[0])
    assert not [fix.what for fix in every_fix(HEAD + text, kernel) if text.count(": ") > fix.module.code.count(": ")]
