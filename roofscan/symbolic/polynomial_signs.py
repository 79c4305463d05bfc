"""Where a polynomial is negative on the integers, exactly.

No root is approximated. Whether p rises or falls from one integer to the next is the sign of its
forward difference p(x + 1) - p(x), a polynomial of one degree less; between the places where *that* changes
its sign p is monotone on the integers, and bisection finds the one place where p itself may change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import comb, lcm
from typing import TypeVar

from roofscan.budget import spend
from roofscan.symbolic.expr import Expr, Number
from roofscan.symbolic.intervals import Range, Ranges, merge

Polynomial = tuple[Number, ...]
"""Coefficients by rising power, without zeros at the end; () is the zero polynomial."""

WholePolynomial = tuple[int, ...]
Coefficient = TypeVar("Coefficient", int, Number)

LARGEST_SAMPLE = 1 << 40
"""How far a function that is not a polynomial is sampled."""


def polynomial(expr: Expr, symbol: str) -> Polynomial | None:
    """The coefficients of ``expr`` by powers of ``symbol``; None where anything else is in it."""
    powers: dict[int, Number] = {}
    for monomial, coefficient in expr.terms.items():
        if len(monomial) > 1 or any(atom != symbol or power < 0 for atom, power in monomial):
            return None
        powers[monomial[0][1] if monomial else 0] = coefficient
    return tuple(powers.get(k, 0) for k in range(max(powers, default=-1) + 1))


def without_zeros(p: Polynomial) -> Polynomial:
    while p and not p[-1]:
        p = p[:-1]
    return p


def with_whole_powers(expr: Expr, symbol: str) -> Expr:
    """``expr`` times a power of ``symbol`` so that none is negative: for symbol > 0 the signs stay."""
    lowest = min((power for m in expr.terms for atom, power in m if atom == symbol), default=0)
    return expr * Expr.of(symbol) ** -lowest if lowest < 0 else expr


def with_whole_coefficients(p: Polynomial) -> WholePolynomial:
    """p times a positive number: the same signs, and integers are fast."""
    scale = lcm(*(c.denominator for c in p))
    return tuple(c.numerator * (scale // c.denominator) for c in p)


def value(p: Polynomial, x: int) -> Number:
    total: Number = 0
    for coefficient in reversed(p):
        total = total * x + coefficient
    return total


def negative_where(p: Polynomial, span: Range) -> Ranges:
    """The integers of ``span`` at which p is below zero."""
    spend(10)
    lo, hi = span
    p = with_whole_coefficients(p)
    if not p or (lo > 0 and min(p) >= 0):
        return ()
    if lo > 0 and max(p) <= 0:
        return (span,)
    last = max(lo, _root_bound(p)) if hi is None else hi
    return merge(r for r in _runs([lo, *_flips(p, lo, last)], hi) if value(p, r[0]) < 0)


def _runs(starts: list[int], hi: int | None) -> list[Range]:
    """The stretches from each start to the next, and from the last one to ``hi``."""
    return [(a, b - 1) for a, b in pairwise(starts)] + [(starts[-1], hi)]


def _root_bound(p: WholePolynomial) -> int:
    """A number beyond every real root (Cauchy)."""
    return 2 + max(map(abs, p[:-1])) // abs(p[-1]) if len(p) > 1 else 1


def _flips(p: WholePolynomial, lo: int, hi: int) -> list[int]:
    """The x in lo+1..hi where "p(x) < 0" differs from "p(x - 1) < 0"."""
    if len(p) < 2 or hi <= lo:
        return []
    if len(p) == 2:
        flip = p[0] // -p[1] + 1 if p[1] < 0 else -(p[0] // p[1])
        return [flip] if lo < flip <= hi else []
    one_root = lo > 0 and _sign_changes(p) == 1  # Descartes' rule of signs
    knots = [lo, hi] if one_root else [lo, *_flips(_difference(p), lo, hi - 1), hi]
    flips = (bisect(lambda x: value(p, x) < 0, a, b) for a, b in pairwise(knots))
    return [flip for flip in flips if flip is not None]


def _sign_changes(p: WholePolynomial) -> int:
    signs = [c > 0 for c in p if c]
    return sum(a != b for a, b in pairwise(signs))


def _difference(p: tuple[Coefficient, ...]) -> tuple[Coefficient, ...]:
    """p(x + 1) - p(x)."""
    degrees = range(len(p))
    return tuple(sum(comb(d, k) * p[d] for d in degrees[k + 1 :]) for k in degrees[:-1])


def bisect(holds: Callable[[int], bool], a: int, b: int) -> int | None:
    """The first x in a+1..b where ``holds`` is not as at a, if it changes at most once; None if never."""
    at_start = holds(a)
    if holds(b) == at_start:
        return None
    while b - a > 1:
        middle = (a + b) // 2
        if holds(middle) == at_start:
            a = middle
        else:
            b = middle
    return b


def sampled_where(holds: Callable[[int], bool], span: Range) -> Ranges:
    """Where a predicate holds that is not a polynomial's sign: sampled four times an octave, then bisected. The ends
    that it finds are exact; a range that lies between two samples is not seen."""
    lo, hi = span
    points = _samples(lo, LARGEST_SAMPLE if hi is None else hi)
    flips = (bisect(holds, a, b) for a, b in pairwise(points))
    starts = [lo, *(flip for flip in flips if flip is not None)]
    return merge(r for r in _runs(starts, hi) if holds(r[0]))


def _samples(lo: int, hi: int) -> Sequence[int]:
    points = [lo]
    while points[-1] < hi:
        points.append(min(hi, points[-1] + max(1, points[-1] // 5)))
    return points


def sum_over(p: Polynomial, lo: int, hi: int) -> Number:
    """p(lo) + … + p(hi), by Newton's forward differences."""
    total: Number = 0
    terms = max(0, hi - lo + 1)
    for k in range(len(p)):
        total += value(p, lo) * comb(terms, k + 1)
        p = _difference(p)
    return total
