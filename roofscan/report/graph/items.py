"""The boxes of a drawn dataflow graph: what one loop could do is one box, and what comes in or goes out a label.

So the lines that are left between the boxes are what must move if every group becomes a loop; the arrays inside of a
box are what need not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roofscan.cost.flow import SINK, SOURCE, Edge, Flow, Vertex
from roofscan.report.graph.layout import Route

INTO, OUT_OF = "in:", "out:"
"""Before an array's name: the label of one that comes in, and of one that goes out."""


@dataclass(frozen=True)
class Item:
    """A box of the drawing: operations (several: a group), or an array at the border of the kernel (none)."""

    name: str
    members: tuple[Vertex, ...] = ()
    array: str = ""


@dataclass(frozen=True)
class Line:
    """An array, or a number, on its way from one item to others."""

    edge: Edge
    route: Route


@dataclass(frozen=True)
class Drawing:
    """All items in an order in which no line leads back, the lines between them, and what stands beside them."""

    items: tuple[Item, ...]
    lines: tuple[Line, ...]
    inside: Mapping[str, tuple[Edge, ...]]  # by item: the edges between its members
    beside: tuple[Vertex, ...]  # operations that take and give no array: numbers from other numbers


def drawing_of(flow: Flow) -> Drawing:
    """What is to be drawn of a graph."""
    every = flow.vertices
    joined = {name for e in flow.edges if e.array for name in (e.start, e.end)}
    joined |= {e.end for e in flow.edges if e.start in joined}
    shown = [v for v in flow.vertices if v.name in joined]
    flow = Flow(tuple(shown), tuple(e for e in flow.edges if e.start in joined or e.start == SOURCE))
    beside = tuple(v for v in every if v.name not in joined)
    home = _homes(shown, flow)
    members: dict[str, list[Vertex]] = {}
    for v in shown:
        members.setdefault(home[v.name], []).append(v)
    incoming = dict.fromkeys(INTO + e.array for e in flow.edges if e.start == SOURCE)
    outgoing = dict.fromkeys(OUT_OF + e.array for e in flow.edges if e.end == SINK)
    inner = [Item(name, tuple(members[name])) for name in _in_order(list(members), _pairs(flow, home)) or ()]
    items = (
        *(Item(name, array=name.removeprefix(INTO)) for name in incoming),
        *inner,
        *(Item(name, array=name.removeprefix(OUT_OF)) for name in outgoing),
    )
    inside: dict[str, tuple[Edge, ...]] = {}
    for e in flow.edges:
        if home.get(e.start, e.start) == home.get(e.end, e.end):
            inside[home[e.start]] = (*inside.get(home[e.start], ()), e)
    return Drawing(items, tuple(_lines(flow, home)), inside, beside)


def _homes(shown: list[Vertex], flow: Flow) -> dict[str, str]:
    """The item of each operation: its group, unless something outside stands between the members of one."""
    home = {v.name: v.group or v.name for v in shown}
    for group in flow.groups:
        if _in_order(list(dict.fromkeys(home.values())), _pairs(flow, home)) is not None:
            break
        home.update((v.name, v.name) for v in shown if v.group == group)
    return home


def _pairs(flow: Flow, home: Mapping[str, str]) -> set[tuple[str, str]]:
    both = ((home.get(e.start, ""), home.get(e.end, "")) for e in flow.edges)
    return {(a, b) for a, b in both if a and b and a != b}


def _in_order(names: list[str], pairs: set[tuple[str, str]]) -> list[str] | None:
    """The names with each after all that lead to it, else as given; None where there is a ring."""
    waiting = {name: {a for a, b in pairs if b == name} for name in names}
    order: list[str] = []
    while waiting:
        ready = next((name for name, before in waiting.items() if not before & waiting.keys()), None)
        if ready is None:
            return None
        order.append(ready)
        del waiting[ready]
    return order


def _lines(flow: Flow, home: Mapping[str, str]) -> Iterator[Line]:
    """One line for each array of each operation that makes it, to all items that take it."""
    ends: dict[tuple[str, str], dict[str, None]] = {}
    edges: dict[tuple[str, str], Edge] = {}
    for e in flow.edges:
        start = INTO + e.array if e.start == SOURCE else home[e.start]
        end = OUT_OF + e.array if e.end == SINK else home[e.end]
        if start != end:
            ends.setdefault((start, e.array), {})[end] = None
            edges[start, e.array] = e
    for (start, array), names in ends.items():
        yield Line(edges[start, array], Route(start, tuple(names)))
