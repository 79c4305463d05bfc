"""The dataflow graph as a picture: operations as boxes in layers, arrays as arrows, a colour for each possible loop.
Needs matplotlib, the extra ``roofscan[charts]``. The same input gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roofscan import units
from roofscan.cost.flow import SINK, SOURCE, Edge, Flow, Vertex, flow_of
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.report import formatting
from roofscan.report.charts.picture import COLOURS, FAINT, INK, PAPER, STYLE, ChartError, with_dark
from roofscan.report.figures import bound_values, value_of
from roofscan.report.graph.layout import GraphLayout, Point, laid_out, layers_of
from roofscan.roofline.model import KernelReport
from roofscan.symbolic.expr import ZERO, Expr

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes

LINE, TEMPORARY, NUMBER = "#616e7c", COLOURS[1], "#616e7c"
STYLES = {"array": (LINE, "-"), "temporary": (TEMPORARY, "--"), "number": (NUMBER, ":")}
GROUPS = (COLOURS[0], COLOURS[2], COLOURS[3], COLOURS[4], COLOURS[6], COLOURS[7])
"""Of groups, in order; with more groups they repeat."""

INTO, OUT_OF = "in:", "out:"  # before an array's name: the box of one that comes in, and of one that goes out
MAX_LETTERS = 32  # in a line of a box
MAX_LINES_NAMED = 3
LETTER, SMALL = 0.075, 0.062  # inches, the width of a letter in a box, and of a small one
BOX_HEIGHT, PILL_HEIGHT = 0.56, 0.28  # inches
GAP_ACROSS, GAP_DOWN = 0.3, 0.5
MARGIN, HEAD, FOOT = 0.3, 0.75, 0.3


@dataclass(frozen=True)
class NodeBox:
    """A node of the drawing: its lines of text, and the group that colours it."""

    name: str
    lines: tuple[str, ...]
    group: str = ""
    is_operation: bool = True


@dataclass(frozen=True)
class Drawing:
    """What is drawn of one kernel, with the sizes of its parts in inches."""

    title: str
    subtitle: str
    boxes: tuple[NodeBox, ...]
    arrows: tuple[tuple[str, str, str], ...]  # start, end, one of STYLES
    groups: tuple[tuple[str, str], ...]  # name, what the legend says
    notes: tuple[str, ...]
    layout: GraphLayout

    @property
    def box_width(self) -> float:
        return LETTER * max((len(line) for box in self.boxes for line in box.lines), default=10) + 0.2

    @property
    def size(self) -> Point:
        wide = self.layout.columns * (self.box_width + GAP_ACROSS) + 2 * MARGIN
        legend = 2.8 + sum(0.5 + SMALL * len(label) for _, label in self.groups)
        high = self.layout.rows * (BOX_HEIGHT + GAP_DOWN) + HEAD + FOOT * (1 + len(self.notes))
        return max(wide, legend, LETTER * len(self.subtitle) + 1), high

    def centre(self, place: Point) -> Point:
        """A place of the layout in inches from the left and from the bottom."""
        wide, high = self.size
        left = (wide - self.layout.columns * (self.box_width + GAP_ACROSS)) / 2
        down = HEAD + (place[1] + 0.5) * (BOX_HEIGHT + GAP_DOWN)
        return left + (place[0] + 0.5) * (self.box_width + GAP_ACROSS), high - down


def render_graph_svg(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """All kernels under each other, dark where the reader's screen is."""
    return draw([drawing_of(reports[0].cost) for reports in kernels], "svg").decode()


def draw(drawings: Sequence[Drawing], form: str) -> bytes:
    """The drawings as one picture, ``svg`` or ``png``; ChartError without matplotlib."""
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        remedy = "pip install 'roofscan[charts]', or take --format graph-dot"
        raise ChartError(f"--format graph-svg needs matplotlib: {remedy}") from None
    wide = max((drawing.size[0] for drawing in drawings), default=1.0)
    high = sum(drawing.size[1] for drawing in drawings) or 1.0
    stream, top = io.BytesIO(), high
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(wide, high), facecolor=PAPER)
        FigureCanvasAgg(figure)
        for drawing in drawings:
            tall = drawing.size[1]
            top -= tall
            axes = figure.add_axes((0, top / high, drawing.size[0] / wide, tall / high))
            axes.set_axis_off()
            axes.set(xlim=(0, drawing.size[0]), ylim=(0, tall))
            _draw(drawing, axes)
        metadata = {"Date": None, "Creator": "roofscan"} if form == "svg" else None
        figure.savefig(stream, format=form, dpi=110, metadata=metadata)
    return with_dark(stream.getvalue()) if form == "svg" else stream.getvalue()


# -- what is drawn ------------------------------------------------------------------------------------
def drawing_of(cost: KernelCost) -> Drawing:
    """What is drawn of a kernel: all but scalar code that neither takes nor gives an array, which notes mention."""
    flow, words = flow_of(cost), _Words(cost)
    joined = {name for e in flow.edges if e.array for name in (e.start, e.end)}
    joined |= {e.end for e in flow.edges if e.start in joined}
    shown = [v for v in flow.vertices if v.name in joined]
    edges = {_ends(e): e for e in flow.edges if e.start in joined and e.end in joined}
    graph = _graph([v.name for v in shown], edges)
    boxes = {box.name: box for box in (*words.operations(shown, flow), *words.arrays(graph))}
    beside = [v for v in flow.vertices if v.name not in joined]
    work = words.amount(sum((v.flops for v in beside), start=ZERO), 40)
    return Drawing(
        title=cost.kernel.name,
        subtitle=f"line {cost.kernel.line}, {words.amount(cost.flops, 60)} FLOP",
        boxes=tuple(boxes[name] for name in graph),
        arrows=tuple((start, end, _style(edge)) for start, end, edge in _edges(graph)),
        groups=tuple(
            (name, f"one loop: {_lines_of([v for v in shown if v.name in members])}")
            for name, members in flow.groups.items()
        ),
        notes=(f"beside: scalar code, {_lines_of(beside)}, {work} FLOP",) if beside else (),
        layout=laid_out(graph),
    )


def _graph(operations: Sequence[str], edges: Mapping[tuple[str, str], Edge]) -> networkx.DiGraph[Any]:
    """The boxes to draw. An array that comes in has a box above each row of operations that take it."""
    import networkx  # heavy

    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    graph.add_nodes_from(operations)
    graph.add_edges_from((start, end, {"edge": edge}) for (start, end), edge in edges.items())
    layers = layers_of(graph)
    rows = {start: f"{INTO}{e.array}@{layers[start]}" for (start, _), e in edges.items() if e.start == SOURCE}
    joined: networkx.DiGraph[Any] = networkx.relabel_nodes(graph, rows)
    return joined


def _edges(graph: networkx.DiGraph[Any]) -> Iterator[tuple[str, str, Edge]]:
    return ((start, end, data["edge"]) for start, end, data in graph.edges(data=True))


def _ends(edge: Edge) -> tuple[str, str]:
    """The boxes that an edge joins: an array that comes in or goes out has one of its own."""
    start = f"{INTO}{edge.array}>{edge.end}" if edge.start == SOURCE else edge.start
    return start, f"{OUT_OF}{edge.array}" if edge.end == SINK else edge.end


def _style(edge: Edge) -> str:
    return "number" if not edge.array else "temporary" if edge.temporary else "array"


def _lines_of(operations: Sequence[Vertex]) -> str:
    lines = sorted({v.line for v in operations})
    if len(lines) > MAX_LINES_NAMED:
        return f"lines {lines[0]} to {lines[-1]}"
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"


class _Words:
    """What the boxes of one kernel say."""

    def __init__(self, cost: KernelCost) -> None:
        self._cost = cost

    def operations(self, shown: Iterable[Vertex], flow: Flow) -> Iterator[NodeBox]:
        for v in shown:
            amount = self.amount(v.flops, MAX_LETTERS - len(f"line {v.line} ·  FLOP"))
            made = {e.array: e for e in flow.edges if e.start == v.name and e.array}
            arrays = ", ".join(f"{e.array}: {self.bytes(e)}" for e in made.values())
            yield NodeBox(v.name, (_cut(v.label), f"line {v.line} · {amount} FLOP", _cut(arrays)), v.group)

    def arrays(self, graph: networkx.DiGraph[Any]) -> Iterator[NodeBox]:
        for start, end, e in _edges(graph):
            for name in (start, end):
                if name.startswith((INTO, OUT_OF)):
                    yield NodeBox(name, (_cut(f"{e.array}: {self.bytes(e)}"),), is_operation=False)

    def amount(self, expr: Expr, width: int) -> str:
        """The number where all sizes are bound, else the expression, its leading terms if it is long."""
        number = value_of(expr, bound_values(self._cost))
        if number is not None:
            return units.si(number)
        text = formatting.brief(expr, self._cost.sample_point, width)
        return text if len(text) <= width else text[: width - 1] + "…"

    def bytes(self, edge: Edge) -> str:
        text = self.amount(edge.bytes, 22)
        return f"{text}B" if text[-1:] in "kMGTPEZY" else f"{text} B"


# -- with matplotlib ----------------------------------------------------------------------------------
def _draw(drawing: Drawing, axes: Axes) -> None:
    high = drawing.size[1]
    axes.text(MARGIN, high - 0.25, drawing.title, fontsize=11, weight="bold", va="center")
    axes.text(MARGIN, high - 0.48, drawing.subtitle, fontsize=8, color=FAINT, va="center")
    colours = {name: GROUPS[k % len(GROUPS)] for k, (name, _) in enumerate(drawing.groups)}
    _legend(drawing, axes, colours, high - 0.7)
    for start, end, style in drawing.arrows:
        _arrow(drawing, axes, (start, end), style)
    for box in drawing.boxes:
        _box(drawing, axes, box, colours.get(box.group, ""))
    for k, note in enumerate(drawing.notes):
        axes.text(MARGIN, FOOT * (k + 0.5), note, fontsize=8, color=FAINT, va="center")


def _legend(drawing: Drawing, axes: Axes, colours: dict[str, str], y: float) -> None:
    from matplotlib.patches import Rectangle

    x = MARGIN
    for name, (colour, dashes) in STYLES.items():
        axes.plot([x, x + 0.3], [y, y], color=colour, linestyle=dashes, linewidth=1.1)
        axes.text(x + 0.36, y, name, fontsize=8, color=FAINT, va="center")
        x += 0.55 + SMALL * len(name)
    for name, label in drawing.groups:
        axes.add_patch(
            Rectangle((x, y - 0.06), 0.22, 0.12, edgecolor=colours[name], facecolor=colours[name], alpha=0.3)
        )
        axes.text(x + 0.28, y, label, fontsize=8, color=FAINT, va="center")
        x += 0.5 + SMALL * len(label)


def _box(drawing: Drawing, axes: Axes, box: NodeBox, colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = drawing.centre(drawing.layout.centres[box.name])
    high = BOX_HEIGHT if box.is_operation else PILL_HEIGHT
    corner = (x - drawing.box_width / 2, y - high / 2)
    style = "round,pad=0,rounding_size=0.06" if box.is_operation else "round,pad=0,rounding_size=0.14"
    edge = colour or "#9aa5b1"
    axes.add_patch(
        FancyBboxPatch(corner, drawing.box_width, high, boxstyle=style, facecolor=PAPER, edgecolor=edge, zorder=3)
    )
    if colour or not box.is_operation:
        tint = FancyBboxPatch(
            corner, drawing.box_width, high, boxstyle=style, facecolor=colour or "#9aa5b1", alpha=0.15, zorder=3
        )
        axes.add_patch(tint)
    lines = [line for line in box.lines if line]
    for k, line in enumerate(lines):
        place = y + ((len(lines) - 1) / 2 - k) * 0.165
        size, ink = (9, INK) if k == 0 else (7.5, FAINT)
        axes.text(x, place, line, fontsize=size, color=ink, ha="center", va="center", zorder=4)


def _arrow(drawing: Drawing, axes: Axes, ends: tuple[str, str], style: str) -> None:
    """From the bottom of a box, through the gaps of the layers between, to the top of another."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    colour, dashes = STYLES[style]
    points = [drawing.centre(place) for place in drawing.layout.routes[ends]]
    half = {name: (BOX_HEIGHT if not name.startswith((INTO, OUT_OF)) else PILL_HEIGHT) / 2 for name in ends}
    (x, y), *between, (x2, y2) = points
    corners = [(x, y - half[ends[0]])]
    for px, py in between:
        corners += [(px, py + BOX_HEIGHT / 2), (px, py - BOX_HEIGHT / 2)]
    corners.append((x2, y2 + half[ends[1]]))
    vertices, codes = [corners[0]], [Path.MOVETO]
    for k in range(len(corners) - 1):
        (ax, ay), (bx, by) = corners[k], corners[k + 1]
        middle = (ay + by) / 2
        vertices += [(ax, middle), (bx, middle), (bx, by)]
        codes += [Path.CURVE4] * 3
    axes.add_patch(
        FancyArrowPatch(
            path=Path(vertices, codes),
            arrowstyle="-|>",
            mutation_scale=8,
            color=colour,
            linestyle=dashes,
            linewidth=1.1,
            shrinkA=0,
            shrinkB=0,
            zorder=2,
        )
    )
