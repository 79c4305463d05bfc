"""Rows of floors that add up to what they divide."""

from __future__ import annotations

from roofscan.symbolic.expr import ZERO, Expr, symbol
from roofscan.symbolic.floors import floor_div
from roofscan.symbolic.hermite import with_rows_united

n, m = symbol("n"), symbol("m")


def row(x: Expr, divisor: int, missing: int = -1) -> Expr:
    return sum((floor_div(x + k, Expr.of(divisor)) for k in range(divisor) if k != missing), start=ZERO)


def test_a_complete_row_is_what_it_divides() -> None:
    assert with_rows_united(3 * m * row(n, 32) + n) == 3 * m * n + n
    assert with_rows_united(row(2 * n + m - 40, 7)) == 2 * n + m - 40


def test_other_rows_stay() -> None:
    left = row(n, 8, missing=3)
    assert with_rows_united(left) == left
    mixed = row(n, 4, missing=0) + 2 * floor_div(n, Expr.of(4))
    assert with_rows_united(mixed) == mixed
