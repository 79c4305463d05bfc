"""Places for the boxes of a graph that flows downwards: layers, an order within them, and straight ways between.

The four steps of layered drawing: layers by the longest way, points for lines that cross a layer, an order in which
few lines cross (by the mean place of the neighbours), and places as near to the neighbours as the order allows
(Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures", IEEE Trans. SMC
11(2), 1981). The last is a least-squares fit under an order: pool adjacent violators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

GAP = (28.0, 46.0)
"""Between boxes of a layer, and between layers."""

SWEEPS = 12
LANE = 6.0
"""The width of a line that crosses a layer."""


@dataclass(frozen=True)
class Box:
    """The upper left corner of a box, and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True)
class Route:
    """What goes from one box to others: drawn as one line that branches."""

    start: str
    ends: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """A piece of a route between two neighbouring layers; its ends are boxes, or points where it crosses a layer."""

    route: int
    upper: str
    lower: str


@dataclass(frozen=True)
class Placed:
    """The boxes and points by their names, the links between them, and the size of all."""

    boxes: Mapping[str, Box]
    rows: Mapping[str, tuple[float, float]]  # the top and bottom of the layer that each stands in
    links: tuple[Link, ...]
    width: float
    height: float


@dataclass
class _Layout:
    """The graph while it is laid out: the layers from top to bottom, and the centres of what is in them."""

    sizes: dict[str, tuple[float, float]]
    layers: list[list[str]]
    links: list[Link]
    centre: dict[str, float] = field(default_factory=dict)


def laid_out(sizes: Mapping[str, tuple[float, float]], routes: Sequence[Route]) -> Placed:
    """Boxes of these sizes, which stand in an order in which no route leads back, and the ways of the routes."""
    depth = _depths(list(sizes), routes)
    layout = _Layout(dict(sizes), [[] for _ in range(max(depth.values(), default=-1) + 1)], [])
    for name, layer in depth.items():
        layout.layers[layer].append(name)
    for number, route in enumerate(routes):
        _lead(layout, number, route, depth)
    _untangle(layout)
    _settle(layout)
    return _placed(layout)


def _depths(names: Sequence[str], routes: Sequence[Route]) -> dict[str, int]:
    """The layer of each box: below all that lead to it, and, where nothing does, just above the first it leads to."""
    into: dict[str, list[str]] = {name: [] for name in names}
    out: dict[str, list[str]] = {name: [] for name in names}
    for route in routes:
        for end in route.ends:
            into[end].append(route.start)
            out[route.start].append(end)
    depth: dict[str, int] = {}
    for name in names:
        depth[name] = max((depth[before] + 1 for before in into[name]), default=0)
    for name in reversed(names):
        fixed = [before for before in into[name] if into[before]]
        if out[name] and not fixed:
            depth[name] = min(depth[after] for after in out[name]) - 1
    return depth


def _lead(layout: _Layout, number: int, route: Route, depth: Mapping[str, int]) -> None:
    """The links of a route, with a point in every layer that it crosses."""
    upper = route.start
    for layer in range(depth[route.start] + 1, max(depth[end] for end in route.ends) + 1):
        layout.links += [Link(number, upper, end) for end in route.ends if depth[end] == layer]
        if any(depth[end] > layer for end in route.ends):
            point = f"{number}@{layer}"
            layout.sizes[point] = (LANE, 0.0)
            layout.layers[layer].append(point)
            layout.links.append(Link(number, upper, point))
            upper = point


# -- order --------------------------------------------------------------------------------------------


def _untangle(layout: _Layout) -> None:
    """Sort every layer by where the neighbours stand, downwards and upwards in turn; the best order found stays."""
    below, above = _neighbours(layout)
    best, fewest = [list(layer) for layer in layout.layers], _crossings(layout)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        beside = above if downwards else below
        order = layout.layers[1:] if downwards else layout.layers[-2::-1]
        for layer in order:
            place = {name: k for other in layout.layers for k, name in enumerate(other)}
            layer.sort(key=lambda name: _mean([place[n] for n in beside[name]], place[name]))
        crossings = _crossings(layout)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layout.layers], crossings
    layout.layers = best


def _neighbours(layout: _Layout) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What each leads to, and what leads to each."""
    below: dict[str, list[str]] = {name: [] for name in layout.sizes}
    above: dict[str, list[str]] = {name: [] for name in layout.sizes}
    for link in layout.links:
        below[link.upper].append(link.lower)
        above[link.lower].append(link.upper)
    return below, above


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _crossings(layout: _Layout) -> int:
    place = {name: k for layer in layout.layers for k, name in enumerate(layer)}
    home = {name: depth for depth, layer in enumerate(layout.layers) for name in layer}
    between: dict[int, list[tuple[int, int]]] = {}
    for link in layout.links:
        between.setdefault(home[link.upper], []).append((place[link.upper], place[link.lower]))
    return sum(
        a < c and b > d for pairs in between.values() for k, (a, b) in enumerate(sorted(pairs))
        for c, d in sorted(pairs)[k + 1 :]
    )  # fmt: skip


# -- places -------------------------------------------------------------------------------------------


def _settle(layout: _Layout) -> None:
    """Move what stands in a layer towards its neighbours, as far as the order and the gaps allow."""
    below, above = _neighbours(layout)
    for layer in layout.layers:
        layout.centre.update(_fitted(layout, layer, dict.fromkeys(layer, 0.0)))
    for sweep in range(SWEEPS):
        order = layout.layers if sweep % 2 == 0 else layout.layers[::-1]
        for layer in order:
            wish = {name: _wish(layout, name, above[name], below[name]) for name in layer}
            layout.centre.update(_fitted(layout, layer, wish))


def _wish(layout: _Layout, name: str, above: Sequence[str], below: Sequence[str]) -> float:
    return _mean([layout.centre[n] for n in (*above, *below)], layout.centre[name])


def _fitted(layout: _Layout, layer: Sequence[str], wish: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The centres nearest to those wished for, in this order and apart."""
    offsets = [0.0]
    for one, other in pairwise(layer):
        offsets.append(offsets[-1] + (layout.sizes[one][0] + layout.sizes[other][0]) / 2 + GAP[0])
    pools: list[tuple[float, int]] = []  # mean of the wishes less the offsets, and how many share it
    for name, offset in zip(layer, offsets, strict=True):
        mean, count = wish[name] - offset, 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    return ((name, mean + offset) for name, mean, offset in zip(layer, means, offsets, strict=True))


def _placed(layout: _Layout) -> Placed:
    left = min((layout.centre[n] - layout.sizes[n][0] / 2 for n in layout.sizes), default=0.0)
    right = max((layout.centre[n] + layout.sizes[n][0] / 2 for n in layout.sizes), default=0.0)
    boxes: dict[str, Box] = {}
    rows: dict[str, tuple[float, float]] = {}
    top = 0.0
    for layer in layout.layers:
        tall = max(layout.sizes[name][1] for name in layer)
        for name in layer:
            width, height = layout.sizes[name]
            x, y = layout.centre[name] - left - width / 2, top + (tall - height) / 2
            boxes[name], rows[name] = Box(max(x, 0.0), y, width, height), (top, top + tall)
        top += tall + GAP[1]
    return Placed(boxes, rows, tuple(layout.links), right - left, max(top - GAP[1], 0.0))
