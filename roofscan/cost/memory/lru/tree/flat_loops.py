"""Flat loops over rows (``i = k // m``, ``j = k % m`` for k below n*m), as the nest of two loops that they are. So is a
loop whose body tests a remainder (``if t % every == 0``): its first and last row may be shorter."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from roofscan.ir.kernel import Access, Body, Loop, Node, When
from roofscan.ir.visitor import BLOCKS, accesses, expressions, loops, map_expressions, substitute, walk, with_body
from roofscan.symbolic.atoms import replace_atom
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, floor_div, maximum, minimum, symbol

PLACE = "~place"  # what is added to the name of a loop variable for the loop over the places in a row


def as_nests(body: Body, kept: Collection[str]) -> Body:
    """The body with each flat loop split by the length of its rows, but those over variables in ``kept``."""
    return _as_nests(body, kept, frozenset(loop.var for loop in loops(body)))


def _as_nests(body: Body, kept: Collection[str], variables: frozenset[str]) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var not in kept:
            node = _split(node, variables)
        nodes.append(with_body(node, _as_nests(node.body, kept, variables)) if isinstance(node, BLOCKS) else node)
    return tuple(nodes)


def _split(loop: Loop, variables: frozenset[str]) -> Loop:
    """A loop over rows around one over the places in a row: by a remainder that is tested, or by the longest row that
    divides the loop evenly."""
    if loop.step != ONE or loop.total is not None or loop.early_exit:
        return loop
    tested = _tested_quotient(loop, variables)
    if tested is not None:
        return _rows(loop, tested.args[0] - symbol(loop.var), tested.args[1])
    lengths = {atom.args[1] for access in accesses(loop.body) for atom in _quotients(access, loop.var)}
    for length in sorted(lengths, key=lambda e: (-len(str(e)), str(e))) if loop.start == ZERO else ():
        rows = loop.stop / length
        if rows != ONE and _is_whole(rows) and _is_whole(length):
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
    return body if quotient is None else map_expressions(body, lambda e: replace_atom(e, quotient, ZERO))


def _tested_quotient(loop: Loop, variables: frozenset[str]) -> Func | None:
    """The atom ``floor((var + c)/m)`` in a condition of the body, for c and m that stay the same."""
    for node in walk(loop.body):
        for atom in (atom for e in expressions(node) for atom in e.atoms) if isinstance(node, When) else ():
            if atom.name == "floor":
                moving = (atom.args[0] - symbol(loop.var)).symbols | atom.args[1].symbols
                if moving.isdisjoint(variables):
                    return atom
    return None


def _quotients(access: Access, var: str) -> list[Func]:
    """The atoms ``floor(var/m)`` in its subscripts, for an m that stays the same."""
    atoms = (atom for e in access.index if e is not None for atom in e.atoms if atom.name == "floor")
    return [atom for atom in atoms if atom.args[0] == symbol(var) and var not in atom.args[1].symbols]


def _is_whole(expr: Expr) -> bool:
    """Whether an expression is a polynomial with whole coefficients."""
    plain = all(isinstance(atom, str) and power > 0 for monomial in expr.terms for atom, power in monomial)
    return plain and all(c % 1 == 0 for c in expr.terms.values())
