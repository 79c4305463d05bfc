"""Exact sums of polynomials and of floors over a range, in closed form where there is one: powers by Faulhaber's
formula; a polynomial in x and floor((x + b)/d) by whole blocks of d and the rest (d may be a symbol); several floors by
residue classes. Anything else becomes a ``sum`` atom, which is evaluated term by term."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, gcd, lcm

from roofscan.symbolic.expr import ONE, ZERO, Atom, Expr, Func, Monomial, Number, apply, symbol
from roofscan.symbolic.floors import ceil_div, floor_div
from roofscan.symbolic.hermite import with_rows_united
from roofscan.symbolic.powers import power_of

MAX_RESIDUES = 64  # the most residue classes that a sum is split into

_TWO = Expr.of(2)
_QUOTIENT = "~q"  # stands for the floor while a sum is made; no source name has a tilde


def sum_over(body: Expr, var: str, lo: Expr, hi: Expr) -> Expr:
    """The sum of ``body`` for the integers ``var`` = lo, …, hi; assumes hi >= lo - 1 (0 there)."""
    if var not in body.symbols:
        return body * (hi - lo + 1)
    total, rest = ZERO, ZERO
    for monomial, coefficient in body.terms.items():
        term = Expr({monomial: coefficient})
        power = _plain_power(monomial, var)
        if power is None:
            rest = rest + term
        else:
            others = Expr({tuple(f for f in monomial if f[0] != var): coefficient})
            total = total + others * (_power_sum(power, hi) - _power_sum(power, lo - 1))
    return total + _sum_of_floors(rest, var, lo, hi) if rest else total


def sum_atom(body: Expr, var: str, lo: Expr, hi: Expr) -> Expr:
    """The sum as it stands, what does not depend on ``var`` taken out."""
    total = ZERO
    inner: dict[Monomial, dict[Monomial, Number]] = {}
    for monomial, coefficient in body.terms.items():
        bound = tuple(f for f in monomial if var in _symbols(f[0]))
        free = tuple(f for f in monomial if var not in _symbols(f[0]))
        inner.setdefault(free, {})[bound] = coefficient
    for free, terms in inner.items():
        part = Expr(terms)
        made = part * (hi - lo + 1) if var not in part.symbols else _atom(part, var, lo, hi)
        total = total + Expr({free: 1}) * made
    return total


def _atom(body: Expr, var: str, lo: Expr, hi: Expr) -> Expr:
    """The atom; its variable gets a name that is a Python identifier, since it is printed."""
    name = "".join(c if c.isalnum() else "_" for c in var)
    while name != var and name in body.symbols | lo.symbols | hi.symbols:
        name += "_"
    return apply("sum", [body.subs({var: symbol(name)}), symbol(name), lo, hi])


def _plain_power(monomial: Monomial, var: str) -> int | None:
    """The power of ``var`` in a monomial that has it nowhere else, or None."""
    power = 0
    for atom, p in monomial:
        if atom == var:
            power = p
        elif not isinstance(atom, str) and var in _symbols(atom):
            return None
    return power if power >= 0 else None


def _symbols(atom: Atom) -> frozenset[str]:
    return frozenset((atom,)) if isinstance(atom, str) else Expr.atom(atom).symbols


# -- powers ---------------------------------------------------------------------------------------
@cache
def _faulhaber(power: int) -> tuple[Fraction, ...]:
    """The coefficients, from x**1 on, of 1**power + … + x**power as a polynomial in x (Faulhaber)."""
    numbers = _bernoulli(power)
    return tuple(
        Fraction(comb(power + 1, power + 1 - k), power + 1) * numbers[power + 1 - k] for k in range(1, power + 2)
    )


@cache
def _bernoulli(upto: int) -> tuple[Fraction, ...]:
    """The Bernoulli numbers B0, B1 = +1/2, …"""
    numbers: list[Fraction] = []
    for m in range(upto + 1):
        known = sum((comb(m + 1, j) * b for j, b in enumerate(numbers)), start=Fraction(0))
        numbers.append((m + 1 - known) / (m + 1))
    return tuple(numbers)


def _power_sum(power: int, last: Expr) -> Expr:
    """F(last) with F(x) - F(x - 1) = x**power for every integer x and F(0) = 0."""
    if power == 0:
        return last
    if not last:
        return ZERO
    result = ZERO
    for coefficient in reversed(_faulhaber(power)):
        result = (result + coefficient) * last
    return result


# -- floors ---------------------------------------------------------------------------------------
def _sum_of_floors(body: Expr, var: str, lo: Expr, hi: Expr) -> Expr:
    """The sum of terms each of which has ``var`` inside an atom (or in a denominator)."""
    geometric = _geometric(body, var, lo, hi)
    if geometric is not None:
        return geometric
    atoms = [a for a in body.atoms if var in _symbols(a)]
    if any(p < 0 for m in body.terms for a, p in m if var in _symbols(a)) or not _are_floors(atoms, var):
        return sum_atom(body, var, lo, hi)
    if len(atoms) == 1:
        return _sum_of_one_floor(body, atoms[0], var, lo, hi)
    return _sum_by_residues(body, atoms, var, lo, hi)


def _are_floors(atoms: list[Func], var: str) -> bool:
    return all(a.name == "floor" and var not in a.args[1].symbols for a in atoms)


def _sum_of_one_floor(body: Expr, floor: Func, var: str, lo: Expr, hi: Expr) -> Expr:
    """In w = offset ± var: F(W) = Σ of whole blocks 0 … Q-1 of d, and of dQ … W, with Q = floor(W/d). F(W) - F(W - 1)
    is the term at w = W for every integer W, negative ones included."""
    numerator, divisor = floor.args
    slope = numerator.coefficient(var).constant if numerator.is_linear_in([var]) else None
    if slope not in (1, -1):
        return _sum_by_residues(body, [floor], var, lo, hi)
    offset = numerator - symbol(var) * slope
    terms = Expr({tuple((_QUOTIENT if a == floor else a, p) for a, p in m): c for m, c in body.terms.items()})
    terms = terms.subs({var: (symbol(var) - offset) * slope})
    start = divisor * symbol(_QUOTIENT)
    block = sum_over(terms, var, start, start + divisor - 1)
    first, last = (lo, hi) if slope == 1 else (-hi, -lo)
    return _up_to(last + offset, terms, block, var, divisor) - _up_to(first - 1 + offset, terms, block, var, divisor)


def _up_to(last: Expr, terms: Expr, block: Expr, var: str, divisor: Expr) -> Expr:
    quotient = floor_div(last, divisor)
    tail = sum_over(terms.subs({_QUOTIENT: quotient}), var, divisor * quotient, last)
    return sum_over(block, _QUOTIENT, ZERO, quotient - 1) + tail


def _sum_by_residues(body: Expr, atoms: list[Func], var: str, lo: Expr, hi: Expr) -> Expr:
    """Σ over residues r of Σ over u with var = L*u + r, where every floor is a polynomial in u."""
    periods = [_period(a, var) for a in atoms]
    period = lcm(*(p for p in periods if p))
    if None in periods or period > MAX_RESIDUES:
        return sum_atom(body, var, lo, hi)
    total, step = ZERO, Expr.of(period)
    for r in range(period):
        part = body.subs({var: symbol(var) * period + r})
        if any(var in _symbols(a) for a in part.atoms):
            return sum_atom(body, var, lo, hi)
        total = total + sum_over(part, var, ceil_div(lo - r, step), floor_div(hi - r, step))
    return with_rows_united(total)


def _period(floor: Func, var: str) -> int | None:
    """The step of ``var`` that makes a floor a polynomial: its divisor, if the coefficients are integers."""
    numerator, divisor = floor.args[0], floor.args[1].constant
    inner = [_period(a, var) if a.name == "floor" else None for a in numerator.atoms if var in _symbols(a)]
    if divisor is None or divisor != int(divisor) or divisor < 1 or None in inner:
        return None
    if any(c != int(c) for c in numerator.terms.values()):
        return None
    slope = numerator.coefficient(var).constant if numerator.is_linear_in([var]) else 1
    return int(divisor) // gcd(int(divisor), int(slope or 1)) * lcm(*(p for p in inner if p))


# -- geometric series ------------------------------------------------------------------------------
def _geometric(body: Expr, var: str, lo: Expr, hi: Expr) -> Expr | None:
    """The sum of terms c * b**(var + k), each c * (b**(hi + k + 1) - b**(lo + k))/(b - 1); None for any other body. The
    quotient is an integer. It is written as a floor for a base with a name, which has no value at b = 1."""
    total = ZERO
    for monomial, coefficient in body.terms.items():
        bound = [(a, p) for a, p in monomial if var in _symbols(a)]
        power = _base_and_shift(bound[0][0], var) if len(bound) == 1 and bound[0][1] == 1 else None
        if power is None:
            return None
        base, shift = power
        others = Expr({tuple(f for f in monomial if f not in bound): coefficient})
        if base == ONE:
            total = total + others * (hi - lo + 1)
            continue
        series = power_of(base, hi + shift + 1) - power_of(base, lo + shift)
        total = total + others * (series if base == _TWO else floor_div(series, base - 1))
    return total


def _base_and_shift(atom: Atom, var: str) -> tuple[Expr, Expr] | None:
    """b and k of ``b**(var + k)``."""
    if isinstance(atom, str) or atom.name not in ("pow2", "pow"):
        return None
    base = _TWO if atom.name == "pow2" else atom.args[0]
    shift = atom.args[-1] - symbol(var)
    return (base, shift) if len(base.terms) == 1 and var not in shift.symbols | base.symbols else None
