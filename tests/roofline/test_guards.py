"""Tests at the top of a kernel limit the sizes of its verdict, and the ranges that findings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import Options, analyze_source
from roofscan.roofline.model import KernelReport

KERNELS = (Path(__file__).parents[1] / "everyday" / "guards.py").read_text(encoding="utf-8")

LOOP = """
from numba import njit
@njit
def f(x, y):
    n = len(x)
    {}
    for i in range(n):
        for j in range(n):
            y[i] += x[j] * x[i]
"""


def report_of(source: str, name: str) -> KernelReport:
    [result] = analyze_source(source, "guards.py", Options(), functions=[name]).kernels
    return result.reports[0]


@pytest.mark.parametrize(
    ("name", "size"),
    {"small_product": 1000, "short_signals": 5000, "small_images": 1000}.items(),
)
def test_the_verdict_is_at_a_size_that_a_call_may_have(name: str, size: int) -> None:
    report = report_of(KERNELS, name)
    assert set(report.verdict.sizes.values()) == {size}
    for level in report.levels:
        for found in level.memory_bound_when:
            assert all(hi is not None and hi <= size for _, hi in found.ranges)


def test_figures_are_those_of_sizes_that_a_call_may_have() -> None:
    memory = report_of(KERNELS, "small_product").levels[-1]
    assert str(memory.traffic.total.load) == "16*n**2"


@pytest.mark.parametrize(
    ("guard", "size"),
    [
        ("if n > 700: raise ValueError", 700),
        ("if not n <= 700: raise ValueError", 700),
        ("if n < 3 or n >= 700: raise ValueError", 699),
        ("assert 1 < n < 700", 699),
        ("if n > 700: return", 700),
        ("if n % 64 != 0 or n > 700: raise ValueError", 640),
    ],
)
def test_forms_of_guards(guard: str, size: int) -> None:
    assert report_of(LOOP.format(guard), "f").verdict.sizes == {"n": size}


@pytest.mark.parametrize(
    "guard",
    [
        "if n > 700: return sum(x)",  # another way to do the work
        "if n > 700 and y[0] > 0: raise ValueError",
        "for k in range(n):\n        if k > 700: raise ValueError",
        "if n < 3: return",
        "for k in range(n): y[k] = 0.0\n    if n > 700: return",
    ],
)
def test_tests_that_limit_nothing(guard: str) -> None:
    assert report_of(LOOP.format(guard), "f").verdict.sizes["n"] > 10_000
