"""Interleaved walks: ``for t in range(S): for j in range(t, n, S)`` visits rows of S elements, the t-th element of each
row in turn. The inner loop becomes one over the rows, with ``j = t + S*row``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Body, Loop, Node, When
from roofscan.ir.visitor import BLOCKS, loops, substitute, with_body
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable, Number, symbol
from roofscan.symbolic.floors import ceil_div

Ranges = dict[str, tuple[Expr, Expr]]
"""The first and the last value of each loop variable, outermost first."""


def by_rows(body: Body, sample_point: Mapping[str, Number], around: Ranges | None = None) -> Body:
    """The body with each interleaved walk as a loop over rows."""
    nodes: list[Node] = []
    for node in body:
        inside = around or {}
        if isinstance(node, Loop):
            node = _over_rows(node, inside, sample_point)
            inside = {**inside, node.var: (node.start, node.stop - 1)}
        if isinstance(node, BLOCKS):
            node = with_body(node, by_rows(node.body, sample_point, inside))
        nodes.append(node)
    return tuple(nodes)


def places(before: Body, after: Body) -> dict[str, Expr]:
    """What the variables of loops were that are now loops over rows."""
    was = {loop.var: loop for loop in loops(before)}
    changed = ((was[loop.var], loop) for loop in loops(after) if loop.var in was)
    return {old.var: old.start + old.step * symbol(old.var) for old, new in changed if old.step != new.step}


def _over_rows(loop: Loop, around: Ranges, sample_point: Mapping[str, Number]) -> Loop:
    """The loop over rows, where its first values lie within one of its steps."""
    if loop.total is not None or loop.step in (ONE, -ONE) or around.keys().isdisjoint(loop.start.symbols):
        return loop
    try:
        step = loop.step.evaluate(sample_point)
        low, high = (_extreme(loop.start, around, sample_point, end) for end in (-1, 1))
        if not 0 < (high - low).evaluate(sample_point) < max(step, -step):
            return loop
        return _rows(loop, low if step > 0 else high, around, sample_point)
    except NotEvaluable:
        return loop


def _rows(loop: Loop, first: Expr, around: Ranges, sample_point: Mapping[str, Number]) -> Loop:
    row = symbol(loop.var)
    place = loop.start + loop.step * row
    body = substitute(loop.body, {loop.var: place})
    up = loop.step.evaluate(sample_point) > 0
    rows = ceil_div(loop.stop - first, loop.step) if up else ceil_div(first - loop.stop, -loop.step)
    left = loop.stop - 1 - place if up else place - 1 - loop.stop
    if _extreme(left.subs({loop.var: rows - 1}), around, sample_point, -1).evaluate(sample_point) < 0:
        body = (When((Condition(left, "ge"),), body, loop.line),)
    return replace(loop, start=ZERO, stop=rows, step=ONE, body=body)


def _extreme(expr: Expr, around: Ranges, sample_point: Mapping[str, Number], side: int) -> Expr:
    """The least (side -1) or greatest (1) value of an expression that is affine in the loop variables."""
    for var, ends in reversed(around.items()):
        if var in expr.symbols:
            if not expr.is_linear_in([var]):
                raise NotEvaluable(f"{expr} is not affine in {var}")
            rises = expr.coefficient(var).evaluate(sample_point) > 0
            expr = expr.subs({var: ends[1 if rises == (side > 0) else 0]})
    return expr
