"""One kernel's hierarchical roofline on Axes of matplotlib: a slope a level, the kernel's roof, a point a level; or
several kernels, a point a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roofscan import units
from roofscan.report.charts.picture import COLOURS, MARKERS
from roofscan.roofline.model import KernelReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = ("-", "--", "-.", ":")
MOST_INSIDE = 8  # kernels; the legend of more stands beside the chart
MOST_BELOW_EACH_OTHER = 28  # kernels in a column of the legend
ROOM = 4.0  # how many times wider than its points a chart is


def draw_roofline(report: KernelReport, axes: Axes | None) -> Axes:
    """FLOP/byte against FLOP/s at the sizes of the verdict; a level whose point is on its slope binds. ValueError where
    the kernel has no place."""
    levels = [(lv.name, lv.judged.low, lv.ridge) for lv in report.levels if lv.ridge and lv.judged and lv.judged.low]
    roof, speed = report.verdict.roof, report.verdict.attainable
    if not levels or not roof or not speed:
        raise ValueError(report.verdict.reason or "no machine, or no floating-point work")
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(figsize=(7, 4.5))[1]
    spots = [x for _, intensity, ridge in levels for x in (intensity, ridge)]
    ends = (min(spots) / ROOM, max(spots) * ROOM)
    for n, (name, intensity, ridge) in enumerate(levels):
        bandwidth = roof / ridge
        said = f"{name} {units.si(bandwidth, 'B/s')}"
        axes.plot([ends[0], ridge], [ends[0] * bandwidth, roof], color=f"C{n}", linewidth=1, label=said)
        axes.plot([intensity], [speed], "o", color=f"C{n}")
    axes.axhline(roof, color="0.3", linewidth=1)
    axes.annotate(units.si(roof, "FLOP/s"), (ends[1], roof), ha="right", va="bottom", fontsize=8)
    axes.set(xscale="log", yscale="log", xlim=ends, xlabel="FLOP/byte", ylabel="FLOP/s", title=report.cost.kernel.name)
    axes.legend(fontsize=8)
    return axes


def draw_kernels(reports: Sequence[KernelReport], axes: Axes | None) -> Axes:
    """Several kernels of a machine: a slope a level, and a point a kernel at the level that limits it, or else at the
    outermost. A slope goes up to the highest ceiling of the kernels. ValueError where none has a place."""
    placed = [(report, *place) for report in reports if (place := _place(report))]
    if not placed:
        raise ValueError("no machine, or no floating-point work")
    roofs = {report.verdict.roof for report, _, _ in placed if report.verdict.roof}
    slopes = {
        lv.name: report.verdict.roof / lv.ridge
        for report, _, _ in placed
        for lv in report.levels
        if lv.ridge and report.verdict.roof
    }
    many = len(placed) > MOST_INSIDE
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(figsize=(9, 5) if many else (7, 4.5), layout="constrained")[1]
    spots = [x for _, x, _ in placed] + [max(roofs) / bandwidth for bandwidth in slopes.values()]
    ends = (min(spots) / ROOM, max(spots) * ROOM)
    for n, (name, bandwidth) in enumerate(slopes.items()):
        ridge = max(roofs) / bandwidth
        label, style = f"{name} {units.si(bandwidth, 'B/s')}", DASHES[n % len(DASHES)]
        line = [ends[0], ridge], [ends[0] * bandwidth, max(roofs)]
        axes.plot(*line, style, color="0.5", linewidth=1, label=label, zorder=1)
    for roof in roofs:
        axes.axhline(roof, color="0.3" if roof == max(roofs) else "0.85", linewidth=1, zorder=1)
    axes.annotate(units.si(max(roofs), "FLOP/s"), (ends[1], max(roofs)), ha="right", va="bottom", fontsize=8)
    for n, (report, x, y) in enumerate(placed):
        marker, colour = MARKERS[n // len(COLOURS) % len(MARKERS)], COLOURS[n % len(COLOURS)]
        axes.plot([x], [y], marker, color=colour, label=report.cost.kernel.name)
    names = sorted({report.machine.name for report, _, _ in placed if report.machine})
    axes.set(xscale="log", yscale="log", xlim=ends, xlabel="FLOP/byte", ylabel="FLOP/s", title=", ".join(names))
    beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0} if many else {}
    axes.legend(fontsize=7 if many else 8, ncols=1 + len(placed) // MOST_BELOW_EACH_OTHER, **beside)
    return axes


def _place(report: KernelReport) -> tuple[float, float] | None:
    """FLOP/byte and FLOP/s at the sizes of the verdict."""
    known = {level.name: level.judged.low for level in report.levels if level.judged and level.judged.low}
    speed, verdict = report.verdict.attainable, report.verdict
    if not known or not speed:
        return None
    return known.get(verdict.level or "", [*known.values()][-1]), speed
