"""Counts as products: what is printed multiplies out to the count."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.symbolic.expr import Expr, symbol
from roofscan.symbolic.factoring import product_text

n, m, k = map(symbol, "nmk")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (10 * (n - 2) * (m - 2) * (k - 2), "10*(k - 2)*(m - 2)*(n - 2)"),
        (n * (n + 1) * (2 * n + 1) / 6, "n*(n + 1)*(2*n + 1)/6"),
        (3 * (n - k + 1) * k, "3*k*(n + 1 - k)"),
        ((n - 1) ** 3 * 2, "2*(n - 1)**3"),
        ((n - 2) * (1 - m), "-(m - 1)*(n - 2)"),
        (8 * (n - 4) * (n * m + 3), "8*(n - 4)*(m*n + 3)"),
        (n * (n - 1) / m, "n*(n - 1)/m"),
        (n * n + 1, None),
        (5 * n, None),
        (16 * n * m - 16 * n - 16 * m, None),
    ],
)
def test_written_as_people_would(expr: Expr, text: str | None) -> None:
    assert product_text(expr) == text


factors = st.builds(lambda a, b, c: a * n + b * m + c, *[st.integers(-3, 3)] * 3)


@settings(deadline=None)
@given(st.lists(factors, min_size=1, max_size=4), st.fractions(-5, 5, max_denominator=6))
def test_products_multiply_out(parts: list[Expr], scale: object) -> None:
    expr = Expr.of(scale)  # type: ignore[arg-type]
    for part in parts:
        expr = expr * part
    text = product_text(expr)
    if text is not None:
        assert sympy.expand(sympy.parse_expr(text) - sympy.parse_expr(str(expr))) == 0
