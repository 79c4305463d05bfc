"""RFL504: arrays made, and statements on short rows set up, in each iteration."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = "import numpy as np\nfrom numba import njit, prange\n\n@njit{}\ndef f(A, B, y):\n"
SHORT = "A=f8[1000,16] B=f8[1000,16] y=f8[1000]"
SCALED = "    for i in range(A.shape[0]):\n        A[i] = 2.0 * B[i] + 1.0\n"
SCRATCH = """\
    for i in range(A.shape[0]):
        t = np.empty(3)
        for k in range(3):
            t[k] = A[i, k] - B[i, k]
        y[i] = t[0] * t[1] + t[2]
"""


def found(body: str, bind: str = SHORT, options: str = "") -> list[Finding]:
    return check_source(HEAD.format(options) + body, options=Options(select=("RFL504",), bind=bind))


def test_a_statement_on_short_rows() -> None:
    """Measured under Numba 0.68 on Zen 5: 32 ns a row, 1.5 ns as a loop over its elements."""
    [finding] = found(SCALED)
    assert finding.line == 6 and finding.subject.names == ("i",) and finding.lines == (7,)
    assert "x by writing line 7 as a loop over elements; each i sets up arrays and views (" in finding.message
    assert 3 <= (finding.gain or 0) <= 12


def test_rows_of_any_length_count_where_the_second_cache_holds_them() -> None:
    """Measured under Numba 0.68 on Zen 5, as loops over elements: 4.5 times as fast at 127 rows, 3.1 at 2,047."""
    body = "    for i in range(A.shape[0]):\n        d = A[i] - B[0]\n        y[i] = np.sum(d * d)\n"
    [finding] = found(body, "A=f8[n,m] B=f8[1,m] y=f8[n]")
    assert 1.4 <= (finding.gain or 0) <= 4.5 and "Both times are at" in finding.detail
    assert found(body, "A=f8[100,100000] B=f8[1,100000] y=f8[100]") == []


@pytest.mark.parametrize("bind", [SHORT, ""])
def test_an_array_that_a_loop_makes(bind: str) -> None:
    """Measured: 17.6 ns an iteration, 0.7 without; whatever the other sizes are."""
    [finding] = found(SCRATCH, bind)
    assert "x by making t before the loop; each i allocates an array (" in finding.message
    assert 4 <= (finding.gain or 0) <= 25


@pytest.mark.parametrize(
    ("body", "bind", "options"),
    [
        (SCALED, "A=f8[100,100000] B=f8[100,100000] y=f8[100]", ""),  # long rows
        (SCALED.replace("range", "prange"), SHORT, "(parallel=True)"),
        ("    for i in range(A.shape[0]):\n        y[i] = np.sum(A[i])\n", SHORT, ""),  # no more than a loop
        ("    A[:] = 2.0 * B + 1.0\n", SHORT, ""),  # set up once
        (
            SCRATCH.replace("    for i", "    t = np.empty(3)\n    for i").replace("        t = np.empty(3)\n", ""),
            "",
            "",
        ),
    ],
)
def test_what_takes_little(body: str, bind: str, options: str) -> None:
    assert found(body, bind, options) == []


def test_the_dearest_loop_is_named_with_all_that_it_sets_up() -> None:
    body = "    for i in range(A.shape[0]):\n        t = np.empty(16)\n        t[:] = A[i]\n        B[i] = t + 1.0\n"
    [finding] = found(body)
    assert "making t before the loop and writing lines 8 and 9 as a loop" in finding.message


def test_an_array_whose_length_the_data_say_cannot_be_kept() -> None:
    body = "    for i in range(A.shape[0]):\n        w = np.arange(-y[i], y[i] + 1)\n        for k in range(3):\n"
    body += "            A[i, 0] += w[k] * B[i, k]\n"
    assert found(body, "A=f8[n,m] B=f8[n,m] y=i8[n]") == []


def test_an_array_goes_with_the_statement_that_makes_it() -> None:
    body = "    for i in range(A.shape[0]):\n        d = A[i] - B[0]\n        y[i] = np.sum(d * d)\n"
    [finding] = found(body)
    assert "x by writing line 7 as a loop over elements; " in finding.message


def test_many_statements_are_not_listed() -> None:
    body = "    for i in range(A.shape[0]):\n" + "        A[i] = 2.0 * B[i] + 1.0\n" * 3
    [finding] = found(body)
    assert "writing its array statements as a loop" in finding.message and finding.lines == (7, 8, 9)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("A[i] += B[i]", "loops in place of its array statements may gain"),
        ("A[i] *= 2.0", "loops in place of its array statements may gain"),
        ("for j in range(A.shape[1]): A[i, j] += B[i, j]", "it streams, nothing to gain"),
    ],
)
def test_rows_of_any_length_are_not_told_that_nothing_is_to_be_gained(row: str, says: str) -> None:
    """A[i] += B[i] measured under Numba 0.68 on Zen 5: rows of 100 to 1,000,000 elements take 1.4 to 3.9 times as long
    as the loop over them. RFL504 promises the set-up alone, which long rows hide."""
    body = f"    for i in range(A.shape[0]):\n        {row}\n"
    bind = "A=f8[n,m] B=f8[n,m] y=f8[n]"
    [finding] = check_source(HEAD.format("") + body, options=Options(select=("RFL102",), bind=bind))
    assert f"f: {says}" in finding.message


def test_a_product_of_a_library_stays_where_a_loop_would_add_up_in_order() -> None:
    """220 cycles of a call are those of 55 additions that wait for one another. A window has any length."""
    body = "    for i in range(A.shape[0]):\n        y[i] = np.dot(A[i], B[i])\n"
    [short] = found(body, "A=f8[1000,8] B=f8[1000,8] y=f8[1000]")
    assert (short.gain or 0) > 2
    assert found(body, "A=f8[1000,64] B=f8[1000,64] y=f8[1000]") == []
    assert found(body, "A=f8[1000,64] B=f8[1000,64] y=f8[1000]", "(fastmath=True)") != []
    window = "    m = B.shape[0]\n    for i in range(A.shape[0] - m + 1):\n        y[i] = np.dot(B, A[i : i + m])\n"
    assert found(window, "A=f8[n] B=f8[k] y=f8[n]") == []


def test_a_long_product_of_a_library_is_none_of_the_statements() -> None:
    body = "    for i in range(A.shape[0]):\n        A[i] = 2.0 * B[i]\n        y[i] = np.dot(A[i], B[i])\n"
    [finding] = found(body, "A=f8[1000,64] B=f8[1000,64] y=f8[1000]")
    assert "by writing line 7 as a loop over elements" in finding.message


def test_a_product_as_long_as_its_loop_says() -> None:
    """Its length is that of the middle iteration; the arrays that the product makes have no name."""
    body = "    for i in range(1, A.shape[0]):\n        B += y[i] * (A[i:].T @ A[:-i])\n"
    [finding] = found(body, "A=f8[20,4] B=f8[4,4] y=f8[20]")
    assert "by writing line 7 as a loop over elements" in finding.message
    body = "    s = np.zeros((A.shape[1], A.shape[1]))\n" + body.replace("B +=", "s +=") + "    return s\n"
    [finding] = found(body, "A=f8[100,4]")
    assert "x by writing line 8 as a loop over elements; each i allocates an array" in finding.message


@pytest.mark.parametrize("test", ["np.any(v == A[i, j])", "np.sum(v != A[i, j]) > 2", "np.all(v > A[i, j])"])
def test_a_test_of_each_element_makes_an_array(test: str) -> None:
    """Numba makes the array of truth values for each element: a loop over 3 values takes 0.15 of the time, over 30
    values 0.23. A reduction takes an array, so ``v`` is one."""
    body = f"    for i in range(A.shape[0]):\n        for j in range(A.shape[1]):\n            if {test}:\n"
    source = HEAD.format("").replace("y):", "y, v):") + body + "                B[i, j] = 1.0\n"
    [finding] = check_source(source, options=Options(select=("RFL504",)))
    assert "by writing line 8 as a loop over elements; each j allocates an array" in finding.message


def test_an_array_that_outlives_its_iteration_stays_in_the_loop() -> None:
    body = (
        "    least, best = np.inf, y\n    for i in range(A.shape[0]):\n        t = np.zeros(8)\n        s = 0.0\n"
        "        for j in range(8):\n            t[j] = A[i, j] - B[i, j]\n            s += t[j] * t[j]\n"
        "        if s < least:\n            least = s\n{}    return best\n"
    )
    assert found(body.format("            y[i] = least\n"))
    assert not found(body.format("            best = t\n"))


def test_a_matrix_of_any_size_that_a_product_takes_is_made_whole() -> None:
    """The product takes the time, and the matrix stays."""
    body = "    for i in range(len(y)):\n        t = (A[i, :, :] - B).T\n        y[i] = np.dot(np.dot(t, z), z)\n"
    source = HEAD.format("").replace("y):", "y, z):") + body
    codes: list[bool] = []
    for bind in ("A=f8[n,16,16] B=f8[16,16] y=f8[n] z=f8[16,16]", "A=f8[n,m,m] B=f8[m,m] y=f8[n] z=f8[m,m]"):
        codes.append(bool(check_source(source, options=Options(select=("RFL504",), bind=bind))))
    assert codes == [True, False]


def test_rows_of_a_modest_length_gain_too_where_sizes_are_free() -> None:
    """Two statements on rows of a table of four axes: promised 1.8 times with the shortest rows, nothing with longer
    ones."""
    body = "    c = A.copy()\n    for i in range(A.shape[0]):\n        for j in range(A.shape[1]):\n"
    body += (
        "            c[i, j, :, 0] -= y * (c[i, j, :, 0] > 0)\n            c[i, j, :, 1] += y * (c[i, j, :, 1] > 0)\n"
    )
    assert not found(body + "    return c\n", "A=f8[n,m,k,l] y=1.0")
    assert found(body + "    return c\n", "A=f8[100,100,4,2] y=1.0")
