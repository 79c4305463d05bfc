"""Minima and maxima."""

from __future__ import annotations

from collections.abc import Iterable

from roofscan.symbolic.expr import Expr, Operand, normal_form
from roofscan.symbolic.numeric import Number
from roofscan.symbolic.terms import Func


@normal_form("min")
def minimum(*args: Operand) -> Expr:
    return _extremum("min", map(Expr.of, args))


@normal_form("max")
def maximum(*args: Operand) -> Expr:
    return _extremum("max", map(Expr.of, args))


def _extremum(name: str, args: Iterable[Expr]) -> Expr:
    """Min or max, flattened; arguments that differ by a number only are decided."""
    kept: dict[Expr, Number] = {}
    pick = min if name == "min" else max
    for arg in _flatten(name, args):
        base, offset = arg - arg.constant_term, arg.constant_term
        kept[base] = pick(kept[base], offset) if base in kept else offset
    parts = sorted((base + offset for base, offset in kept.items()), key=str)
    return parts[0] if len(parts) == 1 else Expr.atom(Func(name, tuple(parts)))


def _flatten(name: str, args: Iterable[Expr]) -> list[Expr]:
    flat: list[Expr] = []
    for arg in args:
        [(monomial, coefficient)] = arg.terms.items() if len(arg.terms) == 1 else [((), 0)]
        atom = monomial[0][0] if len(monomial) == 1 and coefficient == 1 else None
        if isinstance(atom, Func) and atom.name == name and monomial[0][1] == 1:
            flat.extend(atom.args)
        else:
            flat.append(arg)
    return flat
