"""Where the boxes of a graph are drawn: networkx makes the layers, and lines that cross a layer get a place in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from roofscan.frozen import dataclass

if TYPE_CHECKING:
    import networkx

SWEEPS = 12  # how often the layers are ordered by where their neighbours are

FOLLOW = 0.85
"""How far a row moves to where what leads to it is: less than all the way, so that a long graph does not drift."""

Point = tuple[float, float]


@dataclass(frozen=True)
class GraphLayout:
    """The centres of all nodes, in columns and rows (rows count downwards from 0), and the points that each edge goes
    through, its ends included."""

    centres: Mapping[str, Point]
    routes: Mapping[tuple[str, str], tuple[Point, ...]]

    @property
    def columns(self) -> float:
        every = [*self.centres.values(), *(point for route in self.routes.values() for point in route)]
        return max((x for x, _ in every), default=-1.0) + 1

    @property
    def rows(self) -> float:
        return max((y for _, y in self.centres.values()), default=-1.0) + 1


def layers_of(graph: networkx.DiGraph[Any]) -> dict[str, int]:
    """The layer of each node: below all that lead to it. What only sources lead to, and then the sources, move down to
    just above the first node that they lead to."""
    import networkx  # heavy

    layers = {node: k for k, nodes in enumerate(networkx.topological_generations(graph)) for node in nodes}
    for node in reversed(list(layers)):
        if graph.out_degree(node) and not any(graph.in_degree(before) for before in graph.predecessors(node)):
            layers[node] = min(layers[after] for after in graph.successors(node)) - 1
    return layers


def laid_out(graph: networkx.DiGraph[Any]) -> GraphLayout:
    """Places in which few edges cross, and no line goes through a box."""
    import networkx  # heavy

    layers = layers_of(graph)
    layered: networkx.DiGraph[Any] = networkx.DiGraph()
    layered.add_nodes_from(graph)
    routes = {}
    for start, end in graph.edges():
        passed = [f"{start}>{end}@{layer}" for layer in range(layers[start] + 1, layers[end])]
        layers.update(zip(passed, range(layers[start] + 1, layers[end]), strict=True))
        routes[start, end] = (start, *passed, end)
        networkx.add_path(layered, routes[start, end])
    in_order = sorted(layered, key=lambda node: layers[node])
    rows = _ordered(layered, [list(nodes) for _, nodes in groupby(in_order, key=lambda node: layers[node])])
    centres = _placed(layered, rows)
    return GraphLayout(
        {node: centres[node] for node in graph},
        {edge: tuple(centres[node] for node in route) for edge, route in routes.items()},
    )


def _ordered(graph: networkx.DiGraph[Any], rows: list[list[str]]) -> list[list[str]]:
    """Each row sorted by the mean place of its neighbours, downwards and upwards in turn; of all sweeps the one with
    the fewest crossings (the barycentre method of Sugiyama, Tagawa and Toda, 1981)."""
    best, fewest = [list(row) for row in rows], _crossings(graph, rows)
    for sweep in range(SWEEPS):
        neighbours = graph.predecessors if sweep % 2 == 0 else graph.successors
        for row in rows[1:] if sweep % 2 == 0 else rows[-2::-1]:
            place = {node: k - (len(nodes) - 1) / 2 for nodes in rows for k, node in enumerate(nodes)}
            beside = {node: [place[n] for n in neighbours(node)] or [place[node]] for node in row}
            row.sort(key=lambda node: sum(beside[node]) / len(beside[node]))
        crossings = _crossings(graph, rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _crossings(graph: networkx.DiGraph[Any], rows: Sequence[Sequence[str]]) -> int:
    place = {node: k for row in rows for k, node in enumerate(row)}
    return sum(
        a < c and b > d
        for row in rows
        for pairs in [sorted((place[node], place[after]) for node in row for after in graph.successors(node))]
        for k, (a, b) in enumerate(pairs)
        for c, d in pairs[k + 1 :]
    )


def _placed(graph: networkx.DiGraph[Any], rows: Sequence[Sequence[str]]) -> dict[str, Point]:
    """The nodes in columns and rows, each row moved to where what leads to it is. (``networkx.multipartite_layout``
    needs NumPy, which roofscan does not.)"""
    places: dict[str, float] = {}
    for row in rows:
        own = {node: k - (len(row) - 1) / 2 for k, node in enumerate(row)}
        apart = [places[before] - own[node] for node in row for before in graph.predecessors(node)]
        shift = FOLLOW * sum(apart) / len(apart) if apart else 0.0
        places.update((node, x + shift) for node, x in own.items())
    left = min(places.values(), default=0.0)
    return {node: (places[node] - left, float(k)) for k, row in enumerate(rows) for node in row}
