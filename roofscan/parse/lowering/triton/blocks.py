"""Block pointers and tensor descriptors, and functions of ``triton.language`` that take a function or name programs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import I8
from roofscan.parse.lowering.triton.program import ProgramBody
from roofscan.parse.lowering.triton.tiles import (
    BlockPointer,
    Item,
    NamedItem,
    Outside,
    Parts,
    TileValue,
    integer,
    place,
)  # fmt: skip
from roofscan.parse.reader.module import SELF
from roofscan.symbolic.expr import ONE, ZERO, symbol

Handler = Callable[[ProgramBody, list[Item], dict[str, Item], int], Item]


def argument(args: list[Item], keywords: Mapping[str, Item], position: int, name: str) -> Item:
    return args[position] if len(args) > position else keywords.get(name)


def tiles(value: Item, line: int) -> tuple[TileValue, ...]:
    items = value.items if isinstance(value, Parts) else (value,)
    found = tuple(item for item in items if isinstance(item, TileValue))
    if len(found) < len(items):
        raise Outside(line, "an argument that is not a tile")
    return found


# -- blocks -------------------------------------------------------------------------------------------
def make_block_ptr(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    names = ("base", "shape", "strides", "offsets", "block_shape", "order")
    *parts, order = (tiles(argument(args, keywords, k, name), line) for k, name in enumerate(names))
    parts[2] = _contiguous(program, parts[1], parts[2], [tile.number for tile in order])
    return _block(*parts, line=line)


def _contiguous(
    program: ProgramBody, sizes: tuple[TileValue, ...], strides: tuple[TileValue, ...], order: Sequence[object]
) -> tuple[TileValue, ...]:
    """The strides, where parameters are those of an array without gaps, unless the user says otherwise."""
    step, found, builder = ONE, list(strides), program.cx.builder
    for k in order:
        if not isinstance(k, int) or not len(sizes) == len(strides) > k >= 0 or (size := sizes[k].expr) is None:
            break
        name = next((n for n in program.parameters if strides[k].expr == symbol(n)), "")
        if name and name not in program.cx.facts.scalars:
            builder.assume(Assumption(name, f"{step} (no gaps; bind {name})"))
            found[k] = integer(step)
        step = step * size
    return tuple(found)


def make_descriptor(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """Of a tensor: its blocks are within its bounds."""
    names = ("base", "shape", "strides", "block_shape")
    base, sizes, strides, block = (tiles(argument(args, keywords, k, n), line) for k, n in enumerate(names))
    return _block(base, sizes, strides, (integer(ZERO),) * len(sizes), block, line=line)


def _block(
    base: tuple[TileValue, ...], sizes: tuple[TileValue, ...], strides: tuple[TileValue, ...],
    offsets: tuple[TileValue, ...], block: tuple[TileValue, ...], *, line: int,
) -> BlockPointer:  # fmt: skip
    extents = tuple(extent.expr for extent in block if extent.expr is not None)
    if len(base) != 1 or not len(sizes) == len(strides) == len(offsets) == len(block) == len(extents):
        raise Outside(line, "a block of unknown shape")
    return BlockPointer(base[0], sizes, strides, offsets, extents)


def advance(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    block, by = args[0], tiles(argument(args, keywords, 1, "offsets"), line)
    if not isinstance(block, BlockPointer) or len(by) != len(block.offsets):
        raise Outside(line, "advance of something that is not a block")
    return block.at(tuple(program.binary("+", a, b, line) for a, b in zip(block.offsets, by)))


def places_of(
    program: ProgramBody, block: BlockPointer, checked: Collection[int], line: int
) -> tuple[TileValue, TileValue | None]:
    """The places of a block's elements, and the mask that keeps the dimensions ``checked`` in bounds."""
    pointer, mask, rank = block.base, None, len(block.block)
    for k, (size, stride, offset) in enumerate(zip(block.sizes, block.strides, block.offsets)):
        shape = tuple(block.block[k] if j == k else ONE for j in range(rank))
        position = program.binary("+", offset, TileValue(I8, shape, symbol(place(k))), line)
        pointer = program.binary("+", pointer, program.binary("*", position, stride, line), line)
        if k in checked:
            inside = program.comparison("<", position, size, line)
            mask = inside if mask is None else program.both(mask, inside, line)
    return pointer, mask


def pointed_at(
    program: ProgramBody, value: Item, keywords: Mapping[str, Item], line: int
) -> tuple[TileValue, TileValue | None] | None:
    """The places and the mask of an access by a block; None for other pointers."""
    if not isinstance(value, BlockPointer):
        return None
    checked = keywords.get("boundary_check")
    numbers = [tile.number for tile in tiles(checked, line)] if checked is not None else []
    return places_of(program, value, {n for n in numbers if isinstance(n, int)}, line)


def described(program: ProgramBody, args: list[Item], line: int) -> tuple[TileValue, TileValue | None]:
    """The same of ``descriptor.load(offsets)`` and ``descriptor.store(offsets, value)``."""
    block = args[0]
    if not isinstance(block, BlockPointer) or len(args) < 2:
        raise Outside(line, "an access of something that is not a block")
    return places_of(program, block.at(tiles(args[1], line)), range(len(block.block)), line)


# -- functions of functions ---------------------------------------------------------------------------
def reduce(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """As many combinations as there are elements."""
    axis = argument(args, keywords, 1, "axis")
    combined = _combined(program, args, keywords, line)
    dropped = axis.number if isinstance(axis, TileValue) else None

    def without(tile: TileValue) -> TileValue:
        where = dropped % max(1, len(tile.shape)) if isinstance(dropped, int) else None
        shape = tuple(e for k, e in enumerate(tile.shape) if where is not None and k != where)
        return TileValue(tile.dtype, shape, node=tile.node)

    return Parts(tuple(map(without, combined))) if isinstance(args[0], Parts) else without(combined[0])


def scan(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """The same; the shape stays."""
    found = tuple(TileValue(t.dtype, t.shape, node=t.node) for t in _combined(program, args, keywords, line))
    return Parts(found) if isinstance(args[0], Parts) else found[0]


def _combined(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> tuple[TileValue, ...]:
    """What the function makes of two of each element."""
    values, function = tiles(args[0], line), argument(args, keywords, 2, "combine_fn")
    if not isinstance(function, NamedItem) or not function.dotted.startswith(SELF):
        raise Outside(line, "a reduction by a function of another file")
    return tiles(program.inline(function.dotted.removeprefix(SELF), [*values, *values], {}, line), line)


def swizzle2d(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """The same programs in another order."""
    program.cx.builder.assume("programs run in the order of their numbers (swizzle2d changes it)")
    return Parts(tuple(args[:2]))


def clamp(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """A minimum and a maximum."""
    [tile] = tiles(args[0], line)
    node = tile.node
    for _ in range(2 if tile.is_float else 0):
        node = program.operation("minmax", tile.dtype, tile.size, line, tile)
    return TileValue(tile.dtype, tile.shape, node=node)


HANDLERS: Mapping[str, Handler] = {
    "make_block_ptr": make_block_ptr, "make_tensor_descriptor": make_descriptor, "advance": advance,
    "_experimental_make_tensor_descriptor": make_descriptor,
    "reduce": reduce, "associative_scan": scan, "swizzle2d": swizzle2d, "clamp": clamp,
}  # fmt: skip
