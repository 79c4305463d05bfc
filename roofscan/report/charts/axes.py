"""One kernel's hierarchical roofline on Axes of matplotlib: a slope a level, the kernel's roof, a point a level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofscan import units
from roofscan.roofline.model import KernelReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
