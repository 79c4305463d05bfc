"""Roofline charts as SVG: log-log, a panel for each machine, scope and precision. Needs matplotlib, the extra
``roofscan[charts]``. The same input gives the same bytes: no date, no random ids, letters drawn as paths."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from roofscan.report.charts.labels import Placer
from roofscan.report.charts.roofline_data import Ceiling, Mark, Panel, Recost, panels
from roofscan.roofline.model import KernelReport
from roofscan.units import digits, si

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = TypeVar("P")  # a panel of some kind of chart
PictureFormat = Literal["svg", "png"]

INK, FAINT, PAPER = "#1f2933", "#7b8794", "#ffffff"
ROOF, CACHE, SHADE = "#1f2933", "#9aa5b1", "#f5f7fa"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f3c8d", "#a5402d")
GRID = "#e4e7eb"
DARK = {
    PAPER: "#14191f", INK: "#e6eaee", FAINT: "#93a0ad", CACHE: "#66727e", SHADE: "#1b2129", GRID: "#2b333c",
    "#0072b2": "#4da6e0", "#d55e00": "#f08a3c", "#009e73": "#2fc29a", "#cc79a7": "#e09ac2", "#b8860b": "#d9ab3a",
    "#7f3c8d": "#b985c6", "#a5402d": "#d9715c",
}  # fmt: skip
"""What each colour becomes where the reader's screen is dark; those that are not here stay."""
MARKERS = "osD^vPX*"
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "roofscan",
    "svg.fonttype": "path",
    "text.parse_math": False,  # a dollar sign is a dollar sign
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
}
PANEL_SIZE = (9.0, 5.8)  # inches
MAX_LABELS = 14  # with more kernels, numbers are beside the marks and names in a key
KEY_ROWS = 34
KEY_WIDTH = 2.0  # inches a column
NEAR_CEILING = 0.01  # a kernel's roof so near to one of the machine's is that
MAX_RIDGES = 6  # of more, none has a label
RIDGE_STEP, RIDGE_ROWS = 11, 4  # points between the labels of ridges, one above the other


class ChartError(Exception):
    """No chart: the message says why, and the remedy."""


def render_svg(kernels: Sequence[Sequence[KernelReport]], recost: Recost | None = None) -> str:
    charts = panels(kernels, recost)
    if not charts:
        raise ChartError("--format svg: no kernel here has both FLOPs and traffic to place; use --format text")
    return draw(charts, "svg").decode()


def draw(charts: Sequence[Panel], form: PictureFormat) -> bytes:
    width, height = PANEL_SIZE
    width += KEY_WIDTH * max(_key_columns(panel) for panel in charts)
    return picture(charts, (width, height), form, _frame, _fill)


def picture(
    panels: Sequence[P],
    size: tuple[float, float],
    form: PictureFormat,
    frame: Callable[[P, Axes], None],
    fill: Callable[[P, Axes, Figure], None],
) -> bytes:
    """Panels of one size in inches, one below the other: first the frames of all, then, laid out, what is in them."""
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ChartError('--format svg needs matplotlib; install it with: pip install "roofscan[charts]"') from None
    stream = io.BytesIO()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        width, height = size
        figure = Figure(figsize=(width, height * len(panels)), facecolor=PAPER, layout="constrained")
        FigureCanvasAgg(figure)  # measures text
        axes = figure.subplots(len(panels), squeeze=False)[:, 0]
        for panel, ax in zip(panels, axes, strict=True):
            frame(panel, ax)
        figure.draw_without_rendering()  # settles the layout, so that labels know their size
        figure.set_layout_engine("none")
        for panel, ax in zip(panels, axes, strict=True):
            fill(panel, ax, figure)
        metadata = {"Date": None, "Creator": "roofscan"} if form == "svg" else None
        figure.savefig(stream, format=form, dpi=110, metadata=metadata)
    return with_dark(stream.getvalue()) if form == "svg" else stream.getvalue()


def with_dark(svg: bytes) -> bytes:
    """The picture with a style for dark screens: it wins over the colours of each element."""
    rules = [
        f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    ]
    style = "<style>\n@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}\n</style>\n"
    head, mark, rest = svg.partition(b" <defs>\n")
    return head + style.encode() + mark + rest


def _frame(panel: Panel, ax: Axes) -> None:
    left, right, low, high = _limits(panel)
    ax.set(xscale="log", yscale="log", xlim=(left, right), ylim=(low, high))
    ax.set_title(
        f"{panel.machine}: {panel.scope}, {panel.precision}", loc="left", fontsize=12, fontweight="bold", pad=20
    )
    subtitle = panel.description if len(panel.description) <= 110 else panel.description[:107] + "..."
    ax.text(0, 1.015, subtitle, transform=ax.transAxes, color=FAINT, fontsize=8.5, va="bottom")
    ax.set_xlabel(f"arithmetic intensity at {panel.memory.name} [FLOP/byte]")
    notes = ["hollow: measured"] if any(mark.measured for mark in panel.marks) else []
    notes += [f"not shown: {_shortened(panel.absent, 3)}"] if panel.absent else []
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
    if _key_columns(panel):
        _draw_key(panel, ax)


def _key_columns(panel: Panel) -> int:
    """How many columns of names the key has; 0: the names are beside the marks."""
    return math.ceil(len(panel.marks) / KEY_ROWS) if len(panel.marks) > MAX_LABELS else 0


def _draw_key(panel: Panel, ax: Axes) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **_look(number)) for number in range(len(panel.marks))]
    names = [f"{number + 1}  {_name(mark, 2)}" for number, mark in enumerate(panel.marks)]
    ax.legend(
        handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, frameon=False,
        ncols=_key_columns(panel), fontsize=8, handletextpad=0.2, labelspacing=0.35,
    )  # fmt: skip


def _look(number: int) -> dict[str, Any]:
    marker = MARKERS[number // len(COLOURS) % len(MARKERS)]
    edge = {"markeredgecolor": PAPER, "markeredgewidth": 0.9}
    return {"color": COLOURS[number % len(COLOURS)], "marker": marker, "markersize": 7, "linestyle": "none", **edge}


def _name(mark: Mark, most: int = 4) -> str:
    return _shortened(mark.labels, most)


def tick(value: float) -> str:
    if value < 1:
        return f"{value:.10f}".rstrip("0")
    number, _, prefix = si(value).partition(" ")
    return f"{float(number):g} {prefix}".rstrip()


def _limits(panel: Panel) -> tuple[float, float, float, float]:
    points = [point for mark in panel.marks for point in mark.points + mark.measured]
    corner, peak = panel.corner, panel.ceilings[0].flops
    left = min(corner / 30, *(p.intensity / 3 for p in points), *(r.intensity / 3 for r in panel.ridges))
    right = max(corner * 12, *(p.intensity * 5 for p in points))
    low = min(left * panel.memory.bandwidth * 1.5, *(p.speed / 3 for p in points))
    return left, right, low, peak * 3


def _fill(panel: Panel, ax: Axes, figure: Figure) -> None:
    placer = Placer(ax, figure)
    _draw_roofs(panel, ax, placer)
    _draw_ceilings(panel, ax, placer)
    _draw_ridges(panel, ax, placer)
    numbered = _key_columns(panel) > 0
    for number, mark in enumerate(panel.marks):
        _draw_mark(mark, ax, number)
    for mark in panel.marks:
        placer.keep_clear([(p.intensity, p.speed) for p in mark.points])
        for point in mark.measured:
            placer.keep_clear([(point.intensity, point.speed)])
    for number, mark in enumerate(panel.marks):
        label = str(number + 1) if numbered else _name(mark)
        placer.place(label, mark.end.intensity, mark.end.speed, COLOURS[number % len(COLOURS)])
    for number, mark in enumerate(panel.marks):
        if not numbered:
            _label_start(mark, placer, COLOURS[number % len(COLOURS)])


def _draw_ridges(panel: Panel, ax: Axes, placer: Placer) -> None:
    """The ridge of each kernel, with the ceiling that makes it where that is none of the machine's."""
    (low, _), (left, right) = ax.get_ylim(), ax.get_xlim()
    faint: dict[str, Any] = {"color": FAINT, "linewidth": 0.8, "linestyle": (0, (2, 3))}
    if len(panel.ridges) == 1:
        ax.axvspan(left, panel.ridges[0].intensity, color=SHADE, zorder=0)
    for number, ridge in enumerate(panel.ridges):
        ax.plot([ridge.intensity] * 2, [low, ridge.flops], **faint)
        if len(panel.ridges) > MAX_RIDGES:
            continue
        label, above = f"ridge {digits(ridge.intensity)}", 5 + RIDGE_STEP * (number % RIDGE_ROWS)
        ax.annotate(
            label, (ridge.intensity, low), xytext=(4, above), textcoords="offset points", color=FAINT, fontsize=8
        )
        if all(abs(ridge.flops - c.flops) > NEAR_CEILING * c.flops for c in panel.ceilings):
            ax.plot([ridge.intensity, right], [ridge.flops] * 2, **faint)
            placer.level(_ceiling_label(Ceiling(ridge.limit, ridge.flops)), right, ridge.flops, FAINT)


def _draw_roofs(panel: Panel, ax: Axes, placer: Placer) -> None:
    peak = panel.ceilings[0].flops
    left, _ = ax.get_xlim()
    low, _ = ax.get_ylim()
    for number, roof in enumerate((panel.memory, *panel.caches)):
        start, corner = max(left, low / roof.bandwidth), peak / roof.bandwidth
        bold = number == 0
        if corner > left:
            ax.plot(
                [start, corner], [start * roof.bandwidth, peak], solid_capstyle="round", zorder=2,
                color=ROOF if bold else CACHE, linewidth=2.2 if bold else 1.2,
            )  # fmt: skip
            label = f"{roof.name}  {si(roof.bandwidth, 'B/s')}"
            placer.keep_clear([(start, start * roof.bandwidth), (corner, peak)], 1.0)
            placer.along(label, (start, start * roof.bandwidth), (corner, peak), ROOF if bold else FAINT)


def _draw_ceilings(panel: Panel, ax: Axes, placer: Placer) -> None:
    """The peak, bold, from the memory slope on, and the lower ceilings beneath it."""
    _, right = ax.get_xlim()
    nearest = max((panel.memory, *panel.caches), key=lambda roof: roof.bandwidth)
    for number, ceiling in enumerate(panel.ceilings):
        bold = number == 0
        start = max(ceiling.flops / nearest.bandwidth, ax.get_xlim()[0])
        ax.plot(
            [start, right], [ceiling.flops] * 2, zorder=2, color=ROOF if bold else CACHE,
            linewidth=2.2 if bold else 1.2, linestyle="solid" if bold else (0, (5, 3)),
        )  # fmt: skip
        placer.keep_clear([(start, ceiling.flops), (right, ceiling.flops)], 1.0)
        placer.level(_ceiling_label(ceiling), right, ceiling.flops, ROOF if bold else FAINT)


def _ceiling_label(ceiling: Ceiling) -> str:
    return f"{ceiling.name}  {si(ceiling.flops, 'FLOP/s')}"


def _draw_mark(mark: Mark, ax: Axes, number: int) -> None:
    xs, ys = [p.intensity for p in mark.points], [p.speed for p in mark.points]
    look = _look(number)
    if len(mark.points) > 1:
        ax.plot(xs, ys, color=look["color"], linewidth=1.6, zorder=3, alpha=0.9)
        ax.plot(xs[:-1], ys[:-1], color=look["color"], marker="o", markersize=2.6, linestyle="none", zorder=4)
    ax.plot(xs[-1:], ys[-1:], zorder=5, **look)
    if mark.measured:
        hollow = {**look, "markerfacecolor": PAPER, "markeredgecolor": look["color"], "markeredgewidth": 1.4}
        ax.plot([p.intensity for p in mark.measured], [p.speed for p in mark.measured], zorder=6, **hollow)


def _label_start(mark: Mark, placer: Placer, colour: str) -> None:
    """The first size of a curve, where the curve is long enough for two labels."""
    first, last = mark.points[0], mark.end
    reach = math.hypot(math.log10(last.intensity / first.intensity), math.log10(last.speed / first.speed))
    if reach > 0.5 and first.size is not None:
        placer.place(f"n = {first.size}", first.intensity, first.speed, colour, 7.0, "normal")


def _shortened(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
