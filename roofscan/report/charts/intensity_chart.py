"""Arithmetic intensity (:mod:`roofscan.report.charts.intensity_curves`) against the size as SVG: a curve for each level
of the machine, its ridge, its steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from roofscan.report.charts.intensity_curves import Curve, IntensityPanel, IntensityStep, intensity_panel
from roofscan.report.charts.labels import Placer
from roofscan.report.charts.picture import COLOURS, FAINT, GRID, PANEL_SIZE, PAPER, ChartError, picture, tick
from roofscan.roofline.model import SCOPES, KernelReport
from roofscan.units import capacity, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEAREST, WIDER, WIDEST = 1.4, 1.4, 7.0  # points: the innermost curve, what each next one adds, the limit
SHARP = 1.05  # a step over sizes that differ by less is an edge
MAX_LABELLED_RATIO = 200.0  # largest over smallest value of a scale that has more ticks
ROOM = 1.6  # factor of empty space above and below the curves


def render_intensity(reports: Sequence[KernelReport], symbol: str | None = None) -> str:
    """The chart of one kernel, a panel for each machine, as SVG text. The sizes run along ``symbol``, or along all free
    sizes together; ChartError, with the remedy, where that is impossible, where there is no intensity, and without
    matplotlib."""
    try:
        charts = [intensity_panel(report, symbol) for report in reports]
    except ValueError as error:
        raise ChartError(str(error)) from None
    return picture(charts, PANEL_SIZE, "svg", _frame, _fill).decode()


def _frame(panel: IntensityPanel, ax: Axes) -> None:
    from matplotlib.lines import Line2D

    left, right, low, high = _limits(panel)
    ax.set(xscale="log", yscale="log", xlim=(left, right), ylim=(low, high))
    ax.set_title(f"{panel.kernel} on {panel.machine}", loc="left", fontsize=12, fontweight="bold", pad=20)
    ax.text(0, 1.015, _subtitle(panel), transform=ax.transAxes, color=FAINT, fontsize=8.5, va="bottom")
    ax.set_xlabel(" = ".join(panel.symbols))
    ax.set_ylabel("arithmetic intensity [FLOP/byte]")
    ax.grid(True, which="major", color=GRID, linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_formatter(lambda value, _: tick(value))
    ax.yaxis.set_major_formatter(lambda value, _: tick(value))
    _set_ticks(ax)
    handles = [Line2D([], [], color=COLOURS[k], linewidth=_width(k)) for k in _order(panel)]
    ax.legend(
        handles, [_name(panel, k) for k in _order(panel)], loc="upper left", bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0, frameon=False, fontsize=8.5, labelspacing=0.9,
    )  # fmt: skip


def _set_ticks(ax: Axes) -> None:
    """Powers of ten; also 2 and 5 times them where a scale spans few."""
    from matplotlib.ticker import LogLocator

    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < MAX_LABELLED_RATIO * low else (1.0,)))
    ax.minorticks_off()


def _order(panel: IntensityPanel) -> list[int]:
    """The curves, memory first: it is drawn lowest and widest, so that curves on one line all show."""
    return list(reversed(range(len(panel.curves))))


def _width(number: int) -> float:
    return min(WIDEST, NEAREST + WIDER * number)


def _subtitle(panel: IntensityPanel) -> str:
    held = [f"{name} = {value}" for name, value in panel.held]
    rest = "dashed: ridge; at each step, the first size at which a cache overflows"
    return "; ".join([f"{SCOPES[panel.scope]}, {panel.precision}", *held[:4], rest])


def _name(panel: IntensityPanel, number: int) -> str:
    """``L3 → L2, 1 MiB``, its ridge, and how sure the traffic is."""
    curve = panel.curves[number]
    receiver = panel.curves[number - 1].name if number else "registers"
    size = f", {capacity(curve.capacity)}" if curve.capacity else ""
    doubt = curve.status.replace("_", " ")
    ridge = f"ridge {digits(curve.ridge)}, " if curve.ridge else ""
    return f"{curve.name} → {receiver}{size}\n{ridge}{doubt}"


def _limits(panel: IntensityPanel) -> tuple[float, float, float, float]:
    points = [point for curve in panel.curves for run in curve.runs for point in run]
    sizes = [float(size) for size, _ in points]
    heights = [value for _, value in points] + [curve.ridge for curve in panel.curves if curve.ridge]
    return min(sizes), max(*sizes, 1.01 * min(sizes)), min(heights) / ROOM, max(heights) * ROOM


def _fill(panel: IntensityPanel, ax: Axes, figure: Figure) -> None:
    placer = Placer(ax, figure)
    for number in _order(panel):
        _draw_curve(panel.curves[number], ax, placer, number)
    for number in _order(panel):
        _draw_ridge(panel.curves[number], ax, placer, number)
    for number in _order(panel):
        _label_steps(panel.curves[number], placer, number)


def _draw_curve(curve: Curve, ax: Axes, placer: Placer, number: int) -> None:
    for run in curve.runs:
        xs, ys = [float(size) for size, _ in run], [value for _, value in run]
        marker = "o" if len(run) == 1 else ""
        ax.plot(
            xs, ys, color=COLOURS[number], linewidth=_width(number), marker=marker, zorder=3, clip_on=False,
            solid_capstyle="butt", solid_joinstyle="round",
        )  # fmt: skip
        placer.keep_clear(list(zip(xs, ys, strict=True)), 1.5)
    for step in curve.steps:
        ends = [(step.last, step.before), (step.first, step.after)][: 2 if _is_sharp(step) else 1]
        ax.plot(
            *zip(*ends, strict=True), linestyle="none", marker="o", markersize=5,
            color=COLOURS[number], markeredgecolor=PAPER, markeredgewidth=0.9, zorder=5,
        )  # fmt: skip


def _draw_ridge(curve: Curve, ax: Axes, placer: Placer, number: int) -> None:
    if curve.ridge is None:
        return
    left, right = ax.get_xlim()
    ax.plot([left, right], [curve.ridge] * 2, color=COLOURS[number], linewidth=1.0, linestyle=(0, (5, 3)), zorder=2)
    placer.keep_clear([(left, curve.ridge), (right, curve.ridge)], 1.0)


def _is_sharp(step: IntensityStep) -> bool:
    return step.first <= step.last * SHARP + 1


def _label_steps(curve: Curve, placer: Placer, number: int) -> None:
    """The first size that overflows, half way down its step, or where the slope begins."""
    for step in curve.steps:
        label = f"{step.last + 1:,}" if _is_sharp(step) else f"from {step.last + 1:,}"
        place = sqrt(step.last * step.first) if _is_sharp(step) else float(step.last)
        placer.place(label, place, sqrt(step.before * step.after), COLOURS[number])
