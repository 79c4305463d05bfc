"""Proofs over a polyhedron: signs and least values of expressions in loop variables. Variables are put at the ends of
their ranges, inner ones first, until only sizes are left; there the sample point decides, and the chamber records it.
"Not proved" is always a possible answer."""

from __future__ import annotations

from roofscan.symbolic.atoms import extrema, has_function, inside_atoms
from roofscan.symbolic.chamber import Chamber, relax_floors
from roofscan.symbolic.counting.polyhedron import Polyhedron, factor_of
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, symbol

_RISE = "~rise"  # how far a variable is above its lower end


class RangeProofs:
    def __init__(self, chamber: Chamber) -> None:
        self.chamber = chamber
        self.positive: set[Expr] = set()
        """Expressions in variables that are above 0 wherever they are met: the steps of loops."""

    def sign(self, c: Expr, piece: Polyhedron) -> int:
        """The sign of a slope over the piece, or 0 where it is not known to be one."""
        if not piece.among(c):
            return self.chamber.sign(c)
        if c in self.positive or -c in self.positive:
            return 1 if c in self.positive else -1
        if len(c.terms) != 1:
            return 0
        [(monomial, number)] = c.terms.items()
        for atom, _ in monomial:
            if isinstance(atom, Func):
                if not self._is_power(atom, piece):
                    return 0
            elif atom in piece.variables:
                if not self.always(symbol(atom) - 1, piece):
                    return 0
            elif self.chamber.sign(symbol(atom)) <= 0:
                return 0
        return 1 if number > 0 else -1

    def undecided(self, g: Expr, piece: Polyhedron) -> list[Expr] | None:
        """[] if ``g >= 0`` on all of the piece, None if nowhere, else [g]."""
        if not piece.among(g) and not extrema(g):
            return [] if self.chamber.holds(g) else None
        return [] if self.always(g, piece) else [g]

    def always(self, g: Expr, piece: Polyhedron) -> bool:
        """Whether ``g >= 0`` on all of the piece (a proof; recorded where it needs sizes)."""
        if not piece.among(g):
            return not extrema(g) and self.chamber.holds(g)
        least = self._least(g, piece)
        if least is None or self.chamber.value(least) < 0:
            return False
        return self.chamber.holds(least)

    def _least(self, g: Expr, piece: Polyhedron) -> Expr | None:
        """A lower bound of ``g`` over the piece in sizes alone: variables at their ends, inner ones first."""
        if extrema(g):
            return None
        relaxed = relax_floors(self._without_powers(g, piece), piece.variables, self.chamber.sign)
        var = next((v for v in reversed(piece.variables) if relaxed and v in relaxed.symbols), None)
        if relaxed is None or var is None:
            return relaxed
        c = relaxed.coefficient(var)
        if not relaxed.is_linear_in([var]) or piece.among(c):
            return self._least_of_rising(relaxed, var, piece)
        direction = self.chamber.sign(c)
        if direction == 0:  # a distance of 0: no end of the variable matters
            return self._least(relaxed - c * symbol(var), piece)
        moved = [relaxed + c * (end - symbol(var)) for end in self._ends(var, piece, direction)]
        found = [least for m in moved if (least := self._least(m, piece)) is not None]
        return max(found, key=self.chamber.value, default=None)

    def _least_of_rising(self, g: Expr, var: str, piece: Polyhedron) -> Expr | None:
        """As _least where ``g`` rises in ``var``: seen from its lower end, no coefficient is negative."""
        if inside_atoms(g, var) or any(p < 0 for m in g.terms for a, p in m if a == var):
            return None
        for end in self._ends(var, piece, 1):
            shifted = g.subs({var: end + symbol(_RISE)})
            powers = range(1, shifted.degree(_RISE) + 1)
            if all(self.always(shifted.coefficient(_RISE, p), piece) for p in powers):
                return self._least(shifted.coefficient(_RISE, 0), piece)
        return None

    def _without_powers(self, g: Expr, piece: Polyhedron) -> Expr:
        """A lower bound of ``g`` without b**v, v >= 0: it is at least 1, floor(p/(b*2**v)) from 0 to p/b."""
        for atom in g.atoms:
            k = factor_of(atom, g)
            if k is None or piece.among(k) or not any(has_function(Expr.atom(atom), p) for p in ("pow2", "pow")):
                continue
            low, high = self._range_of_power(atom, piece)
            end = low if self.chamber.sign(k) > 0 else high
            if end is not None:
                g = g + k * (end - Expr.atom(atom))
        return g

    def _is_power(self, atom: Func, piece: Polyhedron) -> bool:
        """Whether the atom is a power of two, or of a size of at least 1: above 0 at any exponent."""
        return atom.name == "pow2" or (atom.name == "pow" and self.always(atom.args[0] - 1, piece))

    def _range_of_power(self, atom: Func, piece: Polyhedron) -> tuple[Expr | None, Expr | None]:
        if self._is_power(atom, piece):
            return (ONE if self.always(atom.args[-1], piece) else None), None
        if atom.name != "floor" or len(atom.args[1].terms) != 1:
            return None, None
        p, q = atom.args
        [(monomial, b)] = q.terms.items()
        powers = [a for a, _ in monomial if isinstance(a, Func) and a.name == "pow2"]
        if len(powers) != len(monomial) or b < 1 or piece.among(p) or not self.chamber.holds(p):
            return None, None
        return (ZERO, p / b) if all(self.always(a.args[0], piece) for a in powers) else (None, None)

    def _ends(self, var: str, piece: Polyhedron, direction: int) -> list[Expr]:
        """Bounds on ``var`` in outer variables, not rounded: lower ones for direction 1, upper for -1."""
        inner = set(piece.variables[piece.variables.index(var) + 1 :])
        ends: list[Expr] = []
        for g in piece.constraints:
            if var not in g.symbols or not g.is_linear_in([var]) or g.symbols & inner or extrema(g):
                continue
            c = g.coefficient(var)
            if not piece.among(c) and len(c.terms) == 1 and self.chamber.sign(c) == direction:
                ends.append((c * symbol(var) - g) / c)
        return ends[:3]
