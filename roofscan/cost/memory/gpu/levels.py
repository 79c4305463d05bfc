"""When it is touched again: the bytes that a cache fetches while the threads of a box run the program. A loop keeps
what one of its iterations touches for the next, or fetches it anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor

from roofscan.cost.memory.gpu.boxes import Box, Extents, by_array
from roofscan.cost.memory.gpu.program import Reference, Scope
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, smaller, total, value_of

Fetched = Mapping[str, Num]  # bytes by array
Misses = Callable[[float], float]


@dataclass(frozen=True)
class SharedCache:
    """``crowd``: how many times the data of the box are in it at once. ``misses``: the share of reuses that miss, by
    the working set over the capacity."""

    capacity: int
    line: int
    granule: int
    crowd: float
    misses: Misses
    unroll: int


class Walk:
    """The reads (or the writes) of a box through one cache."""

    def __init__(self, box: Box, cache: SharedCache, boxes: float = 1.0, writes: bool = False) -> None:
        self._box = box
        self._cache = cache
        self._boxes = boxes  # that ``box`` adds up
        self._writes = writes

    def fetched(self, scope: Scope) -> Fetched:
        """In one execution of the scope's body."""
        return self._once(scope, {})

    def _once(self, scope: Scope, outside: Extents) -> Fetched:
        references = tuple(scope.references)
        extents = {**outside, **_inner(scope)}
        again = self._share(references, extents)
        kept = self._touched(references, extents)
        if not again or not any(isinstance(item, Scope) for item in scope.items):
            return kept
        own = tuple(item for item in scope.items if isinstance(item, Reference))
        parts = [self._touched(own, outside)]
        parts += [self._looped(item, outside) for item in scope.items if isinstance(item, Scope)]
        return _mixed(kept, _added(parts), again)

    def _looped(self, scope: Scope, outside: Extents) -> Fetched:
        loop, references = scope.loop, tuple(scope.references)
        assert loop is not None
        inside = _inner(scope)
        unit = min(self._cache.unroll, max(1, floor(value_of(loop.trips)))) if loop.unrolled and not inside else 1
        again = self._share(references, {**outside, **inside, loop.var: unit})
        kept = self._touched(references, {**outside, **inside, loop.var: loop.trips})
        if not again:
            return kept
        if inside:
            anew = _times(self._once(scope, {**outside, loop.var: 1}), loop.trips)
        else:
            groups = floor(value_of(loop.trips) / unit)
            anew = _added([
                _times(self._touched(references, {**outside, loop.var: unit}), groups),
                _times(self._touched(references, {**outside, loop.var: 1}), loop.trips - groups * unit),
            ])  # fmt: skip
        return _mixed(kept, anew, again)

    def _share(self, references: Sequence[Reference], extents: Extents) -> float:
        """The share of reuses across this working set that miss."""
        lines = total(
            self._limited(self._box.bytes(found, extents, self._cache.line), found)
            for found in by_array(references).values()
        )
        held = value_of(lines) / self._boxes * self._cache.crowd
        return self._cache.misses(held / self._cache.capacity)

    def _touched(self, references: Sequence[Reference], extents: Extents) -> Fetched:
        asked = [r for r in references if r.write == self._writes]
        return {
            name: self._limited(self._box.bytes(found, extents, self._cache.granule), found)
            for name, found in by_array(asked).items()
        }

    def _limited(self, found: Num, references: Sequence[Reference]) -> Num:
        limit = ceil_to(max((r.extent for r in references), key=value_of), self._cache.line)
        return smaller(found, limit * round(self._boxes))


def _inner(scope: Scope) -> dict[str, Num]:
    """The loops below a scope, which run to their ends."""
    return {inner.loop.var: inner.loop.trips for inner in scope.scopes if inner is not scope and inner.loop is not None}


def _times(fetched: Fetched, times: Num) -> Fetched:
    return {name: moved * times for name, moved in fetched.items()}


def _added(parts: Sequence[Fetched]) -> Fetched:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: total(part[name] for part in parts if name in part) for name in names}


def _mixed(kept: Fetched, anew: Fetched, share: float) -> Fetched:
    if share >= 1:
        return anew
    return {name: moved + (anew.get(name, moved) - moved) * share for name, moved in kept.items()}
