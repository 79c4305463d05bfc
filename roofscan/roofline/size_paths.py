"""Paths through the space of sizes, along which a verdict is evaluated: every symbol as a polynomial in one integer,
its position. On the diagonal all free sizes are equal and grow together; on a path of one symbol the others are
held."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from roofscan.budget import spend
from roofscan.cost.result import KernelCost
from roofscan.cost.sample_point import SELECTED
from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.kinds import OtherSizes
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, Monomial, Number, symbol
from roofscan.symbolic.intervals import Range, Ranges, complement
from roofscan.symbolic.numeric import product, total
from roofscan.symbolic.polynomial_signs import negative_with_floors, without_beaten_terms

POSITION = "@"  # the position's name: no symbol of a source can have it

GROWING = ("size", "total", "length")
"""Kinds of symbols that grow with the sizes: extents, and numbers of elements that depend on the data."""

HELD = ("tile", "trips")  # kinds of symbols that stay what they are while the sizes grow


@dataclass(frozen=True)
class SizePath:
    symbol: str  # the symbol whose value the position is
    values: Mapping[str, Expr]  # a number, or a multiple of a power of the position
    others: OtherSizes
    guards: tuple[Condition, ...] = ()

    @cached_property
    def domain(self) -> Range:
        """From the first to the last position of calls that do their work; of several ranges, the last."""
        return next(iter(reversed(self._allowed)), (1, None))

    @cached_property
    def _allowed(self) -> Ranges:
        allowed: Ranges = ((1, None),)
        for guard in self.guards:
            if guard.relation == "ge" and (expr := self.restrict(guard.expr)).symbols <= {POSITION}:
                allowed = tuple(
                    r for part in allowed for r in complement(negative_with_floors(expr, POSITION, part), part)
                )
        return allowed

    def allows(self, position: int) -> bool:
        """Whether a call at this position does its work, as far as that is known."""
        exprs = ((guard, self.restrict(guard.expr)) for guard in self.guards)
        return all(g.holds(number(e, {POSITION: position})) for g, e in exprs if e.symbols <= {POSITION})

    def restrict(self, expr: Expr) -> Expr:
        """``expr`` as a function of the position."""
        spend(3 * len(expr.terms))
        terms: dict[Monomial, Number] = {}
        for monomial, coefficient in expr.terms.items():
            moved = self._moved.get(monomial)
            if moved is None:
                moved = self._moved[monomial] = self._move(monomial)
            for key, factor in moved:
                terms[key] = total(terms.get(key, 0), product(coefficient, factor))
        return Expr(terms)

    @cached_property
    def _moved(self) -> dict[Monomial, tuple[tuple[Monomial, Number], ...]]:
        return {}

    def _move(self, monomial: Monomial) -> tuple[tuple[Monomial, Number], ...]:
        """The terms of a product of powers at the position."""
        factor: Number = 1
        power = 0
        for atom, exponent in monomial:
            if not isinstance(atom, str) or atom not in self.values:
                moved = Expr({monomial: 1}).subs(self.values)
                return tuple(without_beaten_terms(moved, POSITION).terms.items())
            number, moves = self._factor(atom)
            factor = factor * (number**exponent if exponent > 0 else Fraction(number) ** exponent)
            power += exponent * moves
        return ((((POSITION, power),) if power else (), factor),)

    def _factor(self, name: str) -> tuple[Number, int]:
        """A symbol's value as (number, power of the position)."""
        [(monomial, number)] = self.values[name].terms.items() or [((), 0)]
        return number, sum(power for _, power in monomial)

    def at(self, expr: Expr, position: int) -> Number:
        return number(self.restrict(expr), {POSITION: position})


def diagonal(cost: KernelCost) -> SizePath | None:
    """All free sizes equal and growing, totals in the proportion of the sample point; None where nothing grows."""
    growing = _free(cost, GROWING)
    if not growing:
        return None
    first = max(growing, key=lambda s: (_kind(cost, s) == "size", s in cost.flops.symbols))  # the first of these
    x = symbol(POSITION)
    values = cost.kernel.values
    launched = tuple(s for s in _free(cost, ("launch",)) if s in values and values[s].symbols & {*growing})
    moving = {s: x * _proportion(cost, s, first) for s in (*growing, *launched)}
    moving |= _chosen(cost, moving)
    return SizePath(first, {**_held(cost), **moving}, "grow", cost.kernel.guards)


def main_path(cost: KernelCost) -> SizePath:
    """The diagonal; the path that stays at the sample point where nothing grows."""
    return diagonal(cost) or fixed_path(cost)


def path_through(cost: KernelCost, names: Collection[str]) -> SizePath | None:
    """The free sizes among ``names`` equal and growing, the rest as at the sample point; without any, those that are
    held. None: nothing among them is free."""
    x = symbol(POSITION)
    growing = [s for s in _free(cost, GROWING) if s in names]
    if growing:
        moving = {s: x * _proportion(cost, s, growing[0]) for s in growing}
        moving |= _chosen(cost, moving)
        return SizePath(growing[0], {**_held(cost), **moving}, "grow", cost.kernel.guards)
    kinds = (*GROWING, *HELD, "int")
    held = [s.name for s in cost.kernel.symbols if s.name in names and s.name in cost.free and s.kind in kinds]
    return SizePath(held[0], {**_held(cost), **dict.fromkeys(held, x)}, "fixed", cost.kernel.guards) if held else None


def single_symbol_paths(cost: KernelCost, values: Mapping[str, Number]) -> Iterator[SizePath]:
    """A path for each free batch, tile or trip count; of a library call also for each of several free sizes. The other
    symbols are held at ``values``."""
    sizes = free_sizes(cost)
    library = len(sizes) > 1 and cost.calls_library
    held = {name: Expr.of(number) for name, number in values.items()}
    for name in _free(cost, HELD) + (sizes if library else ()):
        yield SizePath(name, {**held, name: symbol(POSITION)}, "fixed", cost.kernel.guards)


def fixed_path(cost: KernelCost) -> SizePath:
    """The path that stays at the sample point, for kernels whose sizes are all bound."""
    return SizePath("", _held(cost), "fixed")


def free_sizes(cost: KernelCost) -> tuple[str, ...]:
    return _free(cost, ("size",))


def _free(cost: KernelCost, kinds: tuple[str, ...]) -> tuple[str, ...]:
    free = cost.free - cost.kernel.guesses.keys()
    named = (s for s in cost.kernel.symbols if s.name in free and s.kind in kinds)
    return tuple(s.name for s in named if s.whole is None or s.whole.symbols & free)


def _kind(cost: KernelCost, name: str) -> str:
    return next(s.kind for s in cost.kernel.symbols if s.name == name)


def _held(cost: KernelCost) -> dict[str, Expr]:
    return {name: Expr.of(number) for name, number in cost.sample_point.items()}


def _chosen(cost: KernelCost, moving: Mapping[str, Expr]) -> dict[str, Expr]:
    """Of lengths that grow with what they choose from, the same part of that as at the sample point."""
    found = {}
    for s in cost.kernel.symbols:
        if s.name in moving and s.whole is not None and s.whole.symbols & moving.keys():
            whole = without_beaten_terms(s.whole.subs({**_held(cost), **moving}), POSITION)
            if len(whole.terms) == 1 and whole.symbols == {POSITION} and not whole.atoms:
                found[s.name] = whole * SELECTED
    return found


def _proportion(cost: KernelCost, name: str, first: str) -> Number:
    if _kind(cost, name) == "size" or not cost.sample_point.get(first):
        return 1
    return Fraction(cost.sample_point[name]) / cost.sample_point[first]
