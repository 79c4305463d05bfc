"""Two variables that are the digits of one number: t of S values and k stand for ``i = t + S*k``, where nothing else
tells them apart. The threads of a launch with the trips of a loop whose step is all threads are the elements of that
loop, each once; so are the blocks and the threads in a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.symbolic.counting.polyhedron import Polyhedron
from roofscan.symbolic.expr import ONE, Expr, symbol

Sign = Callable[[Expr], int]


def joined_digits(piece: Polyhedron, sign: Sign) -> Polyhedron | None:
    """The piece with one variable in the place of two, None where no two are digits. ``sign`` tells that of a size."""
    for high in piece.variables:
        for base in _bases(piece, high):
            for low in piece.variables:
                if low != high and sign(base) > 0 and (joined := _joined(piece, low, high, base)) is not None:
                    return joined
    return None


def _bases(piece: Polyhedron, high: str) -> dict[Expr, None]:
    """What one step of a variable may be worth: its slopes but for 1 and -1."""
    slopes = (g.coefficient(high) for g in piece.constraints if high in g.symbols and g.is_linear_in([high]))
    plain = (c for c in slopes if c.constant not in (1, -1) and not piece.among(c))
    return dict.fromkeys(-c if all(n < 0 for n in c.terms.values()) else c for c in plain)


def _joined(piece: Polyhedron, low: str, high: str, base: Expr) -> Polyhedron | None:
    """The piece with ``low`` standing for ``low + base*high``."""
    t, k = symbol(low), symbol(high)
    first = _first_value(piece, low, base)
    if first is None:
        return None
    kept: list[Expr] = []
    for g in piece.constraints:
        if g in (t - first, first + base - 1 - t):
            continue
        if g - (t - first) in piece.constraints:  # which says more
            continue
        made = g.subs({low: t - base * k})
        if high in made.symbols:
            made_of_bound = _bound(g, low, high, base, first)
            if made_of_bound is None:
                return None
            made = made_of_bound
        kept.append(made)
    weight = piece.weight.subs({low: t - base * k})
    if high in weight.symbols:
        return None
    variables = tuple(v for v in piece.variables if v != high)
    return replace(piece, variables=variables, constraints=tuple(kept), weight=weight)


def _first_value(piece: Polyhedron, low: str, base: Expr) -> Expr | None:
    """The first of the ``base`` values that a variable takes."""
    t = symbol(low)
    for g in piece.constraints:
        first = t - g
        if low in g.symbols and not piece.among(first) and first + base - 1 - t in piece.constraints:
            return first
    return None


def _bound(g: Expr, low: str, high: str, base: Expr, first: Expr) -> Expr | None:
    """A bound of the high digit alone, as one of the number."""
    if low in g.symbols or not g.is_linear_in([high]):
        return None
    slope = g.coefficient(high)
    if slope == ONE:  # k >= b: i >= first + base*b
        return symbol(low) - first + base * (g - symbol(high))
    if slope == -ONE:  # k <= b: i <= first + base*b + base - 1
        return first + base * (g + symbol(high)) + base - 1 - symbol(low)
    return None
