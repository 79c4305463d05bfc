"""``roofscan fix``: what must be assumed of types, so that an element or an array can take the place of a scalar."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.columns.by_rows import by_rows
from roofscan.fix.model import Fix, Site
from roofscan.fix.offers import Choice, fixed
from roofscan.fix.source import SourceTree

HEAD = "import numpy as np\nfrom numba import njit\n\nDECAY = 0.5\n\n\n@njit\n"
PRODUCT = """def kernel(A, B):
    n, k = A.shape
    m = B.shape[1]
    C = {made}
    for i in range(n):
        for j in range(m):
            s = 0.0
            for l in range(k):
                s += A[i, l] * B[l, j]
            C[i, j] = s
    return C
"""
COLUMNS = """def kernel(x, w, q):
    n, p = x.shape
    y = {made}
    for v in w:
        y[0, 0] = v
    for j in range(p):
        s = {start}
        for i in range(n):
            s = {step}
            y[i, j] = s
    return y
"""


@pytest.mark.parametrize(
    ("made", "assumed"),
    [
        ("np.zeros((n, m))", ""),
        ("np.empty((n, m), dtype=np.float64)", ""),
        ("np.zeros_like(A)", "; assumes A is float64"),  # of float32, it would round each sum
        ("np.empty((n, m), dtype=B.dtype)", "; assumes B is float64"),
        ("A @ B", "; assumes A is float64; assumes B is float64"),
    ],
)
def test_an_element_has_the_type_of_its_sum(made: str, assumed: str) -> None:
    text = HEAD + PRODUCT.format(made=made)
    options = Options(kernels="all", select=("RFL202",))
    file = fixed("k.py", text.encode(), options, Choice(), lambda findings, _: findings)
    assert [said.split("(")[1] for said in file.fixes] == [f"safe{assumed})"]


def offered(made: str = "np.empty((n, p))", start: str = "0.0", step: str = "0.5 * s + x[i, j]") -> Fix | None:
    source = SourceTree((HEAD + COLUMNS.format(made=made, start=start, step=step)).encode())
    [result] = analyze_source(source.text, "k.py", Options()).kernels
    line = next(n for n, text in enumerate(source.text.splitlines(), 1) if "y[i, j] = s" in text)
    function = source.function_at(result.kernel.line)
    assert function is not None
    finding = Finding("RFL201", "k.py", line, 0, "", "kernel", subject=Subject("array", ("y",)))
    return by_rows(Site(finding, result.kernel, source, function))


@pytest.mark.parametrize(
    ("made", "step", "assumed"),
    [
        ("np.empty((n, p))", "0.5 * s + x[i, j]", ()),  # nothing complex could be stored in y
        ("np.empty_like(x)", "0.5 * s + x[i, j]", ("x is real",)),
        ("np.empty_like(x)", "q * s + x[i, j]", ("q and x are real",)),
        ("np.empty_like(x)", "DECAY * s + 1.0", ()),
        ("np.empty_like(x)", "OTHER * s + 1.0", ("OTHER is real",)),
    ],
)
def test_scalars_of_complex_numbers_fit_no_array_of_real_ones(made: str, step: str, assumed: tuple[str, ...]) -> None:
    fix = offered(made, step=step)
    assert fix is not None and fix.assumptions == assumed


@pytest.mark.parametrize(
    ("start", "step"),
    [
        ("v", "s + v"),  # an item of w, no integer of a range
        ("0.0", "s + 1j"),
        ("0.0", "s + complex(x[i, j], 1.0)"),
    ],
)
def test_no_array_for_a_scalar_of_unknown_type(start: str, step: str) -> None:
    assert offered("np.empty((n, p), np.complex128)", start, step) is None


def test_differences_of_unsigned_numbers_wrap() -> None:
    small = "np.zeros((n, p), np.uint8)"
    assert offered(small, "0", "s + y[i, j]") is not None
    assert offered(small, "y[0, j]", "y[i, j] - y[0, j]") is None


def test_annotated_scalars_are_not_taken_for_others() -> None:
    text = COLUMNS.format(made="np.zeros((n, p), np.complex128)", start="0j", step="s + x[i, j]")
    options = Options(kernels="all", select=("RFL201",))
    whole = (HEAD + text.replace("s = 0j", "s: complex = 0j")).encode()
    assert not fixed("k.py", whole, options, Choice(unsafe=True), lambda findings, _: findings).fixes
