"""Public reuse classes: merged, in bytes, as expressions."""

from __future__ import annotations

from collections.abc import Iterable

from roofscan.cost.memory.base import ReuseClass
from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.reuse_records import ReuseRecord
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.sampled_expr import parts_of, value_of
from roofscan.symbolic.expr import ZERO, Expr

PARTS_PER_CLASS = 8  # lines whose distances spread over an interval become a class of so many equal parts
SAME_DISTANCE_RATIO = 1.001  # an interval whose ends differ by less than this factor is one distance


ClassDistance = tuple[Expr, Expr, int]
"""The distance of the first part of a class, its rise from part to part, and the number of parts."""


def public_classes(found: Iterable[ReuseRecord], expressions: Expressions, line: int) -> tuple[ReuseClass, ...]:
    """One class for all that share array, place, kind and distance."""
    firsts: dict[tuple[object, ...], tuple[ReuseRecord, ClassDistance]] = {}
    counts: dict[tuple[object, ...], Expr] = {}
    known: dict[tuple[int, int], ClassDistance] = {}  # by identity: the records keep the numbers alive
    found = list(found)
    for one in found:
        ends = id(one.interval.low), id(one.interval.high)
        if ends not in known:
            known[ends] = _distance(one.interval, expressions, line)
        distance = known[ends]
        fill = expressions.of(one.fill)
        key = (one.buffer.owner, one.place, one.iterations_back, one.kind, distance, fill)
        firsts.setdefault(key, (one, distance))
        count = expressions.of(one.interval.lines)
        counts[key] = counts[key] + count if key in counts else count
    return tuple(
        _public(one, counts[key], distance, expressions, line) for key, (one, distance) in firsts.items() if counts[key]
    )


def _distance(interval: DistanceInterval, expressions: Expressions, line: int) -> ClassDistance:
    low = expressions.of(interval.low) * line
    if value_of(interval.high) <= value_of(interval.low) * SAME_DISTANCE_RATIO:
        return low, ZERO, 1
    half = (expressions.of(interval.high) * line - low) / (2 * PARTS_PER_CLASS)
    return low + half, half * 2, PARTS_PER_CLASS


def _public(
    found: ReuseRecord, count: Expr, distance: ClassDistance, expressions: Expressions, line: int
) -> ReuseClass:
    first, rise, parts = distance
    return ReuseClass(
        array=found.buffer.owner,
        place=found.place,
        line=found.line,
        iterations_back=found.iterations_back,
        kind=found.kind,
        count=count / parts,
        distance=first,
        fill_share=expressions.of(found.fill),
        between=tuple((array, expressions.of(n) * line) for (array, _), n in parts_of(found.interval.high)),
        rise=rise,
        parts=parts,
    )
