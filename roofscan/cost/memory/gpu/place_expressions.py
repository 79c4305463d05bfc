"""Expressions in the numbers of blocks and threads: the symbols, and what is done to floors of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from roofscan.ir.arrays import Array
from roofscan.ir.launch import DIRECTIONS
from roofscan.ir.tree import Access
from roofscan.symbolic.expr import ZERO, Expr, Func, sum_of
from roofscan.symbolic.floors import floor_div

WARP = 32
BLOCK = {d: f"block {d}" for d in DIRECTIONS}  # symbols: no name of a source has a space
THREAD = {d: f"thread {d}" for d in DIRECTIONS}
LAUNCHED = frozenset((*BLOCK.values(), *THREAD.values()))


def in_the_mean(atom: Func, names: Collection[str]) -> Expr:
    """A floor as the quotient, which is the same for all lanes of a warp where it grows slowly."""
    top, bottom = atom.args
    if not top.is_linear_in(names) or not bottom.constant:
        return Expr.atom(atom)
    slopes = [(top.coefficient(name) * WARP / bottom).constant for name in THREAD.values()]
    slow = all(slope is not None and -1 <= slope <= 1 for slope in slopes)
    moving = dict.fromkeys(names, 0)
    still = dict.fromkeys(THREAD.values() if slow else (), 0)
    return (top.subs(still) - top.subs(moving)) / bottom + floor_div(top.subs(moving), bottom)


def alike_in_blocks(atom: Func, names: Collection[str]) -> Expr:
    """A floor of threads as in the first block and iterations; the others only shift it, by the quotient."""
    top, bottom = atom.args
    if not top.is_linear_in(names) or not bottom.constant:
        return Expr.atom(atom)
    shift = terms_of(top, {*names} - {*THREAD.values()})
    return floor_div(top - shift, bottom) + shift / bottom


def terms_of(expr: Expr, symbols: Collection[str]) -> Expr:
    return Expr({m: c for m, c in expr.terms.items() if not Expr({m: c}).symbols.isdisjoint(symbols)})


def element_offset(access: Access, array: Array) -> Expr:
    """From the beginning of the array, without subscripts that are not known."""
    return sum_of(index * stride for index, stride in zip(access.index, array.strides) if index is not None)


def floors_of_threads(expr: Expr) -> Iterator[tuple[Expr, int]]:
    """Of places of threads: what is divided, and by what number."""
    for atom in expr.atoms:
        for part in atom.args:
            yield from floors_of_threads(part)
        width = atom.args[1].constant if atom.name == "floor" else None
        if isinstance(width, int) and atom.args[0].is_linear_in(LAUNCHED) and atom.args[0].symbols & LAUNCHED:
            yield atom.args[0], width


def divisors(expr: Expr) -> Iterator[str]:
    """The symbols that floors in an expression divide by."""
    for atom in expr.atoms:
        yield from atom.args[1].symbols if atom.name == "floor" else ()
        for arg in atom.args:
            yield from divisors(arg)


def with_each(expr: Expr, atoms: Iterable[Func], of: Callable[[Func], Expr]) -> Expr:
    for atom in atoms:
        expr = replaced(expr, atom, of(atom))
    return expr


def replaced(expr: Expr, atom: Func, value: Expr) -> Expr:
    found = ZERO
    for monomial, coefficient in expr.terms.items():
        term = Expr.of(coefficient)
        for factor, power in monomial:
            term = term * (value**power if factor == atom else Expr({((factor, power),): 1}))
        found = found + term
    return found
