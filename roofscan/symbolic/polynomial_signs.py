"""Where a polynomial, or an expression with floors, is negative on the integers, exactly. No root is approximated:
between the places where the forward difference p(x + 1) - p(x), of one degree less, changes its sign, p is monotone on
the integers, and bisection finds the one place where p itself may change. A floor lies within one of its quotient, so
that an expression with floors lies between two polynomials; the few integers at which their signs differ are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from math import comb, lcm
from typing import TypeVar

from roofscan.budget import spend, uncounted
from roofscan.symbolic.bounded_evaluation import ValuesAlong, number
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, Monomial, Number, apply, sum_of
from roofscan.symbolic.intervals import Range, Ranges, complement, intersect, merge

Polynomial = tuple[Number, ...]  # coefficients by rising power, without zeros at the end; () is the zero polynomial

WholePolynomial = tuple[int, ...]
Coefficient = TypeVar("Coefficient", int, Number)

LARGEST_SAMPLE = 1 << 40  # how far a function that is not a polynomial is sampled


def polynomial(expr: Expr, symbol: str) -> Polynomial | None:
    """The coefficients of ``expr`` by powers of ``symbol``; None where anything else is in it."""
    powers: dict[int, Number] = {}
    for monomial, coefficient in expr.terms.items():
        power = 0
        if monomial:
            (atom, power), *more = monomial
            if more or atom != symbol or power < 0:
                return None
        powers[power] = coefficient
    return tuple([powers.get(k, 0) for k in range(max(powers, default=-1) + 1)])


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
    scale = lcm(*[c.denominator for c in p])
    return tuple([c.numerator * (scale // c.denominator) for c in p])


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
    return tuple([r for r in _runs([lo, *_flips(p, lo, last)], hi) if value(p, r[0]) < 0])


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
    return sum([a != b for a, b in pairwise(signs)])


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


MAX_CHOICES = 4  # the most minima and maxima in a sum that are taken one by one
MAX_TRIED_NUMBERS = 512  # the longest stretch between the two polynomials that is tried number by number


def negative_with_floors(expr: Expr, symbol: str, span: Range, values: ValuesAlong | None = None) -> Ranges:
    """The integers of ``span`` (from 1 on) at which ``expr`` is below zero; NotEvaluable for free symbols. Exact
    unless an atom other than a floor keeps it from being enclosed: then it is sampled. ``values`` along the symbol
    remember what several expressions have in common."""

    def below(x: int) -> bool:
        return (values.number(expr, x) if values else number(expr, {symbol: x})) < 0

    p = polynomial(expr, symbol) or polynomial(with_whole_powers(expr, symbol), symbol)
    if p is not None:
        return negative_where(p, span)
    found = _by_cases(expr, symbol, span, values)
    if found is not None:
        return found
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


def _by_cases(expr: Expr, symbol: str, span: Range, values: ValuesAlong | None) -> Ranges | None:
    """The same for a sum with the least or largest of some terms: with the term that it is on each stretch of ``span``;
    where that is not known, below zero where it is with one of these terms, or with each. None where there is none,
    or it is multiplied by what may have any sign."""
    choices = [atom for atom in expr.atoms if atom.name in ("min", "max")]
    if not 0 < len(choices) <= MAX_CHOICES:
        return None
    for atom in choices:
        factors = [(dict(monomial), c) for monomial, c in expr.terms.items() if any(a == atom for a, _ in monomial)]
        if any(f.pop(atom) != 1 for f, _ in factors):
            continue
        taken = _taken(atom, symbol, span)
        if taken is not None:
            parts = ((_with(expr, atom, term), part) for term, parts in taken for part in parts)
            return merge(r for case, part in parts for r in negative_with_floors(case, symbol, part, values))
        if all(f.keys() <= {symbol} for f, _ in factors) and len({c > 0 for _, c in factors}) == 1:
            cases = (negative_with_floors(_with(expr, atom, term), symbol, span, values) for term in atom.args)
            one_is_enough = (atom.name == "min") == (factors[0][1] > 0)
            return merge(r for case in cases for r in case) if one_is_enough else reduce(intersect, cases)
    return None


def _taken(atom: Func, symbol: str, span: Range) -> list[tuple[Expr, Ranges]] | None:
    """Where in ``span`` a minimum or maximum is which of its terms; None unless they differ by polynomials."""
    found = []
    for term in atom.args:
        margins = [other - term if atom.name == "min" else term - other for other in atom.args if other is not term]
        known = [p for p in (polynomial(margin, symbol) for margin in margins) if p is not None]
        if len(known) < len(margins):
            return None
        found.append((term, complement(merge(r for p in known for r in negative_where(p, span)), span)))
    return found


def without_beaten_terms(expr: Expr, symbol: str) -> Expr:
    """The same from symbol = 1 on: a minimum or maximum in the first power loses the terms that another one beats at
    all these values, because the difference has coefficients of one sign."""
    for atom in expr.atoms:
        if atom.name in ("min", "max") and all(power == 1 for m in expr.terms for a, power in m if a == atom):
            kept = [term for term in atom.args if not _is_beaten(term, atom, symbol)]
            if len(kept) < len(atom.args):
                expr = _with(expr, atom, apply(atom.name, kept))
    return expr


def _is_beaten(term: Expr, atom: Func, symbol: str) -> bool:
    margins = (term - other if atom.name == "min" else other - term for other in atom.args if other != term)
    found = (polynomial(margin, symbol) for margin in margins)
    return any(p is not None and min(p, default=0) >= 0 for p in found)


def _with(expr: Expr, atom: Func, value: Expr) -> Expr:
    """The sum with a value for an atom, which it holds in the first power."""
    parts = (
        Expr({tuple(f for f in monomial if f[0] != atom): c}) * (value if any(a == atom for a, _ in monomial) else ONE)
        for monomial, c in expr.terms.items()
    )
    return sum_of(parts)


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


@lru_cache(maxsize=1 << 10)
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


@lru_cache(maxsize=1 << 10)
@uncounted
def _floor_bounds(atom: Func, symbol: str) -> tuple[int | None, Expr, Expr] | None:
    """The floor of p/q, for p with integer coefficients and an integer q > 0, lies in [(p - q + 1)/q, p/q]. The first
    number says from where on the lower bound is at least 0 (None: not known)."""
    if atom.name != "floor":
        return None
    p, q = polynomial(atom.args[0], symbol), atom.args[1].constant
    if p is None or q is None or not _are_integers(*p, q) or q <= 0:
        return None
    low, high = (atom.args[0] - (q - 1)) * Fraction(1, int(q)), atom.args[0] * Fraction(1, int(q))
    if len(p) != 2 or p[1] <= 0:
        return None, low, high
    return max(1, -((int(p[0]) - int(q) + 1) // int(p[1]))), low, high


def _are_integers(*numbers: Number | None) -> bool:
    return all(n is not None and Fraction(n).denominator == 1 for n in numbers)
