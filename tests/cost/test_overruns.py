"""Accesses outside their arrays at the sizes of a call: no figure of such a call is exact."""

from __future__ import annotations

import pytest

from tests.oracle.analysis import counted

LOOPS = """
from numba import njit

@njit
def whole(A, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += A[i, j]
    return s

@njit
def triangle(A, n, k):
    for i in range(n):
        for j in range(i + k):
            A[i, j] *= 2.0

@njit
def backwards(x, n):
    s = 0.0
    for i in range(n):
        s += x[3 - i]
    return s

@njit
def guarded(x, n):
    s = 0.0
    for i in range(min(n, x.shape[0])):
        s += x[i]
    for i in range(n):
        if i < x.shape[0]:
            s += x[i]
    return s

@njit
def until_the_data_end_it(x, n):
    i = 0
    while i < n and x[i] > 0.0:
        i += 1
    for j in range(n):
        if x[j] > 0.5:
            return j
    return i

def sliced(x, n):
    return x[2:n].sum()
"""


@pytest.mark.parametrize(
    ("name", "bind"),
    [
        ("whole", "n=5 A=f8[3,3]"),
        ("whole", "n=5 A=f8[5,3]"),
        ("triangle", "n=5 k=2 A=f8[5,5]"),
        ("backwards", "n=9 x=f8[4]"),
    ],
)
def test_a_call_that_leaves_an_array_is_bounded(name: str, bind: str) -> None:
    cost = counted(LOOPS, name, bind).cost
    assert cost.status == "bounded" and cost.registers.status == "upper_bound"
    assert any("goes beyond" in reason.message for reason in cost.kernel.reasons)


@pytest.mark.parametrize(
    ("name", "bind"),
    [
        ("whole", "n=5 A=f8[5,6]"),
        ("whole", "A=f8[3,3]"),  # n is free
        ("triangle", "n=5 k=1 A=f8[5,5]"),
        ("backwards", "n=8 x=f8[4]"),  # a subscript below 0 counts from the end
        ("guarded", "n=9 x=f8[5]"),
        ("until_the_data_end_it", "n=9 x=f8[5]"),
        ("sliced", "n=9 x=f8[5]"),
    ],
)
def test_a_call_that_may_stay_inside_is_as_exact_as_ever(name: str, bind: str) -> None:
    assert not any("goes beyond" in reason.message for reason in counted(LOOPS, name, bind).cost.kernel.reasons)
