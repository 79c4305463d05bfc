"""RFL521 and RFL522: walks from page to page of memory, and into few sets of a cache, with both times."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = "from numba import njit\n\n"
TRANSPOSE = """
@njit
def transpose(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[j, i] = A[i, j]
"""
SHORT_ROWS = """
@njit
def scale(A, s):
    n, m, k = A.shape
    for j in range(m):
        for i in range(n):
            for q in range(k):
                A[i, j, q] *= s[j]
"""
DECAY = """
@njit
def decay(A, c):
    for j in range(A.shape[1]):
        level = 0.0
        for i in range(A.shape[0]):
            level = c * level + A[i, j]
            A[i, j] = level
"""


def found(source: str, bind: str, code: str) -> list[Finding]:
    return [f for f in check_source(HEAD + source, options=Options(bind=bind)) if f.code == code]


def figures(finding: Finding) -> dict[str, float]:
    return dict(finding.figures)


# -- pages ------------------------------------------------------------------------------------------
def test_a_transposition_is_to_go_by_blocks() -> None:
    [finding] = found(TRANSPOSE, "A=f8[8000,8000] B=f8[8000,8000]", "RFL521")
    assert "x by tiling j by 32, with the loop over blocks outside i; " in finding.message
    assert (finding.line, finding.subject.names) == (7, ("j",))
    told = figures(finding)
    assert told["gain"] == pytest.approx(told["seconds_before"] / told["seconds_after"]) and told["gain"] >= 1.5


def test_a_transposition_by_blocks_and_a_small_one_have_none() -> None:
    blocked = TRANSPOSE.replace("    for i in", "    for jj in range(0, A.shape[1], 32):\n      for i in")
    blocked = blocked.replace(
        "range(A.shape[1]):\n            B", "range(jj, min(jj + 32, A.shape[1])):\n            B"
    )
    assert found(blocked, "A=f8[8000,8000] B=f8[8000,8000]", "RFL521") == []
    assert found(TRANSPOSE, "A=f8[500,500] B=f8[500,500]", "RFL521") == []


def test_the_order_of_storage_is_another_order_of_the_loops() -> None:
    """Measured on a Zen 5 core: 4.6 times, which the model expects of a machine that says what stray lines take."""
    source = SHORT_ROWS.replace("range(k)", "range(8)")
    [finding] = found(source, "A=f8[20000,500,8] s=f8[500]", "RFL521")
    assert " by ordering the loops i, j, q; i walks from page to page (" in finding.message


def test_a_change_whose_traffic_is_not_known_promises_nothing() -> None:
    source = """
@njit
def shorten(D):
    n = D.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                D[i, j] = min(D[i, j], D[i, k] + D[k, j])
"""
    assert not found(source, "", "RFL521")


def test_long_rows_and_walks_that_another_rule_mends_have_none() -> None:
    assert found(SHORT_ROWS, "A=f8[4000,50,600] s=f8[50]", "RFL521") == []
    assert found(DECAY, "A=f8[4000,1001]", "RFL521") == []  # RFL201
    assert found(DECAY, "A=f8[4000,1001]", "RFL201") != []


# -- sets -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", ["1000,1024", "300,1024", "1000,512"])
def test_rows_of_a_power_of_two(shape: str) -> None:
    """Measured on a Zen 5 core, with its figures in the model: 9.3 (10) times for 1000 rows."""
    [finding] = found(DECAY, f"A=f8[{shape}]", "RFL522")
    assert " by making the rows of A 8 elements longer; steps of " in finding.message
    assert " B use 1 of 64 cache sets (" in finding.detail
    assert figures(finding)["gain"] >= 1.5


@pytest.mark.parametrize("shape", ["1000,1000", "1000,1032", "8,1024", "n,m"])
def test_other_rows_have_none(shape: str) -> None:
    assert found(DECAY, f"A=f8[{shape}]" if "n" not in shape else "", "RFL522") == []


def test_another_order_of_the_loops_comes_first() -> None:
    source = "\n@njit\ndef f(A, s):\n    for j in range(A.shape[1]):\n        for i in range(A.shape[0]):\n"
    source += "            A[i, j] *= s[j]\n"
    assert found(source, "A=f8[1000,1024] s=f8[1024]", "RFL522") == []
    assert found(source, "A=f8[1000,1024] s=f8[1024]", "RFL101") != []


@pytest.mark.parametrize("shapes", ["A=f8[1000,1024]", "A=f8[4000,1024]"])
def test_one_walk_gets_one_finding(shapes: str) -> None:
    """Longer rows and another order change one walk: the one that gains more is reported, longer rows on a tie."""
    assert len(found(DECAY, shapes, "RFL522") + found(DECAY, shapes, "RFL201")) == 1


def test_longer_rows_of_one_array_of_two_gain_less_than_another_order() -> None:
    source = DECAY.replace("(A, c)", "(A, B, c)").replace("A[i, j] = level", "B[i, j] = level")
    shapes = "A=f8[1000,1024] B=f8[1000,1024]"
    assert found(source, shapes, "RFL201") != []
    assert found(source, shapes, "RFL522") == []


# -- lines ------------------------------------------------------------------------------------------
def test_wasted_lines_have_both_times() -> None:
    [finding] = found(DECAY, "A=f8[4000,1001]", "RFL201")
    assert "x by making j the innermost loop, if legal; " in finding.message
    assert figures(finding)["gain"] > 1.05


def test_verdicts_say_what_smaller_types_bring() -> None:
    axpy = "\n@njit\ndef axpy(a, x, y):\n    for i in range(len(x)):\n        y[i] += a * x[i]\n"
    [finding] = found(axpy, "", "RFL102")
    assert figures(finding)["gain"] == 1 and "float32 is 2x faster (" in finding.detail
    [finding] = found(axpy, "x=f4[100000000] y=f4[100000000]", "RFL102")
    assert "a smaller type halves" in finding.detail


def test_a_walk_that_leaves_lines_out_gains_nothing_by_another_order() -> None:
    """Every eighth column has its lines to itself: no order of the loops uses a line again."""
    body = "def f(A, c):\n    n, m = A.shape\n    for j in range(0, m, {}):\n        for i in range(n):\n"
    text = "from numba import njit\n\n\n@njit\n" + body + "            A[i, j] = c * A[i, j]\n"
    [finding] = check_source(text.format(8), options=Options(select=("RFL201",)))
    assert "by storing what it uses of A contiguously" in finding.message
    [finding] = check_source(text.format(4), options=Options(select=("RFL201",)))
    assert "by tiling i by 32 over views, with its blocks outside j, if legal" in finding.message
    [finding] = check_source(text.format(2), options=Options(select=("RFL201", "RFL202")))
    assert "by making j the innermost loop; short strides" in finding.message
