"""RFL503: functions of a row and quotients by one number, that a loop computes again."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = "import math\nimport numpy as np\nfrom numba import njit\n\n\n@njit{}\ndef f(A, B, x, y, c, k):\n"
NEST = "    for i in range(A.shape[0]):\n        for j in range(A.shape[1]):\n            B[i, j] = {}\n"
SIZES = "A=f8[300,300] B=f8[300,300] x=f8[301] y=f8[300]"
SMALL = SIZES.replace("300", "100")


def found(body: str, decorator: str = "", bind: str = SIZES) -> list[Finding]:
    return check_source(HEAD.format(decorator) + body, options=Options(bind=bind, select=("RFL503",)))


def gain(finding: Finding) -> float:
    return dict(finding.figures)["gain"]


@pytest.mark.parametrize(
    "value", ["math.exp(x[j])", "np.cos(x[j] * c)", "A[i, j] * x[j] ** c", "math.sin(x[j + 1] + y[j])"]
)
def test_a_function_of_a_row_is_stored_once(value: str) -> None:
    """Measured: 16 to 47 times."""
    [finding] = found(NEST.format(value))
    assert (finding.line, finding.subject.names) == (8, ("i",)) and gain(finding) > 4
    assert " of all j before the loop over i; line 10 calls it again" in finding.message


def test_the_row_belongs_before_the_outermost_loop_that_repeats_it() -> None:
    body = "    for k in range(9):\n" + NEST.format("math.exp(A[k, j])").replace("    ", "        ", 1).replace(
        "\n    ", "\n        "
    )
    [finding] = found(body)
    assert (finding.line, finding.subject.names) == (9, ("i",)) and "storing exp(A[k, j]) of all j" in finding.message


@pytest.mark.parametrize(
    "value",
    [
        "math.exp(A[i, j])",  # of each element
        "math.exp(x[i])",  # LLVM takes it out: measured 0.95 to 1.03
        "math.exp(c) * A[i, j]",
        "math.exp(B[0, j])",  # of what the loop writes
        "math.exp(i * x[j])",
        "x[j] ** i",
        "x[j] ** y[i]",
        "math.hypot(x[j], i)",
        "math.exp(max(x[j], i))",
        "math.exp(x[j] - np.float64(i))",
        "math.exp(x[j] - (y[0] if i > k else y[1]))",
        "math.exp(x[j] * abs(i - k))",
        "A[i, j] / 4.0",  # exact: LLVM multiplies
        "A[i, j] / (1.0 + x[j])",
        "c / A[i, j]",
    ],
)
def test_what_changes_or_leaves_the_loop_anyway_is_no_finding(value: str) -> None:
    assert not found(NEST.format(value))


@pytest.mark.parametrize(
    "before",
    [
        "t = c if i > k else 2.0",
        "t = np.where(i > k, c, 2.0)",
        "t = c\n        if y[i] > 0.5:\n            t = 2.0",
        "t = c\n        for l in range(i):\n            t = y[l]",
        "t = y[int(x[i])]",
        "c += 1.0\n        t = c",
        "t = 1.0\n        x = x if y[i] > 0.5 else y",
    ],
)
def test_a_value_that_the_outer_loop_chooses_is_none_of_the_row(before: str) -> None:
    body = NEST.replace("        for j", f"        {before}\n        for j").format("math.exp(t * x[j])")
    assert not found(body)


@pytest.mark.parametrize("choice", ["c if i > k else 2.0", "c if x[j] > 0.5 else y[0]"])
def test_a_chosen_divisor_stays(choice: str) -> None:
    body = NEST.format("A[i, j] / t").replace("            B", f"            t = {choice}\n            B")
    assert not found(body, bind=SMALL)


def test_a_triangle_has_no_row_for_all() -> None:
    assert not found(NEST.format("math.exp(x[j])").replace("A.shape[1]", "i"))


@pytest.mark.parametrize("value", ["A[i, j] / c", "A[i, j] / 3.0", "A[i, j] / (c + 1.0)"])
def test_quotients_by_one_number(value: str) -> None:
    """Measured: 1.7 to 2.5 times from a cache, 1.0 from memory."""
    [finding] = found(NEST.format(value), bind=SMALL)
    assert (finding.line, finding.subject.names) == (9, ("j",)) and 1.4 <= gain(finding) < 4
    assert " by multiplying by the reciprocal, computed before the loop over j; " in finding.message
    assert not found(NEST.format(value), "(fastmath=True)")


def test_a_divisor_of_the_row() -> None:
    body = NEST.replace("        for j", "        d = y[i]\n        for j").format("A[i, j] / d")
    assert len(found(body, bind=SMALL)) == 1


def test_nothing_is_gained_from_memory() -> None:
    body = "    for i in range(len(x)):\n        y[i] = x[i] / c\n"
    assert len(found(body, bind="x=f8[20000] y=f8[20000]")) == 1
    assert not found(body, bind="x=f8[9000000] y=f8[9000000]")
