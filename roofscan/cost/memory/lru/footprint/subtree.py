"""Subtrees at fixed iterations of the loops around them: whatever is counted is counted of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, LoopNode, names_around, sorted_names

Env = Mapping[str, AlignedPoint]  # the values of the fixed loop variables
PLACE_BITS = 32  # bits of a key that number the places of a node; those above are its canonical form


class Subtree:
    """A subtree with the loops outside it standing still, perhaps with a window on one loop variable."""

    __slots__ = ("env", "node", "place", "window")

    def __init__(self, node: Child, env: Env, window: Window | None = None) -> None:
        self.node = node
        self.env = env
        self.window = window
        if isinstance(node, LoopNode):
            names = sorted_names(node)
            irregular_in = bool(node.irregular_in)
        else:
            names = names_around(node, env)
            irregular_in = bool(node.irregular)
        place = (
            tuple([(n, env[n].key) for n in names if n in env]),
            window and (window.var, window.lo.key, window.hi.key),
            irregular_in and tuple(sorted(env)),  # each iteration of the others touches other lines
        )
        self.place = node.places.setdefault(place, len(node.places))

    @property
    def key(self) -> int:
        """Equal for items of one canonical form at one place."""
        return self.node.form << PLACE_BITS | self.place

    def within(self, buffer: Buffer, writes: bool) -> int:
        """Equal for items with equal accesses to a buffer; -1 where there are none."""
        shape = self.node.shapes.get((id(buffer), writes))
        return -1 if shape is None else shape << PLACE_BITS | self.place


def joint_form(buffer: Buffer, items: Sequence[Subtree]) -> tuple[object, tuple[Buffer, ...]]:
    """The canonical form of items, whatever buffers they touch; and those buffers, by their numbers in it."""
    numbers: dict[Buffer, int] = {buffer: 0}
    parts = [(i.key, *[numbers.setdefault(s, len(numbers)) for s in i.node.own_buffers]) for i in items]
    return tuple(parts), tuple(numbers)
