"""Sums of terms with shares (``p1``, …) as people write them: ``n*(1 - p1)`` for ``-n*p1 + n``. The terms of one
product of sizes stand together, so that no figure begins with what it takes away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from roofscan.symbolic.expr import Expr, Number
from roofscan.symbolic.terms import Monomial

_SHARE = re.compile(r"p\d+")  # what shares and flags are named in every kernel


def by_sizes(expr: Expr) -> list[Expr]:
    """Its parts, each a product of sizes times a sum of numbers and shares; their sum is ``expr``."""
    parts: dict[Monomial, dict[Monomial, Number]] = {}
    for monomial, coefficient in expr.terms.items():
        parts.setdefault(_sizes(monomial), {})[monomial] = coefficient
    largest_first = sorted(parts, key=lambda sizes: (-sum(power for _, power in sizes), str(Expr({sizes: 1}))))
    return [Expr(parts[sizes]) for sizes in largest_first]


def collected_text(parts: Sequence[Expr]) -> str:
    """The sum of such parts, in this order."""
    text = ""
    for part in parts:
        body = _product(part)
        text += body if not text else f" - {body[1:]}" if body.startswith("-") else f" + {body}"
    return text


def positive_first(expr: Expr) -> str:
    """``n - k + 1`` as ``n + 1 - k``: no sign in front."""
    plus = Expr({m: c for m, c in expr.terms.items() if c > 0})
    if not plus or not str(expr).startswith("-"):
        return str(expr)
    return " - ".join([str(plus), *(str(Expr({m: -c})) for m, c in expr.terms.items() if c < 0)])


def _product(part: Expr) -> str:
    if len(part.terms) == 1:
        return str(part)
    sign = "-" if all(coefficient < 0 for coefficient in part.terms.values()) else ""
    common = gcd(*(Fraction(coefficient).numerator for coefficient in part.terms.values()))
    factor = Expr({_sizes(next(iter(part.terms))): common})
    text = positive_first((-part if sign else part) / factor)
    if factor == 1:
        return f"-({text})" if sign else text
    return f"{sign}{factor}*({text})"


def _sizes(monomial: Monomial) -> Monomial:
    return tuple(factor for factor in monomial if not (isinstance(factor[0], str) and _SHARE.fullmatch(factor[0])))
