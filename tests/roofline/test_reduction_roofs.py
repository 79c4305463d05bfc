"""Roofs of reductions: what Numba compiles to a loop has the loop's, what it hands to BLAS has that of BLAS."""

from __future__ import annotations

import pytest

from tests.roofline.test_verdict_source import one, reports

HEAD = "import numpy as np\nfrom numba import njit\n"
LOOP = """
def kernel(x):
    s = {start}
    for i in range(x.shape[0]):
        s = {step}
    return s
"""
SUM = LOOP.format(start="0.0", step="s + x[i]")


def function(expression: str, parameters: str = "x") -> str:
    return f"\ndef kernel({parameters}):\n    return {expression}\n"


def attainable(text: str, decorator: str = "@njit") -> float:
    found = one(HEAD + decorator + text).verdict.attainable
    assert found is not None
    return found


@pytest.mark.parametrize("decorator", ["@njit", "@njit(fastmath=True)"])
@pytest.mark.parametrize("expression", ["x.sum()", "np.sum(x)", "sum(x[:])", "np.nansum(x)", "x.mean()"])
def test_a_compiled_sum_runs_like_the_loop(expression: str, decorator: str) -> None:
    assert attainable(function(expression), decorator) == pytest.approx(attainable(SUM, decorator), rel=1e-6)


def test_fastmath_lets_a_sum_be_reordered() -> None:
    assert attainable(function("x.sum()"), "@njit(fastmath=True)") > 2 * attainable(function("x.sum()"))


@pytest.mark.parametrize("decorator", ["@njit", "@njit(fastmath=True)"])
def test_a_minimum_stays_in_order_even_with_fastmath(decorator: str) -> None:
    loop = LOOP.format(start="x[0]", step="min(s, x[i])")
    assert attainable(function("x.min()"), decorator) == attainable(loop, decorator) == attainable(loop)


def test_a_variance_waits_for_two_chains() -> None:
    """One operation of the mean and three of the squares in two passes, each at the latency of an add."""
    assert attainable(function("x.var()")) == pytest.approx(2 * attainable(SUM), rel=1e-6)


def test_numpy_sums_in_pairs() -> None:
    assert attainable(function("np.sum(x)"), "") == attainable(function("np.sum(x)"), "@njit(fastmath=True)")


def test_a_sum_along_an_axis_adds_whole_rows() -> None:
    rows = "\ndef kernel(A):\n    n, m = A.shape\n    return np.sum(A, axis=0)\n"
    assert attainable(rows) > attainable(SUM)


def test_a_callee_of_a_plain_function_is_compiled() -> None:
    callee = "\ndef total(x):\n    return x.sum()\n\n# roofscan: x=f8[n]\ndef kernel(x):\n    return total(x)\n"
    called = reports(HEAD + "@njit" + callee)["kernel"].verdict.attainable
    assert called == pytest.approx(attainable(SUM), rel=1e-3)


@pytest.mark.parametrize("expression", ["np.dot(x[:], y[:])", "np.vdot(x[:], y[:])", "x[:] @ y[:]"])
def test_products_of_vectors_run_in_blas(expression: str) -> None:
    loop = "\ndef kernel(x, y):\n    s = 0.0\n    for i in range(x.shape[0]):\n        s += x[i] * y[i]\n    return s\n"
    found = one(HEAD + "@njit" + function(expression, "x, y"))
    assert found.scope == "socket"
    assert found.verdict.attainable > attainable(loop)
