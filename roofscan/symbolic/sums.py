"""Sums over the values of a variable that have no closed form."""

from __future__ import annotations

from math import ceil, floor

from roofscan.symbolic.expr import Expr, normal_form
from roofscan.symbolic.numeric import Number
from roofscan.symbolic.terms import Func

FEW_TERMS = 256  # a sum of numbers with fewer is its value


def _subs_constant(body: Expr, variable: Expr, k: int) -> Number | None:
    try:
        return body.subs(dict.fromkeys(variable.symbols, k)).constant
    except ZeroDivisionError:
        return None


@normal_form("sum")
def sum_expr(body: Expr, variable: Expr, lo: Expr, hi: Expr) -> Expr:
    """``Sum(body, (variable, lo, hi))``; a number where it is one of few terms."""
    first, last = lo.constant, hi.constant
    if first is not None and last is not None and last - first < FEW_TERMS and body.symbols <= variable.symbols:
        places = range(ceil(first), floor(last) + 1)
        terms = [_subs_constant(body, variable, k) for k in places]
        if None not in terms:
            return Expr.of(sum(term for term in terms if term is not None))
    return Expr.atom(Func("sum", (body, variable, lo, hi)))
