"""Exact conditions: comparisons of integers that are known in sizes and loop variables."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import NamedTuple

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.kinds import Relation
from roofscan.parse.syntax import Binary, Expression, Literal
from roofscan.symbolic.expr import ONE, Expr, Func, Number
from roofscan.symbolic.floors import floor_div


@dataclass(frozen=True)
class Case:
    """Where all ``conditions`` hold, in ``share`` of the executions."""

    conditions: tuple[Condition, ...] = ()
    share: Expr = ONE

    def and_also(self, other: Case) -> Case:
        return Case(self.conditions + other.conditions, self.share * other.share)


class Cases(NamedTuple):
    """The disjoint cases in which a test holds, and those in which it does not; together they are everything."""

    true: list[Case]
    false: list[Case]


ALWAYS = Cases([Case()], [])
NEVER = Cases([], [Case()])


def exact(expr: Expr, relation: Relation, modulus: int = 0) -> Cases:
    """The cases of ``expr >= 0`` (``ge``), ``expr == 0`` (``eq``) or ``expr != 0`` (``ne``), by a modulus if given."""
    expr = expr if relation != "ge" or modulus else _without_limits(expr)
    constant = expr.constant
    if constant is not None:
        value = constant % modulus if modulus else constant
        holds = value >= 0 if relation == "ge" else (value == 0) == (relation == "eq")
        return ALWAYS if holds else NEVER
    bit = None if modulus else _of_one_bit(expr)
    if bit is not None:
        return _on_bit(*bit, relation)
    rest = None if modulus or relation == "ge" else _less_remainder(expr)
    if rest is not None:
        whole, wanted, divisor = rest
        if not 0 <= wanted < divisor:
            return ALWAYS if relation == "ne" else NEVER
        return exact(whole - wanted, relation, divisor)
    shared = gcd(modulus, *(c.numerator if c.denominator == 1 else 1 for c in expr.terms.values())) if modulus else 1
    condition = Condition(expr / shared, relation, modulus // shared)
    return Cases([Case((condition,))], [Case((condition.negated,))])


def _without_limits(expr: Expr) -> Expr:
    """``max(0, i - r) - 1``, which is at least 0 where ``i - r - 1`` is: without limits that decide nothing."""
    for atom in expr.atoms:
        factor = expr.terms.get(((atom, 1),), 0)
        rest = expr - factor * Expr.atom(atom)
        if atom.name not in ("min", "max") or not factor or atom in rest.atoms:
            continue
        one_is_enough = (atom.name == "max") == (factor > 0)
        forms = [rest + factor * arg for arg in atom.args]
        known = [form.constant >= 0 for form in forms if form.constant is not None]
        left = [form for form in forms if form.constant is None]
        if one_is_enough in known:
            return ONE if one_is_enough else -ONE
        if len(left) == 1:
            return _without_limits(left[0])
    return expr


def _of_one_bit(expr: Expr) -> tuple[Expr, Number, Number] | None:
    """b, p and q of an expression that is p where b is even and q where it is odd (``i & 4``, ``(i ^ 4) - i``)."""
    for atom in expr.atoms:
        width = atom.args[-1].constant
        factor = Fraction(expr.terms.get(((atom, 1),), 0)) / -2
        if atom.name == "floor" and isinstance(width, int) and width % 2 == 0 and factor:
            bit = floor_div(atom.args[0], Expr.of(width // 2))
            even = (expr - (bit - 2 * Expr.atom(atom)) * factor).constant
            if even is not None:
                return bit, even, even + factor
    return None


def _less_remainder(expr: Expr) -> tuple[Expr, Number, int] | None:
    """x, c and d of ``x % d - c`` or ``c - x % d``, a named remainder that is compared with a constant."""
    for atom in expr.atoms:
        divisor, factor = atom.args[-1].constant, expr.terms.get(((atom, 1),), 0)
        if atom.name == "floor" and isinstance(divisor, int) and divisor > 1 and factor in (divisor, -divisor):
            rest = expr if factor < 0 else -expr
            wanted = (atom.args[0] - divisor * Expr.atom(atom) - rest).constant
            if wanted is not None:
                return atom.args[0], wanted, divisor
    return None


def _on_bit(bit: Expr, even: Number, odd: Number, relation: Relation) -> Cases:
    holds = [value >= 0 if relation == "ge" else (value == 0) == (relation == "eq") for value in (even, odd)]
    if holds[0] == holds[1]:
        return ALWAYS if holds[0] else NEVER
    return exact(bit, "eq" if holds[0] else "ne", 2)


def exact_comparison(op: str, difference: Expr) -> Cases | None:
    """The cases of ``difference op 0``; None for an operator that is no comparison of numbers."""
    forms: dict[str, tuple[Expr, Relation]] = {
        "<": (-difference - 1, "ge"),
        "<=": (-difference, "ge"),
        ">": (difference - 1, "ge"),
        ">=": (difference, "ge"),
        "==": (difference, "eq"),
        "!=": (difference, "ne"),
        "is": (difference, "eq"),
    }
    return exact(*forms[op]) if op in forms else None


def modulus_of(test: Expression) -> int:
    """m where ``test`` is ``something % m`` for a constant m, or the remainder less its low bits (``& 6``), else 0."""
    if isinstance(test, Binary) and test.op in ("%", "&"):
        divisor = test.right
        if isinstance(divisor, Literal) and isinstance(divisor.value, int) and divisor.value > 0:
            if test.op == "%":
                return divisor.value
            above = 1 << divisor.value.bit_length()
            return above if (above - divisor.value).bit_count() == 1 else 0
    return 0


def exact_remainder(remainder: Expr, wanted: Expr, op: str, modulus: int) -> Cases:
    """``base % m == c`` as a condition on base - c; the remainder is given as base - m*floor(base/m)."""
    constant = wanted.constant
    if constant is not None and not 0 <= constant < modulus:
        return ALWAYS if op == "!=" else NEVER
    return exact(without_multiples(remainder, modulus) - wanted, "eq" if op == "==" else "ne", modulus)


def without_multiples(remainder: Expr, modulus: int) -> Expr:
    """``base`` from the remainder ``base - m*floor(base/m)``: the multiples of m are dropped."""
    return Expr({m: c for m, c in remainder.terms.items() if c % modulus or not any(isinstance(a, Func) for a, _ in m)})
