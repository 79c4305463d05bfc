"""Intensity against the size: the steps are at the reuse distances, and the picture shows them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from roofscan.api import analyze_source, report_at
from roofscan.config.options import Options
from roofscan.report.charts.intensity_chart import render_intensity
from roofscan.report.charts.intensity_curves import intensity_panel
from roofscan.report.charts.picture import ChartError
from roofscan.report.figures import ratio_value
from roofscan.roofline.model import KernelReport

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
SOLVE = """
@njit
def solve(L, b, x):
    n = L.shape[0]
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
"""
CACHES = {"L2": 2**15, "L3": 2**20, "DRAM": 2**25}  # the level that serves -> the cache it fills


def report_of(source: str, bind: str = "") -> KernelReport:
    return analyze_source("from numba import njit\n" + source, options=Options(bind=bind)).kernels[0].reports[0]


def intensity(report: KernelReport, number: int) -> float:
    ratio = report.levels[number].intensity
    assert ratio is not None
    value = ratio_value(ratio, report.cost.sample_point)
    assert value is not None
    return float(value)


def overflows(report: KernelReport, symbol: str | None = None) -> dict[str, list[int]]:
    panel = intensity_panel(report, symbol)
    return {c.name: [step.last + 1 for step in c.steps] for c in panel.curves}


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
    panel = intensity_panel(report)
    for number, curve in enumerate(panel.curves):
        for step in curve.steps:  # a few sizes away: partly used lines may move a step by one or two
            sides = [intensity(report_at(report, {"n": n}), number) for n in (step.last - 4, step.first + 4)]
            assert sides == pytest.approx([step.before, step.after], rel=0.1)
        [run] = curve.runs
        sizes = [size for size, _ in run]
        assert sizes == sorted(set(sizes))
        for size, value in run[:: len(run) // 6]:  # between the samples too
            assert intensity(report_at(report, {"n": size}), number) == pytest.approx(value, rel=0.03)


def test_nothing_is_costed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """One analysis yields the entire chart: the curves are its expressions."""
    report = report_of(PRODUCT)

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("costed anew")

    monkeypatch.setattr("roofscan.pipeline.driver.count_kernel", refused)
    assert intensity_panel(report).curves


def test_a_tiled_kernel_is_drawn_from_several_tiles_on() -> None:
    panel = intensity_panel(report_of(SWEEPS, "t=32"))
    assert min(size for curve in panel.curves for run in curve.runs for size, _ in run) == 4 * 32


def test_a_triangle_overflows_along_a_slope() -> None:
    panel = intensity_panel(report_of(SOLVE))
    [step] = next(curve.steps for curve in panel.curves if curve.capacity == 2**15)
    assert step.first > 1.2 * step.last  # rows of many lengths
    assert step.after < step.before


def test_along_a_tile_the_sizes_stay() -> None:
    """A tile of x and y, 16 bytes an element, is swept a hundred times: a hundredth of the traffic while it fits."""
    report = report_of(SWEEPS, "n=100000")
    panel = intensity_panel(report, "t")
    assert (panel.symbols, panel.held) == (("t",), (("n", 100_000),))
    found = overflows(report, "t")
    assert found["L2"] == [pytest.approx(2**15 / 16, rel=0.01)]
    assert found["L3"] == [pytest.approx(2**20 / 16, rel=0.01)]
    assert found["DRAM"] == []


def test_the_picture_is_the_same_every_time_and_names_steps_and_ridges() -> None:
    pytest.importorskip("matplotlib")
    reports = [report_of(PRODUCT)]
    text = render_intensity(reports)
    assert text == render_intensity(reports)
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    panel = intensity_panel(reports[0])
    steps = [step for curve in panel.curves for step in curve.steps]
    assert len(steps) == 4
    for step in steps:  # matplotlib notes the words of each drawn text in a comment
        assert f"<!-- {step.last + 1:,} -->" in text
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
def test_a_chart_that_cannot_be_drawn_gives_the_reason(source: str, bind: str, symbol: str | None, remedy: str) -> None:
    with pytest.raises(ChartError, match=remedy):
        render_intensity([report_of(source, bind)], symbol)
