"""Numbers that know how they were made: a value at the sample point, and an expression on demand. The model runs once,
on :class:`SampledExpr` objects. Sums, products and quotients are recorded; every comparison, minimum and rounding is
decided at the sample point. An expression is worked out (:mod:`roofscan.cost.memory.lru.tree.expressions`) for the few
numbers that reach the result, and holds in the chamber of the sample point. Two numbers are equal (``==``) only if they
are one object; :func:`same` compares values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import floor
from typing import Union, final

from roofscan.symbolic.expr import Expr

Num = Union[int, float, Fraction, "SampledExpr"]

Label = tuple[str, bool]  # the array that lines are of, and whether all threads have them in common
TOLERANCE = 1e-7  # differences (of lines or elements) below this are left by rounding
UNITS_PER_ONE = 2**20 * 3**3 * 5**2
"""Values are kept as integer multiples of 1/UNITS_PER_ONE: sums of sizes beyond 2**53 must not lose their last line."""
_TOLERANCE_UNITS = int(TOLERANCE * UNITS_PER_ONE)
_TOLERANCES = {TOLERANCE: _TOLERANCE_UNITS, -TOLERANCE: -_TOLERANCE_UNITS - 1}
"""The numbers that others are compared with most often, rounded down."""


def _units(number: int | float | Fraction) -> int:
    if type(number) is int:
        return number * UNITS_PER_ONE
    if type(number) is float and number in _TOLERANCES:
        return _TOLERANCES[number]
    top, bottom = number.as_integer_ratio()
    return top * UNITS_PER_ONE // bottom


@final
class SampledExpr:
    """A value at the sample point (``units`` of 1/UNITS_PER_ONE), the operation and operands that made it, and its
    expression once that is worked out."""

    __slots__ = ("left", "made", "op", "right", "units")

    def __init__(self, units: int, op: str, left: object, right: object = None) -> None:
        self.units = units
        self.made: Expr | None = None
        self.op = op
        self.left = left
        self.right = right

    @property
    def value(self) -> float:
        return self.units / UNITS_PER_ONE

    def __add__(self, other: Num) -> SampledExpr:
        if type(other) is SampledExpr:
            return SampledExpr(self.units + other.units, "+", self, other)
        if type(other) is int:
            return SampledExpr(self.units + other * UNITS_PER_ONE, "+", self, other) if other else self
        return SampledExpr(self.units + _units(other), "+", self, other) if other else self

    __radd__ = __add__

    def __sub__(self, other: Num) -> SampledExpr:
        if type(other) is SampledExpr:
            return SampledExpr(self.units - other.units, "-", self, other)
        if type(other) is int:
            return SampledExpr(self.units - other * UNITS_PER_ONE, "-", self, other) if other else self
        return SampledExpr(self.units - _units(other), "-", self, other) if other else self

    def __rsub__(self, other: Num) -> SampledExpr:
        assert not isinstance(other, SampledExpr)
        return SampledExpr(_units(other) - self.units, "-", other, self)

    def __neg__(self) -> SampledExpr:
        return SampledExpr(-self.units, "*", self, -1)

    def __mul__(self, other: Num) -> SampledExpr:
        if type(other) is SampledExpr:
            return SampledExpr(self.units * other.units // UNITS_PER_ONE, "*", self, other)
        if type(other) is int:
            return self if other == 1 else SampledExpr(self.units * other, "*", self, other)
        if other == 1:
            return self
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
        return self.units < (other.units if type(other) is SampledExpr else _units(other))

    def __le__(self, other: Num) -> bool:
        return self.units <= (other.units if type(other) is SampledExpr else _units(other))

    def __gt__(self, other: Num) -> bool:
        return self.units > (other.units if type(other) is SampledExpr else _units(other))

    def __ge__(self, other: Num) -> bool:
        return self.units >= (other.units if type(other) is SampledExpr else _units(other))

    def __bool__(self) -> bool:
        return self.units != 0

    def __repr__(self) -> str:
        return f"SampledExpr({self.value})"


def value_of(number: Num) -> float:
    """The value at the sample point."""
    return number.units / UNITS_PER_ONE if type(number) is SampledExpr else float(number)


def rounded(share: float) -> Fraction:
    """A share to 12 binary digits: sums of such keep small denominators."""
    return Fraction(round(share * 4096), 4096)


def magnitude(number: Num) -> Num:
    return -number if number < 0 else number


def same(a: Num, b: Num) -> bool:
    """Whether two numbers are equal but for rounding."""
    if isinstance(a, SampledExpr) or isinstance(b, SampledExpr):
        return abs(units_of(a) - units_of(b)) <= _TOLERANCE_UNITS
    return abs(float(a - b)) <= TOLERANCE


def units_of(number: Num) -> int:
    """The value at the sample point, in units of 1/UNITS_PER_ONE."""
    return number.units if isinstance(number, SampledExpr) else _units(number)


def known(expr: Expr, value: int | Fraction) -> Num:
    """The number of an expression whose value at the sample point is given."""
    constant = expr.constant
    if constant is not None:
        return constant
    number = SampledExpr(_units(value), "expr", expr)
    number.made = expr
    return number


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


def smaller(number: Num, limit: Num) -> Num:
    """The number, kept below a limit everywhere where it is above it at the sample point."""
    if number <= limit:
        return number
    return SampledExpr(units_of(limit), "min", number, limit)


def least(number: Num, limit: Num) -> Num:
    """The smaller of two, whichever that is at the sample point."""
    if not isinstance(number, SampledExpr) and not isinstance(limit, SampledExpr):
        return min(number, limit)
    return SampledExpr(min(units_of(number), units_of(limit)), "min", number, limit)


def raised(base: Num, power: int) -> Num:
    if not isinstance(base, SampledExpr):
        return Fraction(base) ** power
    return SampledExpr(_units(base.value**power), "pow", base, power)


def total(numbers: Iterable[Num]) -> Num:
    """The sum, as one operation."""
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


def labelled_total(numbers: Iterable[tuple[Label, Num]]) -> Num:
    """The sum, which remembers what each of its parts is of (:func:`parts_of`)."""
    named = [(name, n) for name, n in numbers if type(n) is SampledExpr or n]
    whole = total([n for _, n in named])
    if not isinstance(whole, SampledExpr) and not all(common for (_, common), _ in named):
        whole = SampledExpr(_units(whole), "sum", tuple(n for _, n in named))
    if isinstance(whole, SampledExpr):
        whole.right = tuple(name for name, _ in named)
    return whole


def parts_of(number: Num) -> tuple[tuple[Label, Num], ...]:
    """The parts of a labelled sum, with their labels; () of any other number."""
    if not isinstance(number, SampledExpr) or number.op not in ("sum", "as") or number.right is None:
        return ()
    parts = number.left.left if isinstance(number.left, SampledExpr) else number.left
    assert isinstance(parts, tuple) and isinstance(number.right, tuple)
    return tuple(zip(number.right, parts))


def common_part(number: Num) -> Num:
    """The part of a labelled sum that all threads have in common."""
    parts = parts_of(number)
    return total(n for (_, common), n in parts if common) if parts else number


def structure_of(number: Num, known_as: dict[object, int]) -> int:
    """A number's number: the same for all that are made the same way of the same expressions."""
    if not isinstance(number, SampledExpr):
        return known_as.setdefault(("number", number), len(known_as))
    parts = number.left if isinstance(number.left, tuple) else (number.left, number.right)
    inside = tuple(structure_of(p, known_as) if isinstance(p, SampledExpr) else p for p in parts)
    kinds = tuple(isinstance(p, SampledExpr) for p in parts)
    return known_as.setdefault((number.op, kinds, inside), len(known_as))


def relabelled(number: Num, labels: Mapping[str, str]) -> Num:
    parts = parts_of(number)
    if not parts or not isinstance(number, SampledExpr):
        return number
    whole = number.left if number.op == "as" else number
    return SampledExpr(
        number.units, "as", whole, tuple((labels.get(name, name), common) for (name, common), _ in parts)
    )
