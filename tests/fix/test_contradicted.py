"""``roofscan fix``: no change under an assumption that a call in the same file does not keep."""

from __future__ import annotations

import pytest

from tests.fix.test_interchange import fix

TEXT = """import numpy as np
from numba import njit


@njit
def shift(a, out, k=1):
    n, m = a.shape
    for j in range(k, m):
        for i in range(1, n):
            out[i, j - k] = a[i - 1, j] * 0.5


def run(x, y):
    {call}
"""


@pytest.mark.parametrize(
    "call",
    [
        "shift(x, x)", "shift(x[:, 1:], x)", "shift(x[2:], x[:4])", "shift(out=x, a=x)", "shift(x, x.T)",
        "shift(x[0], x[0])", "shift(x, y, -1)", "shift(x, y, k=-2)",
    ],
)  # fmt: skip
def test_a_call_contradicts(call: str) -> None:
    made = fix(TEXT.format(call=call)).fixes
    assert not any(text in said for said in made for text in (["k is not"] if "y" in call else ["do not overlap"]))


@pytest.mark.parametrize(
    "call", ["shift(x, y)", "shift(x[0], x[1])", "shift(x.u, x.v)", "shift(x.copy(), x)", "shift(*x)", "shift(x, y, 2)"]
)
def test_a_call_keeps_what_is_assumed(call: str) -> None:
    made = "; ".join(fix(TEXT.format(call=call)).fixes)
    assert "assumes a and out do not overlap" in made and "assumes k is not negative" in made
