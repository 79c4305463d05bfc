"""Numbers that remember how they were made: a value at the sample point, and its expression on demand.

The model runs once, on :class:`SampledExpr` objects. Sums, products and quotients are only noted down; every
comparison, minimum and rounding is decided by the value at the sample point. An :class:`Expr` is worked out
for those few numbers that reach the result, so it holds in the sample point's chamber and has its value there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import floor
from typing import Union

from roofscan.cost.memory.lru.tree.reciprocals import Reciprocals
from roofscan.symbolic.expr import Expr, floor_div, sum_of

Num = Union[int, float, Fraction, "SampledExpr"]

TOLERANCE = 1e-7
"""Lines or elements below this are nothing: what rounding leaves of a difference of equal values."""
MAX_TERMS = 160
"""An expression of more terms than this is replaced by its value: nobody could read it."""
MAX_DENOMINATOR = 10**7


UNITS_PER_ONE = 2**20 * 3**3 * 5**2
"""Values are kept as whole multiples of 1/SCALE: sums of sizes beyond 2**53 must not lose their last line."""
_TOLERANCE_UNITS = int(TOLERANCE * UNITS_PER_ONE)


def _units(number: int | float | Fraction) -> int:
    if isinstance(number, int):
        return number * UNITS_PER_ONE
    top, bottom = number.as_integer_ratio()
    return top * UNITS_PER_ONE // bottom


class SampledExpr:
    """A number at the sample point (``units`` of 1/SCALE) with a note of the operation that made it, and its expression
    once that has been worked out."""

    __slots__ = ("_left", "_op", "_right", "made", "units")

    def __init__(self, units: int, op: str, left: object, right: object = None) -> None:
        self.units = units
        self.made: Expr | None = None
        self._op = op
        self._left = left
        self._right = right

    @property
    def value(self) -> float:
        return self.units / UNITS_PER_ONE

    def __add__(self, other: Num) -> SampledExpr:
        if isinstance(other, SampledExpr):
            return SampledExpr(self.units + other.units, "+", self, other)
        return SampledExpr(self.units + _units(other), "+", self, other) if other else self

    __radd__ = __add__

    def __sub__(self, other: Num) -> SampledExpr:
        if isinstance(other, SampledExpr):
            return SampledExpr(self.units - other.units, "-", self, other)
        return SampledExpr(self.units - _units(other), "-", self, other) if other else self

    def __rsub__(self, other: Num) -> SampledExpr:
        assert not isinstance(other, SampledExpr)
        return SampledExpr(_units(other) - self.units, "-", other, self)

    def __neg__(self) -> SampledExpr:
        return SampledExpr(-self.units, "*", self, -1)

    def __mul__(self, other: Num) -> SampledExpr:
        if isinstance(other, SampledExpr):
            return SampledExpr(self.units * other.units // UNITS_PER_ONE, "*", self, other)
        if other == 1:
            return self
        if isinstance(other, int):
            return SampledExpr(self.units * other, "*", self, other)
        top, bottom = other.as_integer_ratio()
        return SampledExpr(self.units * top // bottom, "*", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Num) -> SampledExpr:
        if isinstance(other, SampledExpr):
            return SampledExpr(self.units * UNITS_PER_ONE // other.units, "/", self, other)
        if other == 1:
            return self
        top, bottom = other.as_integer_ratio()
        return SampledExpr(self.units * bottom // top, "/", self, other)

    def __rtruediv__(self, other: Num) -> SampledExpr:
        assert not isinstance(other, SampledExpr)
        return SampledExpr(_units(other) * UNITS_PER_ONE // self.units, "/", other, self)

    def __lt__(self, other: Num) -> bool:
        return self.units < (other.units if isinstance(other, SampledExpr) else _units(other))

    def __le__(self, other: Num) -> bool:
        return self.units <= (other.units if isinstance(other, SampledExpr) else _units(other))

    def __gt__(self, other: Num) -> bool:
        return self.units > (other.units if isinstance(other, SampledExpr) else _units(other))

    def __ge__(self, other: Num) -> bool:
        return self.units >= (other.units if isinstance(other, SampledExpr) else _units(other))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SampledExpr):
            return self.units == other.units
        return isinstance(other, (int, float, Fraction)) and self.units == _units(other)

    def __hash__(self) -> int:
        return hash(self.units)

    def __bool__(self) -> bool:
        return self.units != 0

    def __repr__(self) -> str:
        return f"SampledExpr({self.value})"


def value_of(number: Num) -> float:
    """The value at the sample point."""
    return number.units / UNITS_PER_ONE if isinstance(number, SampledExpr) else float(number)


def rounded(share: float) -> Fraction:
    """A share to 12 binary digits: sums of such keep small denominators."""
    return Fraction(round(share * 4096), 4096)


def magnitude(number: Num) -> Num:
    """The absolute value."""
    return -number if number < 0 else number


def same(a: Num, b: Num) -> bool:
    """Whether two numbers are equal but for rounding."""
    if isinstance(a, SampledExpr) or isinstance(b, SampledExpr):
        return abs(units_of(a) - units_of(b)) <= _TOLERANCE_UNITS
    return abs(float(a - b)) <= TOLERANCE


def units_of(number: Num) -> int:
    """The value at the sample point in whole multiples of 1/SCALE."""
    return number.units if isinstance(number, SampledExpr) else _units(number)


def known(expr: Expr, value: int | Fraction) -> Num:
    """The number of an expression whose value at the sample point is given."""
    constant = expr.constant
    return constant if constant is not None else SampledExpr(_units(value), "expr", expr)


def floor_to(number: Num, grid: int) -> Num:
    """The largest multiple of ``grid`` that is not above ``number``."""
    if not isinstance(number, SampledExpr):
        rounded = floor(number / grid + 1e-9) * grid
        return number if abs(rounded - number) < TOLERANCE else rounded
    width = grid * UNITS_PER_ONE
    units = (number.units + _TOLERANCE_UNITS) // width * width
    return number if abs(units - number.units) <= _TOLERANCE_UNITS else SampledExpr(units, "floor", number, grid)


def ceil_to(number: Num, grid: int) -> Num:
    """The smallest multiple of ``grid`` that is not below ``number``."""
    return -floor_to(-number, grid)


def total(numbers: Iterable[Num]) -> Num:
    """The sum, as one note."""
    parts: list[Num] = []
    units, plain = 0, True
    for n in numbers:
        if isinstance(n, SampledExpr):
            units, plain = units + n.units, False
            parts.append(n)
        elif n:
            units += _units(n)
            parts.append(n)
    return sum(p for p in parts if not isinstance(p, SampledExpr)) if plain else SampledExpr(units, "sum", tuple(parts))


def labelled_total(numbers: Iterable[tuple[str, Num]]) -> Num:
    """The sum, which remembers what each of its parts is of (:func:`parts_of`)."""
    named = [(name, n) for name, n in numbers if isinstance(n, SampledExpr) or n]
    whole = total(n for _, n in named)
    if isinstance(whole, SampledExpr):
        whole._right = tuple(name for name, _ in named)
    return whole


def parts_of(number: Num) -> tuple[tuple[str, Num], ...]:
    """The parts of a labelled sum, with their labels; () of any other number."""
    if not isinstance(number, SampledExpr) or number._op not in ("sum", "as") or number._right is None:
        return ()
    parts = number._left._left if isinstance(number._left, SampledExpr) else number._left
    assert isinstance(parts, tuple) and isinstance(number._right, tuple)
    return tuple(zip(number._right, parts))


def structure_of(number: Num, known_as: dict[object, int]) -> int:
    """A number's number: the same for all that are made the same way of the same expressions."""
    if not isinstance(number, SampledExpr):
        return known_as.setdefault(("number", number), len(known_as))
    parts = number._left if isinstance(number._left, tuple) else (number._left, number._right)
    inside = tuple(structure_of(p, known_as) if isinstance(p, SampledExpr) else p for p in parts)
    kinds = tuple(isinstance(p, SampledExpr) for p in parts)
    return known_as.setdefault((number._op, kinds, inside), len(known_as))


def relabelled(number: Num, labels: Mapping[str, str]) -> Num:
    """A labelled sum with other labels."""
    parts = parts_of(number)
    if not parts or not isinstance(number, SampledExpr):
        return number
    whole = number._left if number._op == "as" else number
    return SampledExpr(number.units, "as", whole, tuple(labels.get(name, name) for name, _ in parts))


class Expressions:
    """Works out the expressions of the numbers of one model, each once."""

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
        """What a number is made of, innermost first: no recursion, which notes may be too deep for."""
        pending = [number]
        while pending:
            top = pending[-1]
            parts = top._left if top._op == "sum" else (top._left, top._right)
            assert isinstance(parts, tuple)
            missing = [p for p in parts if isinstance(p, SampledExpr) and p.made is None]
            if missing:
                pending += missing
            else:
                pending.pop()
                if top.made is None:
                    top.made = self._make(top)

    def _make(self, q: SampledExpr) -> Expr:
        op, left, right = q._op, q._left, q._right
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
        top, bottom = _made(q._left), self._reciprocals.frozen(_made(q._right))
        if len(bottom.terms) == 1:
            return top / bottom
        if top == bottom:
            return Expr.of(1)
        ratio = _proportion(top, bottom)
        if ratio is not None:
            return Expr.of(ratio)
        made = self._reciprocals.quotient(top, bottom, _exactly(q._right))
        return _plain(q) if made is None else made


def _made(operand: object) -> Expr:
    """The expression of an operand that has one."""
    if isinstance(operand, SampledExpr):
        assert operand.made is not None
        return operand.made
    assert isinstance(operand, (int, float, Fraction))
    return Expr.of(_rational(operand))


def _rounded_down(q: SampledExpr, number: Expr, grid: Expr) -> Expr:
    """The multiple of ``grid`` below a number: sizes that are multiples themselves need no floor."""
    rest = number - number.constant_term
    left, width = q._left, grid.constant
    assert isinstance(left, SampledExpr) and isinstance(width, int)
    if (left.units - _units(number.constant_term)) % (width * UNITS_PER_ONE) == 0:
        return rest + floor(Fraction(number.constant_term) / width) * width
    return floor_div(number, grid) * grid


def _exactly(number: object) -> Fraction:
    """The value of an operand at the sample point."""
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
