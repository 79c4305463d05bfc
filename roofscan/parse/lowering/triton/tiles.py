"""The values of a Triton program: tiles of numbers, of places in arrays, or of truth; a scalar is a tile without
dimensions. A known element is an expression in its position: ``@0`` along the first dimension, ``@1`` …"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Union

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import BY_CODE, I8, DType, promote
from roofscan.symbolic.expr import ONE, ZERO, Expr, Number, symbol

F4 = BY_CODE["f4"]
B1 = BY_CODE["b1"]


class Outside(Exception):
    """The program does something that is not modelled: the line and what."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True)
class TileValue:
    dtype: DType
    shape: tuple[Expr, ...] = ()
    expr: Expr | None = None  # of integers and pointers, in ``@0``, ``@1`` … and the symbols of the program
    node: int | None = None
    holds: tuple[Condition, ...] | None = None  # of truth: where all of these hold; None: not known
    weak: bool = False  # a number of the source, or a parameter of unknown type
    number: Number | float | None = None  # of a constant
    loaded: frozenset[str] = frozenset()  # the arrays that its elements come from, as far as they may be integers
    product: bool = False  # of tl.dot, which adds to what it is added to
    bases: frozenset[str] = frozenset()  # of places that depend on data: the parameters that may be their array
    along: Expr | None = None  # of an integer without ``expr``: what its position adds to it

    @property
    def size(self) -> Expr:
        return prod(self.shape, start=ONE)

    @property
    def steps(self) -> Expr | None:
        """What the position adds to an integer; None where that is not known."""
        if self.expr is None:
            return self.along if self.shape else ZERO
        positions = list(filter(is_place, self.expr.symbols))
        return self.expr - self.expr.subs(dict.fromkeys(positions, 0)) if self.expr.is_linear_in(positions) else None

    @property
    def is_float(self) -> bool:
        return self.dtype.counts


@dataclass(frozen=True)
class Parts:
    """A tuple."""

    items: tuple["Item", ...]


@dataclass(frozen=True)
class BlockPointer:
    """A block of an array of ``sizes``, whose first element is at ``offsets``."""

    base: TileValue
    sizes: tuple[TileValue, ...]
    strides: tuple[TileValue, ...]
    offsets: tuple[TileValue, ...]
    block: tuple[Expr, ...]

    def at(self, offsets: tuple[TileValue, ...]) -> "BlockPointer":
        return replace(self, offsets=offsets)


@dataclass(frozen=True)
class NamedItem:
    """A function, a type or a module by its dotted name, or something of the file."""

    dotted: str


@dataclass(frozen=True)
class Method:
    owner: "TileValue | BlockPointer"
    name: str


@dataclass(frozen=True)
class Arguments:
    """The arguments of a launch by their names, as a heuristic has them."""


Item = Union[TileValue, BlockPointer, Parts, NamedItem, Method, Arguments, DType, str, None]


_PLACE = "@"


def place(dimension: int) -> str:
    return f"{_PLACE}{dimension}"


def is_place(name: str) -> bool:
    return name.startswith(_PLACE)


def number(value: float | bool) -> TileValue:
    if isinstance(value, bool):
        return TileValue(B1, holds=(Condition(Expr.of(0 if value else -1), "ge"),), number=int(value), weak=True)
    if isinstance(value, int):
        return TileValue(I8, expr=Expr.of(value), number=value, weak=True)
    return TileValue(F4, number=value, weak=True)


def integer(expr: Expr) -> TileValue:
    return TileValue(I8, expr=expr)


def moved(tile: TileValue, places: Mapping[int, int], shape: tuple[Expr, ...]) -> TileValue:
    """The tile with its dimensions elsewhere."""
    values = {place(old): symbol(place(new)) for old, new in places.items()}
    holds = tile.holds and tuple(replace(c, expr=c.expr.subs(values)) for c in tile.holds)
    along = tile.along and tile.along.subs(values)
    return replace(tile, shape=shape, expr=tile.expr and tile.expr.subs(values), holds=holds, along=along)


def common_shape(tiles: tuple[TileValue, ...], line: int) -> tuple[Expr, ...]:
    rank = max((len(tile.shape) for tile in tiles), default=0)
    shape = [ONE] * rank
    for tile in tiles:
        for k, extent in enumerate(tile.shape, rank - len(tile.shape)):
            if shape[k] != ONE and extent not in (ONE, shape[k]):
                raise Outside(line, f"tiles of {shape[k]} and {extent} elements are combined")
            shape[k] = extent if shape[k] == ONE else shape[k]
    return tuple(shape)


def aligned(tile: TileValue, rank: int) -> TileValue:
    """The tile with dimensions of one element in front."""
    missing = rank - len(tile.shape)
    if not missing:
        return tile
    return moved(tile, {k: k + missing for k in range(len(tile.shape))}, (*[ONE] * missing, *tile.shape))


def common_type(a: TileValue, b: TileValue) -> DType:
    """Triton's type of ``a op b``: a number of the source takes that of a tile of its kind."""
    for one, other in ((a, b), (b, a)):
        if one.weak and not other.weak and (other.is_float or not one.is_float):
            return other.dtype
    if a.is_float != b.is_float:
        return a.dtype if a.is_float else b.dtype
    return promote(a.dtype, b.dtype)
