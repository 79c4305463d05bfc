"""Affine forms of loop variables over numbers of the sample point, and what is known of their alignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from math import gcd

from roofscan.cost.memory.lru.tree.sampled_expr import Num, known, total, units_of, value_of
from roofscan.cost.memory.lru.tree.wrapped import is_reflection
from roofscan.frozen import dataclass
from roofscan.symbolic.expr import Atom, Expr, Func, NotEvaluable, Number


@dataclass(frozen=True)
class AlignedPoint:
    """A place on an axis: ``value`` plus unknown multiples of ``alignment`` (0: exactly there). A representative
    iteration has the alignment of its loop's step: it says how far the alignment is known."""

    value: Num
    alignment: int = 0

    @cached_property
    def key(self) -> tuple[int, int]:
        return units_of(self.value), self.alignment


def scaled_alignment(factor: Num, alignment: int) -> int:
    """The alignment of a multiple: unknown where the factor is not an integer."""
    if not alignment:
        return 0
    product = abs(value_of(factor)) * alignment
    return int(product) if product == int(product) and product else 1


@dataclass(frozen=True)
class Opaque:
    """A term that is not affine (``2**v``): a number where all its loop variables are fixed."""

    factor: Num
    expr: Expr
    variables: frozenset[str]
    evaluate: Callable[[Expr, Mapping[str, float]], float]


class Affine:
    """``constant + sum of coefficient*variable``; ``alignment`` says what is known of the constant's alignment."""

    __slots__ = ("alignment", "coefs", "constant", "opaque")

    def __init__(
        self, constant: Num, coefs: dict[str, Num], alignment: int = 0, opaque: tuple[Opaque, ...] = ()
    ) -> None:
        self.constant = constant
        self.coefs = coefs
        self.alignment = alignment
        self.opaque = opaque

    def fix(self, env: Mapping[str, AlignedPoint]) -> Affine:
        """This with the variables of ``env`` standing still."""
        if not self.opaque and self.coefs.keys().isdisjoint(env):
            return self
        constant, alignment = self.constant, self.alignment
        coefs: dict[str, Num] = {}
        for name, c in self.coefs.items():
            point = env.get(name)
            if point is None:
                coefs[name] = c
                continue
            constant = constant + c * point.value
            if point.alignment:
                alignment = gcd(alignment, scaled_alignment(c, point.alignment))
        opaque: list[Opaque] = []
        for o in self.opaque:
            if o.variables <= env.keys():
                values = {v: value_of(env[v].value) for v in o.variables}
                constant = constant + o.factor * o.evaluate(o.expr, values)
            else:
                opaque.append(o)
        return Affine(constant, coefs, alignment, tuple(opaque))

    def plus(self, other: Affine, factor: Num = 1) -> Affine:
        """``self + factor*other``."""
        coefs = dict(self.coefs)
        for name, c in other.coefs.items():
            added = coefs.get(name, 0) + factor * c
            if added:
                coefs[name] = added
            else:
                coefs.pop(name, None)
        opaque = self.opaque + tuple(Opaque(o.factor * factor, o.expr, o.variables, o.evaluate) for o in other.opaque)
        alignment = gcd(self.alignment, scaled_alignment(factor, other.alignment))
        return Affine(self.constant + factor * other.constant, coefs, alignment, opaque)

    def with_term(self, name: str, factor: Num) -> Affine:
        """``self + factor*name``, a variable that it lacks."""
        return Affine(self.constant, {**self.coefs, name: factor}, self.alignment, self.opaque)

    def shifted(self, by: Num) -> Affine:
        return Affine(self.constant + by, self.coefs, self.alignment, self.opaque)

    def scaled(self, factor: Num) -> Affine:
        coefs = {name: scaled for name, c in self.coefs.items() if (scaled := factor * c)}
        opaque = tuple([Opaque(o.factor * factor, o.expr, o.variables, o.evaluate) for o in self.opaque])
        return Affine(factor * self.constant, coefs, scaled_alignment(factor, self.alignment), opaque)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.coefs).union(*(o.variables for o in self.opaque))

    def __repr__(self) -> str:
        terms = " + ".join(f"{value_of(c)}*{v}" for v, c in self.coefs.items())
        return f"Affine({value_of(self.constant)} + {terms})"


class Reader:
    """Turns expressions of the kernel into affine forms at one sample point."""

    def __init__(self, sample_point: Mapping[str, Number], variables: frozenset[str]) -> None:
        self._sample_point = sample_point
        self._variables = variables

    def number(self, expr: Expr) -> Num:
        """An expression without loop variables; NotEvaluable where the sample point lacks a symbol."""
        constant = expr.constant
        return constant if constant is not None else known(expr, expr.evaluate(self._sample_point))

    def evaluate(self, expr: Expr, values: Mapping[str, float]) -> float:
        whole = {name: Fraction(v) for name, v in values.items()}
        return float(expr.evaluate({**self._sample_point, **whole}))

    def remainder(self, expr: Expr) -> tuple[Affine, Num, Num] | None:
        """p, m and c of an expression ``p mod m + c`` (written ``p - m*floor(p/m) + c``), or None."""
        ring = self.ring(expr)
        if ring is None:
            return None
        top, modulus, rest = ring
        return self.affine(top), self.number(modulus), self.number(rest)

    def ring(self, expr: Expr) -> tuple[Expr, Expr, Expr] | None:
        """The same as expressions."""
        for atom in expr.atoms:
            if atom.name != "floor" or not self._moves(atom) or atom.args[1].symbols & self._variables:
                continue
            top, modulus = atom.args
            rest = expr + modulus * Expr.atom(atom) - top
            if not rest.symbols & self._variables:
                return top, modulus, rest
        return None

    def clamp(self, expr: Expr) -> tuple[Affine, Num | None, Num | None] | None:
        """p, low and high of an expression that keeps p between them (``min(max(p, low), high)``), or None."""
        moving = [atom for atom in expr.atoms if self._moves(atom)]
        if not any(atom.name in ("min", "max") for atom in moving):
            form = self.affine(expr)
            return None if form.opaque or self.remainder(expr) is not None else (form, None, None)
        atom, rest = moving[0], expr - Expr.atom(moving[0])
        if is_reflection(atom, self._variables) and not rest.symbols & self._variables:
            return self._reflected(atom, rest)
        inner = [arg for arg in atom.args if arg.symbols & self._variables]
        if atom.name not in ("min", "max") or len(inner) != 1 or rest.symbols & self._variables:
            return None
        found = self.clamp(inner[0])
        if found is None:
            return None
        form, low, high = found
        pick = min if atom.name == "min" else max
        limit = pick(self.number(arg) for arg in atom.args if arg is not inner[0])
        low = limit if low is None and pick is max else None if low is None else pick(limit, low)
        high = limit if high is None and pick is min else None if high is None else pick(limit, high)
        shift = self.number(rest)
        return form.shifted(shift), None if low is None else low + shift, None if high is None else high + shift

    def _reflected(self, atom: Func, rest: Expr) -> tuple[Affine, Num | None, Num | None] | None:
        """A reflected subscript reaches what one kept on its side of the mirror does."""
        for here, there in (atom.args, atom.args[::-1]):
            found = self.clamp(here)
            if found is None or value_of(total(found[0].coefs.values())) <= 0:
                continue
            form, low, high = found
            both = self.affine(here + there)
            both = form.plus(self.affine(there)) if both.opaque else both
            if not both.names:
                low, high = (both.constant / 2, high) if atom.name == "max" else (low, both.constant / 2)
                shift = self.number(rest)
                return form.shifted(shift), None if low is None else low + shift, None if high is None else high + shift
        return None

    def affine(self, expr: Expr) -> Affine:
        """The affine form; a floor of variables is replaced by its mean, anything else becomes opaque."""
        constant, coefs, rest = Expr(), dict[str, Expr](), list[Expr]()
        form = Affine(0, {})
        for monomial, coefficient in expr.terms.items():
            inside = [(a, p) for a, p in monomial if self._moves(a)]
            outer = Expr({tuple(f for f in monomial if f not in inside): coefficient})
            atom = inside[0][0] if len(inside) == 1 and inside[0][1] == 1 else None
            if not inside:
                constant = constant + outer
            elif isinstance(atom, str):
                coefs[atom] = coefs.get(atom, Expr()) + outer
            elif atom is not None and atom.name == "floor" and not atom.args[1].symbols & self._variables:
                form = form.plus(self._mean_floor(atom), self.number(outer))
            else:
                rest.append(Expr({monomial: coefficient}))
        linear = Affine(self.number(constant), {n: self.number(c) for n, c in coefs.items()})
        return form.plus(linear).plus(Affine(0, {}, 0, tuple(self._opaque(r) for r in rest)))

    def _moves(self, atom: Atom) -> bool:
        symbols = {atom} if isinstance(atom, str) else Expr.atom(atom).symbols
        return not self._variables.isdisjoint(symbols)

    def _mean_floor(self, atom: Func) -> Affine:
        """floor(p/q) of an integer p is p/q - (q-1)/(2q) in the mean."""
        divisor = self.number(atom.args[1])
        mean = self.affine(atom.args[0]).plus(Affine((1 - divisor) / 2, {}))
        moved = mean.scaled(1 / divisor)
        return Affine(moved.constant, moved.coefs, 1, moved.opaque)

    def _opaque(self, expr: Expr) -> Opaque:
        return Opaque(1, expr, expr.symbols & self._variables, self._evaluate_or_zero)

    def _evaluate_or_zero(self, expr: Expr, values: Mapping[str, float]) -> float:
        try:
            return self.evaluate(expr, values)
        except NotEvaluable:
            return 0.0
