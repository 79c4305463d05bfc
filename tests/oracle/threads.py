"""The accesses of a run as threads make them: iterations of ``prange`` in equal parts, an access each at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tests.oracle.trace import CacheTraffic, Movement, Trace


class Parallel:
    """A substitute for ``prange``: a range that the recorder knows."""

    def __init__(self, *limits: int) -> None:
        self.values = range(*limits)

    def __iter__(self) -> Iterator[int]:
        return iter(self.values)


def among(trace: Trace, threads: int, caches: int) -> list[Trace]:
    """The accesses that each cache of a level sees, where so many threads share it. The first one sees the rest of the
    run too."""
    return [_seen(trace, range(cache * threads, (cache + 1) * threads), threads * caches) for cache in range(caches)]


def moved(traces: list[Trace], capacity: int) -> tuple[CacheTraffic, CacheTraffic]:
    """As ``Trace.cache_range``, of all caches together."""
    runs = [trace.cache_range(capacity) for trace in traces]
    return _sum([most for most, _ in runs]), _sum([least for _, least in runs])


def _seen(trace: Trace, threads: range, every: int) -> Trace:
    parts: list[np.ndarray] = []
    done = 0
    for starts in trace.parallel:
        if 0 in threads:
            parts.append(np.arange(done, starts[0]))
        chunks = np.linspace(0, len(starts) - 1, every + 1).round().astype(int)
        parts.append(_in_turn([np.arange(starts[chunks[t]], starts[chunks[t + 1]]) for t in threads]))
        done = starts[-1]
    if 0 in threads:
        parts.append(np.arange(done, len(trace.addresses)))
    order = np.concatenate(parts)
    return replace(trace, addresses=_at(trace.addresses, order), owners=_at(trace.owners, order))


def _in_turn(chunks: list[np.ndarray]) -> np.ndarray:
    """One of each as long as it has some, in rounds."""
    rounds = np.concatenate([np.arange(len(chunk)) for chunk in chunks])
    return np.concatenate(chunks)[np.argsort(rounds, kind="stable")]


def _at(values: array[int], order: np.ndarray) -> array[int]:
    return array("q", np.frombuffer(values, dtype=np.int64)[order].tobytes())


def _sum(parts: list[CacheTraffic]) -> CacheTraffic:
    total = Movement(*(sum(getattr(p.total, name) for p in parts) for name in ("load", "fill", "writeback")))
    return CacheTraffic(total, {})
