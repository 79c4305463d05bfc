"""Subscripts taken modulo a number, or clamped: where they reach, one or two windows each."""

from __future__ import annotations

from operator import gt, lt

from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval
from roofscan.cost.memory.lru.tree.nodes import Clamp, Fold, Modulo, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import floor_to


def folded(box: IndexBox, ref: Ref) -> list[IndexBox]:
    """A box with its folded dimensions: one or two windows each."""
    boxes = [box]
    for dim, fold in ref.folds:
        boxes = [(*b[:dim], window, *b[dim + 1 :]) for b in boxes for window in _windows(b[dim], fold)]
    return boxes


def _windows(span: Interval, fold: Fold) -> list[Interval]:
    return _residues(span, fold) if isinstance(fold, Modulo) else [_clamped(span, fold)]


def _clamped(span: Interval, clamp: Clamp) -> Interval:
    lo, lo_alignment, hi, hi_alignment = span.lo, span.lo_alignment, span.hi, span.hi_alignment
    for limit, is_beyond in ((clamp.low, lt), (clamp.high, gt)):
        if limit is not None and is_beyond(lo, limit):
            lo, lo_alignment = limit, 0
        if limit is not None and is_beyond(hi, limit):
            hi, hi_alignment = limit, 0
    return Interval(lo, hi, lo_alignment, hi_alignment, span.step)


def _residues(span: Interval, modulo: Modulo) -> list[Interval]:
    modulus, offset = modulo.modulus, modulo.offset
    if span.hi - span.lo >= modulus - 1:
        return [Interval(offset, modulus - 1 + offset)]
    period = floor_to(span.lo / modulus, 1)
    low, high = span.lo - period * modulus + offset, span.hi - period * modulus + offset
    if high - offset < modulus:
        return [Interval(low, high, span.lo_alignment, span.hi_alignment, span.step)]
    return [
        Interval(low, modulus - 1 + offset, span.lo_alignment, 0, span.step),
        Interval(offset, high - modulus, 0, span.hi_alignment, span.step),
    ]
