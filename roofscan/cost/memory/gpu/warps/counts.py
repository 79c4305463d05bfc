"""What is asked of the first cache over a whole launch."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
from roofscan.frozen import dataclass

LIKELY_DENOMINATOR = 1 << 12


@dataclass(frozen=True)
class RequestCounts:
    """Over the whole launch. ``tags``: wavefronts, by the tags alone."""

    requests: Num = 0
    sectors: Num = 0
    data: Num = 0
    tags: Num = 0

    def __add__(self, other: RequestCounts) -> RequestCounts:
        return RequestCounts(
            self.requests + other.requests, self.sectors + other.sectors, self.data + other.data, self.tags + other.tags
        )

    def __mul__(self, factor: Num) -> RequestCounts:
        return self.mapped(lambda count: count * factor)

    def mapped(self, change: Callable[[Num], Num]) -> RequestCounts:
        return RequestCounts(change(self.requests), change(self.sectors), change(self.data), change(self.tags))

    def for_each(self, executions: Num, points: int) -> RequestCounts:
        """The counts of one of ``points`` executions, as simple fractions, times the executions."""

        def rate(count: Num) -> Num:
            share = Fraction(value_of(count)) / max(1, points)
            return executions * share.limit_denominator(LIKELY_DENOMINATOR)

        return self.mapped(rate)

    @property
    def wavefronts(self) -> Num:
        return self.data if self.data >= self.tags else self.tags
