"""The dataflow graph in three forms: JSON, Graphviz's language, and a drawing of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from roofscan.cost.graph import SINK, SOURCE, Edge, Flow, flow_of
from roofscan.cost.result import KernelCost
from roofscan.ir.expr import Expr
from roofscan.report import words
from roofscan.report.figures import Values, bound_values, value_of
from roofscan.report.json_ import dump
from roofscan.report.layout import BOX, Box, laid_out
from roofscan.report.model import KernelReport

SCHEMA = "roofscan-graph/1"
INK, FAINT, PAPER, GROUP, WARM = "#1f2933", "#7b8794", "#ffffff", "#0072b2", "#d55e00"
MARGIN, HEAD = 24, 34


def render_graph_json(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """All kernels: ``nodes`` (operations, FLOPs), ``edges`` (arrays, bytes; from ``in``, to ``out``), ``groups``."""
    return dump({"schema": SCHEMA, "kernels": [_as_json(reports[0].cost) for reports in kernels]})


def _as_json(cost: KernelCost) -> dict[str, object]:
    flow, values, kernel = flow_of(cost), bound_values(cost), cost.kernel
    nodes = [
        {"id": v.name, "line": v.line, "label": v.label, "flops": _amount(v.flops, values), "group": v.group or None}
        for v in flow.vertices
    ]
    edges = [
        {"from": e.start, "to": e.end, "array": e.array, "bytes": _amount(e.bytes, values), "temporary": e.temporary}
        for e in flow.edges
    ]
    groups = [{"name": name, "nodes": list(members)} for name, members in flow.groups.items()]
    place = {"name": kernel.name, "path": kernel.path, "line": kernel.line}
    return {**place, "nodes": nodes, "edges": edges, "groups": groups}


def _amount(expr: Expr, values: Values) -> dict[str, object]:
    return {"expr": str(expr), "value": value_of(expr, values)}


# -- Graphviz -----------------------------------------------------------------------------------------


def render_dot(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """One digraph a kernel; temporaries are dashed, groups are clusters."""
    return "\n".join(_as_dot(reports[0].cost) for reports in kernels)


def _as_dot(cost: KernelCost) -> str:
    flow = flow_of(cost)
    lines = [f"digraph {_quoted(cost.kernel.name)} {{", "  node [shape=box];"]
    lines += [f"  {_quoted(name)} [shape=plaintext];" for name in _callers(flow)]
    for v in flow.vertices:
        label = f"{v.label}\nline {v.line}, {_flops(v.flops, cost)}"
        lines.append(f"  {_quoted(v.name)} [label={_quoted(label)}];")
    for number, (name, members) in enumerate(flow.groups.items()):
        inside = " ".join(f"{_quoted(m)};" for m in members)
        lines.append(f"  subgraph cluster_{number} {{ label={_quoted(f'one loop could do it ({name})')}; {inside} }}")
    for e in flow.edges:
        label = f"{e.array}: {_size(e.bytes, cost)}"
        style = ", style=dashed" if e.temporary else ""
        lines.append(f"  {_quoted(e.start)} -> {_quoted(e.end)} [label={_quoted(label)}{style}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'


def _callers(flow: Flow) -> list[str]:
    ends = {name for e in flow.edges for name in (e.start, e.end)}
    return [name for name in (SOURCE, SINK) if name in ends]


def _flops(expr: Expr, cost: KernelCost) -> str:
    return f"{words.with_value(expr, bound_values(cost), cost.witness)} FLOP"


def _size(expr: Expr, cost: KernelCost) -> str:
    """Bytes: the number where all sizes are bound."""
    number = value_of(expr, bound_values(cost))
    return words.si(number, "B") if number is not None else f"{words.brief(expr, cost.witness, 24)} B"


# -- SVG ----------------------------------------------------------------------------------------------


def render_graph_svg(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """All kernels under each other: operations as boxes in layers, arrays as lines between them."""
    parts, top, width = [], 0.0, 0.0
    for reports in kernels:
        body, wide, high = _drawn(reports[0].cost)
        parts.append(f'<g transform="translate({MARGIN},{top + MARGIN:.0f})">\n{body}\n</g>')
        top, width = top + high + 2 * MARGIN, max(width, wide)
    size = f'width="{width + 2 * MARGIN:.0f}" height="{top:.0f}"'
    style = f'font-family="DejaVu Sans, Helvetica, sans-serif" font-size="11" fill="{INK}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
    return "\n".join([head, _DEFS, f'<rect width="100%" height="100%" fill="{PAPER}"/>', *parts, "</svg>", ""])


_DEFS = (
    f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    f'<path d="M0,0 L8,4 L0,8 z" fill="{FAINT}"/></marker></defs>'
)


def _drawn(cost: KernelCost) -> tuple[str, float, float]:
    flow = flow_of(cost)
    placed, width, height = laid_out(flow)
    title = f'<text y="12" font-weight="bold">{escape(cost.kernel.name)}</text>'
    groups = [_outline(name, [placed[m] for m in members]) for name, members in flow.groups.items()]
    edges = [_line(placed, e, cost, nth) for e, nth in _numbered(flow)]
    boxes = [_box(placed[v.name], v.label, f"line {v.line}, {_flops(v.flops, cost)}") for v in flow.vertices]
    ends = [_text(placed[name].middle, placed[name].y + 20, name, FAINT) for name in _callers(flow)]
    body = "\n".join([f'<g transform="translate(0,{HEAD})">', *groups, *edges, *boxes, *ends, "</g>"])
    return f"{title}\n{body}", width, height + HEAD


def _outline(name: str, boxes: Sequence[Box]) -> str:
    """A dashed frame around every operation of a group; one colour, named once."""
    frames = [
        f'<rect x="{b.x - 6:.0f}" y="{b.y - 6:.0f}" width="{BOX[0] + 12}" height="{BOX[1] + 12}" rx="8" '
        f'fill="{GROUP}" fill-opacity="0.08" stroke="{GROUP}" stroke-dasharray="5 3"/>'
        for b in boxes
    ]
    first = min(boxes, key=lambda b: (b.y, b.x))
    place = f'x="{first.x - 4:.0f}" y="{first.y - 9:.0f}"'
    note = f'<text {place} font-size="9" fill="{GROUP}">one loop: {escape(name)}</text>'
    return "\n".join([*frames, note])


def _box(box: Box, label: str, detail: str) -> str:
    size = f'width="{BOX[0]}" height="{BOX[1]}"'
    frame = f'<rect x="{box.x:.0f}" y="{box.y:.0f}" {size} rx="4" fill="{PAPER}" stroke="{INK}"/>'
    return "\n".join([frame, _text(box.middle, box.y + 17, label), _text(box.middle, box.y + 32, detail, FAINT)])


def _numbered(flow: Flow) -> Iterator[tuple[Edge, int]]:
    """Every edge, and which one of those between the same two operations it is."""
    seen: dict[tuple[str, str], int] = {}
    for e in flow.edges:
        seen[e.start, e.end] = seen.get((e.start, e.end), -1) + 1
        yield e, seen[e.start, e.end]


def _line(placed: Mapping[str, Box], edge: Edge, cost: KernelCost, nth: int) -> str:
    one, other = placed[edge.start], placed[edge.end]
    x1, y1, x2, y2 = one.middle, one.y + BOX[1], other.middle + 16 * nth, other.y
    bend = (y2 - y1) / 2
    dashes, colour = (' stroke-dasharray="4 3"', WARM) if edge.temporary else ("", FAINT)
    curve = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{y1 + bend:.0f} {x2:.0f},{y2 - bend:.0f} {x2:.0f},{y2:.0f}"
    path = f'<path d="{curve}" fill="none" stroke="{colour}"{dashes} marker-end="url(#tip)"/>'
    label = f"{edge.array}: {_size(edge.bytes, cost)}"
    return f"{path}\n{_text((x1 + 2 * x2) / 3, (y1 + 2 * y2) / 3 - 11 * nth, label, colour, 9)}"


def _text(x: float, y: float, text: str, colour: str = INK, size: int = 11) -> str:
    shown = text if len(text) <= 34 else text[:33] + "…"
    place = f'x="{x:.0f}" y="{y:.0f}" text-anchor="middle"'
    return f'<text {place} font-size="{size}" fill="{colour}">{escape(shown)}</text>'
