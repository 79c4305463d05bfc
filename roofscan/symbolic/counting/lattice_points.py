"""The number of integer points of a polyhedron, as an exact expression valid around a sample point. Variables are
summed out, innermost first. Where it depends on outer variables which of two bounds is the tighter, or whether a range
is empty, the polyhedron is cut in two (Tawbi's method); where it depends on sizes only, the sample point decides
(:mod:`roofscan.symbolic.chamber`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product

from roofscan.budget import Budget, BudgetExceeded
from roofscan.memo import kept
from roofscan.symbolic.atoms import extrema, indicator, replace_atom
from roofscan.symbolic.chamber import Chamber, relax_floors, with_integer_coefficients
from roofscan.symbolic.counting.constraints import Constraints
from roofscan.symbolic.counting.digits import joined_digits
from roofscan.symbolic.counting.polyhedron import (
    Polyhedron,
    VariableBound,
    components,
    factor_of,
    floored,
    is_hidden_in,
    without,
)
from roofscan.symbolic.counting.value_ranges import RangeProofs
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, Number, apply, symbol
from roofscan.symbolic.summation import sum_over

ATOM_WORK = 50  # what an atom (floor, min …) of a weight costs, in terms
MAX_TERMS = 10_000  # the most terms of an expression

COUNTING_STEPS = 60_000
"""What the counts of one kernel may take, in terms handled; one that takes more is bounded instead."""


class Uncountable(Exception):
    """No exact expression was found; the text says why."""


def _first(bounds: Sequence[VariableBound], flip: int) -> Iterator[tuple[VariableBound, list[Expr]]]:
    """Each bound, and where it is the first of the least (``flip`` 1) or greatest (-1) in one order."""
    for k, bound in enumerate(bounds):
        earlier = [(other - bound) * flip - 1 for other in bounds[:k]]
        yield bound, earlier + [(other - bound) * flip for other in bounds[k + 1 :]]


def _single_range(piece: Polyhedron) -> tuple[Expr, Expr] | None:
    """The least and the greatest value of the variable of a piece that has one, and one bound on each side; None of any
    other piece, or of one with weights."""
    if len(piece.variables) != 1 or len(piece.constraints) != 2 or piece.weight != ONE:
        return None
    [var] = piece.variables
    ends: dict[Number, Expr] = {}
    for g in piece.constraints:
        slope = None if g.atoms or not g.is_linear_in([var]) else g.coefficient(var).constant
        if slope not in (1, -1) or not all(isinstance(c, int) for c in g.terms.values()):
            return None
        ends[slope] = g - slope * symbol(var)
    return (-ends[1], ends[-1]) if len(ends) == 2 else None


class _Unbounded(Exception):
    """A variable has no bound, since an empty range inside was let through."""


class LatticePointCounter:
    def __init__(self, chamber: Chamber, budget: Budget | None = None) -> None:
        self.chamber = chamber
        self._budget = budget or Budget(COUNTING_STEPS)
        self.ranges = RangeProofs(chamber)
        self._constraints = Constraints(chamber, self.ranges)
        self._slack = 1  # lets the empty range low = high + 1 through: fewer conditions, "n >= 0" and not 1

    def total(self, piece: Polyhedron) -> Expr:
        """Σ of the weight over the piece, exact in the sample point's chamber; Uncountable where no expression is."""
        strict = LatticePointCounter(self.chamber, self._budget)
        strict._slack = 0
        strict.ranges.positive = self.ranges.positive
        for counter in (self, strict):
            with suppress(_Unbounded):
                return counter._known_total(piece)
        raise Uncountable("a loop without a known end")

    def _spend(self, piece: Polyhedron) -> None:
        if len(piece.weight.terms) > MAX_TERMS:
            raise Uncountable("budget")
        size = 10 + len(piece.constraints) + len(piece.weight.terms)
        try:
            self._budget.spend(size + ATOM_WORK * len(piece.weight.atoms))
        except BudgetExceeded as stop:
            if stop.budget is not self._budget:
                raise
            raise Uncountable("budget") from None

    @kept
    def _known_total(self, piece: Polyhedron) -> Expr:
        self._spend(piece)
        if (ends := _single_range(piece)) is not None:
            low, high = ends
            return self._spanned(low, high)
        frozen = self._constraints.simplified(piece)
        if frozen is None:
            return ZERO
        cut = self._cut_at_extremum(frozen)
        if cut is not None:
            return sum(map(self._known_total, cut), start=ZERO)
        if not frozen.variables:
            return frozen.weight
        parts = components(frozen)
        if len(parts) > 1:
            return self._product([self._known_total(p) for p in parts])
        determined = joined_digits(frozen, self.chamber.sign) or self._constraints.determined(frozen)
        if determined is not None:
            return self._known_total(determined)
        return self._sum_out(frozen, self._next(frozen))

    def _spanned(self, low: Expr, high: Expr) -> Expr:
        """The number of integers from a size to another."""
        if not self.chamber.holds(high - low + self._slack):
            return ZERO
        found = high - low + 1
        self._spend(Polyhedron((), (), found))
        return found

    def _product(self, factors: list[Expr]) -> Expr:
        result = ONE
        for factor in factors:
            if len(result.terms) * len(factor.terms) > MAX_TERMS:
                raise Uncountable("budget: too many terms")
            result = result * factor
        return result

    # -- cuts ----------------------------------------------------------------------------------
    def _cut_at_extremum(self, piece: Polyhedron) -> list[Polyhedron] | None:
        """The pieces on which a ``min`` or ``max`` in the piece is one of its arguments, or None."""
        found = next((a for g in (*piece.constraints, piece.weight) for a in extrema(g)), None)
        if found is None:
            return None
        flip = 1 if found.name == "min" else -1
        pieces = []
        arguments = [VariableBound(arg, arg) for arg in found.args]
        for chosen, conditions in self._tightest(arguments, flip, piece):
            constraints = [replace_atom(g, found, chosen) for g in piece.constraints]
            weight = replace_atom(piece.weight, found, chosen)
            pieces.append(Polyhedron(piece.variables, (*constraints, *conditions), weight))
        return pieces

    # -- one variable -----------------------------------------------------------------------------
    def _next(self, piece: Polyhedron) -> str:
        """The innermost variable in which every constraint is affine with a slope of known sign, or the innermost."""
        possible = [v for v in reversed(piece.variables) if self._is_affine(piece, v)]
        plain = [v for v in possible if not is_hidden_in(piece.weight, v)]
        return next(iter(plain or possible), piece.variables[-1])

    def _is_affine(self, piece: Polyhedron, var: str) -> bool:
        about = [g for g in piece.constraints if var in g.symbols]
        return all(self._constraints.slope(g, var, piece) is not None for g in about)

    def _bounds(self, piece: Polyhedron, var: str) -> tuple[list[VariableBound], list[VariableBound], list[Expr]]:
        """Lower bounds and upper bounds of ``var``, and the constraints that are not affine in it."""
        lows: list[VariableBound] = []
        highs: list[VariableBound] = []
        rest: list[Expr] = []
        for g in piece.constraints:
            if var not in g.symbols:
                continue
            c = self._constraints.slope(g, var, piece)
            if c is None:
                rest.append(g)
                continue
            r = g - c * symbol(var)
            if self.ranges.sign(c, piece) > 0:
                lows.append(VariableBound(-floored(r, c), -r, c))
            else:
                highs.append(VariableBound(floored(r, -c), r, -c))
        return list(dict.fromkeys(lows)), list(dict.fromkeys(highs)), rest

    def _sum_out(self, piece: Polyhedron, var: str) -> Expr:
        """The total, ``var`` summed; constraints that are not affine in it become factors 0 or 1."""
        lows, highs, rest = self._bounds(piece, var)
        outer = without(piece, var)
        weight = piece.weight
        for g in rest:
            exponent = self._power_bound(g, var, piece)
            if exponent is not None:
                highs.append(VariableBound(exponent, exponent))
            elif not self.ranges.always(g, piece):
                weight = weight * indicator(g)
        if not lows or not highs:
            more_lows, more_highs = self._rough_bounds(rest, piece, var)
            lows, highs = lows or more_lows, highs or more_highs
        if not lows or not highs:
            raise _Unbounded
        total = ZERO
        for low, when_low in self._tightest(lows, -1, outer):
            for high, when_high in self._tightest(highs, 1, outer):
                guard = self.ranges.undecided(high - low + self._slack, outer)
                if guard is not None:
                    cut = (*when_low, *when_high, *guard, *self._shadow(guard, outer))
                    constraints = (*outer.constraints, *cut)
                    summed = sum_over(weight, var, low, high)
                    total = total + self._known_total(Polyhedron(outer.variables, constraints, summed))
        return total

    def _shadow(self, guard: list[Expr], outer: Polyhedron) -> list[Expr]:
        """What the guards of a strict count say without their floors: implied, and it ends the variables that
        stand in several floors only."""
        if self._slack:
            return []
        relaxed = [relax_floors(-g, outer.variables, self.chamber.sign) for g in guard if not extrema(g)]
        return [with_integer_coefficients(-r) for g, r in zip(guard, relaxed) if r is not None and r != -g]

    # -- which is tighter -------------------------------------------------------------------------
    def _tightest(self, bounds: list[VariableBound], flip: int, outer: Polyhedron) -> Iterator[tuple[Expr, list[Expr]]]:
        """Each bound that may be the least (``flip`` 1) or greatest (-1), and where: disjoint constraints that cover
        everything. Bounds of one slope compare by their numerators, others by their values: the least of each
        slope comes first, since a mix of both orders leaves points out."""
        by_slope: dict[Expr, list[VariableBound]] = {}
        for bound in self._undominated(bounds, flip, outer):
            by_slope.setdefault(bound.slope, []).append(bound)
        for chosen in product(*(list(_first(same, flip)) for same in by_slope.values())):
            inside = [condition for _, conditions in chosen for condition in conditions]
            for bound, across in _first([bound for bound, _ in chosen], flip):
                yield bound.value, inside + across

    def _undominated(self, bounds: list[VariableBound], flip: int, outer: Polyhedron) -> list[VariableBound]:
        left: list[VariableBound] = []
        for bound in bounds:
            if any(self.ranges.always((bound - other) * flip, outer) for other in left):
                continue
            left = [other for other in left if not self.ranges.always((other - bound) * flip, outer)]
            left.append(bound)
        return left

    # -- no closed form ---------------------------------------------------------------------------
    def _rough_bounds(
        self, constraints: list[Expr], piece: Polyhedron, var: str
    ) -> tuple[list[VariableBound], list[VariableBound]]:
        """Bounds on ``var`` that follow from constraints with floors (which are kept)."""
        relaxed = [relax_floors(-g, piece.variables, self.chamber.sign) for g in constraints]
        made = tuple(-g for g in relaxed if g is not None)
        lows, highs, _ = self._bounds(Polyhedron(piece.variables, made), var)
        return lows, highs

    def _power_bound(self, g: Expr, var: str, piece: Polyhedron) -> Expr | None:
        """The upper bound of ``var`` in r - b*2**var >= 0: ilog2(floor(r/b)) for r >= b > 0 in sizes, and
        -1 for r < b if ``var`` is not negative."""
        power = Func("pow2", (symbol(var),))
        slope = factor_of(power, g)
        if slope is None or piece.among(slope):
            return None
        r = g - slope * Expr.atom(power)
        if piece.among(r) or self.chamber.sign(slope) >= 0:
            return None
        if self.chamber.holds(r + slope):
            return apply("ilog2", [floored(r, -slope)])
        return Expr.of(-1) if self.ranges.always(symbol(var), piece) else None
