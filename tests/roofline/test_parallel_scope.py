"""The part of the machine that a kernel runs on: under ``parallel=True`` all cores, for what Numba shares out."""

from __future__ import annotations

import pytest

from roofscan.roofline.time.prediction import TimePrediction
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


PRODUCTS_IN_A_LOOP = """
import numpy as np

# roofscan: a=f8[n,n] x=f8[n] y=f8[n,64]
def products(a, x, y, steps):
    for _ in range(steps):
        x = a @ x
        x = x * 0.5
    return x

# roofscan: a=f8[n,3] b=f8[3,3]
def decay(a, b, steps):
    for _ in range(steps):
        a = a @ b
        a = a * np.exp(-a * a)
    return a

# roofscan: a=f8[n,3] b=f8[3,3]
def once(a, b):
    a = a @ b
    return a * np.exp(-a * a)
"""


def test_only_the_products_of_a_loop_run_on_all_cores() -> None:
    """A loop over time that has a small product in it is no parallel loop."""
    found = reports(PRODUCTS_IN_A_LOOP)
    assert {name: report.scope for name, report in found.items()} == {
        "products": "socket", "decay": "core", "once": "core",
    }  # fmt: skip
    assert [nest.parallel for nest in found["decay"].cost.nests] == [True, True, False]  # operations, operands, rest


def test_a_loop_around_a_product_takes_as_long_as_its_iterations() -> None:
    bound = PRODUCTS_IN_A_LOOP.replace("a=f8[n,3] b", "n=40000 a=f8[n,3] b")
    found = reports(bound.replace("range(steps)", "range(50)"))
    once, decay = (found[name].time for name in ("once", "decay"))
    assert isinstance(once, TimePrediction) and isinstance(decay, TimePrediction)
    assert decay.expected == pytest.approx(50 * once.expected, rel=0.4)
