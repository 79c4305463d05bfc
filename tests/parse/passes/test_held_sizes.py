"""Which sizes are held while others grow, and at what."""

from __future__ import annotations

from textwrap import dedent

import pytest

from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.facts import parse_facts
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module

FILTERED = """
    H, W = img.shape
    {a}, {b} = f.shape
    for i in range(H - {a} + 1):
        for j in range(W - {b} + 1):
            for p in range({a}):
                for q in range({b}):
                    out[i, j] += img[i + p, j + q] * f[p, q]
    """
AVERAGE = """
    n = len(x)
    for i in range(n - {0} + 1):
        for k in range({0}):
            y[i] += x[i + k]
    """
PADDED = """
    for i in range(y.shape[0]):
        for k in range(taps_of.shape[0]):
            y[i] += x[i + k] * taps_of[k]
    """
PRODUCT = """
    for i in range(n):
        for j in range(n):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
    """
REPEATED = """
    for t in range({0}):
        for i in range(len(x)):
            x[i] = 0.5 * x[i] + 1.0
    """
ITERATED = """
    for i in range(len(x)):
        s = x[i]
        for t in range(most):
            s = 0.5 * (s + x[i] / s)
        x[i] = s
    """
PANEL = """
    m, n = A.shape
    for k in range(n - 1):
        for i in range(k + 1, m):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    """
COUNTED = """
    h = np.zeros(bins)
    for i in range(len(x)):
        h[int(x[i] * bins)] += 1.0
    return h
    """
BOTH_BEFORE = """
    p, q = ar.shape[0], ma.shape[0]
    for i in range(max(p, q), x.shape[0]):
        y[i] = x[i] - np.sum(ar) - np.sum(ma)
    """
POLYNOMIALS = """
    for i in range(len(a)):
        for j in range(len(b)):
            c[i + j] += a[i] * b[j]
    """


def kernel_of(body: str, arguments: str, bind: str = "") -> Kernel:
    lines = [f"    {line}" for line in dedent(body).strip().splitlines()]
    source = "\n".join(
        ["import numpy as np", "from numba import njit", "", "@njit", f"def f({arguments}):", *lines, ""]
    )
    module = read_module(source, "f.py")
    [candidate] = find_candidates(module, plain=True).candidates
    return lower(module, candidate, parse_facts(bind) if bind else Facts())


@pytest.mark.parametrize(
    ("body", "arguments", "held"),
    [
        (FILTERED.format(a="kh", b="kw"), "img, f, out", {"kh": 5, "kw": 5}),
        (FILTERED.format(a="a", b="b"), "img, f, out", {"a": 5, "b": 5}),
        (AVERAGE.format("w"), "x, y, w", {"w": 32}),
        (AVERAGE.format("m"), "x, y, m", {"m": 16}),
        (AVERAGE.format("w"), "x, y, w=7", {"w": 7}),
        (PADDED, "x, taps_of, y", {"taps_of_shape_0": 16}),
        (BOTH_BEFORE, "x, y, ar, ma", {"p": 16, "q": 16}),
        (ITERATED, "x, most", {"most": 64}),
        (ITERATED, "x, most=12", {"most": 12}),
        (COUNTED, "x, bins", {"bins": 256}),
        (COUNTED, "x, bins=10", {"bins": 10}),
        (PRODUCT, "A, B, C, n, m", {}),
        (PANEL, "A", {}),
        (POLYNOMIALS, "a, b, c", {}),
        (REPEATED.format("n_steps"), "x, n_steps=3", {"n_steps": 3}),
    ],
)
def test_sizes_that_users_hold(body: str, arguments: str, held: dict[str, int]) -> None:
    kernel = kernel_of(body, arguments)
    assert kernel.guesses == held
    said = [text for text in kernel.assumptions if " in verdicts (" in text]
    assert {text.split(" is ")[0]: int(text.split()[2]) for text in said} == held


def test_where_nothing_else_grows_nothing_is_held() -> None:
    assert not kernel_of("for i in range(n_steps):\n    s[0] += 0.5 * i\n", "s, n_steps").guesses


def test_what_is_bound_is_not_assumed() -> None:
    kernel = kernel_of(FILTERED.format(a="kh", b="kw"), "img, f, out", "f=f8[3,kw]")
    assert "kw" in kernel.guesses and not any(text.startswith("kh is") for text in kernel.assumptions)


def test_a_matrix_of_dimensions_of_space_is_held_by_itself() -> None:
    body = "for i in range(dim):\n    for j in range(dim):\n        c[i] += {}\n"
    assert kernel_of(body.format("a[i, j] * b[j]"), "a, b, c, dim", "a=f8[dim,dim] c=f8[dim]").guesses == {"dim": 3}
    assert not kernel_of(body.format("b[i] * b[j]"), "b, c, dim", "b=f8[dim] c=f8[dim]").guesses
