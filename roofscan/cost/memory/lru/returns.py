"""Bounds on the number of touches that come back to a line after more than a given distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofscan.cost.memory.lru.tree.sampled_expr import Num, smaller
from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Returns:
    """An upper bound on the touches that come back to their line at a distance."""

    lines: Num
    distance: Num


def falling(limits: Sequence[tuple[Num, Num]], others: Sequence[tuple[Num, Num]]) -> list[tuple[Num, Num]]:
    """The smaller of two limits on what comes back after some iterations, and after fewer: that is no less."""
    found: list[tuple[Num, Num]] = []
    for (limit, distance), (other, _) in reversed(list(zip(limits, others))):
        least_of_both = smaller(limit if limit > 0 else 0, other)
        found.append((smaller(least_of_both, found[-1][0]) if found else least_of_both, distance))
    return found[::-1]


def by_distance(lines: Num, limits: Sequence[tuple[Num, Num]], longest: Num) -> Iterator[Returns]:
    """Touches that come back: at the ``longest`` distance, and at those of the limits, within them."""
    distance: Num = longest
    before: Num = 0
    for limit, shorter in limits:
        late = smaller(lines, limit)
        yield Returns(late - before, distance)
        if late is lines:
            return
        before, distance = late, shorter
    yield Returns(lines - before, distance)
