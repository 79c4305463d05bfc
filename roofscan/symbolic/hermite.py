"""Hermite's identity: ``floor(x/d) + floor((x + 1)/d) + … + floor((x + d - 1)/d)`` is ``x`` for every integer x."""

from __future__ import annotations

from collections import defaultdict

from roofscan.symbolic.expr import Expr, Func, Monomial, Number

MOST_RESIDUES = 1024
Row = tuple[Monomial, Number, Expr, int]  # what the floors are multiplied with, x without its constant, and d


def with_rows_united(expr: Expr) -> Expr:
    """The same, with each complete row of floors as its sum."""
    rows: dict[Row, dict[int, tuple[Monomial, int]]] = defaultdict(dict)
    for monomial, coefficient in expr.terms.items():
        found = _floor_of(monomial)
        if found is not None:
            others, x, divisor = found
            quotient, residue = divmod(int(x.constant_term), divisor)
            rows[others, coefficient, x - x.constant_term, divisor][residue] = monomial, quotient
    for (others, coefficient, x, divisor), row in rows.items():
        if len(row) == divisor:
            floors = Expr({monomial: coefficient for monomial, _ in row.values()})
            expr = expr - floors + Expr({others: coefficient}) * (x + sum(quotient for _, quotient in row.values()))
    return expr


def _floor_of(monomial: Monomial) -> tuple[Monomial, Expr, int] | None:
    """The factors beside its only floor, which is of integers, and what that divides by what."""
    floors = [atom for atom, power in monomial if isinstance(atom, Func) and atom.name == "floor" and power == 1]
    if len(floors) != 1:
        return None
    x, divisor = floors[0].args[0], floors[0].args[1].constant
    whole = all(c == int(c) and all(p > 0 for _, p in m) for m, c in x.terms.items())
    if not whole or not isinstance(divisor, int) or not 1 < divisor <= MOST_RESIDUES:
        return None
    return tuple(factor for factor in monomial if factor[0] != floors[0]), x, divisor
