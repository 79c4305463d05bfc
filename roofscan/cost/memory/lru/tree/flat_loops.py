"""Flat loops over rows (``i = k // m``, ``j = k % m`` for k below n*m), as the nest of two loops that they are."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from roofscan.ir.kernel import Access, Body, Leaf, Loop, Node
from roofscan.ir.visitor import BLOCKS, accesses, map_leaves, substitute, with_body
from roofscan.symbolic.atoms import replace_atom
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, floor_div, symbol

PLACE = "~place"
"""What is added to the name of a loop variable for the loop over the places in a row."""


def as_nests(body: Body, kept: Container[str]) -> Body:
    """The body with each flat loop split by the length of its rows, but those over variables in ``kept``."""
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var not in kept:
            node = _split(node)
        nodes.append(with_body(node, as_nests(node.body, kept)) if isinstance(node, BLOCKS) else node)
    return tuple(nodes)


def _split(loop: Loop) -> Loop:
    """A loop over rows around one over the places in a row, by the longest row that divides the loop evenly."""
    if loop.start != ZERO or loop.step != ONE or loop.total is not None or loop.early_exit:
        return loop
    lengths = {atom.args[1] for access in accesses(loop.body) for atom in _quotients(access, loop.var)}
    for length in sorted(lengths, key=lambda e: (-len(str(e)), str(e))):
        rows = loop.stop / length
        if rows != ONE and _is_whole(rows) and _is_whole(length):
            return _nest(loop, rows, length)
    return loop


def _nest(loop: Loop, rows: Expr, length: Expr) -> Loop:
    row, place = symbol(loop.var), symbol(loop.var + PLACE)
    inside = floor_div(place, length)

    def without_quotient(leaf: Leaf) -> Leaf:
        if not isinstance(leaf, Access) or not inside.atoms:
            return leaf
        [quotient] = inside.atoms  # 0 for all places in a row
        return replace(leaf, index=tuple(e and replace_atom(e, quotient, ZERO) for e in leaf.index))

    body = map_leaves(substitute(loop.body, {loop.var: row * length + place}), without_quotient)
    inner = replace(loop, var=loop.var + PLACE, stop=length, body=body, parallel=False)
    return replace(loop, stop=rows, body=(inner,))


def _quotients(access: Access, var: str) -> list[Func]:
    """The atoms ``floor(var/m)`` in its subscripts, for an m that stays the same."""
    atoms = (atom for e in access.index if e is not None for atom in e.atoms if atom.name == "floor")
    return [atom for atom in atoms if atom.args[0] == symbol(var) and var not in atom.args[1].symbols]


def _is_whole(expr: Expr) -> bool:
    """Whether an expression is a polynomial with whole coefficients."""
    plain = all(isinstance(atom, str) and power > 0 for monomial in expr.terms for atom, power in monomial)
    return plain and all(c % 1 == 0 for c in expr.terms.values())
