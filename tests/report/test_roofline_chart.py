"""The roofline chart: its numbers, its bytes, and that no label covers another."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree

import pytest

from roofscan.api import analyze_source, report_at
from roofscan.report.charts.labels import LabelBox
from roofscan.report.charts.picture import ChartError
from roofscan.report.charts.roofline_data import MOST_MARKS, BandwidthRoof, Ceiling, Mark, Panel, panels
from roofscan.report.charts.roofline_svg import _look, draw, render_svg
from roofscan.report.charts.size_points import SERIES, Point
from tests.support.handmade_reports import TOY, axpy_report, cache_report, unsupported_report


def test_a_panel_has_the_machine_s_roofs() -> None:
    [panel] = panels([(axpy_report(),)])
    assert (panel.machine, panel.scope, panel.precision) == ("toy", "one core", "fp64")
    assert panel.memory == BandwidthRoof("DRAM", 16e9)
    assert panel.caches == (BandwidthRoof("L2", 80e9), BandwidthRoof("L1", 200e9))
    assert [ceiling.flops for ceiling in panel.ceilings] == [48e9, 24e9]
    assert panel.corner == 3.0 and [ridge.intensity for ridge in panel.ridges] == [3.0]


def test_a_bound_kernel_is_a_point() -> None:
    [panel] = panels([(axpy_report(1000),)])
    [mark] = panel.marks
    assert (mark.labels, mark.path) == (("axpy",), ())
    assert mark.place.intensity == pytest.approx(1 / 12)
    assert mark.place.speed == pytest.approx(16e9 / 12)


GEMM = """
from numba import njit

@njit
def gemm(A, B, C, n):
    for i in range(n):
        for k in range(n):
            for j in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""


def test_a_free_kernel_has_a_path_over_its_sizes_and_a_point_a_level() -> None:
    [result] = analyze_source(GEMM).kernels
    [panel] = panels([result.reports])
    [mark] = panel.marks
    assert [point.size for point in mark.path] == list(SERIES)
    for point in mark.path[::3]:
        bound = report_at(result.reports[0], {"n": point.size or 0})
        assert bound.levels[-1].judged is not None and bound.verdict.attainable is not None
        assert point.intensity == pytest.approx(bound.levels[-1].judged.low, rel=0.1)
        assert point.speed == pytest.approx(bound.verdict.attainable, rel=0.1)
    assert [level.name for level in mark.levels] == ["L1", "L2", "L3", "DRAM"]
    text = draw([panel], "svg").decode()
    assert "<!-- L1 0.0625 -->" in text and "<!-- gemm on generic-x86-64: one core, fp64 -->" in text
    assert "<!-- n = 8 -->" in text and "<!-- n = 512 -->" in text


def test_the_kernel_s_own_ceiling_is_drawn() -> None:
    report = axpy_report(1000)
    slow = replace(report, verdict=replace(report.verdict, roof=6e9, roof_limits="the latency of s"))
    levels = tuple(replace(level, ridge=(level.ridge or 0) / 8) for level in slow.levels)
    text = render_svg([(replace(slow, levels=levels),)])
    assert "<!-- the latency of s  6.00 GFLOP/s -->" in text and "<!-- ridge 0.375 -->" in text


def test_marks_have_tooltips() -> None:
    root = ElementTree.fromstring(render_svg([(axpy_report(1000),)]))
    titles = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "axpy\nAI 0.0833 FLOP/byte at DRAM, ridge 3.00\n1.33 GFLOP/s by the roofline" in titles
    assert sum("FLOP/byte" in title for title in titles) == 3  # a point a level


def test_kernels_at_one_place_share_a_mark() -> None:
    [panel] = panels([(axpy_report(10),), (axpy_report(20),)])
    assert [mark.labels for mark in panel.marks] == [("axpy", "axpy")]


def test_kernels_without_a_place_are_named() -> None:
    [panel] = panels([(axpy_report(),), (unsupported_report(),)])
    assert panel.absent == ("odd (unsupported)",)


def test_each_machine_has_its_panel_in_the_order_given() -> None:
    other = replace(TOY, name="other")
    assert [p.machine for p in panels([(axpy_report(), axpy_report(machine=other))])] == ["toy", "other"]


def test_nothing_to_draw_is_an_error_with_a_remedy() -> None:
    for kernel in (unsupported_report(), cache_report()):
        with pytest.raises(ChartError, match="--format text"):
            render_svg([(kernel,)])


def test_svg_is_the_same_every_time_and_well_formed() -> None:
    kernels = [(axpy_report(1000),)]
    text = render_svg(kernels)
    assert text == render_svg(kernels)
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "axpy" in text  # matplotlib notes the words of each drawn text in a comment


def test_a_name_cannot_leave_its_comment() -> None:
    report = axpy_report(1000)
    kernel = replace(report.cost.kernel, name="a-->b<script>$x^2$")
    text = render_svg([(replace(report, cost=replace(report.cost, kernel=kernel)),)])
    assert ElementTree.fromstring(text) is not None
    assert "<script>" not in text.replace("<!-- a", "")


def test_a_missing_matplotlib_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ChartError, match=r"pip install 'roofscan\[charts\]'"):
        render_svg([(axpy_report(),)])


NAMES = ("copy_add", "axpy", "triad", "dot", "jacobi", "sum_of_squares", "layernorm", "softmax", "spmv")


FOUR = (("toy", 16e9, 96e9), ("wide", 106e9, 860e9), ("gpu", 1.2e12, 7.8e12), ("flat", 40e9, 48e9))


def crowded(names: tuple[str, ...] = NAMES, machine: str = "toy", bandwidth: float = 16e9, peak: float = 96e9) -> Panel:
    """Kernels in crowds on the slope of memory, some beneath it, and one with a path."""
    step = 12.0 ** (1 / (len(names) - 1))
    places = [0.07 * step ** (k - k % 3) * (1 + k % 3 / 50) for k in range(len(names))]
    marks = [
        Mark((name,), "memory", Point(x, x * bandwidth * (0.5 if k % 4 == 1 else 1)))
        for k, (name, x) in enumerate(zip(names, places, strict=True))
    ]
    path = tuple(Point(n / 12, min(n / 12 * bandwidth, peak * 0.8), n) for n in SERIES)
    marks.append(Mark(("gemm",), "compute", path[3], path))
    ceilings = (Ceiling("fused multiply-add", peak), Ceiling("add or multiply alone", peak / 2))
    roofs = tuple(BandwidthRoof(name, bandwidth * k) for name, k in (("L3", 1.6), ("L2", 5.0), ("L1", 12.0)))
    memory = BandwidthRoof("DRAM", bandwidth)
    return Panel(machine, "a crowd", "one core", "fp64", memory, roofs, ceilings, tuple(marks), ())


@dataclass
class Drawn:
    """The labels of one panel, each as boxes, and its lines and marks, without leaders."""

    labels: list[tuple[str, list[LabelBox]]] = field(default_factory=list)
    lines: list[LabelBox] = field(default_factory=list)


def watched(monkeypatch: pytest.MonkeyPatch, charts: list[Panel]) -> list[Drawn]:
    from roofscan.report.charts.labels import Placer

    found: dict[Placer, Drawn] = {}

    def watch(name: str) -> None:
        place = getattr(Placer, name)

        def wrapped(self: Placer, label: str, *args: Any) -> None:
            drawn = found.setdefault(self, Drawn(lines=list(self.lines)))
            before = len(self.labels)
            place(self, label, *args)
            drawn.labels.append((label, self.labels[before:]))

        monkeypatch.setattr(Placer, name, wrapped)

    for name in ("place", "place_if_free", "level", "along", "upright"):
        watch(name)
    draw(charts, "svg")
    return list(found.values())


@pytest.mark.parametrize("names", [NAMES, tuple(f"kernel_{k}" for k in range(34))], ids=["10", "35"])
def test_labels_cover_neither_each_other_nor_lines(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    charts = [crowded(names, *machine) for machine in FOUR]
    panels_drawn = watched(monkeypatch, charts)
    assert len(panels_drawn) == len(FOUR)
    for drawn in panels_drawn:
        assert len(drawn.labels) >= 6 + min(len(names), 20)
        assert_nothing_is_covered(drawn)


def assert_nothing_is_covered(drawn: Drawn) -> None:
    for number, (name, boxes) in enumerate(drawn.labels):
        for other, others in drawn.labels[:number]:
            assert not any(a.overlap(b) for a in boxes for b in others), f"{name} covers {other}"
        if len(boxes) == 1:  # a slanted one stands on its own line
            assert not any(boxes[0].overlap(line) for line in drawn.lines), f"{name} covers a line"


ON_ONE_ROOF = """
@njit
def {}(A, B, C, n):
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += A[{}] * B[j, k]
            C[i, j] = s
"""


def test_sizes_without_a_free_place_have_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths of these run along one roof, one upon another."""
    functions = [ON_ONE_ROOF.format(f"product_{k}", "i, k" if k % 2 else "k, i") for k in range(5)]
    source = "from numba import njit\n" + "".join(functions)
    kernels = [kernel.reports for kernel in analyze_source(source).kernels]
    [drawn] = watched(monkeypatch, panels(kernels))
    shown = [label for label, boxes in drawn.labels if label.startswith("n = ") and boxes]
    assert 4 <= len(shown) < sum(label.startswith("n = ") for label, _ in drawn.labels)
    assert_nothing_is_covered(drawn)


def test_many_kernels_have_numbers_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(f"kernel_{k}" for k in range(39))
    [drawn] = watched(monkeypatch, [crowded(names)])
    shown = {label for label, _ in drawn.labels}
    assert {"1, 3", "2", "40"} <= shown  # marks that meet share a label
    text = draw([crowded(names)], "svg").decode()
    assert all(f"{k + 1}  {name}" in text for k, name in enumerate(names))


def test_more_kernels_have_several_panels_and_looks_never_repeat() -> None:
    several = [(axpy_report(1000),)] * (2 * MOST_MARKS + 1)
    assert [panel.part for panel in panels(several, MOST_MARKS)] == ["1 of 3", "2 of 3", "3 of 3"]
    looks = {(look["color"], look["marker"]) for look in map(_look, range(MOST_MARKS))}
    assert len(looks) == MOST_MARKS
