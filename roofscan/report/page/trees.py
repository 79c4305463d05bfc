"""Expressions as nested lists, which the page evaluates: ``["+", ["*", 2, ["^", "n", 3]], 8]``."""

from __future__ import annotations

from typing import Union

from roofscan.symbolic.expr import Atom, Expr, Number

Tree = Union[float, int, str, list["Tree"]]


def tree(expr: Expr) -> Tree:
    terms = [_product(coefficient, monomial) for monomial, coefficient in expr.terms.items()]
    return terms[0] if len(terms) == 1 else ["+", *terms] if terms else 0


def _product(coefficient: Number, monomial: tuple[tuple[Atom, int], ...]) -> Tree:
    factors: list[Tree] = [_power(atom, power) for atom, power in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, _number(coefficient))
    return factors[0] if len(factors) == 1 else ["*", *factors]


def _power(atom: Atom, power: int) -> Tree:
    base = _atom(atom)
    return base if power == 1 else ["^", base, power]


def _atom(atom: Atom) -> Tree:
    if isinstance(atom, str):
        return atom
    if atom.name == "sum":
        body, variable, low, high = atom.args
        [name] = variable.symbols
        return ["sum", tree(body), name, tree(low), tree(high)]
    return [atom.name, *map(tree, atom.args)]


def _number(number: Number) -> float | int:
    try:
        return int(number) if number == int(number) and -(2**53) < number < 2**53 else float(number)
    except OverflowError:
        return 1e308
