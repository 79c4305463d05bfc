"""Signs of polynomials on the integers, against trying every number."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.symbolic.expr import Expr, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import floor_div
from roofscan.symbolic.intervals import complement, describe, intersect, merge
from roofscan.symbolic.polynomial_signs import (
    negative_where,
    polynomial,
    sampled_where,
    sum_over,
    value,
    with_whole_powers,
    without_beaten_terms,
)

coefficients = st.lists(st.integers(-40, 40), max_size=6).map(
    lambda c: tuple(c[: max((i + 1 for i, x in enumerate(c) if x), default=0)])
)


def members(ranges, last):
    return {x for lo, hi in ranges for x in range(lo, (last if hi is None else min(hi, last)) + 1)}


@given(coefficients, st.integers(1, 30), st.integers(0, 200))
@settings(max_examples=300, deadline=None)
def test_negative_where_equals_trying_every_number(p, lo, length):
    hi = lo + length
    expected = {x for x in range(lo, hi + 1) if value(p, x) < 0}
    assert members(negative_where(p, (lo, hi)), hi) == expected
    assert members(negative_where(p, (lo, None)), hi) == expected


@given(st.lists(st.integers(1, 60), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_integer_roots_are_exact(roots):
    p = (1,)
    for r in roots:
        p = tuple((p[k - 1] if k else 0) - r * (p[k] if k < len(p) else 0) for k in range(len(p) + 1))
    expected = {x for x in range(1, 100) if value(p, x) < 0}
    assert members(negative_where(p, (1, None)), 99) == expected


def test_an_open_end_stays_open():
    assert negative_where((10, -1), (1, None)) == ((11, None),)
    assert negative_where((-10, 1), (1, None)) == ((1, 9),)
    assert negative_where((), (1, None)) == ()
    assert negative_where((-1,), (1, None)) == ((1, None),)
    assert negative_where((Fraction(-1, 3), Fraction(1, 7)), (1, None)) == ((1, 2),)


def test_a_dip_between_two_samples_is_found():
    p = (1000 * 1001, -2001, 1)  # zero at 1000 and 1001, so never below zero on the whole numbers
    assert negative_where(p, (1, None)) == ()
    assert negative_where((1000 * 1002, -2002, 1), (1, None)) == ((1001, 1001),)


@given(coefficients, st.integers(-5, 20), st.integers(-3, 40))
@settings(deadline=None)
def test_sum_over(p, lo, length):
    assert sum_over(p, lo, lo + length) == sum(value(p, x) for x in range(lo, lo + length + 1))


def test_coefficients_of_an_expression():
    n = symbol("n")
    assert polynomial(3 * n**2 - n / 2 + 1, "n") == (1, Fraction(-1, 2), 3)
    assert polynomial(n * symbol("m"), "n") is None
    assert polynomial(floor_div(n, Expr.of(8)), "n") is None
    assert polynomial(Expr(), "n") == ()
    assert with_whole_powers(n - 4 * n**-1, "n") == n**2 - 4


def test_a_sampled_predicate_has_exact_ends():
    assert sampled_where(lambda x: 97 <= x <= 4096, (1, None)) == ((97, 4096),)
    assert sampled_where(lambda x: True, (3, None)) == ((3, None),)
    assert sampled_where(lambda x: x > 5, (1, 9)) == ((6, 9),)


def test_ranges_as_sets():
    assert merge([(5, 9), (1, 4), (20, None), (30, 40)]) == ((1, 9), (20, None))
    assert intersect(((1, 9), (20, None)), ((5, 25),)) == ((5, 9), (20, 25))
    assert complement(((3, 5), (9, None)), (1, None)) == ((1, 2), (6, 8))
    assert complement((), (4, 7)) == ((4, 7),)
    assert describe("n", ((1, 97), (362, None))) == "n <= 97 and n >= 362"
    assert describe("n", ((5, 5), (7, 9))) == "n = 5 and 7 <= n <= 9"


lines = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(lambda c: symbol("x") * c[1] + c[0])


@given(st.sampled_from([minimum, maximum]), st.lists(lines, min_size=2, max_size=4), st.integers(-3, 3), lines)
@settings(max_examples=200, deadline=None)
def test_without_beaten_terms_keeps_the_values_from_one_on(pick, terms, factor, rest):
    expr = pick(*terms) * factor + rest
    fewer = without_beaten_terms(expr, "x")
    assert [fewer.evaluate({"x": x}) for x in range(1, 40)] == [expr.evaluate({"x": x}) for x in range(1, 40)]


def test_a_minimum_with_one_least_term_is_that_term():
    x = symbol("x")
    assert without_beaten_terms(minimum(0, 57 * x) + 3 * x, "x") == 3 * x
    assert without_beaten_terms(minimum(9, 57 * x), "x") == minimum(9, 57 * x)
