"""Looking into the function atoms of an expression."""

from __future__ import annotations

from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, apply
from roofscan.symbolic.extrema import maximum, minimum


def extrema(g: Expr) -> list[Func]:
    """The ``min`` and ``max`` atoms at any depth, innermost first (those inside ``sum`` atoms left out)."""
    found: list[Func] = []
    for atom in g.atoms:
        if atom.name != "sum":
            found += [inner for arg in atom.args for inner in extrema(arg)]
        if atom.name in ("min", "max"):
            found.append(atom)
    return found


def has_function(g: Expr, name: str) -> bool:
    return any(a.name == name or any(has_function(arg, name) for arg in a.args) for a in g.atoms)


def has_power_of(g: Expr, name: str) -> bool:
    """Whether a power with this symbol in its exponent is somewhere in ``g``."""
    return any(
        (a.name in ("pow", "pow2") and name in a.args[-1].symbols) or any(has_power_of(arg, name) for arg in a.args)
        for a in g.atoms
    )


def inside_atoms(g: Expr, name: str) -> list[Func]:
    return [a for a in g.atoms if name in Expr.atom(a).symbols]


def replace_atom(g: Expr, old: Func, new: Expr) -> Expr:
    """``g`` with an atom replaced, at any depth."""
    if not g.atoms:
        return g
    total = ZERO
    for monomial, coefficient in g.terms.items():
        product = Expr.of(coefficient)
        for atom, power in monomial:
            product = product * _replaced(atom, old, new) ** power
        total = total + product
    return total


def _replaced(atom: str | Func, old: Func, new: Expr) -> Expr:
    if atom == old:
        return new
    if isinstance(atom, str) or atom.name == "sum":
        return Expr.of(atom) if isinstance(atom, str) else Expr.atom(atom)
    return apply(atom.name, [replace_atom(arg, old, new) for arg in atom.args])


def indicator(g: Expr) -> Expr:
    """1 where the integer ``g`` is at least 0, else 0."""
    return minimum(1, maximum(0, g + 1))


def divides(modulus: int | Expr, g: Expr) -> Expr:
    """1 where the integer ``g`` is a multiple of ``modulus``, else 0."""
    return g // modulus - (g - ONE) // modulus
