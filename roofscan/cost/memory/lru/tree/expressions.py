"""The expressions of sampled numbers, worked out for those that reach a result. An :class:`Expr` cannot hold the
division by a sum (``nnz/(rows - 1)``): the reciprocal is a symbol until the expression is complete. Where the sum has
come back as a factor the two cancel; what remains of the symbol takes its value at the sample point."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from roofscan.budget import spend
from roofscan.cost.memory.lru.tree.sampled_expr import UNITS_PER_ONE, Num, SampledExpr, units_of
from roofscan.symbolic.chamber import common_factor
from roofscan.symbolic.expr import ZERO, Expr, Number, apply, sum_of, symbol
from roofscan.symbolic.floors import floor_div


class Reciprocals:
    """The sums that were divided by, each with a symbol for 1/sum."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[Expr, Fraction]] = {}

    def quotient(self, top: Expr, bottom: Expr, value: Fraction) -> Expr | None:
        """``top / bottom`` with a symbol for 1/bottom; None for a sum that no symbol divides linearly. ``value`` is
        that of ``bottom`` at the sample point."""
        if not value or _main(bottom) is None:
            return None
        name = f"1/({bottom})"
        self._sums[name] = (bottom, 1 / value)
        return top * symbol(name)

    def frozen(self, expr: Expr) -> Expr:
        """``expr`` without symbols of this class."""
        if not self._sums:
            return expr
        for name in sorted(expr.symbols & self._sums.keys()):
            bottom, value = self._sums[name]
            expr = _cancelled(expr, name, bottom, value)
        return expr


def _cancelled(expr: Expr, name: str, bottom: Expr, value: Fraction) -> Expr:
    carried, frozen = ZERO, ZERO
    for power in range(expr.degree(name), 0, -1):
        carried, rest = _divided(expr.coefficient(name, power) + carried, bottom)
        frozen += rest * value**power
    return expr.coefficient(name, 0) + carried + frozen


def _divided(expr: Expr, bottom: Expr) -> tuple[Expr, Expr]:
    """Quotient and remainder by a sum that is linear in its main symbol, by Horner's rule."""
    name = _main(bottom)
    assert name is not None
    if any(atom == name and power < 0 for monomial in expr.terms for atom, power in monomial):
        return ZERO, expr
    scale = bottom.coefficient(name).constant
    assert scale
    root, x = symbol(name) - bottom / scale, symbol(name)
    quotient, carried = ZERO, ZERO
    for power in range(expr.degree(name), 0, -1):
        carried = expr.coefficient(name, power) + root * carried
        quotient += carried * x ** (power - 1)
    return quotient / scale, expr.coefficient(name, 0) + root * carried


def _main(bottom: Expr) -> str | None:
    """A symbol in which the sum is linear, with a number before it."""
    for name in sorted(bottom.symbols):
        factor: Number | None = bottom.coefficient(name).constant
        rest = bottom - bottom.coefficient(name) * symbol(name)
        if factor and name not in rest.symbols:
            return name
    return None


MAKING_STEPS = 4  # what an expression takes to make besides its terms, in steps of the budget
MAX_TERMS = 160  # an expression of more terms than this is replaced by its value: it would be unreadable
MAX_DENOMINATOR = 10**7  # values that are no such fraction are rounded to one


class Expressions:
    """``anywhere``: keep the division by a sum, for sizes far from the sample point."""

    def __init__(self, anywhere: bool = False) -> None:
        self._reciprocals = Reciprocals()
        self._anywhere = anywhere

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
            top, waiting = pending[-1], len(pending)
            left, right = top.left, top.right
            if type(left) is SampledExpr:
                if left.made is None:
                    pending.append(left)
            elif top.op == "sum":
                assert isinstance(left, tuple)
                pending += [p for p in left if type(p) is SampledExpr and p.made is None]
            if type(right) is SampledExpr and right.made is None:
                pending.append(right)
            if len(pending) == waiting:
                pending.pop()
                if top.made is None:
                    top.made = self._make(top)

    def _make(self, q: SampledExpr) -> Expr:
        op, left, right = q.op, q.left, q.right
        if op == "+":
            made = _made(left) + _made(right)
        elif op == "-":
            made = _made(left) - _made(right)
        elif op == "*":
            made = self._product(q)
        elif op == "sum":
            assert isinstance(left, tuple)
            made = sum_of(map(_made, left))
        elif op == "/":
            made = self._quotient(q)
        elif op in ("as", "given"):
            return _made(left)
        elif op in ("pow", "min"):
            made = apply(op, [self._reciprocals.frozen(_made(left)), _made(right)])
        else:
            made = _rounded_down(q, self._reciprocals.frozen(_made(left)), _made(right))
        spend(MAKING_STEPS + len(made.terms))
        return made if len(made.terms) <= MAX_TERMS else _plain(q)

    @staticmethod
    def _product(q: SampledExpr) -> Expr:
        a, right = _made(q.left), q.right
        if not isinstance(right, SampledExpr):
            assert isinstance(right, (int, float, Fraction))
            return a * _rational(right)
        b = _made(right)
        return a * b if len(a.terms) * len(b.terms) <= 20 * MAX_TERMS else _plain(q)

    def _quotient(self, q: SampledExpr) -> Expr:
        top, bottom = _made(q.left), self._reciprocals.frozen(_made(q.right))
        if len(bottom.terms) == 1:
            return top / bottom
        if top == bottom:
            return Expr.of(1)
        ratio = _proportion(top, bottom)
        if ratio is not None:
            return Expr.of(ratio)
        if self._anywhere:
            common = common_factor(bottom)
            top, bottom = top / common, bottom / common
            whole, rest = _divided(top, bottom) if _main(bottom) is not None else (ZERO, top)
            return whole + rest * apply("pow", [bottom, Expr.of(-1)])
        made = self._reciprocals.quotient(top, bottom, _exactly(q.right))
        return _plain(q) if made is None else made


def _made(operand: object) -> Expr:
    if type(operand) is SampledExpr:
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
    if type(number) is int:
        return number
    exact = number if type(number) is Fraction else Fraction(number)
    if exact.denominator > MAX_DENOMINATOR:
        exact = exact.limit_denominator(MAX_DENOMINATOR)
    return exact.numerator if exact.denominator == 1 else exact
