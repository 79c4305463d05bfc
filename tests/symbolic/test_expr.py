"""Expressions: what they hold, in an order that no hash decides."""

from __future__ import annotations

from roofscan.symbolic.expr import Expr, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import floor_div, remainder


def test_atoms_are_in_the_order_of_the_terms() -> None:
    n = symbol("n")
    parts = [maximum(n - k, Expr.of(0)) if k % 2 else minimum(n, Expr.of(k)) for k in range(2, 12)]
    total = sum(parts, Expr.of(0))
    assert [Expr.atom(atom) for atom in total.atoms] == parts


def test_quotients_of_a_place_and_a_quotient_are_one() -> None:
    x, block = symbol("x"), symbol("block")
    inner = 4 * block + floor_div(x, Expr.of(16))
    assert floor_div(inner, Expr.of(8)) == floor_div(64 * block + x, Expr.of(128))
    rows = floor_div(x, Expr.of(5))
    parts = remainder(x, Expr.of(5)) + 5 * remainder(rows, Expr.of(7)) + 35 * floor_div(x, Expr.of(35))
    assert parts == x
