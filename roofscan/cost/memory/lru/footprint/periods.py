"""A dimension of a box that has a step: as one without gaps, or as two dimensions, the period and the place in it."""

from __future__ import annotations

from math import floor

from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, floor_to, value_of


def contiguous(span: Interval) -> Interval:
    return Interval(span.lo, span.hi, span.lo_alignment, span.hi_alignment)


def replaced(box: IndexBox, dim: int, *intervals: Interval) -> IndexBox:
    return (*box[:dim], *intervals, *box[dim + 1 :])


def periods(box: IndexBox, dim: int, step: int) -> list[IndexBox]:
    span = box[dim]
    start = floor(span.low / step + 1e-9)
    place = span.lo - start * step
    if span.single:
        return [
            replaced(box, dim, Interval(start, start), Interval(place, place, span.lo_alignment, span.lo_alignment))
        ]
    if span.step == step:
        last = start + (span.hi - span.lo) / step
        return [replaced(box, dim, Interval(start, last), Interval(place, place, span.lo_alignment, span.lo_alignment))]
    whole = floor_to(span.hi, step)
    end, rest = whole / step, span.hi - whole
    if value_of(end) <= start:
        return [replaced(box, dim, Interval(start, start), Interval(place, rest, span.lo_alignment, span.hi_alignment))]
    found: list[IndexBox] = []
    if value_of(place) > TOLERANCE:
        found.append(replaced(box, dim, Interval(start, start), Interval(place, step - 1, span.lo_alignment)))
        start += 1
    if value_of(rest) < step - 1 - TOLERANCE:
        found.append(replaced(box, dim, Interval(end, end), Interval(0, rest, 0, span.hi_alignment)))
        end = end - 1
    if value_of(end) >= start - TOLERANCE:
        found.append(replaced(box, dim, Interval(start, end), Interval(0, step - 1)))
    return found
