"""Interpolation between strata: the distances of a stratum spread towards those of its neighbours.

Without it all lines of a stratum would miss at one capacity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.reuse_records import Cell, ReuseRecord
from roofscan.cost.memory.lru.tree.sampled_expr import Num, magnitude, rounded, total, value_of

StratumKey = tuple[tuple[object, ...], tuple[Cell, ...]]

MIN_WIDTH_SHARE = 0.02
"""Distances that change by a smaller share within a stratum are one distance."""


def smoothed(found: list[ReuseRecord]) -> list[ReuseRecord]:
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
