"""Roofline charts: log-log, a panel for each machine, scope and precision. A panel of one kernel has a point for each
level of memory; one of several has a point for each kernel, at the outermost level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roofscan.frozen import dataclass
from roofscan.report.charts.labels import LabelBox, Placer
from roofscan.report.charts.mark_labels import (
    MARK_SIZE,
    key_columns,
    label_kernels,
    label_levels,
    label_sizes,
    shortened,
)
from roofscan.report.charts.picture import (
    CACHE,
    COLOURS,
    FAINT,
    GRID,
    MARKERS,
    PANEL_SIZE,
    PAPER,
    ROOF,
    SHADE,
    ChartError,
    PictureFormat,
    give_tip,
    picture,
    tick,
)
from roofscan.report.charts.roofline_data import MOST_MARKS, Ceiling, LevelPoint, Mark, Panel, panels
from roofscan.roofline.model import KernelReport
from roofscan.units import digits, si

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KEY_WIDTH = 2.0  # inches a column
LONGEST_NAME = 36  # letters of a ceiling's label; its tooltip has all
NEAR_CEILING = 0.01  # a kernel's roof so near to one of the machine's is that
MAX_RIDGES = 6  # a chart with more ridge points draws none: the chart of each kernel shows its own
SHORTEST_SLOPE = 0.12  # of the width: a slope has room for its label
FAINT_LINE: dict[str, Any] = {"color": FAINT, "linewidth": 0.8, "linestyle": (0, (2, 3))}


def render_svg(kernels: Sequence[Sequence[KernelReport]]) -> str:
    charts = panels(kernels, MOST_MARKS)
    if not charts:
        raise ChartError("--format svg: no kernel here has both FLOPs and traffic to place; use --format text")
    return draw(charts, "svg").decode()


def draw(charts: Sequence[Panel], form: PictureFormat) -> bytes:
    width, height = PANEL_SIZE
    width += KEY_WIDTH * max(key_columns(panel) for panel in charts)
    return picture(charts, (width, height), form, frame, fill)


def frame(panel: Panel, ax: Axes) -> None:
    left, right, low, high = _limits(panel)
    ax.set(xscale="log", yscale="log", xlim=(left, right), ylim=(low, high))
    ax.set_title(_title(panel), loc="left", fontsize=12, fontweight="bold", pad=20)
    subtitle = panel.description if len(panel.description) <= 110 else panel.description[:107] + "..."
    ax.text(0, 1.015, subtitle, transform=ax.transAxes, color=FAINT, fontsize=8.5, va="bottom")
    where = "each level" if _is_of_one(panel) else panel.memory.name
    ax.set_xlabel(f"arithmetic intensity at {where} [FLOP/byte]")
    notes = ["hollow: measured"] if any(mark.measured for mark in panel.marks) else []
    notes += [f"not shown: {shortened(panel.absent, 3)}"] if panel.absent else []
    if notes:
        note = "; ".join(notes)
        ax.text(0, -0.1, note, transform=ax.transAxes, color=FAINT, fontsize=8, va="top")
    ax.set_ylabel("attainable FLOP/s")
    ax.grid(True, which="major", color=GRID, linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_formatter(lambda value, _: tick(value))
    ax.yaxis.set_major_formatter(lambda value, _: tick(value))
    ax.minorticks_off()
    if key_columns(panel):
        _draw_key(panel, ax)


def _title(panel: Panel) -> str:
    kernel = f"{shortened(panel.marks[0].labels)} on " if _is_of_one(panel) else ""
    part = f" ({panel.part})" if panel.part else ""
    return f"{kernel}{panel.machine}: {panel.scope}, {panel.precision}{part}"


def _is_of_one(panel: Panel) -> bool:
    return len(panel.marks) == 1 and len(panel.marks[0].levels) > 1


def _draw_key(panel: Panel, ax: Axes) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **_look(number)) for number in range(len(panel.marks))]
    names = [f"{number + 1}  {shortened(mark.labels, 2)}" for number, mark in enumerate(panel.marks)]
    ax.legend(
        handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, frameon=False,
        ncols=key_columns(panel), fontsize=7.5, handletextpad=0.2, labelspacing=0.25,
    )  # fmt: skip


def _look(number: int) -> dict[str, Any]:
    marker = MARKERS[number // len(COLOURS) % len(MARKERS)]
    edge = {"markeredgecolor": PAPER, "markeredgewidth": 0.9}
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": marker,
        "markersize": MARK_SIZE,
        "linestyle": "none",
        **edge,
    }


def _limits(panel: Panel) -> tuple[float, float, float, float]:
    points = [point for mark in panel.marks for point in mark.points + mark.measured]
    intensities = [p.intensity for p in points] + [level.intensity for level in _levels(panel)]
    corner, peak = panel.corner, panel.ceilings[0].flops
    ridges = [ridge.intensity / 3 for ridge in panel.ridges] if len(panel.ridges) <= MAX_RIDGES else []
    left = min(corner / 30, *(x / 3 for x in intensities), *ridges)
    right = max(corner * 12, *(x * 5 for x in intensities))
    first = peak / max(roof.bandwidth for roof in (panel.memory, *panel.caches))
    left = min(left, (first * right**-SHORTEST_SLOPE) ** (1 / (1 - SHORTEST_SLOPE)))
    low = min(left * panel.memory.bandwidth * 1.5, *(p.speed / 3 for p in points))
    return left, right, low, peak * 3


def _levels(panel: Panel) -> tuple[LevelPoint, ...]:
    return panel.marks[0].levels if _is_of_one(panel) else ()


@dataclass(frozen=True)
class _Line:
    """A line whose label is still to be placed, and what it covers."""

    label: str
    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    covers: Sequence[LabelBox]


def fill(panel: Panel, ax: Axes, figure: Figure) -> None:
    """Lines and marks first, so that labels know all that they may not cover."""
    placer = Placer(ax, figure)
    slopes, ceilings = _draw_slopes(panel, ax, placer), _draw_ceilings(panel, ax, placer)
    uprights = _draw_ridges(panel, ax, placer)
    for number, mark in enumerate(panel.marks):
        _draw_mark(panel, mark, ax, placer, number)
    for line in slopes:
        placer.along(line.label, line.start, line.end, line.colour, line.covers)
    for line in ceilings:
        placer.level(line.label, *line.end, line.colour, line.covers)
    for line in uprights:
        placer.upright(line.label, *line.start, line.colour, line.covers)
    if _is_of_one(panel):
        label_levels(panel, placer)
    else:
        label_kernels(panel, placer)
    if not key_columns(panel):
        for number, mark in enumerate(panel.marks):
            label_sizes(mark, placer, COLOURS[number % len(COLOURS)])


def _draw_slopes(panel: Panel, ax: Axes, placer: Placer) -> list[_Line]:
    peak, lines = panel.ceilings[0].flops, []
    (left, _), (low, _) = ax.get_xlim(), ax.get_ylim()
    for number, roof in enumerate((panel.memory, *panel.caches)):
        start, corner = max(left, low / roof.bandwidth), peak / roof.bandwidth
        if corner > left:
            ends = ((start, start * roof.bandwidth), (corner, peak))
            ax.plot(
                *zip(*ends, strict=True), solid_capstyle="round", zorder=2,
                color=CACHE if number else ROOF, linewidth=1.2 if number else 2.2,
            )  # fmt: skip
            label = f"{roof.name}  {si(roof.bandwidth, 'B/s')}"
            lines.append(_Line(label, *ends, FAINT if number else ROOF, placer.keep_clear(ends, 1.0)))
    return lines


def _draw_ceilings(panel: Panel, ax: Axes, placer: Placer) -> list[_Line]:
    """The peak, bold, from the memory slope on; beneath it the lower ceilings, and those of kernels alone."""
    left, right = ax.get_xlim()
    nearest = max(roof.bandwidth for roof in (panel.memory, *panel.caches))
    ridges = panel.ridges if len(panel.ridges) <= MAX_RIDGES else ()
    own = [
        Ceiling(ridge.limit, ridge.flops)
        for ridge in ridges
        if all(abs(ridge.flops - c.flops) > NEAR_CEILING * c.flops for c in panel.ceilings)
    ]
    lines = []
    for number, ceiling in enumerate((*panel.ceilings, *own)):
        look: dict[str, Any] = {"color": CACHE, "linewidth": 1.2, "linestyle": (0, (5, 3))}
        if number == 0:
            look = {"color": ROOF, "linewidth": 2.2}
        elif ceiling in own:
            look = {"color": ROOF, "linewidth": 1.2, "linestyle": (0, (2, 2))}
        ends = ((max(ceiling.flops / nearest, left), ceiling.flops), (right, ceiling.flops))
        give_tip(ax.plot(*zip(*ends, strict=True), zorder=2, **look), ceiling.name)
        name = ceiling.name if len(ceiling.name) <= LONGEST_NAME else f"{ceiling.name[: LONGEST_NAME - 2].rstrip()} …"
        label = f"{name}  {si(ceiling.flops, 'FLOP/s')}"
        colour = FAINT if look["color"] == CACHE else ROOF
        lines.append(_Line(label, *ends, colour, placer.keep_clear(ends, 1.0)))
    return lines


def _draw_ridges(panel: Panel, ax: Axes, placer: Placer) -> list[_Line]:
    """The ridge of each kernel, as in its table."""
    if len(panel.ridges) > MAX_RIDGES:
        return []
    (low, _), (left, _) = ax.get_ylim(), ax.get_xlim()
    if len(panel.ridges) == 1 and not _is_of_one(panel):
        ax.axvspan(left, panel.ridges[0].intensity, color=SHADE, zorder=0)
    lines = []
    for ridge in panel.ridges:
        ends = ((ridge.intensity, low), (ridge.intensity, ridge.flops))
        ax.plot(*zip(*ends, strict=True), **FAINT_LINE)
        label = f"ridge {digits(ridge.intensity)}"
        lines.append(_Line(label, *ends, FAINT, placer.keep_clear(ends, 0.8)))
    return lines


def _draw_mark(panel: Panel, mark: Mark, ax: Axes, placer: Placer, number: int) -> None:
    look, name = _look(number), shortened(mark.labels)
    if mark.path:
        xs, ys = [p.intensity for p in mark.path], [p.speed for p in mark.path]
        ax.plot(xs, ys, color=look["color"], linewidth=1.2, zorder=3, alpha=0.7)
        for point in mark.path:
            dot = ax.plot([point.intensity], [point.speed], marker="o", markersize=3, color=look["color"], zorder=4)
            if point.size is not None:
                told = f"{name} at sizes of {point.size}\n{_figures(point.intensity, panel, point.speed)}"
                give_tip(dot, told)
        placer.keep_clear(list(zip(xs, ys, strict=True)), 1.5)
    for level, ridge, x in _places(panel, mark):
        found = ax.plot([x], [mark.place.speed], zorder=5, **look)
        give_tip(found, f"{name}\n{_figures(x, panel, mark.place.speed, level, ridge)}")
        placer.keep_clear([(x, mark.place.speed)])
    for point in mark.measured:
        hollow = {**look, "markerfacecolor": PAPER, "markeredgecolor": look["color"], "markeredgewidth": 1.4}
        found = ax.plot([point.intensity], [point.speed], zorder=6, **hollow)
        give_tip(found, f"{name}, measured: {si(point.speed, 'FLOP/s')}")
        placer.keep_clear([(point.intensity, point.speed)])


def _places(panel: Panel, mark: Mark) -> list[tuple[str, float | None, float]]:
    """Level, ridge and intensity of each point of a kernel."""
    if levels := _levels(panel):
        return [(level.name, level.ridge, level.intensity) for level in levels]
    return [(panel.memory.name, mark.ridge.intensity if mark.ridge else None, mark.place.intensity)]


def _figures(intensity: float, panel: Panel, speed: float, level: str = "", ridge: float | None = None) -> str:
    against = f", ridge {digits(ridge)}" if ridge else ""
    where = level or panel.memory.name
    return f"AI {digits(intensity)} FLOP/byte at {where}{against}\n{si(speed, 'FLOP/s')} by the roofline"
