"""Functions of ``triton.language`` that give a tile another shape or order, and do nothing to its elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from roofscan.ir.dtypes import BY_CODE
from roofscan.parse.lowering.triton.program import ProgramBody
from roofscan.parse.lowering.triton.tiles import Item, Outside, Parts, TileValue, aligned, common_shape, moved
from roofscan.symbolic.expr import ONE, Expr

Handler = Callable[[ProgramBody, list[Item], dict[str, Item], int], Item]


def a_tile(value: Item, line: int) -> TileValue:
    if isinstance(value, TileValue):
        return value
    raise Outside(line, "an argument that is not a tile")


def optional(value: Item) -> TileValue | None:
    return value if isinstance(value, TileValue) else None


def constant_integer(value: Item) -> int | None:
    number = value.number if isinstance(value, TileValue) else None
    return number if isinstance(number, int) else None


def tile_shape(value: Item, line: int) -> tuple[Expr, ...]:
    items = value.items if isinstance(value, Parts) else (value,)
    exprs = [item.expr for item in items if isinstance(item, TileValue) and item.expr is not None]
    if len(exprs) != len(items):
        raise Outside(line, "a tile of unknown shape")
    return tuple(exprs)


def _rest(args: list[Item]) -> Parts:
    """A shape that is one tuple, or the arguments after the tile."""
    first = args[1] if len(args) == 2 else None
    return first if isinstance(first, Parts) else Parts(tuple(args[1:]))


def _of(tile: TileValue, *shape: Expr) -> TileValue:
    """A tile with those elements somewhere in it."""
    return TileValue(tile.dtype, shape, node=tile.node, loaded=tile.loaded)


def _permute(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """Of ``trans`` without an order, the last two dimensions change places."""
    tile, given = a_tile(args[0], line), [constant_integer(k) for k in _rest(args).items]
    rank = len(tile.shape)
    order = [k for k in given if k is not None] if given else [*range(rank - 2), rank - 1, rank - 2]
    if sorted(order) != [*range(rank)]:
        raise Outside(line, "dimensions in an order that is not known")
    return moved(tile, {k: n for n, k in enumerate(order)}, tuple(tile.shape[k] for k in order))


def _expand(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    tile, axis = a_tile(args[0], line), constant_integer(args[1] if len(args) > 1 else keywords.get("axis"))
    if axis is None:
        raise Outside(line, "expand_dims without a known axis")
    axis %= len(tile.shape) + 1
    shape = (*tile.shape[:axis], ONE, *tile.shape[axis:])
    return moved(tile, {k: k + (k >= axis) for k in range(len(tile.shape))}, shape)


def _broadcast_to(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    shape = tile_shape(_rest(args), line)
    return replace(aligned(a_tile(args[0], line), len(shape)), shape=shape)


def _broadcast(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    one, other = a_tile(args[0], line), a_tile(args[1], line)
    rank = max(len(one.shape), len(other.shape))
    pair = aligned(one, rank), aligned(other, rank)
    return Parts(tuple(replace(tile, shape=common_shape(pair, line)) for tile in pair))


def _reshape(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return _of(a_tile(args[0], line), *tile_shape(_rest(args), line))


def _ravel(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    tile = a_tile(args[0], line)
    return _of(tile, tile.size)


def _join(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return _of(a_tile(args[0], line), *a_tile(args[0], line).shape, Expr.of(2))


def _split(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    tile = a_tile(args[0], line)
    return Parts((_of(tile, *tile.shape[:-1]),) * 2)


def _interleave(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    tile = a_tile(args[0], line)
    return _of(tile, *tile.shape[:-1], tile.shape[-1] * 2)


def _cat(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    one, other = a_tile(args[0], line), a_tile(args[1], line)
    return _of(one, one.shape[0] + other.shape[0], *one.shape[1:])


def _reordered(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """A sort compares, which counts as no FLOP."""
    tile = a_tile(args[0], line)
    return _of(tile, *tile.shape)


def _gather(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return _of(a_tile(args[0], line), *a_tile(args[1], line).shape)


def _topk(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    tile = a_tile(args[0], line)
    return _of(tile, *tile.shape[:-1], *tile_shape(args[1], line))


def _histogram(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return TileValue(BY_CODE["i4"], tile_shape(args[1], line))


def _random_integers(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return TileValue(BY_CODE["i4"], a_tile(args[1], line).shape)


HANDLERS: Mapping[str, Handler] = {
    "trans": _permute, "permute": _permute, "expand_dims": _expand, "broadcast_to": _broadcast_to,
    "broadcast": _broadcast, "reshape": _reshape, "view": _reshape, "ravel": _ravel, "join": _join, "split": _split,
    "interleave": _interleave, "cat": _cat, "flip": _reordered, "sort": _reordered, "gather": _gather, "topk": _topk,
    "histogram": _histogram, "randint": _random_integers,
}  # fmt: skip
