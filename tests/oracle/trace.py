"""What a run did: operations by class and every element access, and what a cache would have moved for it."""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

FLOP_WEIGHT = {
    "add": 1, "sub": 1, "mul": 1, "div": 1, "sqrt": 1, "minmax": 1, "special": 1, "complex_div": 11,
}  # fmt: skip
"""FLOPs of one operation of each class that counts; neg, abs, compare and convert weigh nothing."""


@dataclass
class Movement:
    """Bytes across one interface: fetched for a read, fetched for a write, written back."""

    load: int = 0
    fill: int = 0
    writeback: int = 0


@dataclass(frozen=True)
class CacheTraffic:
    total: Movement
    arrays: dict[str, Movement]


@dataclass
class Trace:
    """The record of one run. ``operations`` counts by (class, precision); accesses are in order.

    ``addresses`` are in bytes (each array starts a line of its own), ``owners`` are buffer * 2 + write.
    """

    operations: Counter[tuple[str, str]] = field(default_factory=Counter)
    addresses: array[int] = field(default_factory=lambda: array("q"))
    owners: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    parallel: list[list[int]] = field(default_factory=list)
    """Of each run of a ``prange``: how many accesses came before each of its iterations, and before its end."""
    names: list[str] = field(default_factory=list)
    itemsizes: list[int] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    taken: Counter[int] = field(default_factory=Counter)
    tested: Counter[int] = field(default_factory=Counter)
    iterations: Counter[int] = field(default_factory=Counter)
    entered: Counter[int] = field(default_factory=Counter)
    passed: Counter[int] = field(default_factory=Counter)
    """By line: how often a condition held and was tested, how often a loop's body ran and the loop began, and how often
    it ended without a return (its ``else``: without a break)."""
    clamped: bool = False
    """Whether a slice went beyond an end of its array."""
    result: object = None
    arguments: dict[str, object] = field(default_factory=dict)
    """The arrays as the run left them, as NumPy arrays: what a run without the oracle must leave too."""
    _simulated: dict[tuple[int, int, int], CacheTraffic] = field(default_factory=dict, init=False)
    """Of a finished run: by accesses, line and lines of a cache. All caches that hold every line are one."""
    _touches: dict[tuple[int, int], tuple[list[int], list[int]]] = field(default_factory=dict, init=False)

    @property
    def counters(self) -> tuple[Counter[Any], ...]:
        return self.operations, self.taken, self.tested, self.iterations, self.entered, self.passed

    @property
    def flops(self) -> int:
        return sum(FLOP_WEIGHT[kind] * count for kind, count in self.by_class.items())

    @property
    def by_class(self) -> dict[str, int]:
        """Operations of the classes that count; a class that does not occur is absent."""
        return {kind: count for kind, count in self.all_classes.items() if kind in FLOP_WEIGHT}

    @property
    def all_classes(self) -> dict[str, int]:
        totals: Counter[str] = Counter()
        for (kind, _), count in self.operations.items():
            totals[kind] += count
        return {kind: count for kind, count in sorted(totals.items()) if count}

    def share(self, line: int) -> Fraction:
        """The share of executions in which the ``if`` of a line was taken."""
        return Fraction(self.taken[line], self.tested[line]) if self.tested[line] else Fraction(0)

    def share_past(self, line: int) -> Fraction:
        """The share of executions of a loop after which the statements behind it run, or its ``else``."""
        return Fraction(self.passed[line], self.entered[line]) if self.entered[line] else Fraction(0)

    def mean_trips(self, line: int) -> Fraction:
        return Fraction(self.iterations[line], self.entered[line]) if self.entered[line] else Fraction(0)

    @property
    def accesses(self) -> int:
        return len(self.addresses)

    @property
    def writes(self) -> int:
        return sum(owner & 1 for owner in self.owners)

    @property
    def reads(self) -> int:
        return self.accesses - self.writes

    def events(self) -> Iterator[tuple[str, int, bool, int]]:
        """(array, byte address, is a write, source line) of every access, in order."""
        for address, owner, line in zip(self.addresses, self.owners, self.lines, strict=True):
            yield self.names[owner >> 1], address, bool(owner & 1), line

    @property
    def footprint(self) -> int:
        """Bytes of distinct 64-byte lines."""
        return 64 * len(set(self._touched(64)[1]))

    @property
    def compulsory(self) -> Movement:
        return self.cache(1 << 60).total

    def cache(self, capacity: int, line: int = 64) -> CacheTraffic:
        """Traffic of a fully associative LRU cache: write-allocate, write-back, cold, flushed at the end.

        A capacity of 0 is the registers' interface: every access moves its own bytes, and no lines.
        """
        if capacity <= 0:
            return self._every_access()
        owners, places = self._touched(line)
        most = min(max(1, capacity // line), len(set(places)) + 1)
        key = len(self.owners), line, most
        if key not in self._simulated:
            self._simulated[key] = self._by_name(self._lru(owners, places, line, most))
        return self._simulated[key]

    def _lru(self, owners: list[int], places: list[int], line: int, most: int) -> list[Movement]:
        moved = [Movement() for _ in self.names]
        held: OrderedDict[int, int] = OrderedDict()  # line -> owner, the last bit says dirty
        for owner, place in zip(owners, places, strict=True):
            state = held.get(place)
            if state is not None:
                held.move_to_end(place)
                if owner & 1:
                    held[place] = state | 1
                continue
            if owner & 1:
                moved[owner >> 1].fill += line
            else:
                moved[owner >> 1].load += line
            if len(held) >= most:
                evicted = held.popitem(last=False)[1]
                moved[evicted >> 1].writeback += line * (evicted & 1)
            held[place] = owner
        for state in held.values():
            moved[state >> 1].writeback += line * (state & 1)
        return moved

    def cache_range(self, capacity: int, line: int = 64) -> tuple[CacheTraffic, CacheTraffic]:
        """The most and the least that caches from 0.8 to 1.25 times ``capacity`` move.

        LRU traffic falls as the cache grows (Mattson's inclusion property), so the ends are enough.
        """
        return self.cache(capacity * 4 // 5, line), self.cache(capacity * 5 // 4, line)

    def _touched(self, line: int) -> tuple[list[int], list[int]]:
        """The owner and the line of every touch, without those that repeat the one before. An element that begins in
        one line may end in the next."""
        key = len(self.owners), line
        if key not in self._touches:
            owners, places = self._all_touches(line)
            new = np.ones(len(owners), bool)
            new[1:] = (places[1:] != places[:-1]) | (owners[1:] != owners[:-1])
            self._touches[key] = owners[new].tolist(), places[new].tolist()
        return self._touches[key]

    def _all_touches(self, line: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        owners, addresses = (np.frombuffer(part, np.int64) for part in (self.owners, self.addresses))
        first = addresses // line
        last = (addresses + np.array(self.itemsizes, np.int64)[owners >> 1] - 1) // line
        times = last - first + 1
        if times.max(initial=1) == 1:
            return owners, first
        among = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        return np.repeat(owners, times), np.repeat(first, times) + among

    def _every_access(self) -> CacheTraffic:
        moved = [Movement() for _ in self.names]
        for owner, count in Counter(self.owners).items():
            size = self.itemsizes[owner >> 1]
            if owner & 1:
                moved[owner >> 1].writeback += count * size
            else:
                moved[owner >> 1].load += count * size
        return self._by_name(moved)

    def _by_name(self, moved: list[Movement]) -> CacheTraffic:
        """Sums over buffers of one name: a local that is allocated anew in every iteration is one array."""
        arrays: dict[str, Movement] = {}
        for name, m in zip(self.names, moved, strict=True):
            into = arrays.setdefault(name, Movement())
            into.load, into.fill = into.load + m.load, into.fill + m.fill
            into.writeback += m.writeback
        total = Movement(*(sum(getattr(m, part) for m in moved) for part in ("load", "fill", "writeback")))
        return CacheTraffic(total, arrays)
