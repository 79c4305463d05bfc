"""Subscripts that wrap around (``u[(i + 1) % n]``) or are reflected (``u[abs(i - 1)]``), as one access for each period
or side, where the loop is in it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import floor, prod

from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Access, Body, Loop, Node, When
from roofscan.ir.visitor import BLOCKS, with_body
from roofscan.symbolic.expr import ONE, Expr, Func, NotEvaluable, Number, symbol

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
    choices = [[(e, ())] if e is None else _forms(e, sample_point, ranges) for e in access.index]
    if not 1 < prod(map(len, choices)) <= MAX_PIECES:
        yield access
        return
    for pieces in product(*choices):
        conditions = tuple(c for _, guards in pieces for c in guards)
        yield When(conditions, (replace(access, index=tuple(e for e, _ in pieces)),), access.line)


def _forms(expr: Expr, sample_point: Mapping[str, Number], ranges: Ranges) -> list[Piece]:
    sides = list(_sides((expr, ()), sample_point, ranges))
    return sides if [e for e, _ in sides] != [expr] else _periods(expr, sample_point, ranges)


def _sides(piece: Piece, sample_point: Mapping[str, Number], ranges: Ranges) -> Iterator[Piece]:
    """The forms of a subscript that is reflected at an end: a ``max`` or ``min`` of p and c - p."""
    subscript, guards = piece
    atoms = [a for e in (subscript, *(c.expr for c in guards)) for a in e.atoms if is_reflection(a, ranges.keys())]
    if not atoms or not _may_split(atoms[0], ranges):
        yield piece
        return
    for here, there in (atoms[0].args, atoms[0].args[::-1]):
        ahead = _halved((here - there) * (1 if atoms[0].name == "max" else -1) - (here is atoms[0].args[1]))
        chosen = (*(Condition(_put(c.expr, atoms[0], here), "ge") for c in guards), Condition(ahead, "ge"))
        ends = [_ends(c.expr, sample_point, ranges) for c in chosen]
        if all(largest >= 0 for _, largest in ends):
            left = tuple(c for c, (least, _) in zip(chosen, ends, strict=True) if least < 0)
            yield from _sides((_put(subscript, atoms[0], here), left), sample_point, ranges)


def _may_split(atom: Func, ranges: Ranges) -> bool:
    """Whether a case for each side pays: a window that moves over an end reaches the same lines in one case."""
    plain = next((arg for arg in atom.args if not any(is_reflection(inner, ranges) for inner in arg.atoms)), None)
    if plain is None:
        return False
    signs = [(plain.coefficient(name).constant or 0) > 0 for name in ranges if name in plain.symbols]
    return len(signs) == 1 or sorted(signs) == [False, True]


def _halved(expr: Expr) -> Expr:
    """An integer that is at least 0 where ``expr`` is, without a common factor of 2."""
    constant = expr.constant_term
    even = all(c % 2 == 0 for c in (expr - constant).terms.values())
    return (expr - constant) / 2 + constant // 2 if even else expr


def _put(expr: Expr, atom: Func, form: Expr) -> Expr:
    share = expr.terms.get(((atom, 1),), 0)
    return expr + (form - Expr.atom(atom)) * share


def _ends(expr: Expr, sample_point: Mapping[str, Number], ranges: Ranges) -> tuple[Number, Number]:
    """The least and the largest value; of a form whose atoms are still open any."""
    corners: list[dict[str, Number]] = [{}]
    try:
        for name in [n for n in ranges if n in expr.symbols]:
            corners = [{**c, name: end} for c in corners for end in ranges[name]]
        values = [expr.evaluate({**sample_point, **c}) for c in corners]
    except NotEvaluable:
        return -1, 0
    folded = any(is_reflection(atom, ranges) for atom in expr.atoms)
    return (-1, 0) if folded else (min(values), max(values))


def is_reflection(atom: Func, variables: Container[str]) -> bool:
    """Whether it is the ``max`` or ``min`` of two forms that both move."""
    moving = [arg for arg in atom.args if any(s in variables for s in arg.symbols)]
    return atom.name in ("min", "max") and len(moving) == len(atom.args) == 2


def _periods(expr: Expr, sample_point: Mapping[str, Number], ranges: Ranges) -> list[Piece]:
    """The forms of a subscript ``(i + c) mod m + d``, each with the conditions under which it has that form."""
    as_it_is: list[Piece] = [(expr, ())]
    moving = [atom for atom in expr.atoms if any(ranges.keys() & arg.symbols for arg in atom.args)]
    if len(moving) != 1 or moving[0].name != "floor":
        return as_it_is
    atom = moving[0]
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
