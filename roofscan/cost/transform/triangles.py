"""The bounds of a nest's loops in another order. Two loops that cover a triangle exchange places with new bounds:
``for j in range(n): for i in range(j)`` becomes ``for i in range(n - 1): for j in range(i + 1, n)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.tree import Loop
from roofscan.symbolic.expr import ONE, ZERO, Expr


def in_order(loops: Sequence[Loop], positions: Sequence[int]) -> tuple[Loop, ...] | None:
    """The loops in an order, with the bounds that they need there; None where one would not be a plain sum."""
    now, places = list(loops), list(range(len(loops)))
    for target, position in enumerate(positions):
        for at in range(places.index(position), target, -1):
            exchanged = _exchanged(now[at - 1], now[at])
            if exchanged is None:
                return None
            now[at - 1 : at + 1] = exchanged
            places[at - 1 : at + 1] = places[at], places[at - 1]
    return tuple(now)


def _exchanged(outer: Loop, inner: Loop) -> tuple[Loop, Loop] | None:
    """The inner loop, and in it the outer one."""
    bounds = (inner.start, inner.stop)
    if not any(outer.var in bound.symbols for bound in (*bounds, inner.step)):
        return inner, outer
    if outer.parallel or (outer.step, inner.step) != (ONE, ONE):
        return None
    if not all(bound.is_linear_in((outer.var,)) for bound in bounds):
        return None
    var, other = Expr.of(outer.var), Expr.of(inner.var)
    slopes = tuple(bound.coefficient(outer.var) for bound in bounds)
    if slopes == (ZERO, ONE):
        beyond = inner.stop - var
        turned = replace(inner, stop=outer.stop - ONE + beyond), replace(outer, start=other - beyond + ONE)
        fits = _is_at_least(inner.start - beyond + ONE, outer.start)
    else:
        beyond = inner.start - var
        turned = replace(inner, start=outer.start + beyond), replace(outer, stop=other - beyond + ONE)
        fits = slopes == (ONE, ZERO) and _is_at_least(outer.stop, inner.stop - beyond)
    return turned if fits else None


def _is_at_least(one: Expr, other: Expr) -> bool:
    """For all sizes: a bound that needs ``max`` is none."""
    difference = (one - other).constant
    return difference is not None and difference >= 0
