"""Reuse distances between items of the tree: the number of distinct lines touched between two touches of a line
(Mattson et al., 1970; Ding and Zhong, 2003). For two items p and q it is the footprint of what follows the last touch
in p and precedes the first in q, with all items between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.iterations import IterationRange
from roofscan.cost.memory.lru.footprint.subtree import Subtree, joint_form
from roofscan.cost.memory.lru.footprint.union import known_grid
from roofscan.cost.memory.lru.traversal import Traversal, traversal_of
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Ref, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, relabelled, units_of, value_of
from roofscan.frozen import dataclass

Traversals = tuple["Traversal | None", "Traversal | None"]
"""How two items go through a buffer; None for an item that does not move."""
INDEPENDENT_PLACES = [(u, v) for u in (1 / 6, 1 / 2, 5 / 6) for v in (1 / 6, 1 / 2, 5 / 6)]
"""Relative positions of a line in two traversals of different dimensions (rows, then columns): they are independent."""

_NOTHING: Num = 0
SAME_DISTANCE_SHARE = 0.05  # distances along a traversal that differ by less than this share are one
SAME_AT_PROBES = 0.01
PROBES = 3
"""Where the distances at so many places of a traversal (ends and middle) differ by less than that share, no further
places are tried."""


@dataclass(frozen=True)
class DistanceInterval:
    """``lines`` whose reuse distances (in lines) are spread evenly from ``low`` to ``high``."""

    lines: Num
    low: Num
    high: Num

    def scaled(self, factor: Num, names: Mapping[str, str]) -> DistanceInterval:
        """``factor`` times the lines, with the arrays of the distance renamed."""
        lines = self.lines * factor
        if not names:
            return DistanceInterval(lines, self.low, self.high)
        return DistanceInterval(lines, relabelled(self.low, names), relabelled(self.high, names))


@dataclass(frozen=True)
class ReuseQuery:
    """The buffer whose lines are followed, and whether only writes count as touches."""

    buffer: Buffer
    writes: bool


def touches(item: Subtree, query: ReuseQuery) -> bool:
    return id(query.buffer) in (item.node.written_in if query.writes else item.node.buffers)


KnownDistances = tuple[list[DistanceInterval], tuple[Buffer, ...]]
"""The distances of items, and the buffers that they name."""


class Distances:
    def __init__(self, footprints: Footprints, known: dict[object, KnownDistances]) -> None:
        self._footprints = footprints
        self._known = known

    def remembered(
        self, query: ReuseQuery, p: Subtree, q: Subtree, history: Sequence[Subtree], lines: Num
    ) -> list[DistanceInterval]:
        """As ``between``, worked out once for all items of the same canonical forms."""
        form, buffers = joint_form(query.buffer, (p, q, *history))
        name = (form, query.writes)
        if name not in self._known:
            self._known[name] = self.between(query, p, q, history, lines), buffers
        intervals, others = self._known[name]
        names = {a.owner: b.owner for a, b in zip(others, buffers) if a.owner != b.owner}
        return [r.scaled(1, names) for r in intervals] if names else intervals

    def between(
        self, query: ReuseQuery, p: Subtree, q: Subtree, history: Sequence[Subtree], lines: Num
    ) -> list[DistanceInterval]:
        """The distances of ``lines`` lines from their last touch in p to their first in q; ``history`` lies between."""
        if lines <= TOLERANCE:
            return []
        p_loop = isinstance(p.node, LoopNode)
        q_loop = isinstance(q.node, LoopNode)
        last = self._iteration(p, last=True) if p_loop else [p]
        first = self._iteration(q, last=False) if q_loop else [q]
        if not (p_loop or q_loop) or not last or not first:
            d = self._footprints.distance([*history, p, q])
            return [DistanceInterval(lines, d, d)]
        if p_loop and self._overlap(query, last, [q]) >= lines - TOLERANCE:
            return self._from_last(query, last, q, history, lines)
        if q_loop and self._overlap(query, [p], first) >= lines - TOLERANCE:
            return self._to_first(query, p, first, history, lines)
        common = self._overlap(query, last, first) if p_loop and q_loop else _NOTHING
        edge = common if common < lines else lines
        intervals: list[DistanceInterval] = []
        for child, after, shared in self._shared_lines(query, last[::-1], first, edge):
            intervals += self._to_first(query, child, first, [*history, *after], shared)
        return intervals + self._interior(query, p, q, history, lines - edge)

    def _overlap(self, query: ReuseQuery, a: Sequence[Subtree], b: Sequence[Subtree]) -> Num:
        return self._footprints.overlap(query.buffer, a, b, query.writes)

    def _iteration(self, item: Subtree, last: bool) -> list[Subtree]:
        """The children of a loop item at its last or first iteration."""
        assert isinstance(item.node, LoopNode)
        span = self._footprints.iterations.range(item.node, item.env, item.window)
        if span is None:
            return []
        env = {**item.env, item.node.var: span.last if last else span.first}
        return [Subtree(child, env) for child in item.node.children]

    # -- lines at the ends -----------------------------------------------------------------------
    def _from_last(
        self, query: ReuseQuery, last: list[Subtree], q: Subtree, history: Sequence[Subtree], lines: Num
    ) -> list[DistanceInterval]:
        """The distances of lines that q shares with the last iteration before it."""
        shares = self._shared_lines(query, last[::-1], [q], lines)
        found = (self.between(query, p, q, [*history, *after], shared) for p, after, shared in shares)
        return [interval for intervals in found for interval in intervals]

    def _to_first(
        self, query: ReuseQuery, p: Subtree, first: list[Subtree], history: Sequence[Subtree], lines: Num
    ) -> list[DistanceInterval]:
        """The distances of lines that p shares with the first iteration after it."""
        shares = self._shared_lines(query, first, [p], lines)
        found = (self.between(query, p, q, [*history, *before], shared) for q, before, shared in shares)
        return [interval for intervals in found for interval in intervals]

    def _shared_lines(
        self, query: ReuseQuery, near: list[Subtree], far: list[Subtree], lines: Num
    ) -> Iterator[tuple[Subtree, list[Subtree], Num]]:
        """The lines that each child shares with the other side and no nearer child does, nearest child first. Each
        comes with the children between it and the other side."""
        left, shared = lines, _NOTHING
        for n, child in enumerate(near):
            if left <= TOLERANCE:
                break
            if touches(child, query):
                reach = self._overlap(query, near[: n + 1], far)
                got = reach - shared
                got = got if got < left else left
                if got > TOLERANCE:
                    yield child, near[:n], got
                    left, shared = left - got, reach

    # -- lines in the middle ---------------------------------------------------------------------
    def _interior(
        self, query: ReuseQuery, p: Subtree, q: Subtree, history: Sequence[Subtree], lines: Num
    ) -> list[DistanceInterval]:
        if lines <= TOLERANCE:
            return []
        traversals = self._traversal(query, p), self._traversal(query, q)
        p_traversal, q_traversal = traversals
        if p_traversal is None or q_traversal is None:
            u = self._end(query, p, q, traversals)
            d = self._at(p, q, history, traversals, u, u)
            return [DistanceInterval(lines, d, d)]
        if p_traversal.dims != q_traversal.dims:
            part = lines / len(INDEPENDENT_PLACES)
            distances = [self._at(p, q, history, traversals, u, v) for u, v in INDEPENDENT_PLACES]
            return [DistanceInterval(part, d, d) for d in distances]
        opposite = p_traversal.sign != q_traversal.sign
        places = p_traversal.positions()
        marks: dict[float, Num] = {}
        for u in (places[0], places[-1], places[len(places) // 2], *places):
            probed = len(marks) == PROBES and not p_traversal.slack
            if probed and _are_nearly_equal(list(marks.values()), SAME_AT_PROBES):
                break
            if u not in marks:
                marks[u] = self._at(p, q, history, traversals, u, 1 - u if opposite else u)
        return _intervals(lines, sorted(marks.items()))

    def _end(self, query: ReuseQuery, p: Subtree, q: Subtree, traversals: Traversals) -> float:
        """The relative place of a single line in a traversal: 0 (first iteration), 1 (last) or the middle."""
        moving, fixed = (p, q) if traversals[1] is None else (q, p)
        if not isinstance(moving.node, LoopNode) or traversals == (None, None):
            return 0.5
        if self._overlap(query, self._iteration(moving, last=False), [fixed]) > TOLERANCE:
            return 0.0
        if self._overlap(query, self._iteration(moving, last=True), [fixed]) > TOLERANCE:
            return 1.0
        return 0.5

    def _at(
        self, p: Subtree, q: Subtree, history: Sequence[Subtree], traversals: Traversals, u: float, v: float
    ) -> Num:
        """The distance of the line at relative position ``u`` of p and ``v`` of q."""
        before, after = traversals
        items = list(history)
        items += [p] if before is None else self._part(p, before, before.place(u), after=True)
        items += [q] if after is None else self._part(q, after, after.place(v), after=False)
        return self._footprints.distance(items)

    def _part(self, item: Subtree, traversal: Traversal, start: Num, after: bool) -> list[Subtree]:
        """The iterations after the last touch of the line that begins at ``start``, or those up to its first touch."""
        loop = item.node
        assert isinstance(loop, LoopNode)
        trips = traversal.range.trips
        begin = start + traversal.live + (trips - traversal.once) if after else 0
        end = trips - 1 if after else (start if start > 0 else 0)
        if begin > end + TOLERANCE:
            return []
        x0 = traversal.range.first.value + loop.direction * loop.step * begin
        x1 = traversal.range.first.value + loop.direction * loop.step * end
        exact0, exact1 = traversal.range.first.alignment, traversal.range.last.alignment
        begins = AlignedPoint(x0, loop.alignment if after else exact0)
        ends = AlignedPoint(x1, exact1 if after or units_of(end) == units_of(trips - 1) else loop.alignment)
        low, high = (ends, begins) if loop.descending else (begins, ends)
        return [Subtree(loop, item.env, Window(loop.var, low, high))]

    def _traversal(self, query: ReuseQuery, item: Subtree) -> Traversal | None:
        """The traversal by the reference with the most lines; None for a single reference or one that does not move."""
        loop = item.node
        if not isinstance(loop, LoopNode):
            return None
        span = self._footprints.iterations.range(loop, item.env, item.window)
        if span is None or value_of(span.trips) <= 1 + TOLERANCE:
            return None
        best: Traversal | None = None
        most: Num = 0
        for ref in refs_to(loop, query.buffer):
            if not ref.irregular and (ref.write or not query.writes):
                reach = self._footprints.lines(query.buffer, [Subtree(ref, item.env, item.window)])
                if reach > most + TOLERANCE and (traversal := self._by_ref(ref, loop, item, span)) is not None:
                    best, most = traversal, reach
        return best

    def _by_ref(self, ref: Ref, loop: LoopNode, item: Subtree, span: IterationRange) -> Traversal | None:
        """The traversal of one reference, by how far its box shifts from one iteration to the next."""
        second = AlignedPoint(span.first.value + loop.direction * loop.step, span.first.alignment)
        a, b = (
            self._footprints.boxes(ref.buffer, Subtree(ref, {**item.env, loop.var: point}), False)
            for point in (span.first, second)
        )
        if not a or not b:
            step = loop.direction * value_of(loop.step) * 2
            return traversal_of(ref, [value_of(s.coefs.get(loop.var, 0)) * step for s in ref.subscripts], span, 1, loop)
        shift = [value_of(y.lo) - value_of(x.lo) + value_of(y.hi) - value_of(x.hi) for x, y in zip(a[0], b[0])]
        boxes = self._footprints.boxes(ref.buffer, Subtree(ref, item.env, item.window), False)
        return traversal_of(ref, shift, span, known_grid(ref.buffer, boxes[0]) if boxes else 1, loop)


def _intervals(lines: Num, marks: Sequence[tuple[float, Num]]) -> list[DistanceInterval]:
    """One interval between neighbouring marks; a single one where the distances are nearly equal."""
    distances = [d for _, d in marks]
    if len(marks) == 1 or _are_nearly_equal(distances, SAME_DISTANCE_SHARE):
        middle = distances[len(marks) // 2]
        return [DistanceInterval(lines, middle, middle)]
    return [
        DistanceInterval(lines * (v - u), a, b) if a <= b else DistanceInterval(lines * (v - u), b, a)
        for (u, a), (v, b) in pairwise(marks)
    ]


def _are_nearly_equal(numbers: Sequence[Num], share: float) -> bool:
    values = [value_of(n) for n in numbers]
    return max(values) <= min(values) * (1 + share) + TOLERANCE
