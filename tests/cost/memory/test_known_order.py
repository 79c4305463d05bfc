"""`exact` traffic with free sizes holds at all of them: no order of two unrelated sizes is taken from a sample."""

from __future__ import annotations

import pytest

from tests.oracle.analysis import analyzed

LARGE = 1 << 40

UNKNOWN = """
def element_and_loop(x, n, m):
    s = x[m]
    for i in range(n):
        s += x[i]
    return s

def two_loops(x, n, m):
    for i in range(n):
        x[i] = 1.0
    for i in range(m):
        x[i] += 2.0

def two_rows(A, i, k):
    for j in range(A.shape[1]):
        A[i, j] += A[k, j]

def neighbours_at_a_place(x, k):
    return x[k] + x[k + 1]
"""
KNOWN = """
def neighbours(x):
    s = x[0]
    for i in range(1, len(x)):
        s += x[i] - x[i - 1]
    return s

def halves(x):
    n = len(x)
    return x[n - 1] + x[n // 2] + x[n // 4]

def next_rows(A, n, m):
    for i in range(n):
        for j in range(m):
            A[i, j] += A[i + 1, j]

def one_place(x, k):
    return 2.0 * x[k]

def one_row(A, k):
    s = 0.0
    for j in range(A.shape[1]):
        s += A[k, j]
    return s
"""


def status(text: str, name: str, bind: str) -> str:
    model = analyzed("from numba import njit\n" + text.replace("def ", "@njit\ndef "), name, bind).cost.reuse
    assert model is not None
    return model.traffic(LARGE).status


@pytest.mark.parametrize("name", ["element_and_loop", "two_loops", "two_rows", "neighbours_at_a_place"])
def test_two_sizes_have_no_order(name: str) -> None:
    assert status(UNKNOWN, name, "") == "estimate"


@pytest.mark.parametrize("name", ["neighbours", "halves", "next_rows", "one_place", "one_row"])
def test_one_size_orders_what_it_moves(name: str) -> None:
    assert status(KNOWN, name, "") == "exact"


def test_sizes_with_values_have_an_order() -> None:
    assert status(UNKNOWN, "element_and_loop", "n=100 m=30 x=f8[128]") == "exact"
    assert status(UNKNOWN, "neighbours_at_a_place", "k=7 x=f8[128]") == "exact"
