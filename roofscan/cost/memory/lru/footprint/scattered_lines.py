"""The most lines that references touch whose places the data choose: along rows, at pointers and counters, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from roofscan.cost.memory.lru.footprint.iterations import ANY_NUMBER, Iterations
from roofscan.cost.memory.lru.footprint.spread import Spreads
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.tree.nodes import PointerWalk, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import Num, smaller, total, value_of
from roofscan.ir.kinds import TouchKind


class ScatteredLines:
    def __init__(self, iterations: Iterations, spreads: Spreads) -> None:
        self._iterations = iterations
        self.spreads = spreads

    def all(self, refs: Iterable[Ref], item: Subtree, kind: TouchKind, taken: bool = False, once: bool = False) -> Num:
        """The most lines that irregular references touch, those that move together counted once; ``once``: a line that
        one execution of the innermost loop leaves and the next one goes on with, too."""
        series: dict[tuple[object, ...], list[Ref]] = {}
        walks: dict[PointerWalk, list[Ref]] = {}
        alone: list[Num] = []
        for ref in refs:
            if ref.series:
                series.setdefault(ref.series, []).append(ref)
            elif ref.walk and ref.walk.most is not None:
                walks.setdefault(ref.walk, []).append(ref)
            else:
                alone.append(self.lines(ref, item, kind, taken))
        alone += (self._on_walk(walk, together, item, kind, taken) for walk, together in walks.items())
        return total([*alone, *(self._in_series(together, item, taken, once) for together in series.values())])

    def reached(self, refs: Sequence[Ref], item: Subtree, kind: TouchKind, taken: bool = False) -> Num:
        """The most lines that irregular references touch: no more than if all trips were the most that they can be."""
        if all(ref.number for ref in refs):
            return smaller(self._reached(refs, item, kind, taken), self.at_numbers(refs, item))
        return self._reached(refs, item, kind, taken)

    def _reached(self, refs: Sequence[Ref], item: Subtree, kind: TouchKind, taken: bool) -> Num:
        placed = [ref for ref in refs if ref.spread]
        if not placed:
            return self.all(refs, item, kind, taken, once=True)
        others = [ref for ref in refs if not ref.spread]
        most = smaller(self.all(placed, item, kind, taken, once=True), self.spreads.lines(placed, item))
        return self.all(others, item, kind, taken, once=True) + most

    def at_numbers(self, refs: Sequence[Ref], item: Subtree, every: bool = True) -> Num:
        """The most lines at numbers that data choose: in ``every`` iteration that has its own, or in one of them."""
        lines: dict[tuple[object, ...], Num] = {}
        for ref in refs:
            loop = next(loop for loop in ref.loops if loop.uid == ref.computed_in)
            inside = [x for x in ref.loops if x.var in ref.moving]
            one = self._iterations.within(ref, inside, item, ref.buffer.per_line if ref.in_row else 0)
            found = one * self._iterations.of(loop, item) if every and loop.var not in item.env else one
            before = lines.get(ref.number, 0)
            lines[ref.number] = found if value_of(found) > value_of(before) else before
        return total(lines.values())

    def _on_walk(self, walk: PointerWalk, refs: Sequence[Ref], item: Subtree, kind: TouchKind, taken: bool) -> Num:
        """The lines at a pointer, and beside it: those that it passes, and where it begins and ends."""
        touched = total(self.lines(ref, item, kind, taken) for ref in refs)
        loop = walk.loop_of(refs[0])
        passed = (walk.most or 0) * walk.pace * self._iterations.of(loop, item)
        return smaller(touched, passed + (3 if len(refs) > 1 else 2) * self._iterations.times(loop, item))

    def _in_series(self, refs: Sequence[Ref], item: Subtree, taken: bool, once: bool) -> Num:
        free = [loop for loop in refs[0].loops if loop.var not in item.env]
        share = prod(1 if taken else loop.share for loop in free)
        lines = share * self._iterations.within(refs[0], free, item, refs[0].stay)
        if taken:
            return lines
        written = {ref.line for ref in refs if ref.moves and ref.write}
        moving = [ref for ref in refs if ref.moves and (ref.write or ref.line not in written)]
        if moving and refs[0].loops[-1] in free:
            moved = total(self._iterations.executions(ref, item) for ref in moving)
            walk = refs[0].walk
            goes_on = once and walk is not None and not walk.back  # from where the last execution left it
            entered = walk.loop_of(refs[0]) if walk is not None and goes_on else refs[0].loops[-1]
            lines = smaller(moved / refs[0].stay + self._iterations.times(entered, item), lines)
        return smaller(total(self._iterations.executions(ref, item) for ref in refs), lines)

    def lines(self, ref: Ref, item: Subtree, kind: TouchKind, taken: bool = False) -> Num:
        """The most lines that an irregular reference touches, or writes: where it walks along a row, the row's;
        ``taken``: with all branches on data."""
        if kind in ref.near:
            return 0
        row = ref.buffer.per_line if ref.in_row else ANY_NUMBER if ref.stands else 0
        free = [loop for loop in ref.loops if loop.var not in item.env]
        if ref.shifted_row is not None and any(loop.uid == ref.shifted_row.loop for loop in free):
            lines = prod([*(loop.share for loop in free), self._iterations.entered(ref, ref.shifted_row, free, item)])
            return smaller(self._iterations.points(ref, item, 0), lines)
        if taken:
            return self._iterations.within(ref, free, item, row)
        if not row or ref.share == 1:
            return self._iterations.points(ref, item, row)
        whole = prod([*(loop.share for loop in free), self._iterations.within(ref, free, item, row)])
        return smaller(self._iterations.points(ref, item, 0), whole)
