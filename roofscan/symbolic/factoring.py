"""A polynomial as a product, where people would write one: ``10*(nx - 2)*(ny - 2)*(nz - 2)``. Trip counts multiply, so
that most counts fall apart into linear factors. A root is guessed among the few that loops make, held against one
point, and confirmed by exact division."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm

from roofscan.budget import uncounted
from roofscan.symbolic.collected import positive_first
from roofscan.symbolic.expr import ZERO, Expr, Number, symbol

MAX_FACTORED_TERMS = 64
MAX_FACTORED_SYMBOLS = 6
_LARGEST_ROOT = 16
_NEIGHBOURS = range(-2, 3)  # n - k + 1 and its like
_POINT = (10_007, 20_011, 30_011, 40_009, 50_021, 60_013)  # primes, far from every root that is tried


@lru_cache(maxsize=1024)
@uncounted
def product_text(expr: Expr) -> str | None:
    """``expr`` as a product of its content, linear factors and a rest; None if it has no linear factor."""
    names = sorted(expr.symbols)
    if not 2 <= len(expr.terms) <= MAX_FACTORED_TERMS or len(names) > MAX_FACTORED_SYMBOLS or expr.atoms:
        return None
    content, rest = _content(expr)
    factors: list[Expr] = []
    point = dict(zip(names, _POINT))
    for name in names:
        rest, found = _split(rest, name, point)
        factors += found
    if not factors:
        return None
    if rest.constant is not None:
        return _text(content * rest, factors)
    return _text(content, [*factors, rest])


def _content(expr: Expr) -> tuple[Expr, Expr]:
    """The single term that divides all others, and what it leaves: a polynomial with integer coefficients."""
    coefficients = [Fraction(c) for c in expr.terms.values()]
    number = Fraction(gcd(*(c.numerator for c in coefficients)), lcm(*(c.denominator for c in coefficients)))
    term = Expr.of(number)
    for name in expr.symbols:
        term *= symbol(name) ** min(dict(m).get(name, 0) for m in expr.terms)
    return term, expr / term


def _split(expr: Expr, name: str, point: dict[str, int]) -> tuple[Expr, list[Expr]]:
    """The linear factors in ``name``, and what is left without them."""
    found: list[Expr] = []
    for root in _roots(name, point):
        while expr.degree(name) > 0 and _vanishes(expr, name, root, point):
            quotient = _divided(expr, name, root)
            if quotient is None:
                break
            size = lcm(*(Fraction(c).denominator for c in root.terms.values()))
            found.append((symbol(name) - root) * size)
            expr = quotient / size
    return expr, found


def _roots(name: str, point: dict[str, int]) -> Iterator[Expr]:
    """Values of ``name`` at which counts of loops are often 0."""
    for size in range(_LARGEST_ROOT + 1):
        for number in {size, -size}:
            yield Expr.of(number)
            if number % 2:
                yield Expr.of(Fraction(number, 2))
    for other in point:
        if other != name:
            yield from (symbol(other) + near for near in _NEIGHBOURS)


def _vanishes(expr: Expr, name: str, root: Expr, point: dict[str, int]) -> bool:
    at: dict[str, Number] = {**point, name: root.evaluate(point)}
    return expr.evaluate(at) == 0


def _divided(expr: Expr, name: str, root: Expr) -> Expr | None:
    """``expr / (name - root)`` by Horner's rule, or None if something remains."""
    x, carried, quotient = symbol(name), ZERO, ZERO
    for power in range(expr.degree(name), 0, -1):
        carried = expr.coefficient(name, power) + root * carried
        quotient += carried * x ** (power - 1)
    return quotient if not expr.coefficient(name, 0) + root * carried else None


def _text(content: Expr, factors: list[Expr]) -> str:
    powers: dict[str, int] = {}
    for factor in factors:
        if sum(1 if c > 0 else -1 for c in factor.terms.values()) < 0:
            factor, content = -factor, -content
        text = positive_first(factor)
        powers[text] = powers.get(text, 0) + 1
    body = "*".join(f"({text})" + (f"**{power}" if power > 1 else "") for text, power in powers.items())
    [(monomial, number)] = content.terms.items()
    coefficient = Fraction(number)
    above = str(Expr({tuple(f for f in monomial if f[1] > 0): abs(coefficient.numerator)}))
    below = str(Expr({tuple((a, -p) for a, p in monomial if p < 0): coefficient.denominator}))
    product = body if above == "1" else f"{above}*{body}"
    if below != "1":
        product += f"/({below})" if "*" in below else f"/{below}"
    return f"-{product}" if coefficient < 0 else product
