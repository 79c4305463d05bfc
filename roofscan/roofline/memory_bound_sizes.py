"""For which sizes a kernel is left of the ridge of an interface: AI(n) < ridge, solved on integers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofscan.frozen import dataclass
from roofscan.roofline.model import SymbolRanges
from roofscan.roofline.piecewise_bytes import PiecewiseBytes, below_where, positive_from
from roofscan.roofline.size_paths import SizePath
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.symbolic.bounded_evaluation import ValuesAlong
from roofscan.symbolic.expr import Expr, NotEvaluable, Number
from roofscan.symbolic.intervals import Range, Ranges, without_points


@dataclass(frozen=True)
class MemoryBoundSizes:
    """The positions on one path at which a kernel is left of the ridge, of the positions in question."""

    path: SizePath
    ranges: Ranges
    domain: Range

    @property
    def symbol_ranges(self) -> SymbolRanges:
        return SymbolRanges(self.path.symbol, self.ranges, self.path.others)

    @property
    def always(self) -> bool:
        return self.ranges == (self.domain,)

    @property
    def never(self) -> bool:
        return not self.ranges


def memory_bound_sizes(flops: Expr, ridge: Number, curve: TrafficCurve, capacity: int) -> MemoryBoundSizes | None:
    """Where the kernel is left of the ridge, of the sizes that are large enough to hold any work. None where the
    expressions have no value on the path (a symbol of another kind, a sum too long), or no size does."""
    try:
        return left_of(flops, ridge, curve.into(capacity), curve.path, curve.values)
    except NotEvaluable:
        return None


def left_of(
    flops: Expr, ridge: Number, pieces: PiecewiseBytes, path: SizePath, values: ValuesAlong | None = None
) -> MemoryBoundSizes | None:
    """The same for bytes that are given."""
    try:
        work = path.restrict(flops)
        first, last = path.domain
        domain = (max(first, positive_from(work, pieces, values)), last)
        if last is not None and last < domain[0]:
            return None
        ranges = without_points(below_where(work, ridge, pieces, domain, values), domain)
    except NotEvaluable:
        return None
    return MemoryBoundSizes(path, ranges, domain)


def significant(bound_sizes: Iterable[MemoryBoundSizes | None]) -> Iterator[MemoryBoundSizes]:
    """Those answers that depend on the size."""
    return (s for s in bound_sizes if s is not None and not s.always and not s.never)
