"""Rows that are a power of two long, and what it gains to make them longer by a cache line."""

from __future__ import annotations

from roofscan.advice.denser import speedup_by
from roofscan.cost.result import KernelCost
from roofscan.cost.transform.layout import with_padded_rows
from roofscan.roofline.strides import StridedAccess
from roofscan.roofline.time.conflicts import sets_skipped
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable


def sets_of_rows(walk: StridedAccess, counts: KernelCost, line: int) -> int:
    """How many cache sets a walk down the columns of a matrix of known size goes on by; 0 where it uses all of them."""
    if walk.stride.symbols & counts.free or len(walk.array.shape) < 2:
        return 0
    try:
        return sets_skipped(float(walk.stride.evaluate(counts.sample_point)), line)
    except NotEvaluable:
        return 0


def padding(point: RooflinePoint, walk: StridedAccess, line: int) -> tuple[int, Speedup | None]:
    """The elements of a cache line, and what rows of the walk's array that are so much longer gain."""
    elements = -(-line // walk.array.dtype.size)
    padded = with_padded_rows(point.cost.kernel, walk.array.name, elements)
    return elements, speedup_by(point, padded) if padded else None
