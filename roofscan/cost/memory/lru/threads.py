"""Reuse among threads: what one thread touches again, as it is where several run a parallel loop. The threads run equal
parts of the iterations at one pace. Between two touches within a part, a cache meets what each of its threads has for
itself, and once what they have in common. Between two runs of the loop, each cache meets the part of its threads. Lines
in common are fetched by each cache, and for all threads of a cache at once where the iterations do equal work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from roofscan.cost.memory.base import Sharing
from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.reuse_records import ReuseRecord, ThreadUse
from roofscan.cost.memory.lru.tree.sampled_expr import Num, labelled_total, parts_of
from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Threads:
    """The threads at the caches of one level. ``worst``: as for an upper bound, they have no lines in common at any
    time."""

    sharing: Sharing
    worst: bool

    def records(self, found: Iterable[ReuseRecord]) -> list[ReuseRecord]:
        return [replace(f, interval=self._interval(f.interval, f.threads)) if f.threads else f for f in found]

    def more_cold(self, found: Iterable[ReuseRecord]) -> Mapping[int, Num]:
        """The lines that further caches fetch for the first time, by the buffer's identity."""
        more: dict[int, Num] = {}
        for one in found:
            if one.kind == "touch" and one.threads and one.threads.first:
                further = self._further(one.threads, one.interval.lines)
                more[id(one.buffer)] = more.get(id(one.buffer), 0) + further
        return more

    def _interval(self, interval: DistanceInterval, use: ThreadUse) -> DistanceInterval:
        lines, low, high = self._lines(interval.lines, use), interval.low, interval.high
        if not use.inside and self.worst:
            return DistanceInterval(lines, low, high)
        factor = self._threads(use) if use.inside else Fraction(1, self.sharing.caches)
        if self.worst:
            return DistanceInterval(lines, low * factor, high * factor)
        if use.inside and not use.together:  # each at its place in what they have in common
            low, high = (_apart(*ends, factor, use.whole) for ends in ((low, use.low), (high, use.high)))
            met = use.first and use.common  # by another thread, at any time since
            return DistanceInterval(lines, use.low if met else low, high)
        return DistanceInterval(lines, _distance(low, use.low, factor), _distance(high, use.high, factor))

    def _lines(self, lines: Num, use: ThreadUse) -> Num:
        """Those that may miss, in all caches together."""
        if use.first and (self.worst or not use.common or not use.together):
            return lines - self._further(use, lines)
        if not use.common:
            return lines
        if not use.first:
            return lines * self._caches(use) if not use.inside else self._at_once(lines, use)
        first = use.first * use.entries
        left = self._at_once(lines + first, use) - first * self._caches(use)
        return left if left > 0 else 0

    def _at_once(self, lines: Num, use: ThreadUse) -> Num:
        return lines if self.worst or not use.together else lines * _inverse(self._threads(use))

    def _further(self, use: ThreadUse, lines: Num) -> Num:
        further = use.first * (self._caches(use) - 1)
        return further if further < lines else lines

    def _threads(self, use: ThreadUse) -> Num:
        """Threads of one cache that have iterations."""
        few = use.trips is not None and use.trips < self.sharing.threads
        return use.trips if few and use.trips is not None else self.sharing.threads

    def _caches(self, use: ThreadUse) -> Num:
        """Caches whose threads have iterations."""
        if use.trips is None or use.trips >= self.sharing.threads * self.sharing.caches:
            return self.sharing.caches
        return use.trips * Fraction(1, self.sharing.threads) if use.trips > self.sharing.threads else 1


def _distance(number: Num, common: Num, factor: Num) -> Num:
    """``factor`` times what a thread has for itself, and once what is common."""
    parts = parts_of(number)
    if parts:
        return labelled_total((label, n if label[1] else n * factor) for label, n in parts)
    return (number - common) * factor + common


def _apart(number: Num, common: Num, threads: Num, whole: Num) -> Num:
    every = common * threads
    return (number - common) * threads + (every if every < whole or whole < common else whole)


def _inverse(number: Num) -> Num:
    return Fraction(1, number) if isinstance(number, int) else 1 / number
