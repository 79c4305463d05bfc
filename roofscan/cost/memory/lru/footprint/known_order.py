"""Whether boxes lie to each other at all sizes as they do at the sample point: what ``x[m]`` and a loop over ``x[i]``
with i < n touch together depends on the order of m and n. Differences by constants count as known. So does whether
their lines are those of the sample point: ``x[k]`` and ``x[k + 1]`` may be on one line or on two."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter

from roofscan.cost.memory.lru.footprint.boxes import IndexBox
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, total, value_of
from roofscan.symbolic.chamber import is_obvious
from roofscan.symbolic.expr import Expr

CONSTANT = 64
"""Elements that a difference may be off by."""


def order_is_known(
    buffer: Buffer, boxes: Sequence[IndexBox], given: Mapping[str, Expr], expressions: Expressions
) -> bool:
    """``given``: the sizes that have a value."""
    if len(boxes) <= 1:
        return True
    ends = [total(i.hi * s for i, s in zip(box, buffer.strides)) + 1 for box in boxes]
    missing = [buffer.size - end for end in ends]
    last = [not expressions.of(elements).subs(given).terms for elements in missing]
    if any(is_last and _from_start(box) for is_last, box in zip(last, boxes)):  # one box is the whole buffer
        return all(is_last or value_of(elements) > TOLERANCE for is_last, elements in zip(last, missing))
    return all(
        _in_known_order([(expressions.of(end).subs(given), value_of(end)) for i in dim for end in (i.lo, i.hi)])
        for dim in zip(*boxes)
    )


def lines_are_known(
    boxes: Sequence[IndexBox], places: Collection[str], given: Mapping[str, Expr], expressions: Expressions
) -> bool:
    """Whether no stretch of elements starts where an integer without a value says; ``places``: those that may."""
    several = len({box[-1].key for box in boxes}) > 1 or any(not box[-1].single for box in boxes)
    starts = (expressions.of(box[-1].lo).subs(given).symbols for box in boxes if several)
    return all(names.isdisjoint(places) for names in starts)


def _from_start(box: IndexBox) -> bool:
    return all(i.step == 1 and i.low < TOLERANCE for i in box)


def _in_known_order(ends: Sequence[tuple[Expr, float]]) -> bool:
    ranked = sorted(dict(ends).items(), key=itemgetter(1))
    return all(_is_above(high - low) for (low, _), (high, _) in pairwise(ranked))


def _is_above(difference: Expr) -> bool:
    """Whether no symbol lowers a difference, but by a constant."""
    return is_obvious(difference - difference.constant_term + CONSTANT, dict.fromkeys(difference.symbols, 0), 0)
