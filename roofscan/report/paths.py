"""Ways through the space of sizes, along which a verdict is asked for.

A path gives every symbol of a kernel as a polynomial in one whole number, its position. On the diagonal all
free sizes are equal and grow together; on a path of one symbol it alone moves and the others are held (a free
size is held at a number beyond every threshold, since a verdict for unbound sizes is one for large sizes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from roofscan.cost.result import KernelCost
from roofscan.ir.expr import Expr, Number, symbol

POSITION = "@"
"""The position's name: no symbol of a source can have it."""

LARGE = 1 << 60
"""What a free size is held at: even, and far beyond every cache and ridge."""

GROWING = ("size", "total", "length")
"""Kinds of symbols that grow with the sizes: extents, and numbers of elements that depend on the data."""


@dataclass(frozen=True)
class Path:
    symbol: str  # the symbol whose value the position is
    values: Mapping[str, Expr]
    others: str  # "grow" or "fixed", as in Holds

    def along(self, expr: Expr) -> Expr:
        """``expr`` as a function of the position."""
        return expr.subs(self.values)

    def at(self, expr: Expr, position: int) -> Number:
        return self.along(expr).evaluate({POSITION: position})


def diagonal(cost: KernelCost) -> Path | None:
    """All free sizes equal and growing, totals in the witness' proportion to them; None: nothing is free."""
    growing = _free(cost, GROWING)
    if not growing:
        return None
    first = next((s for s in growing if _kind(cost, s) == "size"), growing[0])
    x = symbol(POSITION)
    moving = {s: x * _proportion(cost, s, first) for s in growing}
    return Path(first, {**_held(cost), **moving}, "grow")


def single(cost: KernelCost) -> Iterator[Path]:
    """A path for each batch, tile or trip count that is free, and for each of several free sizes."""
    sizes = free_sizes(cost)
    names = _free(cost, ("tile", "trips")) + (sizes if len(sizes) > 1 else ())
    held = {**_held(cost), **{s: Expr.of(LARGE * _proportion(cost, s, s)) for s in _free(cost, GROWING)}}
    for name in names:
        yield Path(name, {**held, name: symbol(POSITION)}, "fixed")


def here(cost: KernelCost) -> Path:
    """The path that stays at the witness: for kernels whose sizes are all bound."""
    return Path("", _held(cost), "fixed")


def free_sizes(cost: KernelCost) -> tuple[str, ...]:
    return _free(cost, ("size",))


def _free(cost: KernelCost, kinds: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(s.name for s in cost.kernel.symbols if s.name in cost.free and s.kind in kinds)


def _kind(cost: KernelCost, name: str) -> str:
    return next(s.kind for s in cost.kernel.symbols if s.name == name)


def _held(cost: KernelCost) -> dict[str, Expr]:
    return {name: Expr.of(number) for name, number in cost.witness.items()}


def _proportion(cost: KernelCost, name: str, first: str) -> Number:
    if _kind(cost, name) == "size" or not cost.witness.get(first):
        return 1
    return Fraction(cost.witness[name]) / cost.witness[first]
