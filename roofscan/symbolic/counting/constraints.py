"""Constraints in simpler forms: those on sizes decided, logarithms and floors taken apart, tiles left out."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from roofscan.symbolic.atoms import extrema
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.counting.polyhedron import Polyhedron, conjuncts, factor_of, floored, is_positive, without
from roofscan.symbolic.counting.value_ranges import RangeProofs
from roofscan.symbolic.expr import ONE, Expr, symbol
from roofscan.symbolic.floors import floor_div
from roofscan.symbolic.powers import power_of


class Constraints:
    """Simplifies the constraints of polyhedra around a sample point."""

    def __init__(self, chamber: Chamber, ranges: RangeProofs) -> None:
        self.chamber = chamber
        self.ranges = ranges

    def simplified(self, piece: Polyhedron) -> Polyhedron | None:
        """Constraints on sizes only decided, floors taken apart, doubles dropped; None where one fails."""
        kept: dict[Expr, None] = {}
        for g in piece.constraints:
            for part in (p for h in conjuncts(g) for p in self._linear(h, piece)):
                if piece.among(part) or extrema(part):
                    if not is_positive(part):
                        kept[part] = None
                elif not self.chamber.holds(part):
                    return None
        return Polyhedron(piece.variables, tuple(kept), piece.weight)

    def _linear(self, g: Expr, piece: Polyhedron) -> list[Expr]:
        """``g >= 0`` without its logarithm or floor, where that is possible."""
        logarithm = next((a for a in g.atoms if a.name == "ilog2" and piece.among(Expr.atom(a))), None)
        if logarithm is None or factor_of(logarithm, g) != ONE:
            return [self._without_floor(g, piece)]
        argument = logarithm.args[0]  # ilog2(argument) >= exponent: argument >= 2**exponent and argument >= 1
        power = power_of(Expr.of(2), Expr.atom(logarithm) - g)
        scale = prod(c.denominator for c in map(Fraction, power.terms.values()))
        return [self._without_floor(h, piece) for h in ((argument - power) * scale, argument - 1)]

    def _without_floor(self, g: Expr, piece: Polyhedron) -> Expr:
        """``c + k*floor(p/q) >= 0`` as an inequality in p; ``g`` itself where that does not work."""
        floors = [a for a in g.atoms if a.name == "floor" and piece.among(Expr.atom(a))]
        if len(floors) != 1:
            return g
        [floor] = floors
        k = factor_of(floor, g)
        if k is None or piece.among(k):
            return g
        rest = g - k * Expr.atom(floor)
        p, q = floor.args
        if self.ranges.sign(q, piece) <= 0:
            return g
        positive = self.chamber.sign(k) > 0  # floor(p/q) >= ceil(-rest/k), or <= floor(rest/-k)
        rounded = floored(rest, k if positive else -k)
        if any(piece.among(Expr.atom(a)) for a in rounded.atoms if a not in rest.atoms):
            return g
        return self._without_floor(p + q * rounded if positive else q * rounded + q - 1 - p, piece)

    def slope(self, g: Expr, var: str, piece: Polyhedron) -> Expr | None:
        """c of ``g = c*var + r``, its sign being known; None where ``g`` is not of that form."""
        if not g.is_linear_in([var]):
            return None
        c = g.coefficient(var)
        return c if self.ranges.sign(c, piece) else None

    def determined(self, piece: Polyhedron) -> Polyhedron | None:
        """The piece without a tile's variable q, where t*q <= x <= t*q + t - 1 makes q = floor(x/t)."""
        for q in reversed(piece.variables):
            about = [g for g in piece.constraints if q in g.symbols]
            slopes = {g: c for g in about if (c := self.slope(g, q, piece)) is not None}
            if len(slopes) < len(about) or q in piece.weight.symbols:
                continue
            if all(c.constant in (1, -1) for c in slopes.values()):
                continue
            found = self._tile_pair(slopes)
            if found is None or len(slopes[found[1]].terms) > 1:  # a width that is a sum divides nothing exactly
                continue
            low, high = found
            others = [g for g in about if g not in found]
            before = set(piece.variables[: piece.variables.index(q) + 1])
            if any(piece.among(g) - before for g in others):
                continue
            width = slopes[high]
            inside = low + width * symbol(q)
            rest = without(piece, q)
            made = [
                g.subs({q: floor_div(inside, width)})
                for g in others
                if not self._follows(g + slopes[g] * (inside / width - symbol(q)), slopes[g], rest)
            ]
            return Polyhedron(rest.variables, (*rest.constraints, *made), piece.weight)
        return None

    def _follows(self, relaxed: Expr, slope: Expr, piece: Polyhedron) -> bool:
        """Whether an upper bound on floor(x/t) holds since it holds for x/t (``relaxed``)."""
        if self.chamber.sign(slope) > 0:
            return False
        return any((relaxed - g).constant == 0 for g in piece.constraints)

    def _tile_pair(self, slopes: dict[Expr, Expr]) -> tuple[Expr, Expr] | None:
        for low, c1 in slopes.items():
            for high, c2 in slopes.items():
                if c1 == -c2 and low + high == c2 - 1 and self.chamber.sign(c2) > 0:
                    return low, high
        return None
