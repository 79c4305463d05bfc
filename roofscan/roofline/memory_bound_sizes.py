"""For which sizes a kernel is left of the ridge of an interface: AI(n) < ridge, solved on whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roofscan.roofline.model import Holds
from roofscan.roofline.piecewise_bytes import Pieces, below_where, positive_from
from roofscan.roofline.size_paths import SizePath
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.symbolic.expr import Expr, NotEvaluable, Number
from roofscan.symbolic.intervals import Range, Ranges


@dataclass(frozen=True)
class Solved:
    """An answer along one path: where it holds, and the positions that were asked about."""

    path: SizePath
    ranges: Ranges
    asked: Range

    @property
    def holds(self) -> Holds:
        return Holds(self.path.symbol, self.ranges, self.path.others)

    @property
    def always(self) -> bool:
        return self.ranges == (self.asked,)

    @property
    def never(self) -> bool:
        return not self.ranges


def memory_bound(flops: Expr, ridge: Number, road: TrafficCurve, capacity: int) -> Solved | None:
    """Where the kernel is left of the ridge; sizes too small to hold any work are not asked about.

    None where the expressions have no value on the path (a symbol of another kind, a sum too long).
    """
    try:
        return left_of(flops, ridge, road.into(capacity), road.path)
    except NotEvaluable:
        return None


def left_of(flops: Expr, ridge: Number, pieces: Pieces, path: SizePath) -> Solved | None:
    """The same for bytes that are given."""
    try:
        work = path.along(flops)
        asked = (positive_from(work, pieces), None)
        ranges = below_where(work, ridge, pieces, asked)
    except NotEvaluable:
        return None
    return Solved(path, ranges, asked)


def significant(solved: Iterable[Solved | None]) -> Iterator[Solved]:
    """Those answers that depend on the size."""
    return (s for s in solved if s is not None and not s.always and not s.never)
