"""Where references reach that have some unknown subscripts, or are in loops of which only the mean trips are known,
were these subscripts to take all values, and every execution to make the most trips that it can: that bounds the lines
which they touch, whatever the data are."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.cost.memory.lru.footprint.reference_boxes import ReferenceBoxes
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.footprint.union import Unions, lines_of
from roofscan.cost.memory.lru.tree.nodes import Ref, is_open, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.memo import kept_by


class Spreads:
    def __init__(self, unions: Unions, boxes: ReferenceBoxes) -> None:
        self._unions = unions
        self._boxes = boxes

    @kept_by(lambda refs, item, besides=False: (item.key, besides, *(ref.uid for ref in refs)))
    def lines(self, refs: Sequence[Ref], item: Subtree, besides: bool = False) -> Num:
        """The most lines that references, all with a ``spread``, can touch; ``besides``: those that no reference to a
        known place surely touches in the item."""
        wide = [self._widest(ref) for ref in refs]
        buffer = wide[0].buffer
        others = [ref for ref in refs_to(item.node, buffer) if besides and not ref.irregular and _is_sure(ref)]
        known = self._boxes.of(others, item, 1)
        lines = lines_of(buffer, [*self._boxes.of(wide, item, 1), *known], unions=self._unions)
        return lines - lines_of(buffer, known, unions=self._unions) if known else lines

    @kept_by(lambda ref: ref.uid)
    def _widest(self, ref: Ref) -> Ref:
        """The reference as one to known places, in loops that all make the most trips."""
        unsure = frozenset(loop.var for loop in ref.loops if loop.mean and not loop.furthest)
        loops = [loop.widest for loop in ref.loops if loop.var not in unsure]
        guards = tuple(guard for guard in ref.guards if unsure.isdisjoint(guard.names))
        buffer, around = ref.buffer.base or ref.buffer, (*loops, *ref.anywhere)
        wide = Ref(ref.uid, buffer, ref.spread, False, ref.line, guards, 1, around, width=ref.width)
        wide.shapes[id(buffer), False] = -ref.uid
        return wide


def _is_sure(ref: Ref) -> bool:
    """Whether no branch on data decides that a reference is executed."""
    return not is_open(ref) and not any(is_open(loop) or loop.mean for loop in ref.loops)
