"""Where references reach that have some unknown subscripts, or are in loops of which only the mean trips are known,
were these subscripts to take all values, and every execution to make the most trips that it can: that bounds the lines
which they touch, whatever the data are."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox
from roofscan.cost.memory.lru.footprint.domains import Domains
from roofscan.cost.memory.lru.footprint.iterations import Iterations
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.footprint.sweep import BOX_STEPS
from roofscan.cost.memory.lru.footprint.union import Unions, lines_of
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import LoopNode, Ref, is_open, names_around, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
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


def is_placed(ref: Ref, env: Env) -> bool:
    """Whether the elements of a reference depend on a fixed loop."""
    return any(name in env for name in names_around(ref, env))


class ReferenceBoxes:
    def __init__(self, iterations: Iterations, domains: Domains, budget: Budget) -> None:
        self._iterations = iterations
        self._domains = domains
        self._budget = budget

    def of(self, refs: Sequence[Ref], item: Subtree, most: int) -> list[IndexBox]:
        """The boxes of all, of those with equal subscripts in equal loops found once."""
        known: dict[int, list[IndexBox]] = {}
        found: list[IndexBox] = []
        for ref in refs:
            shape = ref.shapes[id(ref.buffer), False]
            if shape not in known:
                known[shape] = self._of_one(ref, item, most)
            found += known[shape]
        return found

    def _of_one(self, ref: Ref, item: Subtree, most: int) -> list[IndexBox]:
        pieces = 1 if item.window or is_placed(ref, item.env) else most
        nonaffine = next((x for x in ref.loops if x.sampled_all and x.var not in item.env), None)
        if nonaffine is not None:
            return self._one_by_one(
                ref, item, nonaffine, self._iterations.every(nonaffine, item.env, item.window), most
            )
        blocks = self._blocks(ref, item, pieces)
        if blocks is not None:
            return self._one_by_one(ref, item, *blocks, pieces // len(blocks[1]))
        self._budget.spend(BOX_STEPS)
        return self._domains.boxes_of(ref, item.env, item.window, pieces)

    def _one_by_one(
        self, ref: Ref, item: Subtree, loop: LoopNode, points: Sequence[AlignedPoint], most: int
    ) -> list[IndexBox]:
        """The boxes of each iteration of a loop."""
        items = [Subtree(item.node, {**item.env, loop.var: point}, item.window) for point in points]
        return [box for each in items for box in self._of_one(ref, each, most)]

    def _blocks(self, ref: Ref, item: Subtree, most: int) -> tuple[LoopNode, list[AlignedPoint]] | None:
        """A loop over blocks that limits the loops inside it, with its iterations: each reaches a box whose ends are
        known, where a projection has them in the mean."""
        free = [loop for loop in ref.loops if loop.var not in item.env]
        if most == 1 or not free or value_of(free[0].step) < 2 or free[0].mean:
            return None
        if self._domains.is_rectangle(ref, item.env, item.window):
            return None
        span = self._iterations.range(free[0], item.env, item.window)
        if span is None or value_of(span.trips) > most:
            return None
        return free[0], self._iterations.every(free[0], item.env, item.window, most)
