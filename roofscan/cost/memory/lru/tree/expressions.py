"""The expressions of sampled numbers, worked out for those that reach a result."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from roofscan.cost.memory.lru.tree.reciprocals import Reciprocals
from roofscan.cost.memory.lru.tree.sampled_expr import UNITS_PER_ONE, Num, SampledExpr, units_of
from roofscan.symbolic.expr import Expr, floor_div, sum_of

MAX_TERMS = 160
"""An expression of more terms than this is replaced by its value: nobody could read it."""
MAX_DENOMINATOR = 10**7
"""Values that are no such fraction are rounded to one."""


class Expressions:
    def __init__(self) -> None:
        self._reciprocals = Reciprocals()

    def of(self, number: Num) -> Expr:
        """The expression of a number; its value at the sample point is the number's."""
        if not isinstance(number, SampledExpr):
            return Expr.of(_rational(number))
        if number.made is None:
            self._work_out(number)
        assert number.made is not None
        return self._reciprocals.frozen(number.made)

    def _work_out(self, number: SampledExpr) -> None:
        """The expressions of all that a number is made of, innermost first. Not by recursion: some are too deep."""
        pending = [number]
        while pending:
            top = pending[-1]
            parts = top.left if top.op == "sum" else (top.left, top.right)
            assert isinstance(parts, tuple)
            missing = [p for p in parts if isinstance(p, SampledExpr) and p.made is None]
            if missing:
                pending += missing
            else:
                pending.pop()
                if top.made is None:
                    top.made = self._make(top)

    def _make(self, q: SampledExpr) -> Expr:
        op, left, right = q.op, q.left, q.right
        if op == "expr":
            assert isinstance(left, Expr)
            return left
        if op == "as":
            return _made(left)
        if op == "sum":
            assert isinstance(left, tuple)
            made = sum_of(map(_made, left))
        elif op == "/":
            made = self._quotient(q)
        else:
            a, b = _made(left), _made(right)
            if op == "+":
                made = a + b
            elif op == "-":
                made = a - b
            elif op == "*":
                made = a * b if len(a.terms) * len(b.terms) <= 20 * MAX_TERMS else _plain(q)
            else:
                made = _rounded_down(q, self._reciprocals.frozen(a), b)
        return made if len(made.terms) <= MAX_TERMS else _plain(q)

    def _quotient(self, q: SampledExpr) -> Expr:
        top, bottom = _made(q.left), self._reciprocals.frozen(_made(q.right))
        if len(bottom.terms) == 1:
            return top / bottom
        if top == bottom:
            return Expr.of(1)
        ratio = _proportion(top, bottom)
        if ratio is not None:
            return Expr.of(ratio)
        made = self._reciprocals.quotient(top, bottom, _exactly(q.right))
        return _plain(q) if made is None else made


def _made(operand: object) -> Expr:
    if isinstance(operand, SampledExpr):
        assert operand.made is not None
        return operand.made
    assert isinstance(operand, (int, float, Fraction))
    return Expr.of(_rational(operand))


def _rounded_down(q: SampledExpr, number: Expr, grid: Expr) -> Expr:
    """The multiple of ``grid`` below a number: sizes that are multiples themselves need no floor."""
    rest = number - number.constant_term
    left, width = q.left, grid.constant
    assert isinstance(left, SampledExpr) and isinstance(width, int)
    if (left.units - units_of(number.constant_term)) % (width * UNITS_PER_ONE) == 0:
        return rest + floor(Fraction(number.constant_term) / width) * width
    return floor_div(number, grid) * grid


def _exactly(number: object) -> Fraction:
    assert isinstance(number, (int, float, Fraction, SampledExpr))
    return Fraction(units_of(number), UNITS_PER_ONE)


def _plain(q: SampledExpr) -> Expr:
    return Expr.of(_rational(Fraction(q.units, UNITS_PER_ONE)))


def _proportion(top: Expr, bottom: Expr) -> Fraction | None:
    """The constant that ``top`` is of ``bottom``, or None."""
    if top.terms.keys() != bottom.terms.keys() or not top.terms:
        return None
    ratios = {Fraction(c) / bottom.terms[m] for m, c in top.terms.items()}
    return ratios.pop() if len(ratios) == 1 else None


def _rational(number: int | float | Fraction) -> int | Fraction:
    if isinstance(number, int):
        return number
    exact = Fraction(number)
    if exact.denominator > MAX_DENOMINATOR:
        exact = exact.limit_denominator(MAX_DENOMINATOR)
    return exact.numerator if exact.denominator == 1 else exact
