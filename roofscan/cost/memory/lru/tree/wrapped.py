"""Subscripts that wrap around (``u[(i + 1) % n]``), as one access for each period, where the loop is in that period."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import floor, prod

from roofscan.ir.kernel import Access, Body, Condition, Loop, Node, When
from roofscan.ir.visitor import BLOCKS, with_body
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, Number, symbol

MAX_PIECES = 4  # of one access

Ranges = Mapping[str, tuple[Number, Number]]  # the first and the last value of loop variables
Piece = tuple[Expr, tuple[Condition, ...]]


def unwrapped(body: Body, sample_point: Mapping[str, Number]) -> Body:
    """The body with the periods of wrapped subscripts told apart."""
    return _body(body, sample_point, {})


def _body(body: Body, sample_point: Mapping[str, Number], ranges: Ranges) -> Body:
    made: list[Node] = []
    for node in body:
        if isinstance(node, Access):
            made += _pieces(node, sample_point, ranges)
        elif isinstance(node, BLOCKS):
            inside = {**ranges, **_range(node, sample_point)} if isinstance(node, Loop) else ranges
            made.append(with_body(node, _body(node.body, sample_point, inside)))
        else:
            made.append(node)
    return tuple(made)


def _range(loop: Loop, sample_point: Mapping[str, Number]) -> Ranges:
    try:
        known = {loop.var: (loop.start.evaluate(sample_point), loop.stop.evaluate(sample_point) - 1)}
    except NotEvaluable:
        return {}
    return known if loop.step == ONE and loop.total is None else {}


def _pieces(access: Access, sample_point: Mapping[str, Number], ranges: Ranges) -> Iterator[Node]:
    choices = [[(e, ())] if e is None else _periods(e, sample_point, ranges) for e in access.index]
    if not 1 < prod(map(len, choices)) <= MAX_PIECES:
        yield access
        return
    for pieces in product(*choices):
        conditions = tuple(c for _, guards in pieces for c in guards)
        yield When(conditions, (replace(access, index=tuple(e for e, _ in pieces)),), access.line)


def _periods(expr: Expr, sample_point: Mapping[str, Number], ranges: Ranges) -> list[Piece]:
    """The forms of a subscript ``(i + c) mod m + d``, each with the conditions under which it has that form."""
    as_it_is: list[Piece] = [(expr, ())]
    atom = next(iter(expr.atoms), None)
    if atom is None or atom.name != "floor":
        return as_it_is
    top, modulus = atom.args
    var = next((name for name in ranges if name in top.symbols), "")
    rest = expr + modulus * Expr.atom(atom) - top
    if not var or (rest.symbols | modulus.symbols | (top - symbol(var)).symbols) & ranges.keys():
        return as_it_is
    try:
        ends = (top.subs({var: Expr.of(end)}).evaluate(sample_point) for end in ranges[var])
        low, high = (floor(end / modulus.evaluate(sample_point)) for end in ends)
    except NotEvaluable:
        return as_it_is
    pieces = range(low, high + 1)[:MAX_PIECES]
    return (
        [
            (
                top - modulus * n + rest,
                (*_from(top - modulus * n, n > low), *_from(modulus * (n + 1) - 1 - top, n < high)),
            )
            for n in pieces
        ]
        if high in pieces
        else as_it_is
    )


def _from(expr: Expr, asked: bool) -> tuple[Condition, ...]:
    return (Condition(expr, "ge"),) if asked else ()
