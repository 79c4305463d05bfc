"""Subscripts taken modulo a number: where they reach, one or two windows each."""

from __future__ import annotations

from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval
from roofscan.cost.memory.lru.tree.nodes import Modulo, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import floor_to


def reduced_modulo(box: IndexBox, ref: Ref) -> list[IndexBox]:
    """A box with its folded dimensions taken modulo: one or two windows each."""
    boxes = [box]
    for dim, modulo in ref.modulos:
        boxes = [(*b[:dim], window, *b[dim + 1 :]) for b in boxes for window in _windows(b[dim], modulo)]
    return boxes


def _windows(span: Interval, modulo: Modulo) -> list[Interval]:
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
