"""The accesses before an iteration of a loop, latest first: which earlier items may share lines with a child.

Items are indexed by their addresses, so that of many references only the neighbours of one are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import floor

from roofscan.cost.memory.lru.distance import ReuseQuery, touches
from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.sample_iterations import Sample, previous
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import LoopNode
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE

SEPARATING_LINES = 2
"""Items that are further apart, in lines, share no line: alignment moves an end by less than one."""
BUCKET_LINES = 4
"""The size of a bucket of addresses, in lines."""

AddressIndex = tuple[dict[int, list[int]], list[int]]
"""The numbers of the items by bucket, and of those that lie in several."""


@dataclass
class PastIteration:
    """The children of a loop ``iterations_back``, latest first; ``block``: the iterations since."""

    loop: LoopNode
    iterations_back: int
    block: list[Subtree]
    items: list[Subtree]
    _indexes: dict[tuple[int, bool], AddressIndex] = field(default_factory=dict)

    def near(self, footprints: Footprints, query: ReuseQuery, q: Subtree) -> list[int]:
        """The numbers of the items that may share lines with ``q``."""
        name = (id(query.buffer), query.writes)
        if name not in self._indexes:
            self._indexes[name] = self._index(footprints, query)
        buckets, wide = self._indexes[name]
        reach = footprints.extent(query.buffer, q, query.writes)
        if reach is None:
            return []
        found = list(wide)
        if buckets:
            found += (n for bucket in _buckets(query, *reach, buckets) for n in buckets.get(bucket, ()))
        return [n for n in sorted(found) if not footprints.far_apart(query.buffer, self.items[n], q, query.writes)]

    def _index(self, footprints: Footprints, query: ReuseQuery) -> AddressIndex:
        buckets: dict[int, list[int]] = {}
        wide: list[int] = []
        size = BUCKET_LINES * query.buffer.per_line
        for number in reversed(self.loop.children_by_buffer.get(id(query.buffer), ())):
            n = len(self.items) - 1 - number
            item = self.items[n]
            reach = footprints.extent(query.buffer, item, query.writes) if touches(item, query) else None
            if reach is not None and floor(reach[0] / size) == floor(reach[1] / size):
                buckets.setdefault(floor(reach[0] / size), []).append(n)
            elif reach is not None:
                wide.append(n)
        return buckets, wide


def _buckets(query: ReuseQuery, low: float, high: float, buckets: dict[int, list[int]]) -> Sequence[int]:
    size, gap = BUCKET_LINES * query.buffer.per_line, (SEPARATING_LINES + 1) * query.buffer.per_line
    first, last = floor((low - gap) / size), floor((high + gap) / size)
    return range(first, last + 1) if last - first < len(buckets) else sorted(buckets)


class IterationState:
    """One iteration of a loop and those before it, as items that all buffers share."""

    def __init__(self, loop: LoopNode, env: Env, sample: Sample) -> None:
        self._loop = loop
        self._env = env
        self.sample = sample
        here = {**env, loop.var: sample.point}
        self.items = [Subtree(c, here) for c in loop.children]
        self.now = PastIteration(loop, 0, [], self.items[::-1])
        self._earlier: dict[tuple[int, int], PastIteration] = {}

    def earlier(self, iterations_back: int, before: int) -> PastIteration | None:
        """The iteration ``iterations_back``, behind those up to ``before`` back; None where there is none."""
        if self.sample.beyond(iterations_back) <= TOLERANCE:
            return None
        found = self._earlier.get((iterations_back, before))
        if found is None:
            block = self._block(before + 1, iterations_back - 1) if iterations_back > before + 1 else []
            inside = {**self._env, self._loop.var: self._back(iterations_back)}
            items = [Subtree(child, inside) for child in reversed(self._loop.children)]
            found = self._earlier[iterations_back, before] = PastIteration(self._loop, iterations_back, block, items)
        return found

    def _back(self, iterations_back: int) -> AlignedPoint:
        return previous(self._loop, self.sample.point, iterations_back)

    def _block(self, near: int, far: int) -> list[Subtree]:
        """The iterations from ``far`` to ``near`` back, as one item a child."""
        a, b = self._back(far), self._back(near)
        low, high = (b, a) if self._loop.descending else (a, b)
        window = Window(self._loop.var, low, high)
        return [Subtree(child, self._env, window) for child in self._loop.children]


class AccessHistory:
    """The iterations before one, at the given iteration distances, made on demand."""

    def __init__(self, state: IterationState, back: Sequence[int]) -> None:
        self._known = [state.now]
        self._children = len(state.items)
        self._back = back
        self._state = state

    def iterations(self) -> Iterator[PastIteration]:
        """This iteration, then the earlier ones by growing distance."""
        yield self._known[0]
        before = 0
        for n, iterations_back in enumerate(self._back, 1):
            if n == len(self._known):
                made = self._state.earlier(iterations_back, before)
                if made is None:
                    return
                self._known.append(made)
            yield self._known[n]
            before = iterations_back

    def until(self, child: int, iteration: PastIteration, number: int) -> list[Subtree]:
        """The items between a child and an earlier item, latest first."""
        start = self._children - child
        items: list[Subtree] = []
        for one in self._known:
            items += one.block
            if one is iteration:
                return items + one.items[start:number]
            items += one.items[start:]
            start = 0
        return items


class DominanceFilter:
    """Of the single elements in one row, only the nearest on each side can share further lines with an element."""

    def __init__(self, footprints: Footprints, query: ReuseQuery, q: Subtree) -> None:
        self._footprints = footprints
        self._query = query
        self._place = footprints.point(query.buffer, q, query.writes)
        self._nearest = [float("inf"), float("inf")]

    def hides(self, p: Subtree) -> bool:
        """Whether an element seen before lies between ``p`` and the element, on the same side."""
        other = self._footprints.point(self._query.buffer, p, self._query.writes) if self._place else None
        if self._place is None or other is None or other[0] != self._place[0]:
            return False
        away = other[1] - self._place[1]
        side = away > 0
        if abs(away) >= self._nearest[side]:
            return True
        self._nearest[side] = abs(away)
        return False
