"""Comparisons decided at a sample point. A derivation that must know which of two sizes is larger asks here. The answer
is true at the sample point (a number for every symbol) and is kept as a condition ``g >= 0``; the region where all
conditions hold is the *chamber*, and there every figure of the derivation is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm

from roofscan.symbolic.expr import ZERO, Expr, Func, Number, symbol

MAX_COMPARED_CONDITIONS = 40
"""Up to so many conditions, those that follow from another one are left out: each is compared with each."""


class Chamber:
    """The decisions of one derivation at ``sample_point``. ``least`` gives the least value that a symbol may take, or
    None where it may be negative. A symbol that it does not name is at least 1."""

    def __init__(self, sample_point: Mapping[str, Number], least: Mapping[str, int | None] | None = None) -> None:
        self.sample_point = dict(sample_point)
        self._least = dict(least or {})
        self._values: dict[Expr, Number] = {}
        self.facts: dict[Expr, None] = {}
        """What was decided: each is at least 0 in the chamber (a dict for its order)."""
        self._asked: set[Expr] = set()

    def value(self, g: Expr) -> Number:
        """``g`` at the sample point; NotEvaluable where a symbol has no value."""
        if g not in self._values:
            self._values[g] = g.evaluate(self.sample_point)
        return self._values[g]

    def holds(self, g: Expr) -> bool:
        """Whether the integer ``g`` is at least 0; the outcome is recorded."""
        constant = g.constant
        if constant is not None:
            return constant >= 0
        outcome = self.value(g) >= 0
        self.facts[g if outcome else -g - 1] = None
        return outcome

    def ask(self, g: Expr) -> None:
        """The source itself asks whether ``g >= 0`` (``if n == 0: return``): no size of at least 1 answers that."""
        self._asked.update((g, -g - 1))

    def sign(self, g: Expr) -> int:
        """-1, 0 or 1; recorded."""
        g = with_integer_coefficients(g)
        if self.holds(g - 1):
            return 1
        return 0 if self.holds(g) else -1

    def conditions(self, besides: tuple[str, str] | None = None) -> tuple[Expr, ...]:
        """Those that are :meth:`decided`, but for those that compare the two sizes of ``besides``."""
        return tuple(g for g in self.decided() if besides is None or compared(g) != besides)

    def decided(self) -> tuple[Expr, ...]:
        """The expressions that were decided to be at least 0 and are not obvious, the strongest of those that differ by
        a constant."""
        strongest: dict[Expr, Expr] = {}
        for fact in self.facts:
            g = _without_denominators(fact)
            if not self._obvious(g, least=0 if fact in self._asked else 1):
                base = g - g.constant_term
                known = strongest.get(base)
                strongest[base] = g if known is None or g.constant_term < known.constant_term else known
        kept = list(strongest.values())
        for g in kept if len(kept) <= MAX_COMPARED_CONDITIONS else ():
            others = [h for h in kept if h is not g]
            if any(self._obvious(g - h) for h in others):
                kept = others
        return tuple(kept)

    def _obvious(self, g: Expr, least: int = 1) -> bool:
        return is_obvious(g, self._least, least)


def is_obvious(g: Expr, least_values: Mapping[str, int | None], least: int = 1) -> bool:
    """Whether ``g >= 0`` follows from sizes being at least ``least``, or 0 (a proof; False may be wrong)."""
    lowest = {s: least_values.get(s, 1) for s in g.symbols}
    shifted = {s: symbol(s) + min(low, least) for s, low in lowest.items() if low is not None}
    if len(shifted) < len(g.symbols):
        return False
    relaxed = relax_floors(g)
    if relaxed is None:
        return False
    relaxed = _without_denominators(relaxed)
    if any(p < 0 for m in relaxed.terms for _, p in m):
        return False
    shifted_g = relaxed.subs(shifted)
    known = all(a.name in ("ilog2", "log2", "pow2") or _is_power_of_size(a) for a in shifted_g.atoms)
    return known and all(c >= 0 for c in shifted_g.terms.values())


def compared(g: Expr) -> tuple[str, str] | None:
    """(a, b) where ``g >= 0`` says a >= b, give or take a constant."""
    names = sorted(g.symbols)
    if len(names) != 2 or g.atoms:
        return None
    for a, b in (names, names[::-1]):
        if g - g.constant_term == symbol(a) - symbol(b):
            return a, b
    return None


def _is_power_of_size(atom: Func) -> bool:
    """Whether a power of a positive number, seen from the least sizes: ``(R + 1)**K``."""
    return atom.name == "pow" and all(c > 0 for c in atom.args[0].terms.values())


def relax_floors(
    g: Expr, variables: Iterable[str] | None = None, sign: Callable[[Expr], int] | None = None
) -> Expr | None:
    """A lower bound of ``g`` without floors (only those that hold one of ``variables``, if given). floor(p/q) lies
    between (p - q + 1)/q and p/q for integers p and q > 0. ``sign`` decides the signs of factors and divisors in sizes
    (default: sizes are positive). None where a factor is not in sizes alone."""
    sign = sign or _sign_for_positive_sizes
    wanted = None if variables is None else frozenset(variables)
    result = ZERO
    for monomial, c in g.terms.items():
        floors = [
            (a, p)
            for a, p in monomial
            if isinstance(a, Func) and a.name == "floor" and (wanted is None or Expr.atom(a).symbols & wanted)
        ]
        if not floors:
            result = result + Expr({monomial: c})
            continue
        [(floor, power), *more] = floors
        p, q = floor.args
        factor = Expr({tuple(f for f in monomial if f[0] != floor): c})
        if more or power != 1 or len(q.terms) != 1 or (factor.symbols | q.symbols) & (wanted or frozenset()):
            return None
        if sign(q) <= 0:
            return None
        result = result + factor * ((p if sign(factor) < 0 else p - q + 1) / q)
    return result


def _sign_for_positive_sizes(g: Expr) -> int:
    [c] = g.terms.values()
    return 1 if c > 0 else -1


def _without_denominators(g: Expr) -> Expr:
    """``g`` times the sizes that it is divided by, which are positive."""
    for atom in {a for m in g.terms for a, p in m if p < 0 and isinstance(a, str)}:
        lowest = min(p for m in g.terms for a, p in m if a == atom)
        g = g * symbol(str(atom)) ** -lowest
    return g


def with_integer_coefficients(g: Expr) -> Expr:
    """A positive multiple of ``g`` whose coefficients are integers, without negative powers."""
    return _without_denominators(g) * lcm(*(Fraction(c).denominator for c in g.terms.values()))


def common_factor(g: Expr) -> Expr:
    """Of the terms of a sum: a positive number, and powers of sizes."""
    powers = [dict(monomial) for monomial in g.terms]
    coefficients = [Fraction(c) for c in g.terms.values()]
    common = Expr.of(Fraction(gcd(*(c.numerator for c in coefficients)), lcm(*(c.denominator for c in coefficients))))
    for name in sorted({atom for each in powers for atom in each if isinstance(atom, str)}):
        common = common * symbol(name) ** min(each.get(name, 0) for each in powers)
    return common


def condition_text(g: Expr, at_most: str = "<=", at_least: str = ">=") -> str:
    """``g >= 0`` as people write it: ``n >= 2*m + 2``."""
    g = g * lcm(*(Fraction(c).denominator for c in g.terms.values()))
    left = Expr({m: c for m, c in g.terms.items() if c > 0})
    right = Expr({m: -c for m, c in g.terms.items() if c < 0})
    if left.constant is not None:
        return f"{right} {at_most} {left}"
    return f"{left} {at_least} {right}"
