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


SIGNED = """from numba import njit


@njit("f8(f8[:], f8[:])")
def total(a, b):
    s = 0.0
    for i in range(len(a)):
        s = s + {term}
    return s


def run(M):
    {call}
"""


@pytest.mark.parametrize(
    ("argument", "is_offered"),
    [
        ("M[0]", True), ("M[1:]", True), ("M[0, :]", True), ("M", True),
        ("M[:, 0]", False), ("M[::2]", False), ("M.T[0]", False), ("M.T[:]", False), ("M[:, 1:]", False),
    ],
)  # fmt: skip
def test_a_signature_for_rows_where_the_file_passes_columns(argument: str, is_offered: bool) -> None:
    made = fix(SIGNED.format(term="a[i] * b[i]", call=f"return total({argument}, M[1])"), unsafe=True).fixes
    assert any("[::1]" in said for said in made) == is_offered


def test_divisions_by_zero_that_the_file_expects() -> None:
    caught = "try:\n        return total(M[0], M[1])\n    except ZeroDivisionError:\n        return 0.0"
    text = SIGNED.replace("f8[:]", "f8[::1]").replace("{term}", "a[i] / b[i]")
    assert not any("error_model" in said for said in fix(text.format(call=caught), unsafe=True).fixes)
    assert any("error_model" in said for said in fix(text.format(call="return M"), unsafe=True).fixes)
