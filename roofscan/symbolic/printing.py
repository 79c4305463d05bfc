"""Expressions as text: plain Python arithmetic that SymPy reads back, given the symbols' names."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from roofscan.symbolic.numeric import Number
from roofscan.symbolic.terms import Atom, Func, Monomial

if TYPE_CHECKING:  # an expression prints itself
    from roofscan.symbolic.expr import Expr

_NAMES = {"min": "Min", "max": "Max", "and": "bitand"}
_TEMPLATES = {
    "ilog2": "floor(log({}, 2))", "log2": "log({}, 2)", "sum": "Sum({}, ({}, {}, {}))",
}  # fmt: skip


def to_text(expr: Expr) -> str:
    """``2*n**3 - n/3``; terms by falling degree, then by name."""
    if not expr.terms:
        return "0"
    ordered = sorted(expr.terms.items(), key=lambda item: (-_degree(item[0]), _monomial_key(item[0])))
    text = ""
    for position, (monomial, coefficient) in enumerate(ordered):
        negative, body = _term(monomial, coefficient)
        if position == 0:
            text = f"-{body}" if negative else body
        else:
            text += f" - {body}" if negative else f" + {body}"
    return text


def _degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def _monomial_key(monomial: Monomial) -> str:
    return "*".join(f"{a if isinstance(a, str) else '~' + a.key}^{-p:+05d}" for a, p in monomial)


def _term(monomial: Monomial, coefficient: Number) -> tuple[bool, str]:
    """Whether the term is negative, and its text without the sign."""
    factors: list[str] = []
    divisors: list[str] = []
    flip = False
    for atom, power in monomial:
        text, negated = _atom(atom)
        flip ^= negated and power % 2 == 1
        (factors if power > 0 else divisors).append(text if abs(power) == 1 else f"{text}**{abs(power)}")
    fraction = Fraction(coefficient)
    negative = (fraction < 0) != flip
    if fraction.denominator != 1:
        divisors.insert(0, str(fraction.denominator))
    if abs(fraction.numerator) != 1 or not factors:
        factors.insert(0, str(abs(fraction.numerator)))
    text = "*".join(factors)
    if divisors:
        text += "/" + (divisors[0] if len(divisors) == 1 else f"({'*'.join(divisors)})")
    return negative, text


def _atom(atom: Atom) -> tuple[str, bool]:
    """The text of an atom, and whether the text is its negative (a floor printed as a ceiling)."""
    if isinstance(atom, str):
        return atom, False
    if atom.name == "floor":
        return _floor(atom)
    if atom.name in ("pow", "pow2"):
        base, exponent = ("2", *atom.args) if atom.name == "pow2" else atom.args
        return f"({_in_brackets(base)}**{_in_brackets(exponent)})", False
    if atom.name in _TEMPLATES:
        return _TEMPLATES[atom.name].format(*atom.args), False
    return f"{_NAMES[atom.name]}({', '.join(str(a) for a in atom.args)})", False


def _in_brackets(part: object) -> str:
    """A part of a power: a name or a digit string stands alone."""
    text = str(part)
    return text if text.isalnum() or text.isidentifier() else f"({text})"


def _floor(atom: Func) -> tuple[str, bool]:
    ceiling = as_ceiling(atom)
    if ceiling is None:
        return f"floor({_quotient(*atom.args)})", False
    numerator, negated = ceiling
    return f"ceiling({_quotient(numerator, atom.args[1])})", negated


def as_ceiling(floor: Func) -> tuple[Expr, bool] | None:
    """p of a floor that reads better as ``ceiling(p/q)``, and whether that is its negative; None for any other."""
    numerator, denominator = floor.args
    d = denominator.constant
    whole = all(power > 0 for m in numerator.terms for _, power in m)
    if d is not None and d > 2 and numerator.constant_term == d - 1 and whole:
        return numerator - (d - 1), False
    leading = next((c for m, c in numerator.terms.items() if m), numerator.constant_term)
    return (-numerator, True) if leading < 0 and all(c < 0 for m, c in numerator.terms.items() if m) else None


def _quotient(numerator: Expr, denominator: Expr) -> str:
    top, bottom = str(numerator), str(denominator)
    simple = len(denominator.terms) == 1 and "*" not in bottom and "/" not in bottom
    return f"{top if len(numerator.terms) == 1 else f'({top})'}/{bottom if simple else f'({bottom})'}"
