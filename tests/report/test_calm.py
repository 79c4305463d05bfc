"""A place gets one finding of a code, and kernels that only look for something get none."""

from __future__ import annotations

from roofscan.api import Options, analyze_source, check_source

HEAD = "from numba import njit\n\n"


def test_a_helper_s_place_is_told_once() -> None:
    source = HEAD + """
@njit
def column(A, j):
    s = 0.0
    for i in range(A.shape[0]):
        s += A[i, j]
    return s


@njit
def one(A, out):
    for j in range(A.shape[1]):
        out[j] = column(A, j)


@njit
def other(B, out):
    for j in range(B.shape[1]):
        out[j] = column(B, j) * 2.0
"""
    every = [f for kernel in analyze_source(source).kernels for f in kernel.findings if f.code == "RFL202"]
    assert {f.kernel for f in every} == {"one", "other"}
    [finding] = [f for f in check_source(source) if f.code == "RFL202"]
    assert finding.line == source.splitlines().index("    for i in range(A.shape[0]):") + 1


def test_a_search_with_a_little_arithmetic_is_no_finding() -> None:
    source = HEAD + """
@njit
def longest(keys, starts, weights, out):
    for i in range(len(starts)):
        best = 0
        for j in range(len(keys)):
            if keys[j] == starts[i]:
                best = j
        out[i] = weights[best] * 2.0
"""
    words = "keys=i8[k] starts=i8[n] weights=f8[k] out=f8[n]"
    assert not check_source(source, options=Options(bind=words))
