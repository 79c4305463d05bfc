"""Division by a sum, which an :class:`Expr` cannot hold: ``nnz/(rows - 1)``, the mean length of a row.

The reciprocal of the sum is a symbol until an expression is complete. Where the sum has come back as a factor
the two cancel, exactly; what remains of the symbol takes its value at the sample point.
"""

from __future__ import annotations

from fractions import Fraction

from roofscan.symbolic.expr import ZERO, Expr, Number, symbol


class Reciprocals:
    """The sums that were divided by, each with a symbol for 1/sum."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[Expr, Fraction]] = {}

    def quotient(self, top: Expr, bottom: Expr, value: Fraction) -> Expr | None:
        """``top / bottom`` with a symbol for 1/bottom; None for a sum that no symbol divides linearly. ``value`` is
        that of ``bottom`` at the sample point."""
        if not value or _main(bottom) is None:
            return None
        name = f"1/({bottom})"
        self._sums[name] = (bottom, 1 / value)
        return top * symbol(name)

    def frozen(self, expr: Expr) -> Expr:
        """``expr`` without symbols of this class."""
        if not self._sums:
            return expr
        for name in sorted(expr.symbols & self._sums.keys()):
            bottom, value = self._sums[name]
            expr = _cancelled(expr, name, bottom, value)
        return expr


def _cancelled(expr: Expr, name: str, bottom: Expr, value: Fraction) -> Expr:
    carried, frozen = ZERO, ZERO
    for power in range(expr.degree(name), 0, -1):
        carried, rest = _divided(expr.coefficient(name, power) + carried, bottom)
        frozen += rest * value**power
    return expr.coefficient(name, 0) + carried + frozen


def _divided(expr: Expr, bottom: Expr) -> tuple[Expr, Expr]:
    """Quotient and remainder by a sum that is linear in its main symbol, by Horner's rule."""
    name = _main(bottom)
    assert name is not None
    if any(atom == name and power < 0 for monomial in expr.terms for atom, power in monomial):
        return ZERO, expr
    scale = bottom.coefficient(name).constant
    assert scale
    root, x = symbol(name) - bottom / scale, symbol(name)
    quotient, carried = ZERO, ZERO
    for power in range(expr.degree(name), 0, -1):
        carried = expr.coefficient(name, power) + root * carried
        quotient += carried * x ** (power - 1)
    return quotient / scale, expr.coefficient(name, 0) + root * carried


def _main(bottom: Expr) -> str | None:
    """A symbol in which the sum is linear, with a number before it."""
    for name in sorted(bottom.symbols):
        factor: Number | None = bottom.coefficient(name).constant
        rest = bottom - bottom.coefficient(name) * symbol(name)
        if factor and name not in rest.symbols:
            return name
    return None
