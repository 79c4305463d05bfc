"""RFL506: rows of iteration and unpacking have any strides."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = "import numpy as np\nfrom numba import njit\n\n\n"
SUMS = """@njit({options})
def sums(X, y, out):
    for {head}:
        {row}s = 0.0
        for j in range(len(row)):
            s += row[j] * y[j]
        out[k] = s
"""


def findings(text: str, select: str = "RFL5") -> list[Finding]:
    return list(check_source(HEAD + text, options=Options(select=(select,))))


@pytest.mark.parametrize("head", ["k, row in enumerate(X)", "row, k in zip(X, range(len(X)))"])
def test_rows_of_a_loop_are_scalar_code(head: str) -> None:
    """Measured: 2.6 times with 30 elements, 6.6 with 100."""
    [found] = findings(SUMS.format(options="fastmath=True", head=head, row=""))
    assert found.code == "RFL506" and found.line == 7
    assert "by taking rows of X by subscript, as X[i]" in found.message
    assert found.gain is not None and found.gain > 4


def test_rows_by_subscript_keep_the_layout() -> None:
    assert not findings(SUMS.format(options="fastmath=True", head="k in range(len(X))", row="row = X[k]\n        "))


def test_a_chain_of_additions_needs_fastmath_too() -> None:
    [found] = findings(SUMS.format(options="", head="k, row in enumerate(X)", row=""))
    assert "rows of X by subscript and compiling with fastmath" in found.message


def test_a_sum_of_each_row() -> None:
    text = "@njit(fastmath=True)\ndef totals(X, out):\n    for k, row in enumerate(X):\n        out[k] = row.sum()\n"
    assert [f.code for f in findings(text)] == ["RFL506"]


def test_a_signature_for_any_strides_is_the_fault_of_the_signature() -> None:
    """A subscript would change nothing there."""
    text = SUMS.format(options='"(f8[:, :], f8[::1], f8[::1])", fastmath=True', head="k, row in enumerate(X)", row="")
    assert not findings(text, "RFL506")


def test_elements_of_a_vector_are_scalar_code_too() -> None:
    """Measured: 4.4 times with 1,000 elements, 10 with 20,000."""
    text = "@njit(fastmath=True)\ndef total(x):\n    s = 0.0\n    for v in x:\n        s += v\n    return s\n"
    [found] = findings(text)
    assert found.code == "RFL506" and "by taking elements of x by subscript, as x[i]" in found.message


def test_plain_functions_have_no_such_rows() -> None:
    text = "def sums(X, out):\n    for k, row in enumerate(X):\n        out[k] = np.sum(row * row)\n"
    assert not list(check_source(HEAD + text, options=Options(select=("RFL506",), kernels="all")))


UNPACKED = """@njit
def laplace(arr, out, rs, s):
    {rows}
    n, m = o.shape
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            o[i - 1, j - 1] = (a[i, j + 1] - 2 * a[i, j] + a[i, j - 1]) * s - a[i, j] / rs[i - 1] ** 2
"""


def test_no_zero_test_keeps_unpacked_arrays_scalar() -> None:
    """Measured: 1.00 by computing the divisor before, 3.9 where subscripts take the arrays."""
    assert [f.code for f in findings(UNPACKED.format(rows="a, b = arr[0], arr[1]\n    o = out[0]"))] == ["RFL523"]
    assert "RFL523" not in [f.code for f in findings(UNPACKED.format(rows="a, b = arr\n    o, p = out"))]


ELEMENTS = """@njit{}
def squares(x):{}
    s = 0.0
    for v in {}:
        s += v * v
    return s
"""


@pytest.mark.parametrize(
    ("options", "pragma", "items"),
    [
        ("", "  # roofscan: x=f8[n]", "x"),
        ('("float64(float64[::1])")', "", "x"),
        ("", "\n    y = np.sqrt(np.ones(x))", "y"),
    ],
)
def test_a_sum_of_elements_of_known_type_needs_both(options: str, pragma: str, items: str) -> None:
    """Measured for 20,000 elements: 1.05 times by fastmath alone, 1.00 by subscript alone, 6.4 by both."""
    [found] = findings(ELEMENTS.format(options, pragma, items))
    said = f'x by taking elements of {items} by subscript and compiling with fastmath={{"reassoc", "nsz"}}'
    assert found.code == "RFL506" and said in found.message and found.gain >= 1.5


def test_the_items_of_a_shape_may_be_integers() -> None:
    assert not findings(ELEMENTS.format("", "", "x"))
    text = "@njit\ndef product(shape):\n    n = 1\n    for c in shape:\n        n *= c\n    return n\n"
    assert not findings(text, "RFL506")
