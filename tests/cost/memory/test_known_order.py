"""`exact` traffic with free sizes holds at all of them: no order of two unrelated sizes is taken from a sample."""

from __future__ import annotations

import pytest

from tests.oracle.analysis import analyzed

LARGE = 1 << 40

KERNELS = {
    "def f(x, n, m):\n    s = x[m]\n    for i in range(n):\n        s += x[i]\n    return s\n": "estimate",
    "def f(x, n, m):\n    for i in range(n):\n        x[i] = 1\n    for i in range(m):\n        x[i] += 2\n": "estimate",
    "def f(A, i, k):\n    for j in range(A.shape[1]):\n        A[i, j] += A[k, j]\n": "estimate",
    "def f(x):\n    s = x[0]\n    for i in range(1, len(x)):\n        s += x[i] - x[i - 1]\n    return s\n": "exact",
    "def f(x):\n    n = len(x)\n    return x[n - 1] + x[n // 2] + x[n // 4]\n": "exact",
    "def f(A, n, m):\n    for i in range(n):\n        for j in range(m):\n            A[i, j] = A[i + 1, j]\n": "exact",
}


@pytest.mark.parametrize("source", KERNELS)
def test_exact_where_the_order_is_known(source: str) -> None:
    text = f"from numba import njit\n\n\n@njit\n{source}"
    assert analyzed(text, "f", "").cost.reuse.traffic(LARGE).status == KERNELS[source]


def test_bound_sizes_have_an_order() -> None:
    source = f"from numba import njit\n\n\n@njit\n{next(iter(KERNELS))}"
    assert analyzed(source, "f", "n=100 m=30 x=f8[128]").cost.reuse.traffic(LARGE).status == "exact"
