"""The domain of a body: the integer points of its executions. Every ``for`` becomes one variable with two constraints,
every condition constraints or an equation, every share a factor. A loop with a step other than 1 or -1 counts its
trips: its variable is ``start + step*trip``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Branch, Loop, When
from roofscan.symbolic.atoms import divides
from roofscan.symbolic.counting.lattice_points import LatticePointCounter, Uncountable
from roofscan.symbolic.counting.polyhedron import Polyhedron
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import floor_div


@dataclass(frozen=True)
class Part:
    """A polyhedron with a sign, and the loop variables of the source in its variables."""

    sign: int
    piece: Polyhedron
    places: Mapping[str, Expr]

    def constrained(self, *constraints: Expr, first: bool = False) -> Part:
        """``first``: of equal bounds these count, and not the earlier ones."""
        known = self.piece.constraints
        made = (*constraints, *known) if first else (*known, *constraints)
        return replace(self, piece=replace(self.piece, constraints=made))


@dataclass(frozen=True)
class Domain:
    """The executions of a body: the union of its parts, times ``factor`` (shares and totals)."""

    parts: tuple[Part, ...] = (Part(1, Polyhedron((), ()), {}),)
    factor: Expr = ONE
    hidden: frozenset[str] = frozenset()  # variables that a known total has summed over
    path: tuple[Loop | When | Branch, ...] = field(default=(), compare=False)

    def enter(self, node: Loop | When | Branch, counter: LatticePointCounter) -> Domain:
        """The domain of the body of ``node``, a node of the body that this is the domain of."""
        path = (*self.path, node)
        if isinstance(node, Branch):
            return replace(self, factor=self.factor * node.share, path=path)
        if isinstance(node, Loop):
            self._check(node.start, node.stop, node.step)
            made = tuple(_looped(part, node, counter) for part in self.parts)
            return replace(self, parts=made, path=path)
        parts = self.parts
        launched = any(isinstance(around, Loop) and around.axis for around in self.path)
        for condition in node.conditions:
            self._check(condition.expr)
            parts = tuple(q for p in parts for q in _conditioned(p, condition, counter, launched))
        return replace(self, parts=parts, path=path)

    def summed(self, total: Expr, hidden: frozenset[str]) -> Domain:
        """The executions of a loop body that runs ``total`` times for each point of this domain."""
        return replace(self, factor=self.factor * total, hidden=self.hidden | hidden)

    def count(self, counter: LatticePointCounter, weight: Expr = ONE) -> Expr:
        """Σ of ``weight`` (in loop variables and sizes) over the executions."""
        self._check(weight)
        total = ZERO
        for part in self.parts:
            scaled = part.piece.weight * weight.subs(part.places)
            total = total + part.sign * counter.total(replace(part.piece, weight=scaled))
        return total * self.factor

    def _check(self, *exprs: Expr) -> None:
        for expr in exprs:
            if expr.symbols & self.hidden:
                raise Uncountable(f"{expr} varies where only a total is known")


def _looped(part: Part, loop: Loop, counter: LatticePointCounter) -> Part:
    start, stop, step = (x.subs(part.places) for x in (loop.start, loop.stop, loop.step))
    unit = step.constant in (1, -1)
    trip = _fresh(loop.var, part) if unit else _fresh(loop.var + "_", part)
    place = symbol(trip) if unit else start + step * symbol(trip)
    downwards = _downwards(step, part, counter)
    first = symbol(trip) if not unit else (start - place if downwards else place - start)
    last = place - stop - 1 if downwards else stop - 1 - place
    piece = Polyhedron((*part.piece.variables, trip), (*part.piece.constraints, first, last), part.piece.weight)
    return Part(part.sign, piece, {**part.places, loop.var: place})


def _downwards(step: Expr, part: Part, counter: LatticePointCounter) -> bool:
    if step.constant is not None:
        return step.constant < 0
    if part.piece.among(step):
        counter.ranges.positive.add(step)
        return False
    return counter.chamber.sign(step) < 0


def _fresh(name: str, part: Part) -> str:
    while name in part.piece.variables:
        name += "_"
    return name


# -- conditions -----------------------------------------------------------------------------------
def _conditioned(part: Part, condition: Condition, counter: LatticePointCounter, launched: bool) -> list[Part]:
    """``launched``: in a launch, whose threads are as many as its guards ask for, or more."""
    g = condition.expr.subs(part.places)
    if not part.piece.among(g) and not condition.modulus:
        counter.chamber.ask(g)
        counter.chamber.ask(-g)
    if condition.relation == "ge":
        return [part.constrained(g, first=launched)]
    equal = _equal(part, g, condition.modulus, counter)
    if condition.relation == "eq":
        return equal
    return [part, *(replace(p, sign=-p.sign) for p in equal)]


def _equal(part: Part, g: Expr, modulus: int, counter: LatticePointCounter) -> list[Part]:
    """The part where g = 0, or where ``modulus`` divides g."""
    variables = part.piece.among(g)
    if not variables:
        if modulus:
            return [_weighed(part, divides(modulus, g))]
        chamber = counter.chamber
        return [part] if chamber.holds(g) and chamber.holds(-g) else []
    if not _solvable(g, variables):
        return [_weighed(part, divides(modulus, g))] if modulus else [part.constrained(g, -g)]
    if modulus:
        quotient = _fresh("m_", part)
        piece = replace(part.piece, variables=(*part.piece.variables, quotient))
        part, g = replace(part, piece=piece), g - modulus * symbol(quotient)
    return [_solved(part, g)]


def _weighed(part: Part, factor: Expr) -> Part:
    return replace(part, piece=replace(part.piece, weight=part.piece.weight * factor))


def _solvable(g: Expr, variables: frozenset[str]) -> bool:
    """Whether g is affine in the variables, with integer slopes and integer coefficients elsewhere."""
    slopes = [g.coefficient(v).constant for v in variables]
    whole = all(Fraction(c).denominator == 1 for c in g.terms.values())
    return g.is_linear_in(variables) and whole and all(slopes)


def _solved(part: Part, g: Expr) -> Part:
    """The part without one variable, by the equation g = 0: Euclid's steps until a slope is 1 or -1
    (Pugh, The Omega test, section 2.1, with an unimodular change of variables)."""
    while True:
        order = part.piece.variables
        slopes = {v: int(g.coefficient(v).constant or 0) for v in order if v in g.symbols}
        var = min(slopes, key=lambda v: (abs(slopes[v]), -order.index(v)))
        slope = slopes[var]
        if abs(slope) == 1:
            return _substituted(part, var, None, (symbol(var) * slope - g) * slope)
        if len(slopes) == 1:
            rest = g - slope * symbol(var)
            part = _weighed(part, divides(abs(slope), rest))
            return _substituted(part, var, None, floor_div(-rest, Expr.of(slope)))
        fresh = _fresh(var + "_", part)
        value = symbol(fresh)
        for other, c in slopes.items():
            if other != var:
                value = value - symbol(other) * (c // slope)
        part = _substituted(part, var, fresh, value)
        g = g.subs({var: value})


def _substituted(part: Part, var: str, fresh: str | None, value: Expr) -> Part:
    here = {var: value}
    variables = tuple(n for v in part.piece.variables if (n := fresh if v == var else v) is not None)
    constraints = tuple(g.subs(here) for g in part.piece.constraints)
    places = {name: place.subs(here) for name, place in part.places.items()}
    return Part(part.sign, Polyhedron(variables, constraints, part.piece.weight.subs(here)), places)
