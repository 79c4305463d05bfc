"""Sums with shares: the terms of one product of sizes stand together, and multiply out to the sum."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.symbolic.collected import by_sizes, collected_text
from roofscan.symbolic.expr import Expr, apply, sum_of, symbol

n, m, p1, p2 = map(symbol, ("n", "m", "p1", "p2"))


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (n * m - n * m * p1, "m*n*(1 - p1)"),
        (2 * n * m * (1 - p1) + 6 * n, "2*m*n*(1 - p1) + 6*n"),
        (8 * n - 2 * n * p1 * p2 - 6 * n * p2, "2*n*(4 - p1*p2 - 3*p2)"),
        (-3 * n * p1 - 6 * n * p2 + n * m, "m*n - 3*n*(p1 + 2*p2)"),
        (26 - 9 * p1, "26 - 9*p1"),
        (n - 1 - p1, "n - (p1 + 1)"),
        (3 * n * p1 + m, "m + 3*n*p1"),
        (n / 2 - n * p1 / 2, "n*(1/2 - p1/2)"),
    ],
)
def test_written_as_people_would(expr: Expr, text: str) -> None:
    assert collected_text(by_sizes(expr)) == text


terms = st.builds(
    lambda c, i, j, k: c * n**i * m**j * p1**k * (p2 if i else 1),
    st.fractions(-9, 9, max_denominator=4), st.integers(-1, 2), st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(terms, min_size=1, max_size=6))
def test_parts_multiply_out(found: list[Expr]) -> None:
    expr = sum_of(found)
    parts = by_sizes(expr)
    assert sum_of(parts) == expr
    assert sympy.expand(sympy.parse_expr(collected_text(parts) or "0") - sympy.parse_expr(str(expr))) == 0


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (apply("pow", [1 - p1, Expr.of(1)]), "-p1 + 1"),
        (apply("pow", [1 - p1, Expr.of(0)]), "1"),
        (apply("pow", [1 - p1, Expr.of(256)]), "((-p1 + 1)**256)"),
        (apply("pow", [1 - p1, n - 1]), "((-p1 + 1)**(n - 1))"),
        (apply("pow2", [n]), "(2**n)"),
    ],
)
def test_powers_have_brackets_where_they_need_them(expr: Expr, text: str) -> None:
    assert str(expr) == text
