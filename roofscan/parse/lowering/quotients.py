"""Floating numbers as quotients of integers, and the integers that they are rounded to: where arithmetic is exact
the value itself, elsewhere (``int(i * scale)``) a place that is right within one."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite
from operator import mul
from typing import Any, Literal

from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import F8, DType
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import extent, is_natural, loop_variables
from roofscan.parse.lowering.values import Quotient, Scalar, Value, integer, unknown_integer
from roofscan.symbolic.expr import ONE, Expr, apply
from roofscan.symbolic.floors import ceil_div, floor_div

MAX_DENOMINATOR = 1024  # of a fraction that floating arithmetic is exact with
CLOSE_DENOMINATOR = 10**6  # of the fraction that stands for any other number
LARGEST = 10**9  # a number beyond is no place
TOO_CLOSE = 1e-9  # to an integer: another computer may round to the other side

Rounding = Literal["down", "up", "nearest"]

ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod,
}  # fmt: skip
"""Of two numbers, as Python does it."""

COMPUTED: Mapping[str, Callable[..., Any]] = {
    **ARITHMETIC, "**": operator.pow, "min": min, "max": max, "sqrt": math.sqrt, "log": math.log,
    "log2": math.log2, "log10": math.log10, "exp": math.exp, "hypot": math.hypot,
}  # fmt: skip
"""What gives a known number for known numbers."""


def quotient_of(cx: Context, op: str, left: Scalar, right: Scalar) -> Quotient | None:
    """The result as a quotient of integers. It is exact for fractions of powers of two, which add and multiply exactly,
    and for one division, which is as good as exact where it is rounded to an integer."""
    a, b = as_quotient(cx, left), as_quotient(cx, right)
    if a is None or b is None:
        return None
    found = _combined(op, a, b)
    number = computed(cx, op, left, right)
    if found is None or number is None:
        return found or number
    return replace(found, number=number.number)


def _combined(op: str, a: Quotient, b: Quotient) -> Quotient | None:
    exact = a.exact and b.exact and _is_power_of_two(a.bottom)
    if op in ("/", "//", "%"):
        return _divided(op, a, b, exact)
    exact = exact and _is_power_of_two(b.bottom)
    if op == "*" and (exact or not (loop_variables(a.top) and loop_variables(b.top))):
        return Quotient(a.top * b.top, a.bottom * b.bottom, exact)
    if op not in ("+", "-"):
        return None
    first, second, bottom = _of_one_bottom(a, b)
    return Quotient(first + second if op == "+" else first - second, bottom, exact)


def _divided(op: str, a: Quotient, b: Quotient, exact: bool) -> Quotient | None:
    constant = b.top.constant
    if loop_variables(b.top) or not (is_natural(b.top) if constant is None else constant > 0):
        return None
    top, bottom = a.top * b.bottom, a.bottom * b.top
    if op == "/":
        by_size = b.bottom == ONE and is_natural(b.top - 1)
        return Quotient(top, bottom, exact and (by_size or constant is not None))
    whole = floor_div(top, bottom)
    if op == "//":
        return Quotient(whole, exact=False)
    return Quotient(top - bottom * whole, a.bottom * b.bottom, exact=False)


def as_quotient(cx: Context, value: Scalar) -> Quotient | None:
    if value.is_integer and value.expr is not None:
        known = cx.builder.known_value(value.expr)
        return Quotient(value.expr, number=None if known is None else float(known))
    if value.is_integer or value.quotient is not None:
        return value.quotient
    number = _given(cx, value.given) if value.given else value.number
    if not isinstance(number, (int, float, Fraction)):
        return None
    found = _of_number(float(number))
    return found if found is None or value.dtype == F8 else inexact(found)


def _of_number(number: float) -> Quotient | None:
    if not isfinite(number) or abs(number) > LARGEST:
        return None
    exact = Fraction(number)
    close = exact.limit_denominator(CLOSE_DENOMINATOR)
    return Quotient(Expr.of(close.numerator), Expr.of(close.denominator), exact.denominator <= MAX_DENOMINATOR, number)


def inexact(found: Quotient) -> Quotient:
    return replace(found, exact=False, number=None)


def computed(cx: Context, function: str, *values: Scalar) -> Quotient | None:
    """What a function of known numbers gives in double precision."""
    found = [as_quotient(cx, value) for value in values]
    known = [each.number for each in found if each is not None and each.number is not None]
    if function not in COMPUTED or not known or len(known) < len(values):
        return None
    try:
        result = COMPUTED[function](*known)
    except (ValueError, ArithmeticError, TypeError):
        return None
    return _of_number(result) if isinstance(result, float) else None


def _given(cx: Context, name: str) -> float | complex | Fraction | None:
    """The number that a parameter is, by a fact; facts describe a call, in which what they leave out has its
    default."""
    fact = cx.facts.scalars.get(name)
    if fact is not None:
        return fact.number
    default = cx.builder.defaults.get(name)
    if not isinstance(default, Scalar) or not cx.facts.names or name in cx.facts.names:
        return None
    cx.builder.assume(Assumption(name, f"{default.number} (its default)"))
    return default.number


def _is_power_of_two(expr: Expr) -> bool:
    number = expr.constant
    return isinstance(number, int) and number & (number - 1) == 0


def rounded(cx: Context, value: Scalar, to: Rounding = "down") -> Quotient | None:
    """The integer that a quotient is rounded to, exact where the quotient is exact, and an integer or not negative."""
    found = value.quotient
    if found is None or (found.bottom == ONE and found.exact):
        return found
    top, bottom = found.top, found.bottom
    if to == "nearest":
        top, bottom = top * 2 + bottom, bottom * 2
    low = extent(top, cx.builder.loops, cx.builder.guards)[0] if loop_variables(top) else top
    exact = found.exact and to != "nearest" and is_natural(low)
    known = None if exact else _rounded_number(found.number, to)
    if known is not None:
        return known
    return Quotient(ceil_div(top, bottom) if to == "up" else _limited(top, lambda e: floor_div(e, bottom)), exact=exact)


def _rounded_number(number: float | None, to: Rounding) -> Quotient | None:
    if number is None or (number < 0 and to == "down"):
        return None
    edge = number + 0.5 if to == "nearest" else number
    if 0 < abs(edge - round(edge)) < TOO_CLOSE * max(1.0, edge):
        return None
    whole = math.ceil(number) if to == "up" else math.floor(number) if to == "down" else round(number)
    return Quotient(Expr.of(whole), number=float(whole))


def rounded_integer(found: Quotient | None, why: str, dtype: DType) -> Scalar:
    """The integer that a floating number was rounded to."""
    if found is not None and found.exact:
        return Scalar(dtype, found.top)
    return replace(unknown_integer(why, dtype), quotient=found)


def integer_result(cx: Context, name: str, args: Sequence[Value]) -> Scalar:
    """The result of a function of integers."""
    exprs = [arg.expr for arg in args if isinstance(arg, Scalar) and arg.expr is not None]
    known = [number for expr in exprs if (number := cx.builder.known_value(expr)) is not None]
    if name in ("isqrt", "gcd", "lcm") and known and len(known) == len(args) and min(known) >= 0:
        return integer(getattr(math, name)(*map(int, known)))
    return replace(unknown_integer(f"a result of {name}"), weak=True)


def extremum_of(cx: Context, name: str, values: Sequence[Scalar]) -> Quotient | None:
    """The least or the greatest of numbers, not all of which are known exactly."""
    known = [found for value in values if (found := as_quotient(cx, value)) is not None]
    if len(known) < len(values):
        return None
    result = known[0]
    for other in known[1:]:
        *tops, bottom = _of_one_bottom(result, other)
        result = Quotient(apply(name, tops), bottom, exact=False)
    number = computed(cx, name, *values)
    return result if number is None else replace(result, number=number.number)


def _of_one_bottom(a: Quotient, b: Quotient) -> tuple[Expr, Expr, Expr]:
    if a.bottom == b.bottom:
        return a.top, b.top, a.bottom
    first, second = _limited(a.top, partial(mul, b.bottom)), _limited(b.top, partial(mul, a.bottom))
    return first, second, a.bottom * b.bottom


def _limited(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """A rising function of a number; of one between limits, the limits are changed, too."""
    [atom] = expr.atoms if len(expr.atoms) == 1 else [None]
    if atom is None or atom.name not in ("min", "max") or expr != Expr.atom(atom):
        return change(expr)
    return apply(atom.name, [_limited(arg, change) for arg in atom.args])
