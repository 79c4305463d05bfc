"""The dataflow graph as data: JSON, and Graphviz's language."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan import units
from roofscan.cost.flow import SINK, SOURCE, Flow, flow_of
from roofscan.cost.result import KernelCost
from roofscan.report import formatting
from roofscan.report.figures import amount, bound_values, value_of
from roofscan.report.json_ import dump
from roofscan.roofline.model import KernelReport
from roofscan.symbolic.expr import Expr

SCHEMA = "roofscan-graph/1"


def render_graph_json(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """All kernels: ``nodes`` (operations, FLOPs), ``edges`` (arrays, bytes; from ``in``, to ``out``), ``groups``. An
    edge without an array is a number that stays in a register."""
    return dump({"schema": SCHEMA, "kernels": [_as_json(reports[0].cost) for reports in kernels]})


def _as_json(cost: KernelCost) -> dict[str, object]:
    flow, values, kernel = flow_of(cost), bound_values(cost), cost.kernel
    nodes = [
        {"id": v.name, "line": v.line, "label": v.label, "flops": amount(v.flops, values), "group": v.group or None}
        for v in flow.vertices
    ]
    edges = [
        {
            "from": e.start, "to": e.end, "array": e.array or None, "bytes": amount(e.bytes, values),
            "temporary": e.temporary,
        }
        for e in flow.edges
    ]  # fmt: skip
    groups = [{"name": name, "nodes": list(members)} for name, members in flow.groups.items()]
    place = {"name": kernel.name, "path": kernel.path, "line": kernel.line}
    return {**place, "nodes": nodes, "edges": edges, "groups": groups}


# -- Graphviz -----------------------------------------------------------------------------------------


_LOOKS = (
    '  graph [fontname="Helvetica", fontsize=10];',
    '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11, color="#7b8794"];',
    '  edge [fontname="Helvetica", fontsize=9, color="#616e7c"];',
)
_GROUP = 'style="dashed,rounded"; color="#0072b2"; fontcolor="#0072b2";'
_TEMPORARY = ', style=dashed, color="#d55e00", fontcolor="#d55e00"'


def render_dot(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """One digraph a kernel; temporaries are dashed, numbers dotted, groups are clusters."""
    return "\n".join(_as_dot(reports[0].cost) for reports in kernels)


def _as_dot(cost: KernelCost) -> str:
    flow = flow_of(cost)
    lines = [f"digraph {_quoted(cost.kernel.name)} {{", *_LOOKS]
    lines += [f"  {_quoted(name)} [shape=plaintext];" for name in _callers(flow)]
    for v in flow.vertices:
        label = f"{v.label}\nline {v.line}, {_flops(v.flops, cost)}"
        lines.append(f"  {_quoted(v.name)} [label={_quoted(label)}];")
    for number, (name, members) in enumerate(flow.groups.items()):
        inside = " ".join(f"{_quoted(m)};" for m in members)
        label = _quoted(f"one loop could do it ({name})")
        lines.append(f"  subgraph cluster_{number} {{ label={label}; {_GROUP} {inside} }}")
    for e in flow.edges:
        label = f"{e.array}: {_size(e.bytes, cost)}"
        looks = f"label={_quoted(label)}{_TEMPORARY if e.temporary else ''}" if e.array else "style=dotted"
        lines.append(f"  {_quoted(e.start)} -> {_quoted(e.end)} [{looks}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'


def _callers(flow: Flow) -> list[str]:
    ends = {name for e in flow.edges for name in (e.start, e.end)}
    return [name for name in (SOURCE, SINK) if name in ends]


def _flops(expr: Expr, cost: KernelCost) -> str:
    return f"{formatting.with_value(expr, bound_values(cost), cost.sample_point)} FLOP"


def _size(expr: Expr, cost: KernelCost) -> str:
    """Bytes: the number where all sizes are bound."""
    number = value_of(expr, bound_values(cost))
    return units.si(number, "B") if number is not None else f"{formatting.brief(expr, cost.sample_point, 24)} B"
