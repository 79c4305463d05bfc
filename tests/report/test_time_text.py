"""The expected time in words."""

from __future__ import annotations

import pytest

from roofscan import units
from roofscan.api import Options, analyze_source
from roofscan.report.time_text import UNCALIBRATED, limit_text, time_text

SUM = """\
from numba import njit

@njit
def f(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s
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
    assert " s at x_shape_0 = 8.59e+09; 750 MFLOP/s, 6.00 GB/s at DRAM; it goes to" in text("")


def test_the_verdict_names_the_chain() -> None:
    report = analyze_source(SUM, options=Options(kernels="all", bind="x=f8[3000000]")).kernels[0].reports[0]
    assert limit_text(report.verdict, report.levels).startswith("compute-bound: at most ")
    assert limit_text(report.verdict, report.levels).endswith(", limited by a chain of additions (s, line 6)")


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.5e-9, "1.50 ns"), (2e-5, "20.0 µs"), (0.25, "250 ms"), (90, "1.50 min"), (7200, "2.00 h")]
)
def test_durations(seconds: float, said: str) -> None:
    assert units.duration(seconds) == said
