"""The history of a loop's iteration, latest first: which earlier items may share lines with a child.

Items are found by their addresses: of many references only the neighbours of one are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import floor

from roofscan.cost.memory.lru.distance import ReuseQuery
from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Env, Footprints, Item
from roofscan.cost.memory.lru.sample_iterations import Sample, previous
from roofscan.cost.memory.lru.tree.affine import Point
from roofscan.cost.memory.lru.tree.nodes import Loop
from roofscan.cost.memory.lru.tree.sampled_expr import TINY

APART = 2
"""Items that are further apart, in lines, share none: alignment moves an end by less than one."""
BUCKET = 4
"""Lines of a bucket of addresses."""

Index = tuple[dict[int, list[int]], list[int]]
"""The items within one bucket each, and those that reach further, by their numbers."""


@dataclass
class Iteration:
    """The children of a loop at one iteration, latest first, ``lag`` iterations back; ``block``: those between."""

    loop: Loop
    lag: int
    block: list[Item]
    items: list[Item]
    _indexes: dict[tuple[int, bool], Index] = field(default_factory=dict)

    def near(self, footprints: Footprints, ask: ReuseQuery, q: Item) -> list[int]:
        """The numbers of the items that may share lines with ``q``."""
        name = (id(ask.space), ask.writes)
        if name not in self._indexes:
            self._indexes[name] = self._index(footprints, ask)
        buckets, wide = self._indexes[name]
        reach = footprints.extent(ask.space, q, ask.writes)
        if reach is None:
            return []
        found = list(wide)
        if buckets:
            found += (n for bucket in _buckets(ask, *reach, buckets) for n in buckets.get(bucket, ()))
        return [n for n in sorted(found) if not footprints.far_apart(ask.space, self.items[n], q, ask.writes)]

    def _index(self, footprints: Footprints, ask: ReuseQuery) -> Index:
        buckets: dict[int, list[int]] = {}
        wide: list[int] = []
        size = BUCKET * ask.space.per_line
        for number in reversed(self.loop.numbers_by_space.get(id(ask.space), ())):
            n = len(self.items) - 1 - number
            item = self.items[n]
            reach = footprints.extent(ask.space, item, ask.writes) if touches(item, ask) else None
            if reach is not None and floor(reach[0] / size) == floor(reach[1] / size):
                buckets.setdefault(floor(reach[0] / size), []).append(n)
            elif reach is not None:
                wide.append(n)
        return buckets, wide


def _buckets(ask: ReuseQuery, low: float, high: float, buckets: dict[int, list[int]]) -> Sequence[int]:
    size, gap = BUCKET * ask.space.per_line, (APART + 1) * ask.space.per_line
    first, last = floor((low - gap) / size), floor((high + gap) / size)
    return range(first, last + 1) if last - first < len(buckets) else sorted(buckets)


def touches(item: Item, ask: ReuseQuery) -> bool:
    """Whether an item touches (or writes) the space at all."""
    return id(ask.space) in (item.node.written_in if ask.writes else item.node.spaces)


class IterationState:
    """One iteration of a loop, and those before it; all spaces look at the same items."""

    def __init__(self, loop: Loop, env: Env, sample: Sample) -> None:
        self._loop = loop
        self._env = env
        self.sample = sample
        here = {**env, loop.var: sample.point}
        self.items = [Item(c, here) for c in loop.children]
        self.now = Iteration(loop, 0, [], self.items[::-1])
        self._earlier: dict[tuple[int, int], Iteration] = {}

    def earlier(self, lag: int, before: int) -> Iteration | None:
        """The iteration that is ``lag`` back, and those up to ``before`` back; None where there is none."""
        if self.sample.beyond(lag) <= TINY:
            return None
        found = self._earlier.get((lag, before))
        if found is None:
            block = self._block(before + 1, lag - 1) if lag > before + 1 else []
            inside = {**self._env, self._loop.var: self._back(lag)}
            items = [Item(child, inside) for child in reversed(self._loop.children)]
            found = self._earlier[lag, before] = Iteration(self._loop, lag, block, items)
        return found

    def _back(self, lag: int) -> Point:
        return previous(self._loop, self.sample.point, lag)

    def _block(self, near: int, far: int) -> list[Item]:
        """The iterations from ``far`` to ``near`` back, as one item a child."""
        a, b = self._back(far), self._back(near)
        low, high = (b, a) if self._loop.descending else (a, b)
        window = Window(self._loop.var, low, high)
        return [Item(child, self._env, window) for child in self._loop.children]


class AccessHistory:
    """The iterations before one, at certain lags, worked out as they are asked for."""

    def __init__(self, moment: IterationState, back: Sequence[int]) -> None:
        self._known = [moment.now]
        self._children = len(moment.items)
        self._back = back
        self._moment = moment

    def iterations(self) -> Iterator[Iteration]:
        """This iteration, then those of the lags while there are any."""
        yield self._known[0]
        before = 0
        for n, lag in enumerate(self._back, 1):
            if n == len(self._known):
                made = self._moment.earlier(lag, before)
                if made is None:
                    return
                self._known.append(made)
            yield self._known[n]
            before = lag

    def until(self, child: int, iteration: Iteration, number: int) -> list[Item]:
        """What lies between a child and an earlier item, latest first."""
        start = self._children - child
        items: list[Item] = []
        for one in self._known:
            items += one.block
            if one is iteration:
                return items + one.items[start:number]
            items += one.items[start:]
            start = 0
        return items


class DominanceFilter:
    """Which points cannot share more of their row's lines with a point than nearer ones already do."""

    def __init__(self, footprints: Footprints, ask: ReuseQuery, q: Item) -> None:
        self._footprints = footprints
        self._ask = ask
        self._place = footprints.point(ask.space, q, ask.writes)
        self._nearest = [float("inf"), float("inf")]

    def hides(self, p: Item) -> bool:
        """Whether ``p`` lies behind a point that was asked for before, seen from the point."""
        other = self._footprints.point(self._ask.space, p, self._ask.writes) if self._place else None
        if self._place is None or other is None or other[0] != self._place[0]:
            return False
        away = other[1] - self._place[1]
        side = away > 0
        if abs(away) >= self._nearest[side]:
            return True
        self._nearest[side] = abs(away)
        return False
