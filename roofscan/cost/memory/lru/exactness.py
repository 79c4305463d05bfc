"""Whether a figure is exact to the byte: nothing in it is a mean."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.cost.memory.lru.footprint.boxes import IndexBox
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.footprint.union import is_stretch
from roofscan.cost.memory.lru.reuse_records import ReuseRecord
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import same, value_of

HIT_MARGIN = 1.5
HIT_SPARE_LINES = 2.0
"""A class surely hits where its distance (in lines) times the margin, plus the spare lines, fits."""


def surely_hits(found: Sequence[ReuseRecord], fits: float) -> bool:
    """Whether every class hits in a cache of ``fits`` lines with room to spare."""
    return all(value_of(f.interval.high) * HIT_MARGIN + HIT_SPARE_LINES <= fits for f in found)


def is_exact_footprint(footprints: Footprints, buffer: Buffer, root: Subtree, writes: bool = False) -> bool:
    """Whether the lines of a buffer are counted without means: every end is known, and rows are multiples of a line or
    the box is one stretch."""
    boxes = footprints.boxes(buffer, root, writes)
    if not boxes:
        return True
    if any(i.lo_alignment or i.hi_alignment for box in boxes for i in box):
        return False
    widths = [value_of(s) for s in buffer.strides[:-1]]
    if all(w % buffer.per_line == 0 for w in widths):
        return all(box[-1].step == 1 for box in boxes) and all(_within_row(b, widths) for b in boxes)
    return len({tuple(i.key for i in b) for b in boxes}) == 1 and is_stretch(buffer, boxes[0])


def _within_row(box: IndexBox, widths: Sequence[float]) -> bool:
    return not widths or (box[-1].low >= 0 and box[-1].high < widths[-1])


def is_all_or_none(share: object) -> bool:
    return same(share, 0) or same(share, 1)  # type: ignore[arg-type]
