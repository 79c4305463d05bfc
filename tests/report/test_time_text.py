"""The expected time in words."""

from __future__ import annotations

import pytest

from roofscan import units
from roofscan.api import Options, analyze_file, analyze_source
from roofscan.report.time_text import UNCALIBRATED, limit_text, resources, shares_text, time_grid, time_text

SUM = """\
from numba import njit

@njit
def f(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s
"""

ROWS = """\
from numba import njit

@njit
def f(A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] *= 2.0
"""


def text(bind: str) -> str:
    report = analyze_source(SUM, options=Options(kernels="all", bind=bind)).kernels[0].reports[0]
    return time_text(report)


def test_a_bound_kernel_has_a_time() -> None:
    said = text("x=f8[3000000]")
    assert said.startswith("expected 4.00 ms a call (typically 3.20 ms to 6.00 ms), at least")
    assert "a chain of dependent operations" in said
    assert said.endswith(f"({UNCALIBRATED})")


def test_free_sizes_have_the_time_of_the_size_of_the_verdict() -> None:
    assert " s at x_shape_0 = 8.59e9; 750 MFLOP/s, 6.00 GB/s at DRAM; a chain of dependent operations takes" in text("")


def test_verbs_agree_with_what_takes_the_time() -> None:
    one = {"a chain of dependent operations", "vector code", "scalar arithmetic", "the exchange between nodes"}
    for on_gpu in (False, True):
        for name, words in resources(on_gpu).items():
            assert shares_text({name: 1.0}, on_gpu) == f"{words} {'takes' if words in one else 'take'} 100 %"
    assert shares_text({"DRAM": 0.8, "call": 0.2}) == "DRAM takes 80 %, the call and new arrays 20 %"


def test_the_verdict_names_the_chain() -> None:
    report = analyze_source(SUM, options=Options(kernels="all", bind="x=f8[3000000]")).kernels[0].reports[0]
    assert limit_text(report.verdict, report.levels).startswith("compute-bound: at most ")
    assert limit_text(report.verdict, report.levels).endswith(", limited by a chain of additions (s, line 6)")


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.5e-9, "1.50 ns"), (2e-5, "20.0 µs"), (0.25, "250 ms"), (90, "1.50 min"), (7200, "2.00 h")]
)
def test_durations(seconds: float, said: str) -> None:
    assert units.duration(seconds) == said


def test_the_time_in_the_sizes_is_a_table_from_the_smallest_on() -> None:
    [found] = analyze_file("fixtures/dense.py", Options(time_pieces=True), ["gemm_naive"]).kernels
    grid = time_grid(found.reports[0], "")
    assert grid is not None and 0 < len(grid.rows) <= len(found.reports[0].time_pieces or ())
    assert grid.head == ("time", "limit", "in the sizes", "±", "at least", "expected")
    starts = [int(row[0].split(" ≤ ")[0]) for row in grid.rows]
    assert starts == sorted(starts)
    assert grid.rows[-1][2].endswith("ns*n**2") and "ns*n**3 + " in grid.rows[-1][2]


def test_a_piece_of_the_time_says_the_time_at_both_ends_of_its_sizes() -> None:
    """With two sizes that grow together, too: the path gives the other."""
    [found] = analyze_source(ROWS, options=Options(time_pieces=True)).kernels
    grid = time_grid(found.reports[0], "")
    assert grid is not None
    ends = [row[-1].split(" to ") for row in grid.rows]
    assert all(units.duration(0) != end and "–" not in end for row in ends for end in row)
    assert ends[-1][-1] == units.duration(found.reports[0].time.expected)  # type: ignore[union-attr]


LDL = """
from numba import njit

@njit
def ldl(A, L, d):
    n = A.shape[0]
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k] * d[k]
        d[j] = s
        for i in range(j + 1, n):
            t = A[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k] * d[k]
            L[i, j] = t / s
"""


def test_a_single_size_is_no_row() -> None:
    [found] = analyze_source(LDL, options=Options(time_pieces=True)).kernels
    report = found.reports[0]
    grid = time_grid(report, "")
    assert grid is not None and len(grid.rows) < len(report.time_pieces or ())
    assert not any(row[0].startswith("n = ") for row in grid.rows)


def test_a_path_on_which_sizes_are_equal_stands_in_the_head() -> None:
    [found] = analyze_source(ROWS, options=Options(time_pieces=True)).kernels
    grid = time_grid(found.reports[0], "toy")
    assert grid is not None and grid.head[0] == "time on toy where A_shape_1 = A_shape_0"
