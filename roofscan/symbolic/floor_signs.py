"""Signs of expressions with floors: whole cache lines make nearly every count one.

A floor lies within one of its quotient, so an expression with floors lies between two polynomials. Where both
have one sign there is nothing to ask; what lies between is a few integers, and each of them is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from roofscan.budget import spend, uncounted
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, Monomial, Number
from roofscan.symbolic.intervals import Range, Ranges, complement, intersect, merge
from roofscan.symbolic.polynomial_signs import Polynomial, negative_where, polynomial, sampled_where, with_whole_powers

MAX_TRIED_NUMBERS = 512
"""The longest stretch between the two polynomials that is tried number by number."""


def negative_with_floors(expr: Expr, symbol: str, span: Range) -> Ranges:
    """The integers of ``span`` (from 1 on) at which ``expr`` is below zero; NotEvaluable for free symbols. Exact
    unless an atom other than a floor keeps it from being enclosed: then it is sampled."""

    def below(x: int) -> bool:
        return number(expr, {symbol: x}) < 0

    p = polynomial(expr, symbol) or polynomial(with_whole_powers(expr, symbol), symbol)
    if p is not None:
        return negative_where(p, span)
    tight = _enclosure(expr, symbol)
    if tight is None:
        return sampled_where(below, span)
    start, lower, upper = tight
    small = intersect((span,), ((1, start - 1),)) if start > 1 else ()
    large = intersect((span,), ((start, None),))
    surely = merge(r for part in large for r in negative_where(upper, part))
    perhaps = merge(r for part in large for r in negative_where(lower, part))
    open_ = [gap for part in perhaps for gap in complement(surely, part)]
    return merge([*surely, *(r for gap in (*small, *open_) for r in _try(below, gap))])


def _try(below: Callable[[int], bool], span: Range) -> Ranges:
    lo, hi = span
    if hi is None or hi - lo > MAX_TRIED_NUMBERS:
        return sampled_where(below, span)
    return merge((x, x) for x in range(lo, hi + 1) if below(x))


def _enclosure(expr: Expr, symbol: str) -> tuple[int, Polynomial, Polynomial] | None:
    """From which number on which two polynomials enclose ``expr``, or None."""
    spend(8 * len(expr.terms))
    starts: list[int] = [1]
    lower = upper = ZERO
    for monomial, coefficient in expr.terms.items():
        bounds = _monomial_bounds(monomial, symbol)
        if bounds is None:
            return None
        start, low, high = bounds
        starts.append(start)
        lower = lower + (low if coefficient > 0 else high) * coefficient
        upper = upper + (high if coefficient > 0 else low) * coefficient
    p, q = (polynomial(with_whole_powers(e, symbol), symbol) for e in (lower, upper))
    return None if p is None or q is None else (max(starts), p, q)


@lru_cache(maxsize=4096)
@uncounted
def _monomial_bounds(monomial: Monomial, symbol: str) -> tuple[int, Expr, Expr] | None:
    """Two bounds of a product of powers, and the number from which on they hold. One floor may have any sign: its
    bounds scale with the rest. Of several, all have to be at least 0."""
    start, low, high = 1, ONE, ONE
    several = sum(power for atom, power in monomial if not isinstance(atom, str)) > 1
    for atom, power in monomial:
        if isinstance(atom, str):
            factor = Expr.of(atom) ** power
            low, high = low * factor, high * factor
            continue
        bounds = _floor_bounds(atom, symbol) if power > 0 else None
        if bounds is None or (several and bounds[0] is None):
            return None
        start = max(start, bounds[0] or 1) if several else start
        low, high = low * bounds[1] ** power, high * bounds[2] ** power
    return start, low, high


@lru_cache(maxsize=4096)
@uncounted
def _floor_bounds(atom: Func, symbol: str) -> tuple[int | None, Expr, Expr] | None:
    """The floor of p/q, for p with integer coefficients and an integer q > 0, lies in [(p - q + 1)/q, p/q]. The first
    number says from where on the lower bound is at least 0 (None: not known)."""
    if atom.name != "floor":
        return None
    p, q = polynomial(atom.args[0], symbol), atom.args[1].constant
    if p is None or q is None or not _whole(*p, q) or q <= 0:
        return None
    low, high = (atom.args[0] - (q - 1)) * Fraction(1, int(q)), atom.args[0] * Fraction(1, int(q))
    if len(p) != 2 or p[1] <= 0:
        return None, low, high
    return max(1, -((int(p[0]) - int(q) + 1) // int(p[1]))), low, high


def _whole(*numbers: Number | None) -> bool:
    return all(n is not None and Fraction(n).denominator == 1 for n in numbers)
