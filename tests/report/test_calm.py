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


def test_a_few_elements_of_long_arrays_are_no_finding() -> None:
    source = HEAD + """
@njit
def block(matrix, middle, right, vector, at):
    for k in range(5):
        vector[k + at] = right[k] * 2.0
    for m in range(1, 5):
        for k in range(m + 1):
            matrix[k + at + 5 * m] = middle[k + 5 * m] * 2.0
"""
    assert not check_source(source)


def test_what_is_about_balanced_is_no_finding() -> None:
    """Nine tenths of the ridge at the least traffic: the model is no closer than that."""
    source = HEAD + """
@njit(fastmath=True)
def work(x, y):
    for i in range(x.shape[0]):
        y[i] = {}
"""
    half, nearly = (" + ".join(f"x[i] * {k}.5" for k in range(terms)) for terms in (16, 33))
    assert [f.code for f in check_source(source.format(half))] == ["RFL102"]
    assert not check_source(source.format(nearly))


def test_a_comparison_widens_nothing() -> None:
    source = HEAD + """
@njit("void(f4[:], f4[:])")
def positive(x, y):
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y[i] = x[i] * x[i]
"""
    assert not [f for f in check_source(source) if f.code == "RFL401"]
    [finding] = [f for f in check_source(source.replace("x[i] * x[i]", "x[i] * 0.5")) if f.code == "RFL401"]
    assert finding.line == source.splitlines().index("            y[i] = x[i] * x[i]") + 1
