"""The dataflow graph as a drawing: operations as boxes in layers, arrays as lines, one frame for each possible loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from roofscan import units
from roofscan.cost.flow import Edge, Flow, Vertex, flow_of
from roofscan.cost.result import KernelCost
from roofscan.report import formatting
from roofscan.report.figures import bound_values, value_of
from roofscan.report.graph.items import INTO, Drawing, Item, Line, drawing_of
from roofscan.report.graph.layout import Box, Link, Placed, laid_out
from roofscan.roofline.model import KernelReport
from roofscan.symbolic.expr import ZERO, Expr

BOX = (212.0, 52.0)
PILL = 24.0
PAD = (16.0, 24.0)
"""Inside a group's frame: at the sides and the bottom, and at the top, where its name stands."""
STACK = 14.0
"""Between the boxes of a group."""
LANE = 10.0
"""Between lines beside the boxes of a group."""
PORT = 12.0
"""Between the lines that leave or reach a box."""
MARGIN, HEAD, FOOT = 28.0, 76.0, 18.0
LEAST_WIDTH = 440.0
MOST_LINES = 3
"""How many lines of the source are named one by one."""
LETTER = 0.6
"""The width of a letter, in its size."""

_STYLE = """\
text { font-family: "DejaVu Sans", Verdana, Helvetica, sans-serif; font-size: 11px; fill: #1f2933 }
.title { font-size: 14px; font-weight: bold } .faint { font-size: 9.5px; fill: #616e7c }
.paper { fill: #ffffff } .box { fill: #ffffff; stroke: #9aa5b1 } .pill { fill: #eef2f6; stroke: none }
.frame { fill: #0072b2; fill-opacity: 0.07; stroke: #0072b2; stroke-dasharray: 6 3 }
.name { font-size: 9.5px; fill: #00629b } .warm { font-size: 9.5px; fill: #b34700 }
.line { fill: none; stroke: #7b8794 } .temporary { fill: none; stroke: #d55e00; stroke-dasharray: 5 3 }
.number { fill: none; stroke: #7b8794; stroke-dasharray: 1.5 3 } .tip { fill: #7b8794 }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb } .faint { fill: #9aa5b1 } .paper { fill: #10161f }
.box { fill: #1b2430; stroke: #52606d } .pill { fill: #27323f } .tip { fill: #9aa5b1 }
.frame { fill: #56b4e9; fill-opacity: 0.1; stroke: #56b4e9 } .name { fill: #7cc4ee } .warm { fill: #f0a060 }
.line, .number { stroke: #8794a2 } .temporary { stroke: #e08a4a }
}"""
_DEFS = (
    f"<style>{_STYLE}</style>\n"
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
    'markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0,0 L8,4 L0,8 z"/></marker></defs>'
)
_LEGEND = (("line", "array"), ("temporary", "temporary"), ("number", "number"))


def render_graph_svg(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """All kernels under each other. The same input gives the same text; dark where the reader's screen is."""
    parts, top, width = [], 0.0, 0.0
    for reports in kernels:
        body, wide, high = _Sheet(reports[0].cost).drawn()
        parts.append(f'<g transform="translate({MARGIN:.0f},{top + MARGIN:.0f})">\n{body}\n</g>')
        top, width = top + high + 2 * MARGIN, max(width, wide)
    size = f'width="{width + 2 * MARGIN:.0f}" height="{top:.0f}"'
    view = f'viewBox="0 0 {width + 2 * MARGIN:.0f} {top:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>'
    return "\n".join([head, _DEFS, '<rect class="paper" width="100%" height="100%"/>', *parts, "</svg>", ""])


class _Sheet:
    """The drawing of one kernel."""

    def __init__(self, cost: KernelCost) -> None:
        self._cost = cost
        self._flow: Flow = flow_of(cost)
        self._drawing: Drawing = drawing_of(self._flow)
        self._sizes = {item.name: self._size(item) for item in self._drawing.items}
        self._placed: Placed = laid_out(self._sizes, [line.route for line in self._drawing.lines])

    def drawn(self) -> tuple[str, float, float]:
        """The elements, and the width and height that they take."""
        placed, notes = self._placed, list(self._notes())
        width = max(placed.width, LEAST_WIDTH)
        shift = (width - placed.width) / 2
        inside = [part for item in self._drawing.items for part in self._item(item)]
        body = [f'<g transform="translate({shift:.0f},{HEAD:.0f})">', *self._links(), *inside, "</g>"]
        foot = [
            _text(0, HEAD + placed.height + FOOT * (k + 1) + 4, note, "faint", "start") for k, note in enumerate(notes)
        ]
        return "\n".join([*self._head(), *body, *foot]), width, HEAD + placed.height + FOOT * len(notes)

    def _head(self) -> Iterator[str]:
        kernel = self._cost.kernel
        yield _text(0, 12, kernel.name, "title", "start")
        yield _text(0, 30, f"line {kernel.line}, {self._amount(self._cost.flops, 60)} FLOP", "faint", "start")
        at = 0.0
        for kind, label in _LEGEND:
            yield f'<path class="{kind}" d="M{at:.0f},47 h26"/>'
            yield _text(at + 32, 50, label, "faint", "start")
            at += 50 + len(label) * 9.5 * LETTER
        yield f'<rect class="frame" x="{at:.0f}" y="40" width="22" height="12" rx="3"/>'
        yield _text(at + 28, 50, "one loop could do it", "faint", "start")

    def _notes(self) -> Iterator[str]:
        """What stands beside: scalar code that neither takes nor gives an array."""
        beside = self._drawing.beside
        if beside:
            work = sum((v.flops for v in beside), start=ZERO)
            yield f"beside: scalar code, {_lines_of(beside)}, {self._amount(work, 40)} FLOP"

    # -- boxes --------------------------------------------------------------------------------

    def _size(self, item: Item) -> tuple[float, float]:
        count = len(item.members)
        if not count:
            return max(46.0, len(self._border(item)) * 10 * LETTER + 20), PILL
        if count == 1:
            return BOX
        lanes = len(_lanes(item, self._drawing.inside.get(item.name, ())))
        height = PAD[1] + count * BOX[1] + (count - 1) * STACK + PAD[0]
        return BOX[0] + 2 * PAD[0] + lanes * LANE, height

    def _border(self, item: Item) -> str:
        edge = next(e for e in self._flow.edges if e.array == item.array)
        return f"{_fit(item.array, 130)}: {self._bytes(edge)}"

    def _item(self, item: Item) -> Iterator[str]:
        box = self._placed.boxes[item.name]
        if not item.members:
            said = "comes in" if item.name.startswith(INTO) else "goes out"
            yield _rect(box, "pill", PILL / 2, f"{item.array} {said}")
            yield _text(box.middle, box.y + 16, self._border(item))
        elif len(item.members) == 1:
            yield from self._operation(item.members[0], box)
        else:
            yield _rect(box, "frame", 8, item.members[0].group)
            yield _text(box.x + PAD[0], box.y + 16, f"one loop: {_lines_of(item.members)}", "name", "start")
            boxes = _stacked(item, box)
            yield from self._inner_lines(item, boxes)
            for v in item.members:
                yield from self._operation(v, boxes[v.name])

    def _operation(self, v: Vertex, box: Box) -> Iterator[str]:
        yield _rect(box, "box", 5, f"{v.label}, line {v.line}: {v.flops} FLOP")
        yield _text(box.middle, box.y + 16, _fit(v.label, box.width - 12, 11))
        amount = self._amount(v.flops, int((box.width - 12) / (9.5 * LETTER)) - len(f"line {v.line} ·  FLOP"))
        yield _text(box.middle, box.y + 30, f"line {v.line} · {amount} FLOP", "faint")
        made = {e.array: e for e in self._flow.edges if e.start == v.name and e.array}
        said = ", ".join(f"{e.array}: {self._bytes(e)}" for e in made.values())
        style = "warm" if any(e.temporary for e in made.values()) else "faint"
        yield _text(box.middle, box.y + 44, _fit(said, box.width - 12), style)

    def _amount(self, expr: Expr, width: int) -> str:
        """The number where all sizes are bound, else the expression, its leading terms if it is long."""
        number = value_of(expr, bound_values(self._cost))
        if number is not None:
            return units.si(number)
        text = formatting.brief(expr, self._cost.sample_point, width)
        return text if len(text) <= width else text[: width - 1] + "…"

    def _bytes(self, edge: Edge) -> str:
        text = self._amount(edge.bytes, 22)
        return f"{text}B" if text[-1:] in "kMGTPEZY" else f"{text} B"

    # -- lines --------------------------------------------------------------------------------

    def _links(self) -> Iterator[str]:
        ports = _ports(self._placed, self._drawing.lines)
        for link in self._placed.links:
            line = self._drawing.lines[link.route]
            yield _path(self._placed, link, ports, _kind(line.edge), self._told(line.edge))

    def _told(self, edge: Edge) -> str:
        return f"{edge.array}: {self._amount(edge.bytes, 200)} B" if edge.array else "a number"

    def _inner_lines(self, item: Item, boxes: Mapping[str, Box]) -> Iterator[str]:
        """Down to the next box, or past others on a way of their own at the left."""
        edges = self._drawing.inside.get(item.name, ())
        for e in edges:
            one, other = boxes[e.start], boxes[e.end]
            if _is_next(item, e):
                yield _line(f"M{one.middle:.0f},{one.bottom:.0f} V{other.y:.0f}", _kind(e), self._told(e))
        for lane, group in enumerate(_lanes(item, edges)):
            x = min(b.x for b in boxes.values()) - LANE * (lane + 0.8)
            for e in group:
                one, other = boxes[e.start], boxes[e.end]
                y1, y2 = one.bottom - 9, other.y + 9 + 3 * (lane % 4)
                way = f"M{one.x:.0f},{y1:.0f} H{x + 5:.1f} Q{x:.1f},{y1:.0f} {x:.1f},{y1 + 5:.0f} V{y2 - 5:.0f}"
                yield _line(f"{way} Q{x:.1f},{y2:.0f} {x + 5:.1f},{y2:.0f} H{other.x:.0f}", _kind(e), self._told(e))


def _lines_of(operations: Sequence[Vertex]) -> str:
    lines = sorted({v.line for v in operations})
    if len(lines) > MOST_LINES:
        return f"lines {lines[0]} to {lines[-1]}"
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def _kind(edge: Edge) -> str:
    return "number" if not edge.array else "temporary" if edge.temporary else "line"


def _stacked(item: Item, frame: Box) -> dict[str, Box]:
    """The boxes of a group's members, under each other at the right of the frame."""
    left = frame.x + frame.width - PAD[0] - BOX[0]
    step = BOX[1] + STACK
    return {v.name: Box(left, frame.y + PAD[1] + k * step, *BOX) for k, v in enumerate(item.members)}


def _is_next(item: Item, edge: Edge) -> bool:
    names = [v.name for v in item.members]
    return names.index(edge.end) == names.index(edge.start) + 1


def _lanes(item: Item, edges: Sequence[Edge]) -> list[list[Edge]]:
    """The edges of a group that pass by a member, those that do not overlap in one lane."""
    place = {v.name: k for k, v in enumerate(item.members)}
    lanes: list[list[Edge]] = []
    passing = sorted((e for e in edges if not _is_next(item, e)), key=lambda e: place[e.end] - place[e.start])
    for e in passing:
        free = (
            lane for lane in lanes
            if all(place[e.end] <= place[o.start] or place[o.end] <= place[e.start] for o in lane)
        )  # fmt: skip
        chosen = next(free, None)
        if chosen is None:
            lanes.append([e])
        else:
            chosen.append(e)
    return lanes


def _ports(placed: Placed, lines: Sequence[Line]) -> dict[tuple[Link, str], float]:
    """Where each link leaves its upper end and reaches its lower end: side by side, in the order of the other ends."""
    ports: dict[tuple[Link, str], float] = {}
    for name, box in placed.boxes.items():
        routes = {link.route: placed.boxes[link.lower].middle for link in placed.links if link.upper == name}
        leaving = sorted(routes, key=lambda number: (routes[number], number))
        for link in placed.links:
            if link.upper == name:
                ports[link, "upper"] = _beside(box, leaving.index(link.route), len(leaving))
        reaching = sorted(
            (link for link in placed.links if link.lower == name),
            key=lambda link: (placed.boxes[link.upper].middle, link.route),
        )
        for k, link in enumerate(reaching):
            ports[link, "lower"] = _beside(box, k, len(reaching))
    return ports


def _beside(box: Box, number: int, count: int) -> float:
    step = min(PORT, (box.width - 20) / count) if count > 1 else 0.0
    return box.middle + (number - (count - 1) / 2) * step


def _path(placed: Placed, link: Link, ports: Mapping[tuple[Link, str], float], kind: str, told: str) -> str:
    """Straight through the layers, in a curve between them."""
    one, other = placed.boxes[link.upper], placed.boxes[link.lower]
    x1, x2 = ports[link, "upper"], ports[link, "lower"]
    y1, y2 = placed.rows[link.upper][1], placed.rows[link.lower][0]
    bend = (y2 - y1) / 2
    start = one.bottom if one.height else placed.rows[link.upper][0]
    curve = f"M{x1:.1f},{start:.1f} V{y1:.1f} C{x1:.1f},{y1 + bend:.1f} {x2:.1f},{y2 - bend:.1f} {x2:.1f},{y2:.1f}"
    if other.height:
        return _line(f"{curve} V{other.y:.1f}", kind, told)
    return _line(curve, kind, told, tip=False)


def _line(way: str, kind: str, told: str, tip: bool = True) -> str:
    end = ' marker-end="url(#tip)"' if tip else ""
    return f'<path class="{kind}" d="{way}"{end}><title>{escape(told)}</title></path>'


def _rect(box: Box, style: str, radius: float, told: str) -> str:
    place = f'x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="{radius:.0f}"'
    return f'<rect class="{style}" {place}><title>{escape(told)}</title></rect>'


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "middle") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text{named} x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def _fit(text: str, width: float, size: float = 9.5) -> str:
    """A text that is no wider, its end left out."""
    most = int(width / (size * LETTER))
    return text if len(text) <= most else text[: most - 1] + "…"
