"""Closed sums against sums term by term."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.symbolic.expr import Expr, apply
from roofscan.symbolic.summation import sum_over
from tests.support.kernel_builder import expr


def by_hand(body: Expr, lo: int, hi: int, values: dict[str, int]) -> object:
    return sum((body.evaluate({**values, "x": x}) for x in range(lo, hi + 1)), start=0)


def has_sum(made: Expr) -> bool:
    return "Sum(" in str(made)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6), st.integers(-9, 9), st.integers(0, 12), st.integers(-4, 9))
def test_powers(coefficients: list[int], lo: int, length: int, n: int) -> None:
    body = sum((expr("x") ** k * expr("n + 1") * c for k, c in enumerate(coefficients)), start=Expr())
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"n": n, "a": lo, "b": lo + length - 1}
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


def test_known_sums_in_closed_form() -> None:
    assert str(sum_over(expr("x"), "x", expr("1"), expr("n"))) == "n**2/2 + n/2"
    assert str(sum_over(expr("m"), "x", expr("0"), expr("n - 1"))) == "m*n"
    assert str(sum_over(expr("n - x"), "x", expr("0"), expr("n - 1"))) == "n**2/2 + n/2"


@settings(max_examples=200)
@given(
    st.sampled_from(["x", "-x", "2*x", "3*x", "-5*x"]),
    st.integers(1, 7),
    st.integers(-6, 6),
    st.integers(-10, 10),
    st.integers(0, 20),
    st.integers(0, 2),
)
def test_one_floor(form: str, divisor: int, offset: int, lo: int, length: int, power: int) -> None:
    body = expr(f"(({form} + c) // {divisor})**2 + x**{power} * (({form} + c) // {divisor}) + x")
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"a": lo, "b": lo + length - 1, "c": offset}
    assert not has_sum(made)
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


@given(st.integers(1, 9), st.integers(-6, 6), st.integers(-10, 10), st.integers(0, 20), st.sampled_from([1, -1]))
def test_a_floor_over_a_symbol(divisor: int, offset: int, lo: int, length: int, sign: int) -> None:
    body = expr(f"(c + {sign}*x) // d * x")
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"a": lo, "b": lo + length - 1, "c": offset, "d": divisor}
    assert not has_sum(made)
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


@settings(max_examples=60)
@given(
    st.sampled_from([
        "x//2 + x//3", "(x//2) * ((x + n)//3)", "(x//2 + 3)//4", "(x*x + x)//2", "(2*x + 1)//4 - (n - x)//2",
    ]),
    st.integers(-10, 10), st.integers(0, 20), st.integers(-4, 9),
)  # fmt: skip
def test_several_floors(form: str, lo: int, length: int, n: int) -> None:
    body = expr(form)
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"a": lo, "b": lo + length - 1, "n": n}
    assert not has_sum(made)
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


@given(st.integers(-5, 5), st.integers(0, 9), st.integers(1, 50))
def test_powers_of_two(lo: int, length: int, n: int) -> None:
    body = expr("n * pow2(x + 1) + x")
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"a": lo, "b": lo + length - 1, "n": n}
    assert not has_sum(made)
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


@given(st.integers(-5, 5), st.integers(0, 9), st.integers(2, 50))
def test_geometric_series(lo: int, length: int, n: int) -> None:
    body = expr("m") * apply("pow", [expr("n"), expr("x + k")])
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"a": lo, "b": lo + length - 1, "n": n, "m": 5, "k": 5}
    assert not has_sum(made)
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


def test_a_series_of_ones_has_as_many_as_terms() -> None:
    body = expr("m") * apply("pow", [expr("1"), expr("x + k")])
    assert sum_over(body, "x", expr("a"), expr("b")) == expr("m") * (expr("b") - expr("a") + 1)


@given(
    st.sampled_from(["min(x, n)", "n // pow2(x)", "x * max(x, 3) * n", "n // x", "x // 1000 + x // 999"]),
    st.integers(1, 4), st.integers(0, 20), st.integers(0, 9),
)  # fmt: skip
def test_what_has_no_closed_form_is_a_sum_atom(form: str, lo: int, length: int, n: int) -> None:
    body = expr(form)
    made = sum_over(body, "x", expr("a"), expr("b"))
    values = {"a": lo, "b": lo + length - 1, "n": n}
    assert has_sum(made)
    assert made.evaluate(values) == by_hand(body, lo, lo + length - 1, values)


def test_the_variable_of_a_sum_is_an_identifier() -> None:
    made = sum_over(Expr.of("n") // (Expr.of("x#1") + 1), "x#1", expr("0"), expr("x_1"))
    assert "#" not in str(made)
    assert made.evaluate({"n": 7, "x_1": 2}) == 7 + 3 + 2


def test_a_short_sum_of_numbers_is_its_value() -> None:
    made = sum_over(expr("n // pow2(x)"), "x", expr("0"), expr("b"))
    assert has_sum(made) and has_sum(made.subs({"n": 64})) and has_sum(made.subs({"b": 6}))
    assert made.subs({"n": 64, "b": 6}) == 64 + 32 + 16 + 8 + 4 + 2 + 1
    assert sum_over(expr("100 // pow2(x)"), "x", expr("1"), expr("3")) == 50 + 25 + 12
    assert has_sum(made.subs({"n": 64, "b": 1000}))
    assert has_sum(sum_over(expr("100 // x"), "x", expr("0"), expr("3")))
