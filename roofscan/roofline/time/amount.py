"""A number at given sizes that remembers its expression in the sizes, as far as it is a sum: the time of a kernel is
computed as numbers, and its expression is read off the result. A product keeps the expression of its left factor and
takes the value of its right one; a greatest is the expression of what is greatest there."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from roofscan.symbolic.expr import Expr, sum_of

Term = tuple[float, Callable[[], "Expr | None"]]  # a factor, and what gives the expression, or None

DIGITS = 6  # of the coefficients of an expression


class Amount(float):
    """``constant`` + the sum of ``terms``, which has this value."""

    __slots__ = ("constant", "terms")
    constant: float
    terms: tuple[Term, ...]

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        """Another process gets the number."""
        return float, (float(self),)

    @staticmethod
    def made(value: float, constant: float, terms: tuple[Term, ...]) -> Amount:
        amount = Amount(value)
        amount.constant, amount.terms = constant, terms
        return amount

    @staticmethod
    def of(value: float, expr: Callable[[], Expr | None]) -> Amount:
        return Amount.made(value, 0.0, ((1.0, expr),))

    def __add__(self, other: float) -> Amount:
        constant, terms = (other.constant, other.terms) if isinstance(other, Amount) else (float(other), ())
        return Amount.made(float(self) + float(other), self.constant + constant, self.terms + terms)

    __radd__ = __add__

    def __mul__(self, other: float) -> Amount:
        factor = float(other)
        return Amount.made(
            float(self) * factor, self.constant * factor, tuple([(c * factor, e) for c, e in self.terms])
        )

    __rmul__ = __mul__

    def __neg__(self) -> Amount:
        return self * -1.0

    def __sub__(self, other: float) -> Amount:
        return self + -other

    def __rsub__(self, other: float) -> Amount:
        return -self + other

    def __truediv__(self, other: float) -> Amount:
        return self * (1.0 / float(other))


def expression(value: float) -> Expr | None:
    """With rounded coefficients; None where a part has none."""
    if not isinstance(value, Amount):
        return _rounded(Expr.of(Fraction(value)))
    parts: list[Expr] = [Expr.of(Fraction(value.constant))]
    for factor, expr in value.terms:
        found = expr()
        if found is None:
            return None
        parts.append(found * Fraction(factor))
    return _rounded(sum_of(parts))


def _rounded(expr: Expr) -> Expr:
    return Expr({monomial: Fraction(f"{float(c):.{DIGITS}g}") for monomial, c in expr.terms.items()})
