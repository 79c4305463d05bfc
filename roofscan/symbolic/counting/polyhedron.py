"""Sets of integer points, and the bounds of one variable in them: data, and functions that compare no sizes."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.symbolic.atoms import inside_atoms
from roofscan.symbolic.expr import ONE, Expr, Func
from roofscan.symbolic.floors import floor_div


@dataclass(frozen=True)
class Polyhedron:
    """The points of ``variables`` (outermost first) where each constraint is >= 0, and their weight."""

    variables: tuple[str, ...]
    constraints: tuple[Expr, ...]
    weight: Expr = ONE

    def among(self, g: Expr) -> frozenset[str]:
        return g.symbols & frozenset(self.variables)


@dataclass(frozen=True)
class VariableBound:
    """A bound on a variable: ``numerator`` over ``slope`` rounded to the integer ``value``. Bounds of one slope compare
    by their numerators, which have no floors."""

    value: Expr
    numerator: Expr
    slope: Expr = ONE

    def __sub__(self, other: VariableBound) -> Expr:
        """At least 0 implies value >= other.value, and below 0 that value <= other.value."""
        return self.numerator - other.numerator if self.slope == other.slope else self.value - other.value


def floored(r: Expr, c: Expr) -> Expr:
    return r if c == ONE else floor_div(r, c)


def factor_of(atom: Func, g: Expr) -> Expr | None:
    """c of ``g = c*atom + r``, or None where the atom is in ``g`` in another way."""
    terms = {}
    for monomial, number in g.terms.items():
        powers = dict(monomial)
        if atom in powers:
            if powers.pop(atom) != 1:
                return None
            terms[tuple(f for f in monomial if f[0] != atom)] = number
    return Expr(terms)


def conjuncts(g: Expr) -> list[Expr]:
    """``min(a, b) - x >= 0`` as a - x >= 0 and b - x >= 0 (so for ``-max``)."""
    for monomial, c in g.terms.items():
        [(atom, power)] = monomial if len(monomial) == 1 else [("", 0)]
        if isinstance(atom, Func) and power == 1 and (atom.name, c > 0) in (("min", True), ("max", False)):
            rest = g - Expr({monomial: c})
            return [part for arg in atom.args for part in conjuncts(rest + arg * c)]
    return [g]


def without(piece: Polyhedron, var: str) -> Polyhedron:
    variables = tuple(v for v in piece.variables if v != var)
    return Polyhedron(variables, tuple(g for g in piece.constraints if var not in g.symbols))


def components(piece: Polyhedron) -> list[Polyhedron]:
    """Independent parts: their totals multiply. The weight goes to the part of its variables."""
    groups: list[tuple[set[str], list[Expr]]] = [({v}, []) for v in piece.variables]
    links = [(piece.among(g), g) for g in piece.constraints]
    for names, g in [*links, (piece.among(piece.weight), None)]:
        touched = [group for group in groups if group[0] & names]
        if touched:
            members = {v for group in touched for v in group[0]}
            held = [c for group in touched for c in group[1]] + ([g] if g is not None else [])
            groups = [group for group in groups if group not in touched] + [(members, held)]
    weighed = piece.among(piece.weight)
    parts = []
    for members, constraints in groups:
        variables = tuple(v for v in piece.variables if v in members)
        weight = piece.weight if weighed & members else ONE
        parts.append(Polyhedron(variables, tuple(constraints), weight))
    return parts if weighed else [*parts, *([Polyhedron((), (), piece.weight)] if piece.weight != ONE else [])]


def is_positive(g: Expr) -> bool:
    """Whether ``g`` is a sum of powers of two and positive numbers."""
    return all(c > 0 and all(isinstance(a, Func) and a.name == "pow2" for a, _ in m) for m, c in g.terms.items())


def is_hidden_in(weight: Expr, var: str) -> bool:
    """Whether ``var`` is in an atom other than a floor: a sum over it may have no closed form."""
    return any(a.name != "floor" for a in inside_atoms(weight, var))
