"""The bytes that a cache fetches while the threads of a box of blocks run the program. A loop keeps what one of its
iterations touches for the next one, as far as the cache has room for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp

from roofscan.cost.memory.gpu.decisions import Decision, given, least
from roofscan.cost.memory.gpu.programs.program import Reference, Scope
from roofscan.cost.memory.gpu.touched.boxes import Box, Extents, by_array
from roofscan.cost.memory.gpu.touched.first_reads import Fetched, loaded
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, floor_to, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import BlockGroup

EQUAL_WORKING_SETS = 1.02  # times a working set, within which its share of lost lines is the same


@dataclass(frozen=True)
class MissCurve:
    """The share of the lines that are lost before their next use, by the working set over the capacity: about none up
    to ``few``, about all from ``nearly_all`` on."""

    share: Callable[[float], float]
    few: Fraction = Fraction(1)
    nearly_all: Fraction = Fraction(1)

    def at(self, needs: Num, capacity: int, what: BlockGroup, loop: str = "") -> tuple[float, tuple[Decision, ...]]:
        """The share, and for what it holds: a share between is that of the sample point."""
        occupancy = value_of(needs) / capacity
        if self.few < occupancy < self.nearly_all:
            here = value_of(needs)
            return self.share(occupancy), (
                Decision(here * EQUAL_WORKING_SETS - needs),
                Decision(needs - here / EQUAL_WORKING_SETS),
            )
        margin = self.few * capacity - needs if occupancy <= self.few else needs - self.nearly_all * capacity - 1
        return float(occupancy > self.few), (Decision(margin, what, loop, needs / self.few),)


def _step(occupancy: float) -> float:
    return 1.0 if occupancy > 1 else 0.0


CYCLIC = MissCurve(_step)
"""A cyclic walk over more than the cache holds misses always."""


@dataclass(frozen=True)
class SharedCache:
    """``lost``: of the lines of independent threads. ``holders``: whose data it holds at once."""

    capacity: int
    line: int
    granule: int
    lost: MissCurve
    unroll: int
    holders: BlockGroup


@dataclass(frozen=True)
class CacheContents:
    """What the cache holds at once: the data of ``box``, which adds up ``boxes``, so many times."""

    box: Box
    boxes: Num = 1
    times: Num = 1


class Walk:
    """The reads (or the writes) of a box, which adds up ``boxes``, through one cache."""

    def __init__(
        self, box: Box, cache: SharedCache, held: Sequence[CacheContents], boxes: Num = 1, writes: bool = False
    ) -> None:
        self._box = box
        self._cache = cache
        self._held = held
        self._boxes = boxes
        self._writes = writes

    def fetched(self, scope: Scope) -> Fetched:
        """In one execution of the scope's body."""
        return self._once(scope, {})

    def _once(self, scope: Scope, outside: Extents) -> Fetched:
        """Each part of a body finds what the parts before it left, if that fits."""
        steps = list(_steps(scope, outside))
        if len(steps) == 1 and steps[0].loop is None:
            return self._touched(steps[0].references, outside)
        moved: dict[str, Num] = {}
        for number, step in enumerate(steps):
            anew = self._touched(step.references, outside) if step.loop is None else self._looped(step.loop, outside)
            for name, bytes_ in anew.items():
                moved[name] = moved.get(name, 0) + self._left_over(steps, number, name, bytes_)
        return moved

    def _left_over(self, steps: Sequence[_Step], number: int, name: str, anew: Num) -> Num:
        """What a step fetches of an array that an earlier one may have left in the cache."""
        earlier = [k for k in range(number) if any(r.name == name for r in steps[k].references)]
        extents = {var: extent for step in steps for var, extent in step.extents.items()}
        before: list[Reference] = []
        decided: list[Decision] = []
        gone = 0.0  # the share that is lost of what the used ones left
        for k in reversed(earlier):
            between = [r for step in steps[k:number] for r in step.references]
            lost, decisions = self._lost(self._cache.lost, "", between, extents)
            decided += decisions
            if lost >= 1:
                break
            gone = max(gone, lost)
            before += (r for r in steps[k].references if r.name == name)
        if not before:
            return given(anew, *decided)
        rest = self._rest(before, [r for r in steps[number].references if r.name == name], extents)
        return given(rest + (anew - rest) * gone if gone else rest, *decided)

    def _rest(self, before: Sequence[Reference], own: Sequence[Reference], extents: Extents) -> Num:
        """Without what is there already."""

        def bytes_of(some: Sequence[Reference]) -> Num:
            return self._bytes(some, extents, self._cache.granule)

        if not self._writes:
            return loaded(own, extents, bytes_of, before=before)
        whole, known = bytes_of([*before, *own]), bytes_of(before)
        return given(whole - known, Decision(whole - known)) if whole > known else 0

    def _looped(self, scope: Scope, outside: Extents) -> Fetched:
        loop, references = scope.loop, tuple(scope.references)
        assert loop is not None
        inside = _inner(scope)
        unit = min(self._cache.unroll, max(1, int(value_of(loop.trips)))) if loop.unrolled and not inside else 1
        kept = self._touched(references, {**outside, **inside, loop.var: loop.trips})
        if loop.trips <= unit:
            return _decided(kept, [Decision(unit - loop.trips)])
        curve = CYCLIC if inside else self._cache.lost
        again, decisions = self._lost(curve, loop.var, references, {**outside, **inside, loop.var: unit})
        if not again:
            return _decided(kept, decisions)
        if inside:
            anew = _times(self._once(scope, {**outside, loop.var: 1}), loop.trips)
        else:
            merged = floor_to(loop.trips, unit)
            anew = _added([
                _times(self._touched(references, {**outside, loop.var: unit}), merged / unit),
                _times(self._touched(references, {**outside, loop.var: 1}), loop.trips - merged),
            ])  # fmt: skip
        return _decided(_mixed(kept, anew, again), decisions)

    def _lost(
        self, curve: MissCurve, loop: str, references: Sequence[Reference], extents: Extents
    ) -> tuple[float, tuple[Decision, ...]]:
        """The share that is lost. What fits if the cache holds the most that it may, fits."""
        most = self._needed(self._held[0], references, extents)
        for held in self._held:
            needs = self._needed(held, references, extents)
            share, decisions = curve.at(needs, self._cache.capacity, self._cache.holders, loop)
            if len(decisions) == 1 and share < 0.5:
                break
        return share, tuple(replace(d, needs=most / curve.few) if d.what else d for d in decisions)

    def _needed(self, held: CacheContents, references: Sequence[Reference], extents: Extents) -> Num:
        """The working set."""
        line = self._cache.line
        lines = total(
            least(held.box.bytes(found, extents, line), _extent(found, line) * held.boxes)
            for found in by_array(references).values()
        )
        return lines * held.times / held.boxes

    def _touched(self, references: Sequence[Reference], extents: Extents) -> Fetched:
        asked = by_array(r for r in references if r.write == self._writes)
        if self._writes:
            return {name: self._bytes(found, extents, self._cache.granule) for name, found in asked.items()}
        return {
            name: loaded(found, extents, lambda some: self._bytes(some, extents, self._cache.granule))
            for name, found in by_array(references).items()
            if name in asked
        }

    def _bytes(self, references: Sequence[Reference], extents: Extents, granule: int) -> Num:
        found = self._box.bytes(references, extents, granule)
        return least(found, _extent(references, self._cache.line) * self._boxes)


def _extent(references: Sequence[Reference], line: int) -> Num:
    return ceil_to(max((r.extent for r in references), key=value_of), line)


@dataclass(frozen=True)
class _Step:
    """A loop of a body, or accesses between loops."""

    references: tuple[Reference, ...]
    extents: Extents
    loop: Scope | None = None


def _steps(scope: Scope, outside: Extents) -> Iterator[_Step]:
    straight: list[Reference] = []
    for item in scope.items:
        if isinstance(item, Reference):
            straight.append(item)
            continue
        if straight:
            yield _Step(tuple(straight), outside)
            straight = []
        own = {item.loop.var: item.loop.trips} if item.loop is not None else {}
        yield _Step(tuple(item.references), {**outside, **own, **_inner(item)}, item)
    if straight:
        yield _Step(tuple(straight), outside)


def _inner(scope: Scope) -> dict[str, Num]:
    """The loops below a scope, which run to their ends."""
    return {inner.loop.var: inner.loop.trips for inner in scope.scopes if inner is not scope and inner.loop is not None}


def _decided(fetched: Fetched, decisions: Sequence[Decision]) -> Fetched:
    return {name: given(moved, *decisions) for name, moved in fetched.items()}


def _times(fetched: Fetched, times: Num) -> Fetched:
    return {name: moved * times for name, moved in fetched.items()}


def _added(parts: Sequence[Fetched]) -> Fetched:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: total(part[name] for part in parts if name in part) for name in names}


def _mixed(kept: Fetched, anew: Fetched, share: float) -> Fetched:
    if share >= 1:
        return anew
    return {name: moved + (anew.get(name, moved) - moved) * share for name, moved in kept.items()}


def set_misses(occupancy: float) -> float:
    """Of lines of many independent threads, by the working set over the capacity: the published curve of an H200's
    second cache (4 % at 0.73, 50 % at 0.92, 88 % at 1.17)."""
    return exp(-553 * exp(-7.26 * occupancy)) if occupancy < 4 else 1.0


INDEPENDENT = MissCurve(set_misses, Fraction(3, 5), Fraction(17, 10))
