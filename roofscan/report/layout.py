"""Places for the operations of a dataflow graph: layers from top to bottom, neighbours near each other.

A layer is the longest way from the start; within a layer, operations stand by the mean place of what they read
(Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures", IEEE Trans. SMC
11(2), 1981, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roofscan.cost.graph import SINK, SOURCE, Flow

BOX = (210, 42)
GAP = (34, 64)
"""Between boxes of a layer, and between layers."""


@dataclass(frozen=True)
class Box:
    """The upper left corner of an operation's box."""

    x: float
    y: float

    @property
    def middle(self) -> float:
        return self.x + BOX[0] / 2


def laid_out(flow: Flow) -> tuple[Mapping[str, Box], float, float]:
    """The boxes by the names of the operations (``in`` and ``out`` too), and the width and height of all."""
    layers = _in_layers(flow)
    widest = max(len(layer) for layer in layers)
    width = widest * BOX[0] + (widest - 1) * GAP[0]
    placed: dict[str, Box] = {}
    for depth, layer in enumerate(layers):
        left = (width - len(layer) * BOX[0] - (len(layer) - 1) * GAP[0]) / 2
        for column, name in enumerate(_by_sources(layer, flow, placed)):
            placed[name] = Box(left + column * (BOX[0] + GAP[0]), depth * (BOX[1] + GAP[1]))
    return placed, width, len(layers) * (BOX[1] + GAP[1]) - GAP[1]


def _in_layers(flow: Flow) -> list[list[str]]:
    """Every operation below all that it reads from; the caller first and last."""
    depth = {SOURCE: 0}
    for v in flow.vertices:  # in the order of the source: what is read stands before
        depth[v.name] = max((depth[e.start] + 1 for e in flow.edges if e.end == v.name), default=1)
    depth[SINK] = max(depth.values()) + 1
    layers: list[list[str]] = [[] for _ in range(depth[SINK] + 1)]
    for name, level in depth.items():
        layers[level].append(name)
    return layers


def _by_sources(layer: Sequence[str], flow: Flow, placed: Mapping[str, Box]) -> list[str]:
    def place(name: str) -> float:
        sources = [placed[e.start].x for e in flow.edges if e.end == name and e.start in placed]
        return sum(sources) / len(sources) if sources else 0.0

    return sorted(layer, key=place)
