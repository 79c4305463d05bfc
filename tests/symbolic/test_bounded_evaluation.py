"""Only what is quick to evaluate is evaluated."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofscan.symbolic.bounded_evaluation import MAX_TERMS, BoundedEvaluator, number
from roofscan.symbolic.expr import Expr, Func, NotEvaluable, symbol
from roofscan.symbolic.floors import floor_div
from roofscan.symbolic.polynomial_signs import negative_with_floors

N, T = symbol("n"), symbol("t")


def sum_to(last, body=T * T):
    return Expr.atom(Func("sum", (body, T, Expr(), last)))


def test_short_sums_and_no_sums_are_evaluated():
    assert number(floor_div(N, Expr.of(8)) + N, {"n": 20}) == 22
    assert number(sum_to(N), {"n": 4}) == 30
    assert number(sum_to(N), {"n": MAX_TERMS}) == MAX_TERMS * (MAX_TERMS + 1) * (2 * MAX_TERMS + 1) // 6


def test_long_and_nested_sums_are_not():
    nested = Expr.atom(Func("sum", (sum_to(symbol("s")), symbol("s"), Expr(), N)))
    inside = Expr.atom(Func("max", (sum_to(N), N)))
    for expr, n in ((sum_to(N), MAX_TERMS + 1), (nested, 2), (inside, 10**6), (sum_to(N), 10**6)):
        with pytest.raises(NotEvaluable):
            number(expr, {"n": n})


def test_a_search_over_sizes_gives_up_on_them():
    with pytest.raises(NotEvaluable):
        negative_with_floors(sum_to(N) - 10**30, "n", (1, None))


def test_many_expressions_at_one_place_are_evaluated_as_one_by_one():
    values = {"n": Fraction(7, 2), "t": 20}
    place = BoundedEvaluator(values)
    exprs = [N * T + 3, N * N * T / 7 - N, floor_div(T, Expr.of(8)) * N, T / N, Expr(), N * 4 - 14]
    assert [place.number(e) for e in exprs * 2] == [number(e, values) for e in exprs * 2]
    with pytest.raises(NotEvaluable):
        place.number(N * symbol("unknown"))
    with pytest.raises(NotEvaluable):
        place.number(sum_to(N * 10**6))
