"""Quotients rounded down or up. Symbols in them stand for integers."""

from __future__ import annotations

from fractions import Fraction
from math import floor, gcd, lcm

from roofscan.symbolic.expr import ONE, ZERO, Expr, Operand, normal_form
from roofscan.symbolic.terms import Func, is_integer_valued


@normal_form("floor")
def floor_div(numerator: Expr, denominator: Expr) -> Expr:
    """floor(numerator/denominator), integer parts taken out; symbols stand for integers."""
    divisor = denominator.constant
    if divisor is None:
        return _floor_by_symbol(numerator, denominator)
    if not divisor:
        raise ZeroDivisionError("division by zero")
    scaled = numerator * (Fraction(1) / divisor)
    scale = lcm(*(Fraction(c).denominator for c in scaled.terms.values())) if scaled.terms else 1
    whole = Expr({m: int(c) if m else floor(c) for m, c in scaled.terms.items() if is_integer_valued(m)})
    rest = (scaled - whole) * scale
    leading = [c for m, c in rest.terms.items() if m]
    is_integral = all(map(is_integer_valued, rest.terms))
    if leading and leading[0] < 0 and is_integral:  # floor(-x/d) = -ceil(x/d)
        return whole - floor_div(scale - 1 - rest, Expr.of(scale))
    if not rest.terms or (rest.constant is not None and 0 <= rest.constant < scale):
        return whole
    common = gcd(scale, *(int(c) for m, c in rest.terms.items() if m))
    if common > 1 and is_integral:  # floor((k*x + c)/(k*d)) = floor((x + c//k)/d)
        rest = Expr({m: int(c) // common for m, c in rest.terms.items()})
        scale //= common
    if scale == 2 and rest.constant_term == 1 and is_integral:  # ceil(x/2) = x - floor(x/2)
        base = rest - 1
        return whole + base - Expr.atom(Func("floor", (base, Expr.of(2))))
    inner = _floored(rest) if is_integral else None
    if inner is not None:  # floor((y + floor(x/a))/b) = floor((a*y + x)/(a*b))
        return whole + floor_div(inner[0], Expr.of(inner[1] * scale))
    return whole + Expr.atom(Func("floor", (rest, Expr.of(scale))))


def _floored(expr: Expr) -> tuple[Expr, int] | None:
    """a*y + x and a of ``y + floor(x/a)``, for a positive number a and y without a floor."""
    floors = [atom for atom in expr.atoms if atom.name == "floor"]
    if len(floors) != 1 or expr.terms.get(((floors[0], 1),)) != 1:
        return None
    top, divisor = floors[0].args[0], floors[0].args[1].constant
    rest = expr - Expr.atom(floors[0])
    if not isinstance(divisor, int) or divisor <= 0 or floors[0] in rest.atoms:
        return None
    return divisor * rest + top, divisor


def _floor_by_symbol(numerator: Expr, denominator: Expr) -> Expr:
    if len(denominator.terms) == 1:
        quotient = numerator / denominator
        whole = Expr({m: c for m, c in quotient.terms.items() if is_integer_valued(m) and c == floor(c)})
        numerator = numerator - whole * denominator
    else:
        whole = ZERO
        if numerator == denominator:
            return ONE
    if not numerator:
        return whole
    return whole + Expr.atom(Func("floor", (numerator, denominator)))


def remainder(value: Expr, modulus: Expr) -> Expr:
    return value - modulus * floor_div(value, modulus)


def ceil_div(numerator: Operand, denominator: Operand) -> Expr:
    return -floor_div(-Expr.of(numerator), Expr.of(denominator))
