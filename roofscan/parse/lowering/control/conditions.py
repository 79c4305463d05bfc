"""Exact conditions: comparisons of integers that are known in sizes and loop variables."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from roofscan.frozen import dataclass
from roofscan.ir.kernel import Condition
from roofscan.ir.kinds import Relation
from roofscan.parse.syntax import Binary, Expression, Literal
from roofscan.symbolic.expr import ONE, Expr, Func


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
    constant = expr.constant
    if constant is not None:
        value = constant % modulus if modulus else constant
        holds = value >= 0 if relation == "ge" else (value == 0) == (relation == "eq")
        return ALWAYS if holds else NEVER
    condition = Condition(expr, relation, modulus)
    return Cases([Case((condition,))], [Case((negated(condition),))])


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


def negated(condition: Condition) -> Condition:
    """The condition that holds exactly where this one does not."""
    if condition.relation == "ge":
        return replace(condition, expr=-condition.expr - 1, denied=not condition.denied)
    return replace(condition, relation="ne" if condition.relation == "eq" else "eq", denied=not condition.denied)


def modulus_of(test: Expression) -> int:
    """m where ``test`` is ``something % m`` (or ``something & 1``) for a constant m, else 0."""
    if isinstance(test, Binary) and test.op in ("%", "&"):
        divisor = test.right
        if isinstance(divisor, Literal) and isinstance(divisor.value, int) and divisor.value > 0:
            if test.op == "%":
                return divisor.value
            return 2 if divisor.value == 1 else 0
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
