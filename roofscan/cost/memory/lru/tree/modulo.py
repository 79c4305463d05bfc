"""Subscripts taken modulo a number: where they reach, one or two windows each."""

from __future__ import annotations

from roofscan.cost.memory.lru.footprint.boxes import Box, Interval
from roofscan.cost.memory.lru.tree.nodes import Fold, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import floor_to


def folded(box: Box, ref: Ref) -> list[Box]:
    """A box with its folded dimensions taken modulo: one or two windows each."""
    boxes = [box]
    for dim, fold in ref.folds:
        boxes = [(*b[:dim], window, *b[dim + 1 :]) for b in boxes for window in _windows(b[dim], fold)]
    return boxes


def _windows(span: Interval, fold: Fold) -> list[Interval]:
    modulus, offset = fold.modulus, fold.offset
    if span.hi - span.lo >= modulus - 1:
        return [Interval(offset, modulus - 1 + offset)]
    turn = floor_to(span.lo / modulus, 1)
    low, high = span.lo - turn * modulus + offset, span.hi - turn * modulus + offset
    if high - offset < modulus:
        return [Interval(low, high, span.lo_grain, span.hi_grain, span.step)]
    return [
        Interval(low, modulus - 1 + offset, span.lo_grain, 0, span.step),
        Interval(offset, high - modulus, 0, span.hi_grain, span.step),
    ]
