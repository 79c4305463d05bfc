"""Evaluates expressions often, and so only those that are quick to evaluate. A count without a closed form is a ``sum``
atom, evaluated term by term; a search over sizes asks for hundreds of such values, each of millions of terms."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofscan.memo import kept
from roofscan.symbolic.evaluation import holds_sum
from roofscan.symbolic.expr import Expr, Func, Monomial, NotEvaluable, Number
from roofscan.symbolic.numeric import integer_if_integral

MAX_TERMS = 4096  # the longest sum that is evaluated here


def number(expr: Expr, values: Mapping[str, Number]) -> Number:
    """The exact value; NotEvaluable where a symbol is free or a sum is long or holds another sum."""
    if holds_sum(expr):
        for atom in expr.atoms:
            _check(atom, values)
    return expr.evaluate(values)


def _check(atom: Func, values: Mapping[str, Number]) -> None:
    if atom.name != "sum":
        for argument in atom.args:
            for inner in argument.atoms:
                _check(inner, values)
        return
    body, _, first, last = atom.args
    if holds_sum(body) or number(last - first, values) > MAX_TERMS:
        raise NotEvaluable(f"a long sum: {atom.key}")


class BoundedEvaluator:
    """Values of all symbols at which many expressions are evaluated: what they have in common once."""

    def __init__(self, values: Mapping[str, Number]) -> None:
        self._values = values
        self._known: dict[Monomial, tuple[int, int]] = {}

    def number(self, expr: Expr) -> Number:
        tops: dict[int, int] = {}  # numerators by denominator: integers are fast
        for monomial, coefficient in expr.terms.items():
            ratio = self._known.get(monomial)
            if ratio is None:
                value = number(Expr({monomial: 1}), self._values)
                ratio = self._known[monomial] = value.numerator, value.denominator
            top, bottom = coefficient.numerator * ratio[0], coefficient.denominator * ratio[1]
            tops[bottom] = tops.get(bottom, 0) + top
        whole = tops.pop(1, 0)
        return (
            integer_if_integral(whole + sum(Fraction(top, bottom) for bottom, top in tops.items())) if tops else whole
        )


class ValuesAlong:
    """Values of many expressions at many integers of one symbol: what they have in common once a place."""

    def __init__(self, symbol: str) -> None:
        self._symbol = symbol

    @kept
    def at(self, place: int) -> BoundedEvaluator:
        return BoundedEvaluator({self._symbol: place})

    def number(self, expr: Expr, place: int) -> Number:
        return self.at(place).number(expr)


def is_tangled(expr: Expr) -> bool:
    """Whether powers, logarithms, sums or floors of floors are in ``expr``: its sign can only be sampled."""
    return any(a.name != "floor" or any(argument.atoms for argument in a.args) for a in expr.atoms)
