"""Exact numbers: integers where a value is one, fractions elsewhere; and the functions that counts are made of."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log2
from typing import Union

Number = Union[int, Fraction]

MAX_POWER_BITS = 4096  # the longest power that is evaluated, in bits


class NotEvaluable(Exception):
    """A symbol is free, or a sum is too long, where a number was asked for."""


def integer_if_integral(number: Number) -> Number:
    """An int where the fraction is an integer: ints are much faster."""
    return number if type(number) is int or number.denominator != 1 else number.numerator


def product(a: Number, b: Number) -> Number:
    """a*b, an int where it is an integer: faster than by Fraction's own operators."""
    if type(a) is int and type(b) is int:
        return a * b
    top, bottom = a.numerator * b.numerator, a.denominator * b.denominator
    whole, rest = divmod(top, bottom)
    return Fraction(top, bottom) if rest else whole


def total(a: Number, b: Number) -> Number:
    """a + b, likewise."""
    if type(a) is int and type(b) is int:
        return a + b
    bottom, other = a.denominator, b.denominator
    if bottom == other:
        top = a.numerator + b.numerator
    else:
        top, bottom = a.numerator * other + b.numerator * bottom, bottom * other
    whole, rest = divmod(top, bottom)
    return Fraction(top, bottom) if rest else whole


def function_value(name: str, args: list[Number]) -> Number:
    """The value of a function atom (:class:`roofscan.symbolic.terms.Func`) at numbers."""
    if name == "floor":
        if not args[1]:
            raise NotEvaluable("division by zero")
        p, q = args
        return (p.numerator * q.denominator) // (p.denominator * q.numerator)
    if name == "and":
        return floor(args[0]) & floor(args[1])
    if name in ("min", "max"):
        return min(args) if name == "min" else max(args)
    if name == "ilog2":
        if args[0] < 1:
            raise NotEvaluable("logarithm of a number below 1")
        return floor(args[0]).bit_length() - 1
    if name == "log2":
        if args[0] <= 0:
            raise NotEvaluable("logarithm of a number that is not positive")
        return integer_if_integral(Fraction(log2(args[0])))
    if name == "pow2":
        if not -MAX_POWER_BITS <= args[0] <= MAX_POWER_BITS:
            raise NotEvaluable(f"a power of two beyond 2**{MAX_POWER_BITS}")
        return integer_if_integral(Fraction(2) ** floor(args[0]))
    if name == "pow":
        return _power(*args)
    raise NotEvaluable(f"unknown function {name}")


def _power(base: Number, exponent: Number) -> Number:
    digits = max(1, floor(base).bit_length())
    if exponent != floor(exponent) or not -MAX_POWER_BITS <= exponent * digits <= MAX_POWER_BITS:
        raise NotEvaluable("a power that is too large")
    if not base and exponent < 0:
        raise NotEvaluable("division by zero")
    return integer_if_integral(Fraction(base) ** floor(exponent))
