"""Reuse classes as the report reads them: merged, in bytes, as expressions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from roofscan.cost.result import ReuseClass
from roofscan.cost.reuse.ledger import Found
from roofscan.cost.reuse.quantity import Expressions, parts_of, value_of
from roofscan.ir.expr import Expr, symbol

PARTS = 8
"""Lines whose distances spread over a range are given as so many parts."""
POSITION = "position#"
"""The variable of such a class: the number of the part."""


def public_classes(found: Iterable[Found], expressions: Expressions, line: int) -> tuple[ReuseClass, ...]:
    """One class for all that share array, place, kind and distance."""
    merged: dict[tuple[object, ...], ReuseClass] = {}
    for one in found:
        made = _public(one, expressions, line)
        key = (made.array, made.place, made.lag, made.kind, made.distance, made.fill_share, made.over)
        before = merged.get(key)
        merged[key] = made if before is None else replace(before, count=before.count + made.count)
    return tuple(c for c in merged.values() if c.count)


def _public(found: Found, expressions: Expressions, line: int) -> ReuseClass:
    low, high = expressions.of(found.ramp.low) * line, expressions.of(found.ramp.high) * line
    count = expressions.of(found.ramp.lines)
    over = None
    distance = low
    if value_of(found.ramp.high) > value_of(found.ramp.low) * 1.001:
        over = (POSITION, Expr.of(1), Expr.of(PARTS))
        count = count / PARTS
        distance = low + (high - low) * (symbol(POSITION) * 2 - 1) / (2 * PARTS)
    return ReuseClass(
        array=found.space.owner, place=found.place, line=found.line, lag=found.lag, kind=found.kind,
        count=count, distance=distance, fill_share=expressions.of(found.fill), over=over,
        between=tuple((array, expressions.of(n) * line) for array, n in parts_of(found.ramp.high)),
    )  # fmt: skip
