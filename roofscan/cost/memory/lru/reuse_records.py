"""Records of reuse: those of the whole kernel, and the contributions of one loop while it is scanned. The distances of
a stratum spread towards its neighbours' (:func:`interpolated`): else all its lines would miss at one capacity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import Num, magnitude, rounded, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TouchKind

Cell = tuple[int, int]  # a loop and the stratum of its iterations


@dataclass(frozen=True)
class ThreadUse:
    """What threads change about a reuse: see :mod:`roofscan.cost.memory.lru.threads`."""

    trips: Num | None  # of the parallel loop around it or in it; None: not known
    inside: bool  # within an iteration of a parallel loop, or from one of them to the next
    together: bool  # the iterations do equal work: threads reach the lines they have in common at the same time
    common: bool  # no thread has the lines for itself
    first: Num  # of lines touched again in the next iteration, how many each thread meets in its first one
    entries: Num  # how often the parallel loop runs
    low: Num  # of each end of the distance, the lines that no thread has for itself
    high: Num
    whole: Num  # all that threads have in common in the parallel loop


@dataclass(frozen=True)
class ReuseRecord:
    """Lines touched again, over the whole kernel, with their reuse distances (in lines)."""

    buffer: Buffer
    place: str
    line: int
    iterations_back: int
    kind: TouchKind  # "touch" or "write"
    interval: DistanceInterval
    fill: Num  # share of these touches that are writes
    origin: tuple[object, ...] = ()  # equal for the records of one reuse in all strata
    cells: tuple[Cell, ...] = ()
    threads: ThreadUse | None = None  # None: the kernel has one


@dataclass
class ReuseContribution:
    """The lines that a child touches again after one source, in ``times`` iterations with the same intervals."""

    iterations_back: int
    times: Num
    lost: Num  # lines of iterations that have no source
    intervals: list[DistanceInterval]  # of one iteration
    fill: Num
    share: Num
    child: int | None  # the number of the child in its loop; None: the loop itself
    pair: tuple[int, int] = (0, 0)  # source and child
    stratum: int | None = None
    common: bool = False  # as in ThreadUse
    extra: Num = 0  # lines added when the accumulator is closed

    @property
    def lines(self) -> Num:
        return total(r.lines for r in self.intervals) * self.times + self.extra

    def whole(self) -> list[DistanceInterval]:
        """The intervals of all iterations; the extra lines go to the one with the most lines."""
        intervals = [DistanceInterval(r.lines * self.times, r.low, r.high) for r in self.intervals]
        if self.extra:
            most = max(range(len(intervals)), key=lambda n: value_of(intervals[n].lines))
            intervals[most] = replace(intervals[most], lines=intervals[most].lines + self.extra)
        return intervals


@dataclass(frozen=True)
class MemoEntry:
    """The contributions of a loop, shared by all loops of its canonical form."""

    contributions: list[ReuseContribution]
    buffers: tuple[Buffer, ...]
    averaged: bool

    def names(self, buffers: Sequence[Buffer]) -> dict[str, str]:
        """The names of arrays that change where ``buffers`` replace these."""
        return {a.owner: b.owner for a, b in zip(self.buffers, buffers) if a.owner != b.owner}


@dataclass
class ReuseAccumulator:
    """The contributions of one loop and one buffer, until they add up to its footprint."""

    entered: list[Num] = field(default_factory=list)
    contributions: list[ReuseContribution] = field(default_factory=list)


StratumKey = tuple[tuple[object, ...], tuple[Cell, ...]]

MIN_WIDTH_SHARE = 0.02  # distances that change by a smaller share within a stratum are one distance


def interpolated(found: list[ReuseRecord]) -> list[ReuseRecord]:
    """The records, their intervals widened by the change of the distance within their strata."""
    groups: dict[StratumKey, list[ReuseRecord]] = {}
    for one in found:
        if one.cells:
            groups.setdefault((one.origin, one.cells), []).append(one)
    means = {key: _mean(group) for key, group in groups.items()}
    widths = {key: _width(key, means) for key in means}
    return [_widened(f, widths[f.origin, f.cells], means[f.origin, f.cells]) if f.cells else f for f in found]


def _mean(group: Iterable[ReuseRecord]) -> Num:
    intervals = [f.interval for f in group]
    lines = sum(value_of(r.lines) for r in intervals)
    return total((r.low + r.high) * rounded(value_of(r.lines) / lines / 2) for r in intervals)


def _width(key: StratumKey, means: dict[StratumKey, Num]) -> Num:
    """Half of the change of the distance within the stratum, over all loops that have strata."""
    parts = sorted((_change(key, n, means) for n in range(len(key[1]))), key=value_of, reverse=True)
    return parts[0] + total(parts[1:]) / 3


def _change(key: StratumKey, place: int, means: dict[StratumKey, Num]) -> Num:
    origin, cells = key
    loop, stratum = cells[place]
    before, after = (
        means.get((origin, (*cells[:place], (loop, stratum + step), *cells[place + 1 :]))) for step in (-1, 1)
    )
    if before is not None and after is not None:
        return magnitude(after - before) / 4
    neighbour = before if before is not None else after
    return magnitude(means[key] - neighbour) / 2 if neighbour is not None else 0


def _widened(found: ReuseRecord, width: Num, mean: Num) -> ReuseRecord:
    if value_of(width) <= MIN_WIDTH_SHARE * value_of(mean):
        return found
    interval = found.interval
    low = interval.low - width
    return replace(found, interval=DistanceInterval(interval.lines, low if low > 1 else 1, interval.high + width))
