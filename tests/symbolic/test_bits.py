"""``a & b`` of a symbol and a number is a sum of floors, of two symbols an atom; both have the values of Python's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roofscan.symbolic.bits import common_bits
from roofscan.symbolic.expr import Expr, symbol

WHOLE = st.integers(-300, 300)


@given(WHOLE, WHOLE)
def test_common_bits_are_those_of_python(value: int, mask: int) -> None:
    x, y = symbol("x"), symbol("y")
    by_number, by_symbol = common_bits(x, Expr.of(mask)), common_bits(x, y)
    assert not any(atom.name == "and" for atom in by_number.atoms)
    assert by_number.evaluate({"x": value}) == value & mask
    assert by_symbol.evaluate({"x": value, "y": mask}) == value & mask
    assert by_symbol.subs({"y": mask}) == by_number


@given(WHOLE, st.integers(0, 5))
def test_bits_that_two_numbers_cannot_have_in_common(value: int, bits: int) -> None:
    x, width = symbol("x"), 1 << bits
    low = common_bits(x, Expr.of(width - 1))
    assert common_bits(low, 3 * width * x + width) == 0
    assert not low.evaluate({"x": value}) & (3 * width * value + width)


def test_the_same_bits_are_one_expression() -> None:
    x, y = symbol("x"), symbol("y")
    assert common_bits(x, y) == common_bits(y, x)
    assert common_bits(x, x) == x
    assert str(common_bits(x, y)) == "bitand(x, y)"
