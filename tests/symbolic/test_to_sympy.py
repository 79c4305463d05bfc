"""Our text, read by SymPy, equals what the bridge makes."""

from __future__ import annotations

import pytest
import sympy

from roofscan.symbolic.expr import Expr
from roofscan.symbolic.summation import sum_over
from roofscan.symbolic.to_sympy import to_sympy
from tests.support.kernel_builder import expr

TEXTS = [
    "0", "7", "n", "2*n**3 - n*m + 5", "(n + m)*(n - 1)", "n//2", "(n + 1)//2", "(n + 2)//3", "(n + 1)//3",
    "-(n//5)", "(-n)//m", "(-n - m)//t", "(n - m)//t", "(n + 6)//7 * m", "min(n, m + 1)", "max(0, n - m) * 3",
    "ilog2(n) + 1", "pow2(n) * 4", "n // pow2(m)", "min(n//2, m)", "(n//2 + m)//3", "n/m", "n*m/(3*t)",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_bridge_agree(text: str) -> None:
    made = expr(text)
    assert sympy.sympify(str(made)) == to_sympy(made)


@pytest.mark.parametrize("text", TEXTS)
def test_values_agree(text: str) -> None:
    values = {"n": 17, "m": 5, "t": 3}
    made = expr(text)
    value = to_sympy(made).subs(values)
    assert sympy.Rational(str(made.evaluate(values))) == value


def test_a_sum_without_closed_form() -> None:
    made = sum_over(expr("n // pow2(s)"), "s", expr(0), expr("ilog2(n)"))
    assert sympy.sympify(str(made)) == to_sympy(made)
    assert to_sympy(made).subs({"n": 20}).doit() == made.evaluate({"n": 20}) == 20 + 10 + 5 + 2 + 1


def test_symbols_may_be_given() -> None:
    n = sympy.Symbol("n", integer=True, positive=True)
    made = expr("2*n + (n + 1)//3")
    assert to_sympy(made, {"n": n}) == sympy.sympify(str(made), locals={"n": n})


def test_symbols_are_found_by_name() -> None:
    assert to_sympy(expr("n**2 + n")).subs({"n": 3}) == 12


def test_names_that_sympy_knows_are_symbols() -> None:
    assert to_sympy(Expr.of("N") + Expr.of("beta")).free_symbols == {sympy.Symbol("N"), sympy.Symbol("beta")}
