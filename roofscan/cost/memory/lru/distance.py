"""Reuse distances between items of the tree.

The reuse distance of a line is the number of distinct lines touched between two touches of it (Mattson et al., 1970;
Ding and Zhong, 2003). For two items p and q it is the footprint of what follows the last touch in p and precedes the
first in q, with all items between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints, IterationRange
from roofscan.cost.memory.lru.footprint.subtree import Subtree, joint_form
from roofscan.cost.memory.lru.footprint.union import known_grid
from roofscan.cost.memory.lru.traversal import Traversal, traversal_of
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Ref, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, relabelled, units_of, value_of

_NOTHING: Num = 0
SAME_DISTANCE_SHARE = 0.05
"""Distances along a traversal that differ by less than this share are one."""
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


class Distances:
    def __init__(self, footprints: Footprints) -> None:
        self._footprints = footprints
        self._known: dict[object, tuple[list[DistanceInterval], tuple[Buffer, ...]]] = {}

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
        if not p_loop and not q_loop:
            d = self._footprints.distance([*history, p, q])
            return [DistanceInterval(lines, d, d)]
        last = self._iteration(p, last=True) if p_loop else [p]
        first = self._iteration(q, last=False) if q_loop else [q]
        if not last or not first:
            d = self._footprints.distance([*history, p, q])
            return [DistanceInterval(lines, d, d)]
        if p_loop and self._overlap(query, last, [q]) >= lines - TOLERANCE:
            return self._split(query, last, [q], history, lines, descend_p=True)
        if q_loop and self._overlap(query, [p], first) >= lines - TOLERANCE:
            return self._split(query, [p], first, history, lines, descend_p=False)
        common = self._overlap(query, last, first) if p_loop and q_loop else _NOTHING
        edge = common if common < lines else lines
        intervals = self._edges(query, last, first, history, edge) if edge > TOLERANCE else []
        return intervals + self._interior(query, p, q, history, lines - edge)

    def _overlap(self, query: ReuseQuery, a: Sequence[Subtree], b: Sequence[Subtree]) -> Num:
        return self._footprints.overlap(query.buffer, a, b, query.writes)

    def _iteration(self, item: Subtree, last: bool) -> list[Subtree]:
        """The children of a loop item at its last or first iteration."""
        assert isinstance(item.node, LoopNode)
        span = self._footprints.range(item.node, item.env, item.window)
        if span is None:
            return []
        env = {**item.env, item.node.var: span.last if last else span.first}
        return [Subtree(child, env) for child in item.node.children]

    def _touching(self, query: ReuseQuery, item: Subtree) -> bool:
        return id(query.buffer) in (item.node.written_in if query.writes else item.node.buffers)

    # -- all lines at one end: descend on one side -----------------------------------------------
    def _split(
        self,
        query: ReuseQuery,
        ps: list[Subtree],
        qs: list[Subtree],
        history: Sequence[Subtree],
        lines: Num,
        descend_p: bool,
    ) -> list[DistanceInterval]:
        """Gives each child the lines that it shares with the other side, nearest child first."""
        intervals: list[DistanceInterval] = []
        between: list[Subtree] = []
        left = lines
        near, far = (ps[::-1], qs) if descend_p else (qs, ps)
        shared = _NOTHING
        for child in near:
            if left <= TOLERANCE:
                break
            if self._touching(query, child):
                reach = self._overlap(query, [*between, child], far)
                got = reach - shared
                got = got if got < left else left
                if got > TOLERANCE:
                    pair = (child, far[0]) if descend_p else (far[0], child)
                    intervals += self.between(query, *pair, [*history, *between], got)
                    left = left - got
                    shared = reach
            between.append(child)
        return intervals

    # -- lines at the end of one and the start of the other --------------------------------------
    def _edges(
        self, query: ReuseQuery, last: list[Subtree], first: list[Subtree], history: Sequence[Subtree], edge: Num
    ) -> list[DistanceInterval]:
        after: list[Subtree] = []
        intervals: list[DistanceInterval] = []
        left, shared = edge, _NOTHING
        for p in reversed(last):
            if left <= TOLERANCE:
                break
            if self._touching(query, p):
                reach = self._overlap(query, [*after, p], first)
                got = reach - shared
                got = got if got < left else left
                if got > TOLERANCE:
                    intervals += self._split(query, [p], first, [*history, *after], got, descend_p=False)
                    left, shared = left - got, reach
            after.append(p)
        return intervals

    # -- lines in the middle ---------------------------------------------------------------------
    def _interior(
        self, query: ReuseQuery, p: Subtree, q: Subtree, history: Sequence[Subtree], lines: Num
    ) -> list[DistanceInterval]:
        if lines <= TOLERANCE:
            return []
        p_traversal, q_traversal = self._traversal(query, p), self._traversal(query, q)
        if p_traversal is not None and q_traversal is not None and p_traversal.dims != q_traversal.dims:
            return self._independent(p, q, history, lines, p_traversal, q_traversal)
        if p_traversal is None or q_traversal is None:
            u = self._end(query, p, q, p_traversal, q_traversal)
            d = self._at(
                p,
                q,
                history,
                p_traversal,
                q_traversal,
                p_traversal.place(u) if p_traversal else 0,
                q_traversal.place(u) if q_traversal else 0,
            )
            return [DistanceInterval(lines, d, d)]
        opposite = p_traversal.sign != q_traversal.sign
        places = p_traversal.positions()
        marks: dict[float, Num] = {}
        for u in (places[0], places[-1], places[len(places) // 2], *places):
            if (
                len(marks) == PROBES
                and not p_traversal.slack
                and _are_nearly_equal(list(marks.values()), SAME_AT_PROBES)
            ):
                break
            if u not in marks:
                v = 1 - u if opposite else u
                marks[u] = self._at(p, q, history, p_traversal, q_traversal, p_traversal.place(u), q_traversal.place(v))
        return _intervals(lines, sorted(marks.items()))

    def _end(
        self, query: ReuseQuery, p: Subtree, q: Subtree, p_traversal: Traversal | None, q_traversal: Traversal | None
    ) -> float:
        """The relative place of a single line in a traversal: 0 (first iteration), 1 (last) or the middle."""
        moving, fixed = (p, q) if q_traversal is None else (q, p)
        if not isinstance(moving.node, LoopNode) or (p_traversal is None and q_traversal is None):
            return 0.5
        if self._overlap(query, self._iteration(moving, last=False), [fixed]) > TOLERANCE:
            return 0.0
        if self._overlap(query, self._iteration(moving, last=True), [fixed]) > TOLERANCE:
            return 1.0
        return 0.5

    def _independent(
        self,
        p: Subtree,
        q: Subtree,
        history: Sequence[Subtree],
        lines: Num,
        p_traversal: Traversal,
        q_traversal: Traversal,
    ) -> list[DistanceInterval]:
        """Traversals of different dimensions (rows, then columns): the places of a line in both are independent."""
        places = (1 / 6, 1 / 2, 5 / 6)
        part = lines / 9
        intervals = []
        for u in places:
            for v in places:
                d = self._at(p, q, history, p_traversal, q_traversal, p_traversal.place(u), q_traversal.place(v))
                intervals.append(DistanceInterval(part, d, d))
        return intervals

    def _at(
        self,
        p: Subtree,
        q: Subtree,
        history: Sequence[Subtree],
        p_traversal: Traversal | None,
        q_traversal: Traversal | None,
        s: Num,
        t: Num,
    ) -> Num:
        items = list(history)
        items += [p] if p_traversal is None else self._part(p, p_traversal, s, after=True)
        items += [q] if q_traversal is None else self._part(q, q_traversal, t, after=False)
        return self._footprints.distance(items)

    def _part(self, item: Subtree, traversal: Traversal, start: Num, after: bool) -> list[Subtree]:
        """The iterations after the last touch of the line that begins at iteration ``start``, or those up to its first
        touch."""
        loop = item.node
        assert isinstance(loop, LoopNode)
        trips = traversal.range.trips
        begin = start + traversal.live if after else 0
        end = trips - 1 if after else (start if start > 0 else 0)
        if begin > end + TOLERANCE:
            return []
        sign = -1 if loop.descending else 1
        x0 = traversal.range.first.value + sign * loop.step * begin
        x1 = traversal.range.first.value + sign * loop.step * end
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
        span = self._footprints.range(loop, item.env, item.window)
        if span is None or value_of(span.trips) <= 1 + TOLERANCE:
            return None
        best: Traversal | None = None
        most: Num = 0
        for ref in refs_to(loop, query.buffer):
            if not ref.irregular and (ref.write or not query.writes):
                reach = self._footprints.lines(query.buffer, [Subtree(ref, item.env, item.window)])
                if (
                    reach > most + TOLERANCE
                    and (traversal := self._traversal_of_ref(ref, loop, item, span)) is not None
                ):
                    best, most = traversal, reach
        return best

    def _traversal_of_ref(self, ref: Ref, loop: LoopNode, item: Subtree, span: IterationRange) -> Traversal | None:
        """The traversal of one reference, by how far its box shifts from one iteration to the next."""
        one = Subtree(ref, {**item.env, loop.var: span.first})
        sign = -1 if loop.descending else 1
        other = Subtree(
            ref, {**item.env, loop.var: AlignedPoint(span.first.value + sign * loop.step, span.first.alignment)}
        )
        a = self._footprints.boxes(ref.buffer, one, False)
        b = self._footprints.boxes(ref.buffer, other, False)
        if not a or not b:
            return self._linear(ref, loop, span)
        shift = [value_of(y.lo) - value_of(x.lo) + value_of(y.hi) - value_of(x.hi) for x, y in zip(a[0], b[0])]
        return traversal_of(ref, shift, span, self._grid(ref, item))

    def _grid(self, ref: Ref, item: Subtree) -> int:
        boxes = self._footprints.boxes(ref.buffer, Subtree(ref, item.env, item.window), False)
        return known_grid(ref.buffer, boxes[0]) if boxes else 1

    def _linear(self, ref: Ref, loop: LoopNode, span: IterationRange) -> Traversal | None:
        sign = -1 if loop.descending else 1
        step = sign * value_of(loop.step) * 2
        return traversal_of(ref, [value_of(s.coefs.get(loop.var, 0)) * step for s in ref.subscripts], span, 1)


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
