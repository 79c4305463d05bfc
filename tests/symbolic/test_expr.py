"""Expressions: what they hold, in an order that no hash decides."""

from __future__ import annotations

from roofscan.symbolic.expr import Expr, maximum, minimum, symbol


def test_atoms_are_in_the_order_of_the_terms() -> None:
    n = symbol("n")
    parts = [maximum(n - k, Expr.of(0)) if k % 2 else minimum(n, Expr.of(k)) for k in range(2, 12)]
    total = sum(parts, Expr.of(0))
    assert [Expr.atom(atom) for atom in total.atoms] == parts
