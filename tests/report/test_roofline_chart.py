"""The roofline chart: its numbers, its bytes, and that no label covers another."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from roofscan.report.charts.labels import Box
from roofscan.report.charts.roofline_data import SERIES, Ceiling, Mark, Panel, Point, Roof, panels
from roofscan.report.charts.roofline_svg import ChartError, draw, render_svg
from roofscan.roofline.model import KernelReport
from tests.support.handmade_reports import TOY, axpy_report, cache_report, unsupported_report


def at_size(report: KernelReport, values: Mapping[str, int]) -> KernelReport:
    """A kernel whose attainable speed grows with its size."""
    bound = axpy_report(values["n"])
    assert bound.verdict.attainable
    return replace(bound, verdict=replace(bound.verdict, attainable=bound.verdict.attainable * values["n"]))


def test_a_panel_has_the_machine_s_roofs() -> None:
    [panel] = panels([(axpy_report(),)])
    assert (panel.machine, panel.scope, panel.precision) == ("toy", "one core", "fp64")
    assert panel.memory == Roof("DRAM", 16e9)
    assert panel.caches == (Roof("L2", 80e9), Roof("L1", 200e9))
    assert [ceiling.flops for ceiling in panel.ceilings] == [48e9, 24e9]
    assert panel.corner == 3.0 and [ridge.intensity for ridge in panel.ridges] == [3.0]


def test_a_bound_kernel_is_a_point() -> None:
    [panel] = panels([(axpy_report(1000),)], at_size)
    [mark] = panel.marks
    assert mark.labels == ("axpy",)
    [point] = mark.points
    assert point.intensity == pytest.approx(1 / 12)
    assert point.speed == pytest.approx(16e9 / 12)


def test_a_free_kernel_is_a_curve_in_its_sizes() -> None:
    [panel] = panels([(axpy_report(),)], at_size)
    [mark] = panel.marks
    assert [point.size for point in mark.points] == list(SERIES)
    assert mark.end.speed > mark.points[0].speed


def test_a_constant_curve_is_a_point() -> None:
    [panel] = panels([(axpy_report(),)], lambda report, values: axpy_report(values["n"]))
    assert len(panel.marks[0].points) == 1


def test_kernels_at_one_place_share_a_mark() -> None:
    [panel] = panels([(axpy_report(10),), (axpy_report(20),)])
    assert [mark.labels for mark in panel.marks] == [("axpy", "axpy")]


def test_kernels_without_a_place_are_named() -> None:
    [panel] = panels([(axpy_report(),), (unsupported_report(),)])
    assert panel.absent == ("odd (unsupported)",)


def test_each_machine_has_its_panel() -> None:
    other = replace(TOY, name="other")
    assert [p.machine for p in panels([(axpy_report(), axpy_report(machine=other))])] == ["other", "toy"]


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
    with pytest.raises(ChartError, match=r'pip install "roofscan\[charts\]"'):
        render_svg([(axpy_report(),)])


NAMES = ("copy_add", "axpy", "triad", "dot", "jacobi", "sum_of_squares", "layernorm", "softmax", "spmv")


def crowded(names: tuple[str, ...] = NAMES) -> Panel:
    step = 4.0 ** (1 / (len(names) - 1))
    places = [0.07 * step**k for k in range(len(names))]
    marks = [Mark((name,), "memory", (Point(x, x * 16e9),)) for name, x in zip(names, places, strict=True)]
    marks.append(Mark(("gemm",), "compute", tuple(Point(n / 12, min(n / 12 * 16e9, 80e9), n) for n in SERIES)))
    ceilings = (Ceiling("fused multiply-add", 96e9), Ceiling("add or multiply alone", 48e9))
    roofs = (Roof("L3", 30e9), Roof("L2", 80e9), Roof("L1", 200e9))
    return Panel("toy", "a crowd", "one core", "fp64", Roof("DRAM", 16e9), roofs, ceilings, tuple(marks), ())


def test_labels_do_not_cover_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofscan.report.charts.labels import Placer

    placed: list[tuple[str, Box]] = []
    place = Placer.place

    def watched(self: Placer, label: str, *args: Any) -> None:
        place(self, label, *args)
        placed.append((label, self.labels[-1]))

    monkeypatch.setattr(Placer, "place", watched)
    draw([crowded()], "svg")
    assert len(placed) >= 10
    assert {"axpy", "gemm", "sum_of_squares"} <= {label for label, _ in placed}
    for number, (name, box) in enumerate(placed):
        for other, other_box in placed[:number]:
            assert box.overlap(other_box) == 0, f"{name} covers {other}"


def test_many_kernels_have_numbers_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofscan.report.charts.labels import Placer

    placed: list[str] = []
    monkeypatch.setattr(Placer, "place", lambda self, label, *args: placed.append(label))
    names = tuple(f"kernel_{k}" for k in range(40))
    text = draw([crowded(names)], "svg").decode()
    assert placed == [str(k + 1) for k in range(41)]
    assert all(f"{k + 1}  {name}" in text for k, name in enumerate(names))
