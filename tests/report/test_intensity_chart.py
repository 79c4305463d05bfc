"""Intensity against the size: the steps stand where the reuse distances say, and the picture shows them."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

import pytest

from roofscan.api import analyze_source, report_at
from roofscan.options import Options
from roofscan.report.figures import ratio_value
from roofscan.report.intensity import BUDGET, intensity_panel
from roofscan.report.intensity_chart import render_intensity
from roofscan.report.model import KernelReport
from roofscan.report.svg import ChartError

PRODUCT = """
@njit
def product(A, B, C, n):
    for i in range(n):
        for k in range(n):
            a = A[i, k]
            for j in range(n):
                C[i, j] += a * B[k, j]
"""
SWEEPS = """
@njit
def sweeps(x, y, n, t):
    for ii in range(0, n, t):
        for r in range(100):
            for i in range(ii, min(ii + t, n)):
                y[i] += 2.0 * x[i]
"""
CACHES = {"L2": 2**15, "L3": 2**20, "DRAM": 2**25}  # the level that serves -> the cache it fills


def report_of(source: str, bind: str = "") -> KernelReport:
    return analyze_source("from numba import njit\n" + source, options=Options(bind=bind)).kernels[0].reports[0]


def intensity(report: KernelReport, number: int) -> float:
    ratio = report.levels[number].intensity
    assert ratio is not None
    value = ratio_value(ratio, report.cost.witness)
    assert value is not None
    return float(value)


def overflows(report: KernelReport, symbol: str | None = None) -> dict[str, list[int]]:
    panel = intensity_panel(report, report_at, symbol)
    assert all(step.exact for curve in panel.curves for step in curve.steps if step.overflow)
    return {c.name: [step.first for step in c.steps if step.overflow] for c in panel.curves}


def test_a_product_loses_b_where_b_and_three_rows_outgrow_each_cache() -> None:
    """Between two uses of an element of B lie B (8n² B), three rows (24n B) and parts of their lines (56 B)."""
    found = overflows(report_of(PRODUCT))
    for name, cache in CACHES.items():
        first = next(n for n in range(1, 10_000) if 8 * n * n + 24 * n + 56 > cache)
        assert found[name][0] in (first - 1, first), name  # partly used lines may cost one size
    assert found["L1"] == []  # registers hold nothing to overflow
    assert [len(found[name]) for name in CACHES] == [2, 1, 1]
    assert found["L2"][1] == pytest.approx(2**15 / 16, rel=0.01)  # a row of B and one of C


def test_steps_and_curves_are_what_costing_at_their_sizes_gives() -> None:
    report = report_of(PRODUCT)
    panel = intensity_panel(report, report_at)
    for number, curve in enumerate(panel.curves):
        for step in curve.steps:
            sides = [intensity(report_at(report, {"n": n}), number) for n in (step.last, step.first)]
            assert sides == pytest.approx([step.before, step.after])
        [run] = curve.runs
        sizes = [size for size, _ in run]
        assert sizes == sorted(set(sizes))
        for size, value in run[:: len(run) // 6]:  # between the samples too
            assert intensity(report_at(report, {"n": size}), number) == pytest.approx(value, rel=0.03)


def test_the_kernel_is_costed_at_few_sizes() -> None:
    asked: list[Mapping[str, int]] = []

    def counted(report: KernelReport, sizes: Mapping[str, int]) -> KernelReport:
        asked.append(sizes)
        return report_at(report, sizes)

    intensity_panel(report_of(PRODUCT), counted)
    assert 10 < len(asked) <= BUDGET


def test_along_a_tile_the_sizes_stay() -> None:
    """A tile of x and y, 16 bytes an element, is swept a hundred times: a hundredth of the traffic while it fits."""
    report = report_of(SWEEPS, "n=100000")
    panel = intensity_panel(report, report_at, "t")
    assert (panel.symbols, panel.held) == (("t",), (("n", 100_000),))
    found = overflows(report, "t")
    assert found["L2"] == [pytest.approx(2**15 / 16, rel=0.01)]
    assert found["L3"] == [pytest.approx(2**20 / 16, rel=0.01)]
    assert found["DRAM"] == []


def test_the_picture_is_the_same_every_time_and_names_steps_and_ridges() -> None:
    pytest.importorskip("matplotlib")
    reports = [report_of(PRODUCT)]
    text = render_intensity(reports, report_at)
    assert text == render_intensity(reports, report_at)
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    panel = intensity_panel(reports[0], report_at)
    steps = [step for curve in panel.curves for step in curve.steps if step.overflow]
    assert len(steps) == 4
    for step in steps:  # matplotlib notes the words of each drawn text in a comment
        assert f"<!-- {step.first:,} -->" in text
    assert "<!-- product on generic-x86-64 -->" in text
    assert "L3 → L2, 1 MiB" in text
    assert text.count("ridge ") >= 4


@pytest.mark.parametrize(
    ("source", "bind", "symbol", "remedy"),
    [
        (PRODUCT, "n=100", None, "no free size to draw along; take it out of --bind"),
        (PRODUCT, "", "m", "no free size of that name; free are: n"),
        (PRODUCT.replace("C[i, j] += a * B[k, j]", "C[i, j] = B[k, j]"), "", None, "no arithmetic intensity"),
    ],
)
def test_what_cannot_be_drawn_says_why(source: str, bind: str, symbol: str | None, remedy: str) -> None:
    with pytest.raises(ChartError, match=remedy):
        render_intensity([report_of(source, bind)], report_at, symbol)
