"""Boxes of shifted references as few boxes: what lies in a row along one dimension is one box.

A stencil's references reach boxes that differ by a shift. Merged, a star is as many boxes as it has arms, and a
cube a single one, so that the cost of a union does not grow with the number of references.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, value_of

BoxKey = tuple[object, ...]


def merged(
    boxes: Sequence[IndexBox], key: Callable[[IndexBox], BoxKey], strides: Sequence[Num], per_line: int
) -> list[IndexBox]:
    """Boxes that cover the same; ``key`` is equal for equal boxes."""
    left = list(boxes)
    for dim in reversed(range(len(strides))):
        if len(left) == 1:
            break
        aligned = dim == len(strides) - 1 or value_of(strides[dim]) % per_line == 0
        left = _along(left, dim, key, aligned)
    return left


def _along(boxes: list[IndexBox], dim: int, key: Callable[[IndexBox], BoxKey], aligned: bool) -> list[IndexBox]:
    """The boxes that differ only in one dimension and meet there, as one."""
    rows: dict[BoxKey, list[IndexBox]] = {}
    for box in boxes:
        name = key(box)
        rows.setdefault((*name[:dim], box[dim].step, *name[dim + 1 :]), []).append(box)
    if len(rows) == len(boxes):
        return boxes
    return [made for row in rows.values() for made in (_joined(row, dim, aligned) if len(row) > 1 else row)]


def _joined(row: list[IndexBox], dim: int, aligned: bool) -> list[IndexBox]:
    row.sort(key=lambda b: (b[dim].low, -b[dim].high))
    made = [row[0]]
    for box in row[1:]:
        span = _union(made[-1][dim], box[dim], aligned)
        if span is None:
            made.append(box)
        elif span is not made[-1][dim]:
            made[-1] = (*box[:dim], span, *box[dim + 1 :])
    return made


def _union(a: Interval, b: Interval, aligned: bool) -> Interval | None:
    """Two intervals of the same step as one, ``a`` beginning first; None where they do not meet, or where that
    would lose what is known of an end, or (unless ``aligned``) of the one place that an interval is."""
    if a.step != 1 or b.low > a.high + 1 + TOLERANCE:
        return None
    if not aligned and (_is_known(a) or _is_known(b)):
        return None
    if b.low < a.low + TOLERANCE and a.lo_alignment != b.lo_alignment:
        return None
    if b.high < a.high - TOLERANCE:
        return a
    if b.high < a.high + TOLERANCE:
        return a if a.hi_alignment == b.hi_alignment else None
    return Interval(a.lo, b.hi, a.lo_alignment, b.hi_alignment)


def _is_known(span: Interval) -> bool:
    return span.single and not span.lo_alignment
