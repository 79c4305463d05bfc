"""Flat loops over rows (``i = k // m``, ``j = k % m`` for k below n*m), as the nest of two loops that they are. So is a
loop whose body tests a remainder (``if t % every == 0``): its first and last row may be shorter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from math import lcm

from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Access, Body, Loop, Node, When
from roofscan.ir.visitor import (
    BLOCKS,
    accesses,
    expressions,
    loops,
    map_expressions,
    replace_nodes,
    substitute,
    walk,
    with_body,
)  # fmt: skip
from roofscan.symbolic.atoms import replace_atom
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, NotEvaluable, Number, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import ceil_div, floor_div

PLACE = "~place"  # what is added to the name of a loop variable for the loop over the places in a row


def as_nests(body: Body, kept: Collection[str], sample_point: Mapping[str, Number]) -> Body:
    """The body with each flat loop split by the length of its rows, but those over variables in ``kept``."""
    body = replace_nodes(body, partial(_written_out, kept))
    return _as_nests(body, kept, frozenset(loop.var for loop in loops(body)), sample_point)


def _written_out(kept: Collection[str], node: Node) -> Body | None:
    """Work that a remainder by a number decides, with that remainder as an expression; not of loops that stay whole."""
    if not isinstance(node, When) or not any(loops(node.body)):
        return None
    conditions = tuple(
        _remainder(c.expr, Expr.of(c.modulus))
        if c.modulus and c.relation == "eq" and c.expr.symbols.isdisjoint(kept)
        else c
        for c in node.conditions
    )
    return (replace(node, conditions=conditions, body=replace_nodes(node.body, partial(_written_out, kept))),)


def _as_nests(
    body: Body, kept: Collection[str], variables: frozenset[str], sample_point: Mapping[str, Number]
) -> Body:  # fmt: skip
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var not in kept:
            node = _split(node, variables, sample_point)
        if isinstance(node, BLOCKS):
            node = with_body(node, _as_nests(node.body, kept, variables, sample_point))
        nodes.append(node)
    return tuple(nodes)


def _split(loop: Loop, variables: frozenset[str], sample_point: Mapping[str, Number]) -> Loop:
    """A loop over rows around one over the places in a row: by a remainder that is tested, or by the longest row that
    divides the loop evenly."""
    if loop.total is not None or loop.early_exit:
        return loop
    tested = _tested_quotient(loop, variables)
    if tested is not None and loop.step != ONE:
        return _periods(loop, tested.args[1], sample_point)
    if tested is not None:
        return _rows(loop, tested.args[0] - symbol(loop.var), tested.args[1])
    if loop.step != ONE:
        return loop
    found = {atom.args[1] for access in accesses(loop.body) for atom in _quotients(access, loop.var)}
    lengths = (length for length in found if len(length.terms) == 1)  # by others no loop is known to be divided
    for length in sorted(lengths, key=lambda e: (-len(str(e)), str(e))) if loop.start == ZERO else ():
        rows = loop.stop / length
        if rows != ONE and _has_integer_coefficients(rows) and _has_integer_coefficients(length):
            inner = replace(loop, var=loop.var + PLACE, stop=length, body=_in_rows(loop, ZERO, length), parallel=False)
            return replace(loop, stop=rows, body=(inner,))
    return loop


def _rows(loop: Loop, shift: Expr, length: Expr) -> Loop:
    """A loop over the values of ``floor((var + shift)/length)``."""
    first, end, row = loop.start + shift, loop.stop + shift, symbol(loop.var) * length
    start = maximum(0, first - row) if first != ZERO else ZERO
    inner = replace(
        loop, var=loop.var + PLACE, start=start, stop=minimum(length, end - row), parallel=False,
        body=_in_rows(loop, shift, length),
    )  # fmt: skip
    return replace(loop, start=floor_div(first, length), stop=floor_div(end - 1, length) + 1, body=(inner,))


def _in_rows(loop: Loop, shift: Expr, length: Expr) -> Body:
    """The body with ``row*length + place - shift`` for the variable, where the place is less than the length."""
    place = symbol(loop.var + PLACE)
    body = substitute(loop.body, {loop.var: symbol(loop.var) * length + place - shift})
    quotient = next(iter(floor_div(place, length).atoms), None)
    if quotient is not None:
        body = map_expressions(body, lambda e: replace_atom(e, quotient, ZERO))
    begun = Condition(symbol(loop.var) - ceil_div(loop.start + shift, length), "ge")
    return replace_nodes(body, lambda node: _at_start(node, place, begun))


def _at_start(node: Node, place: Expr, begun: Condition) -> Body | None:
    """What is done at the first place of a row only, in the rows that have one."""
    if not isinstance(node, When) or Condition(place, "eq") not in node.conditions:
        return None
    body = substitute(node.body, {str(place): ZERO})
    return (replace(node, conditions=(*node.conditions, begun), body=body),)


def _periods(loop: Loop, divisor: Expr, sample_point: Mapping[str, Number]) -> Loop:
    """A loop by longer steps over rows, in which what a remainder by ``divisor`` decides is done at fixed places."""
    try:
        step, width = int(loop.step.constant or 0), int(divisor.evaluate(sample_point))
    except NotEvaluable:
        return loop
    if step < 1 or width < 1:
        return loop
    length = divisor * (lcm(step, width) // width)
    row, place, end = symbol(loop.var), symbol(loop.var + PLACE), loop.stop - loop.start
    body = substitute(loop.body, {loop.var: loop.start + row * length + place})

    def until(last: Expr) -> Condition:
        return Condition(last - row, "ge")

    def at_places(node: Node) -> Body | None:
        shift = _shift(node, place, divisor)
        if not isinstance(node, When) or shift is None or shift.symbols - sample_point.keys():
            return None
        first = int(shift.evaluate(sample_point))
        multiples = range(-(-first // width), (first + lcm(step, width) - 1) // width + 1)
        places = [divisor * n - shift for n in multiples if (width * n - first) % step == 0]
        only = replace(node, conditions=tuple(c for c in node.conditions if c != _remainder(place + shift, divisor)))
        return tuple(
            When(
                (Condition(place - p, "eq"), until(floor_div(end - p - 1, length)), *copy.conditions),
                copy.body,
                node.line,
            )
            for p in places
            for [copy] in (substitute((only,), {str(place): p}),)
            if isinstance(copy, When)
        )

    inner = replace(loop, var=loop.var + PLACE, start=ZERO, stop=minimum(length, end - row * length),
                    parallel=False, body=replace_nodes(body, at_places))  # fmt: skip
    return replace(loop, start=ZERO, stop=ceil_div(end, length), step=ONE, body=(inner,))


def _remainder(top: Expr, divisor: Expr) -> Condition:
    return Condition(top - divisor * floor_div(top, divisor), "eq")


def _shift(node: Node, place: Expr, divisor: Expr) -> Expr | None:
    """c where a condition asks whether ``divisor`` divides ``place + c``."""
    for condition in node.conditions if isinstance(node, When) else ():
        for atom in condition.expr.atoms:
            if atom.name == "floor" and condition == _remainder(atom.args[0], divisor):
                return atom.args[0] - place
    return None


def _tested_quotient(loop: Loop, variables: frozenset[str]) -> Func | None:
    """The atom ``floor((var + c)/m)`` in a condition of the body, for c and m that stay the same."""
    for node in walk(loop.body):
        for atom in (atom for e in expressions(node) for atom in e.atoms) if isinstance(node, When) else ():
            if atom.name == "floor":
                moving = (atom.args[0] - symbol(loop.var)).symbols | atom.args[1].symbols
                if moving.isdisjoint({loop.var, *variables}):
                    return atom
    return None


def _quotients(access: Access, var: str) -> list[Func]:
    """The atoms ``floor(var/m)`` in its subscripts, for an m that stays the same."""
    atoms = (atom for e in access.index if e is not None for atom in e.atoms if atom.name == "floor")
    return [atom for atom in atoms if atom.args[0] == symbol(var) and var not in atom.args[1].symbols]


def _has_integer_coefficients(expr: Expr) -> bool:
    """Whether an expression is a polynomial with integer coefficients."""
    plain = all(isinstance(atom, str) and power > 0 for monomial in expr.terms for atom, power in monomial)
    return plain and all(c % 1 == 0 for c in expr.terms.values())
