"""Signs of expressions with floors, against trying every number."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.symbolic import polynomial_signs
from roofscan.symbolic.expr import ONE, Expr, apply, symbol
from roofscan.symbolic.extrema import maximum
from roofscan.symbolic.floors import ceil_div, floor_div
from roofscan.symbolic.polynomial_signs import negative_with_floors

X = symbol("x")
UPTO = 200


def tried(expr, lo, hi):
    return {x for x in range(lo, hi + 1) if expr.evaluate({"x": x}) < 0}


def members(ranges, hi):
    return {x for a, b in ranges for x in range(a, min(hi, b or hi) + 1)}


any_lines = st.builds(
    lambda a, b, c, q: floor_div(c * X**2 + a * X + b, Expr.of(q)),
    st.integers(-5, 5),
    st.integers(-30, 30),
    st.sampled_from([0, 0, 1, -1]),
    st.integers(2, 9),
)
growing_lines = st.builds(
    lambda a, b, q: floor_div(a * X + b, Expr.of(q)), st.integers(1, 5), st.integers(-30, 30), st.integers(2, 9)
)
factors = st.one_of(st.just(Expr.of(1)), any_lines, st.builds(lambda a, b: a * b, growing_lines, growing_lines))
terms = st.builds(lambda c, power, factor: c * X**power * factor, st.integers(-20, 20), st.integers(0, 2), factors)


@given(st.lists(terms, min_size=1, max_size=4), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_equals_trying_every_number(parts, lo):
    expr = sum(parts, start=Expr())
    found = negative_with_floors(expr, "x", (lo, UPTO))
    assert members(found, UPTO) == tried(expr, lo, UPTO)
    if expr.atoms:
        assert members(negative_with_floors(expr, "x", (lo, None)), UPTO) == tried(expr, lo, UPTO)


def test_every_tooth_of_a_saw_is_seen():
    """Whole lines against elements: 8 ceil(x/8) - x is below 4 in the upper half of each line, up to 100 lines."""
    expr = (8 * ceil_div(X, 8) - X - 4) - (X - X)
    inside = negative_with_floors(expr, "x", (1, 64))
    assert members(inside, 64) == {x for x in range(1, 65) if x % 8 in (5, 6, 7, 0)}


def test_a_long_open_stretch_is_sampled(monkeypatch):
    monkeypatch.setattr(polynomial_signs, "MAX_TRIED_NUMBERS", 4)
    expr = 64 * ceil_div(X, 8) - 8 * X - 8 * 30  # the lines' surplus is never as much
    assert negative_with_floors(expr, "x", (1, None)) == ((1, None),)


def test_other_atoms_are_sampled():
    expr = 100 - maximum(X, Expr.of(40))
    assert negative_with_floors(expr, "x", (1, None)) == ((101, None),)


def test_floors_of_fractions_keep_their_values() -> None:
    tops = ((-ONE / X, 1), (ONE / 2 + ONE / X, 1), (ONE / X - 3, 2), (4 - ONE * 2 / X, 3))
    for value in (1, 2, 3, 24):
        for top, divisor in tops:
            exact = Fraction(top.evaluate({"x": value})) / divisor
            assert floor_div(top, Expr.of(divisor)).evaluate({"x": value}) == floor(exact), (top, divisor, value)


@settings(deadline=None)
@given(st.data())
def test_minima_and_maxima_are_taken_case_by_case(data: st.DataObject) -> None:
    """A sum with the least of some terms is below zero where it is with one of them, with the largest where it is with
    all; a factor may change its sign. Exact, without samples."""
    few, factors = st.integers(-60, 60), st.sampled_from((ONE, -3 * ONE, X, -2 * X, X - 20))
    expr = X * X * data.draw(st.integers(-1, 1)) + X * data.draw(few) + data.draw(few)
    for _ in range(data.draw(st.integers(1, 3))):
        terms = [X * data.draw(few) + X * X * data.draw(st.integers(0, 1)) + data.draw(few) for _ in range(2)]
        expr = expr + apply(data.draw(st.sampled_from(("min", "max"))), terms) * data.draw(factors)
    assert members(negative_with_floors(expr, "x", (1, None)), UPTO) == tried(expr, 1, UPTO)
