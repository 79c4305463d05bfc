"""The part of the machine that a kernel runs on: under ``parallel=True`` all cores, for what Numba shares out."""

from __future__ import annotations

import pytest

from tests.roofline.test_verdict_source import reports

SOURCE = """
import numpy as np
from numba import njit, prange, stencil

@stencil
def five(a):
    return 0.25 * (a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1])

@njit
def sums(a):
    n = a.shape[0]
    return a.sum() + n

@njit(parallel=True)
def shared(a, b):
    n = a.shape[0]
    b[:] = a * 2.0 + 1.0

@njit{options}
def kernel(a, b, T):
    n, m = a.shape
{body}
"""


def scope(body: str, options: str = "(parallel=True)") -> str:
    text = "".join(f"    {line}\n" for line in body.splitlines())
    return reports(SOURCE.format(options=options, body=text))["kernel"].scope


SHARED_OUT = {
    "expression": "b[:] = a * 2.0 + 1.0",
    "slices": "b[1:, :] = a[:-1, :] + a[1:, :]",
    "in place": "a *= 2.0",
    "fill": "b[:, :] = 0.0",
    "allocation": "return np.zeros((n, m))",
    "reduction": "return a.sum()",
    "stencil": "return five(a)",
    "time loop": "for t in range(T):\n    b[:] = a + b\n    a[:] = b",
    "prange": "for i in prange(n):\n    for j in range(m):\n        a[i, j] *= 2.0",
    "expression in a prange": "for i in prange(n):\n    b[i] = a[i] * 2.0",
}


@pytest.mark.parametrize("body", SHARED_OUT.values(), ids=SHARED_OUT)
def test_numba_shares_it_out(body: str) -> None:
    assert scope(body) == "socket"
    assert scope(body, "") == "core"


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(n):\n    for j in range(m):\n        a[i, j] *= 2.0",
        "return np.sum(a, axis=0)",
        "return sums(a)",
    ],
    ids=["written loop", "reduction along an axis", "callee that is compiled without it"],
)
def test_it_runs_on_one_core(body: str) -> None:
    assert scope(body) == "core"


def test_a_caller_runs_where_its_callee_does() -> None:
    assert scope("for t in range(T):\n    shared(a, b)", "") == "socket"


def test_threads_sum_side_by_side() -> None:
    kernels = reports(SOURCE.format(options="(parallel=True)", body="    return a.sum() + n"))
    assert kernels["kernel"].verdict.attainable > 4 * kernels["sums"].verdict.attainable
