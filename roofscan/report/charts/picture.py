"""Panels as one picture of matplotlib, the extra ``roofscan[charts]``. The same input gives the same bytes: no date, no
random ids, letters drawn as paths. In SVG, marks have tooltips, and colours for dark screens."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from roofscan.units import si

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = TypeVar("P")  # a panel of some kind of chart
PictureFormat = Literal["svg", "png"]

INK, FAINT, PAPER = "#1f2933", "#7b8794", "#ffffff"
ROOF, CACHE, SHADE = "#1f2933", "#9aa5b1", "#f5f7fa"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f3c8d", "#a5402d")
MARKERS = "osD^vPX*"
"""Kernels go through the colours once for each marker."""
GRID = "#e4e7eb"
DARK = {
    PAPER: "#14191f", INK: "#e6eaee", FAINT: "#93a0ad", CACHE: "#66727e", SHADE: "#1b2129", GRID: "#2b333c",
    "#0072b2": "#4da6e0", "#d55e00": "#f08a3c", "#009e73": "#2fc29a", "#cc79a7": "#e09ac2", "#b8860b": "#d9ab3a",
    "#7f3c8d": "#b985c6", "#a5402d": "#d9715c",
}  # fmt: skip
"""What each colour becomes where the reader's screen is dark; those that are not here stay."""
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
_TIP = "tip: "
_TIPPED = re.compile(rb'<g id="tip: ([^"]*)">')


class ChartError(Exception):
    """No chart: the message says why, and the remedy."""


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
        raise ChartError("--format svg needs matplotlib: pip install 'roofscan[charts]'") from None
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
    return with_dark(_TIPPED.sub(rb"<g><title>\1</title>", stream.getvalue())) if form == "svg" else stream.getvalue()


def give_tip(artists: Sequence[Artist], text: str) -> None:
    """In SVG, what the artists show under the pointer: matplotlib writes and escapes the text as their id."""
    for artist in artists:
        artist.set_gid(_TIP + text)


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


def tick(value: float) -> str:
    if value < 1:
        return f"{value:.10f}".rstrip("0")
    number, _, prefix = si(value).partition(" ")
    return f"{float(number):g} {prefix}".rstrip()
