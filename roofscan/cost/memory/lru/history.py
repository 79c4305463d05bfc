"""The accesses before an iteration of a loop, latest first: which earlier items may share lines with a child, and how
many iterations back a line may have been touched last. An index by address compares only neighbours."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import ceil, floor, inf

from roofscan.cost.memory.lru.distance import ReuseQuery, touches
from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.sample_iterations import Sample, number_of, previous
from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import (
    Buffer,
    Child,
    LoopNode,
    Modulo,
    exclusive,
    is_open,
    loops_below,
    refs_to,
)
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, value_of
from roofscan.frozen import dataclass

SEPARATING_LINES = 2  # items that are further apart, in lines, share no line: alignment moves an end by less than one
BUCKET_LINES = 4  # the size of a bucket of addresses, in lines

Alike = list[int]
"""The numbers of items with equal accesses under the same branches, latest first: the first hides the others."""

AddressIndex = tuple[dict[int, list[Alike]], list[Alike]]
"""The items by bucket, and those that lie in several."""


@dataclass
class PastIteration:
    """The children of a loop ``iterations_back``, latest first; ``block``: the iterations since."""

    loop: LoopNode
    iterations_back: int
    block: list[Subtree]
    items: list[Subtree]
    _indexes: dict[tuple[int, bool], AddressIndex] = field(default_factory=dict)

    def near(self, footprints: Footprints, query: ReuseQuery, q: Subtree, start: int) -> list[int]:
        """The numbers of the items from ``start`` on that may share lines with ``q``, of equal ones the first."""
        name = (id(query.buffer), query.writes)
        if name not in self._indexes:
            self._indexes[name] = self._index(footprints, query)
        buckets, wide = self._indexes[name]
        reach = footprints.extent(query.buffer, q, query.writes)
        if reach is None:
            return []
        groups = list(wide)
        if buckets:
            groups += (group for bucket in _buckets(query, *reach, buckets) for group in buckets.get(bucket, ()))
        found = (group[at] for group in groups if (at := bisect_left(group, start)) < len(group))
        return [n for n in sorted(found) if not footprints.far_apart(query.buffer, self.items[n], q, query.writes)]

    def _index(self, footprints: Footprints, query: ReuseQuery) -> AddressIndex:
        alike: dict[tuple[int, int], Alike] = {}
        for number in reversed(self.loop.children_by_buffer.get(id(query.buffer), ())):
            n = len(self.items) - 1 - number
            if touches(self.items[n], query):
                item = self.items[n]
                chosen = id(item.node.taken) if is_open(item.node) else 0
                alike.setdefault((item.within(query.buffer, query.writes), chosen), []).append(n)
        buckets: dict[int, list[Alike]] = {}
        wide: list[Alike] = []
        size = BUCKET_LINES * query.buffer.per_line
        for group in alike.values():
            reach = footprints.extent(query.buffer, self.items[group[0]], query.writes)
            if reach is not None and floor(reach[0] / size) == floor(reach[1] / size):
                buckets.setdefault(floor(reach[0] / size), []).append(group)
            elif reach is not None:
                wide.append(group)
        return buckets, wide


def _buckets(query: ReuseQuery, low: float, high: float, buckets: Mapping[int, list[Alike]]) -> Sequence[int]:
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
            between = iterations_back > before + 1
            block = self._block(number_of(before) + 1, number_of(iterations_back) - 1) if between else []
            inside = {**self._env, self._loop.var: self._back(iterations_back)}
            items = [Subtree(child, inside) for child in reversed(self._loop.children)]
            found = self._earlier[iterations_back, before] = PastIteration(self._loop, iterations_back, block, items)
        return found

    def _back(self, iterations_back: Num) -> AlignedPoint:
        return previous(self._loop, self.sample.point, iterations_back)

    def _block(self, near: Num, far: Num) -> list[Subtree]:
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
        """The items between a child and an earlier item, latest first, without those that run instead of either."""
        now, start = self._known[0].items, self._children - child
        later, earlier = now[start - 1].node, iteration.items[number].node
        if not iteration.iterations_back:
            return _running_with(earlier, _running_with(later, now[start:number]))
        items = _running_with(later, now[start:])
        for one in self._known[1:]:
            items += one.block
            if one is iteration:
                break
            items += one.items
        return items + _running_with(earlier, iteration.items[:number])


def _running_with(node: Child, items: list[Subtree]) -> list[Subtree]:
    """Those of one iteration that can run where a node does."""
    return [i for i in items if not exclusive(i.node, node)] if node.arms else items


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


MAX_ITERATION_DISTANCES = 24  # at most so many distances a loop and array: the shortest

Subscripts = tuple[Affine, ...]
Lane = tuple[object, ...]
"""What subscripts have in common that reach each other's elements: the loop's speed, and all that must be equal."""


def iteration_distances(loop: LoopNode, env: Env, buffer: Buffer, writes: bool) -> list[int]:
    """1, and the distances at which one reference reaches the elements, or the line, of another."""
    moving = [
        tuple(s.fix(env) for s in r.subscripts) for r in refs_to(loop, buffer)
        if not r.irregular and (r.write or not writes)
        and any(loop.var in s.coefs for s in r.subscripts)
    ]  # fmt: skip
    if not moving:
        return [1]
    steps = {x.var: value_of(x.step) for x in loops_below(loop)}
    inner = frozenset(steps)
    lanes: dict[Lane, set[float]] = {}
    spread = 0.0
    for place in moving:
        lane, number = _lane(loop, place, inner)
        lanes.setdefault(lane, set()).update((number, *(number + by for by in _by_inner_loops(loop, place, steps))))
        spread = max(spread, _spread(loop, buffer, place))
    found = {1} | _periods(loop, buffer)
    for numbers in _together(lanes):
        _differences(sorted(numbers), spread, found)
    return sorted(found)[:MAX_ITERATION_DISTANCES]


def _lane(loop: LoopNode, place: Subscripts, inner: frozenset[str]) -> tuple[Lane, float]:
    """The lane of a place, and its number there: how many iterations later the loop reaches it."""
    step = value_of(loop.step) * loop.direction
    lane: list[object] = []
    first: float | None = None
    for dim, form in enumerate(place):
        speed = value_of(form.coefs.get(loop.var, 0)) * step
        offset = value_of(form.constant)
        if not speed:  # the places of inner loops meet somewhere, and those beside each other in a line
            beside = dim == len(place) - 1
            lane.append(None if beside or inner & form.coefs.keys() else round(offset, 6))
            continue
        number = offset / speed
        if first is None:
            first = number
        lane.append((speed, frozenset(form.coefs), round(number - first, 6)))
    assert first is not None
    return tuple(lane), first


def _by_inner_loops(loop: LoopNode, place: Subscripts, steps: Mapping[str, float]) -> Iterator[float]:
    """How many iterations later the loop reaches what an inner loop reaches one of its own later (``x[i + 20*k]``)."""
    moving = [form for form in place if loop.var in form.coefs]
    speed = value_of(moving[0].coefs[loop.var]) * value_of(loop.step) * loop.direction
    for var, c in moving[0].coefs.items() if len(moving) == 1 and speed else ():
        if var in steps and sum(var in form.coefs for form in place) == 1:
            by = value_of(c) * steps[var] / speed
            if abs(by) > 1:
                yield by


def _spread(loop: LoopNode, buffer: Buffer, place: Subscripts) -> float:
    """How many iterations earlier the line of an element may be reached, where the loop goes along rows."""
    speed = abs(value_of(place[-1].coefs.get(loop.var, 0)) * value_of(loop.step))
    return (buffer.per_line - 1) / speed if 0 < speed < buffer.per_line else 0.0


def _together(lanes: dict[Lane, set[float]]) -> Iterator[set[float]]:
    """The numbers of each lane, with those of lanes that an inner loop brings to it."""
    open_in = {n for lane in lanes for n, part in enumerate(lane) if part is None}
    closed_in = {n for lane in lanes for n, part in enumerate(lane) if part is not None}
    if not open_in & closed_in:
        yield from lanes.values()
        return
    for lane, numbers in lanes.items():
        same = (other for key, other in lanes.items() if _are_one(lane, key))
        yield numbers.union(*same)


def _are_one(a: Lane, b: Lane) -> bool:
    return all(x == y or x is None or y is None for x, y in zip(a, b))


def _differences(numbers: list[float], spread: float, found: set[int]) -> None:
    """Adds the differences between numbers, and those up to ``spread`` less or more, the shortest at least."""
    most = inf
    for n, low in enumerate(numbers):
        for high in numbers[n + 1 :]:
            exact = high - low
            if exact - spread - 1 > most:
                break
            near = {floor(exact - spread), ceil(exact - spread), floor(exact + spread), ceil(exact + spread)}
            wanted = {floor(exact + TOLERANCE), ceil(exact - TOLERANCE)} | {k for k in near if k < exact}
            found |= {k for k in wanted if k >= 1}
            if len(found) >= MAX_ITERATION_DISTANCES:
                most = sorted(found)[MAX_ITERATION_DISTANCES - 1]


def _periods(loop: LoopNode, buffer: Buffer) -> set[int]:
    """The periods of subscripts that are taken modulo a number."""
    found: set[int] = set()
    for ref in refs_to(loop, buffer):
        for dim, modulo in ref.index_limits:
            if not isinstance(modulo, Modulo):
                continue
            speed = abs(value_of(ref.subscripts[dim].coefs.get(loop.var, 0)) * value_of(loop.step))
            if speed:
                period = value_of(modulo.modulus) / speed
                found |= {n for n in (floor(period), ceil(period)) if n >= 1}
    return found
