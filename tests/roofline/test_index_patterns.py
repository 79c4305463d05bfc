"""Verdicts where the data choose addresses, and where there are no FLOPs."""

from __future__ import annotations

from math import isfinite

import pytest

from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.report.json_ import kernel_json
from roofscan.report.text import render_text
from roofscan.roofline.model import KernelReport

HEAD = "import numpy as np\nfrom numba import njit\n\n@njit\n"
GATHER = "def gather(x, idx, y):\n    for i in range(len(idx)):\n        y[i] = 2.0 * x[idx[i]]\n"
SPARSE = """def spmv(indptr, indices, data, x, y):
    for i in range(len(y)):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
"""
COPY = "def copy(x, y):\n    for i in range(len(x)):\n        y[i] = x[i]\n"
SORT = "def order(x):\n    return np.sort(x)\n"
PATHS = """def paths(a, n, m):
    L = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i, j] > 0.0:
                L[i, j] = max(L[i - 1, j], L[i, j - 1]) + 1
    return L
"""
SEARCH = """def middle(x, y):
    w = np.empty(9)
    for i in range(len(x) - 9):
        for k in range(9):
            w[k] = x[i + k]
        for p in range(1, 9):
            q = p
            while q > 0 and w[q - 1] > w[q]:
                w[q - 1], w[q] = w[q], w[q - 1]
                q -= 1
        y[i] = w[4]
"""


def report(source: str, bind: str = "") -> KernelReport:
    options = Options(bind=bind)
    (kernel,) = analyze_source(HEAD + source, "kernel.py", options).kernels
    return kernel.reports[0]


def test_both_ends_are_memory_bound() -> None:
    found = report(GATHER)
    verdict, span = found.verdict, found.verdict.span
    assert span is not None and (verdict.bound, verdict.level) == ("memory", "DRAM")
    assert span.low == verdict.attainable == pytest.approx(16e9 / 88, rel=1e-6)
    assert span.high == pytest.approx(16e9 / 24, rel=1e-6)
    text = render_text([[found]], 120, False, False)
    assert "memory-bound at DRAM: at least 182 MFLOP/s when every access misses, 667 MFLOP/s when all hit" in text
    assert "at most 182" not in text and not found.findings
    attainable = kernel_json([found])["verdict"]["attainable_flops"]
    assert (attainable["at_least"], attainable["at_most"]) == (span.low, span.high)


@pytest.mark.parametrize("bind", ["", "x=f8[30000000] data=f8[500000000] y=f8[30000000]"])
def test_the_index_pattern_decides(bind: str) -> None:
    found = report(SPARSE, bind)
    memory = found.levels[-1]
    assert (found.verdict.bound, memory.bound, memory.memory_bound_when) == ("depends", "depends", ())
    assert found.verdict.span is not None and found.verdict.span.high == found.verdict.roof
    assert memory.judged is not None and memory.judged.low < (memory.ridge or 0) <= memory.judged.high
    text = render_text([[found]], 120, False, False)
    assert "depends on the index pattern: at least " in text and " when every access misses, 1.50 GFLOP/s when" in text
    assert not found.findings


def test_a_bound_is_said_only_of_bounds() -> None:
    exact, estimate = "    for i in range(len(x)):\n        y[i] += x[i]\n", "    for t in range(9):\n    "
    assert report(f"def add(x, y):\n{exact}").verdict.traffic_status == "exact"
    swept = report("def add(x, y):\n" + estimate + exact.replace("\n", "\n    ").rstrip() + "\n")
    assert swept.verdict.traffic_status == "estimate" and swept.verdict.span is None
    if not swept.verdict.code:
        assert "about" in render_text([[swept]], 120, False, False)


def test_copies_have_bytes_per_second_and_a_time() -> None:
    found = report(COPY, "x=f8[1000000000] y=f8[1000000000]")
    assert (found.verdict.bound, found.verdict.level, found.verdict.code) == ("memory", "DRAM", None)
    assert "  memory-bound at DRAM\n  expected " in render_text([[found]], 120, False, False)
    verdict = kernel_json([found])["verdict"]
    assert verdict["bytes_per_second"] == 16e9 and verdict["transfer_seconds"]["value"] == 1.5
    free = kernel_json([report(COPY)])["verdict"]
    assert free["transfer_seconds"]["expr"] == "3*x_shape_0/2000000000" and free["sizes"]["x_shape_0"] > 1e9


@pytest.mark.parametrize("source", [SORT, PATHS, SEARCH])
def test_work_that_is_not_counted_is_not_called_moving_data(source: str) -> None:
    verdict = report(source).verdict
    assert (verdict.bound, verdict.reason) == (None, "no floating-point work")


def test_a_chart_shows_both_ends() -> None:
    from roofscan.report.charts.roofline_data import panels

    [panel] = panels([[report(SPARSE)]])
    worst, best = panel.marks[0].path
    assert worst.speed < best.speed and worst.intensity < best.intensity and isfinite(best.intensity)
