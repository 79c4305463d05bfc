"""The generated files of the benchmark are as described."""

from __future__ import annotations

from benchmarks import sources
from roofscan.api import analyze_source


def test_ten_loop_kernels_with_verdicts() -> None:
    text = sources.with_ten_kernels()
    assert text.count("\n") == sources.LINES
    kernels = analyze_source(text).kernels
    assert len(kernels) == 10
    assert {result.reports[0].cost.status for result in kernels} <= {"exact", "parametric"}


def test_no_kernels() -> None:
    text = sources.without_kernels()
    assert text.count("\n") == sources.LINES
    assert analyze_source(text).kernels == ()
