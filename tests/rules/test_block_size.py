"""RFL526: the size of blocks that the source cuts."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = "from numba import njit\n\nBS = {}\n\n"
PRODUCT = """
@njit
def product(A, B, C):
    n = A.shape[0]
    for ii in range(0, n, BS):
        for kk in range(0, n, BS):
            for jj in range(0, n, BS):
                for i in range(ii, min(ii + BS, n)):
                    for k in range(kk, min(kk + BS, n)):
                        c, b = C[i, jj : min(jj + BS, n)], B[k, jj : min(jj + BS, n)]
                        for j in range(len(c)):
                            c[j] += A[i, k] * b[j]
"""
FORCES = """
@njit(fastmath=True)
def forces(x, out, block={}):
    n = len(x)
    for jj in range(0, n, block):
        v = x[jj : min(jj + block, n)]
        for i in range(n):
            s = 0.0
            for j in range(len(v)):
                s += v[j] * x[i]
            out[i] += s
"""


def found(source: str, bind: str = "") -> list[Finding]:
    return [f for f in check_source(source, options=Options(bind=bind)) if f.code == "RFL526"]


def test_three_blocks_of_64_by_64_miss_the_first_cache_and_32_fit() -> None:
    [finding] = found(HEAD.format(64) + PRODUCT, "n=2000")
    assert "by using blocks of 32 over ii, kk, jj; 64 misses L1" in finding.message
    assert finding.line == 9


@pytest.mark.parametrize("size", [16, 32])
def test_blocks_that_fit_are_left_alone(size: int) -> None:
    assert not found(HEAD.format(size) + PRODUCT, "n=2000")


def test_a_parameter_is_judged_at_its_default() -> None:
    [finding] = found(HEAD.format(0) + FORCES.format(8192))
    assert "; block = 8192 misses L1" in finding.message
    assert not found(HEAD.format(0) + FORCES.format(1024))


@pytest.mark.parametrize(
    "body",
    [
        "    for i in range(0, len(x), 4096):\n        x[i] = 2.0 * x[i]\n",  # a stride, no block
        "    for ii in range(0, len(x), 4096):\n        for i in range(ii, min(ii + 4096, len(x))):\n"
        "            x[i] = 2.0 * x[i]\n",  # nothing is used again
    ],
)
def test_nothing_is_said_of_loops_that_no_size_helps(body: str) -> None:
    assert not found(HEAD.format(0) + "\n@njit\ndef f(x):\n" + body)
