"""Powers whose exponents hold symbols."""

from __future__ import annotations

from math import floor

from roofscan.symbolic.expr import Expr, folded, normal_form
from roofscan.symbolic.terms import Func


def power_of(base: Expr, exponent: Expr) -> Expr:
    """base**exponent for a base of one term, the constant part of the exponent taken out: ``n*(n**k)``."""
    shift = floor(exponent.constant_term)
    rest = exponent - shift
    if not rest:
        return base**shift
    two = base == Expr.of(2)
    return base**shift * Expr.atom(Func("pow2", (rest,)) if two else Func("pow", (base, rest)))


@normal_form("pow")
def _power(base: Expr, exponent: Expr) -> Expr:
    constant = exponent.constant
    if constant is not None and (len(base.terms) == 1 or constant in (0, 1)):
        return power_of(base, exponent)
    return folded("pow", base, exponent)
