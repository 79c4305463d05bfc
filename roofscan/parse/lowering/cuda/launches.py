"""The launch of a CUDA kernel: what the user says of it, or a typical one, which the report states."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.kinds import SymbolKind
from roofscan.ir.launch import DIRECTIONS, WORDS, Direction, Launch
from roofscan.ir.tree import Body, When
from roofscan.ir.visitor import accesses, expressions, loops, walk
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.cuda.blocks import hold_block
from roofscan.parse.lowering.cuda.launch_sites import LaunchSite, launch_sites, possible
from roofscan.parse.lowering.subscript_ranges import has_loop_variable, value_at_large_sizes
from roofscan.parse.syntax import Function
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import ceil_div

TYPICAL_BLOCKS = ((256,), (32, 8), (8, 8, 4))
TYPICAL_GRID = 1024  # blocks of a launch whose threads walk on by all threads


@dataclass(frozen=True)
class StatedLaunch:
    """What is known of a launch beforehand."""

    grid: tuple[Expr, ...] | None = None
    block: tuple[Expr, ...] | None = None
    registers: int | None = None
    shared: Expr = ZERO
    place: str = ""  # of the launch that says so
    other: str = ""  # of one that says something else

    @property
    def rank(self) -> int:
        """The directions that the launch has."""
        sizes = (size for size in (self.grid, self.block) if size is not None)
        return max((k + 1 for size in sizes for k, n in enumerate(size) if n != ONE), default=0)


def stated_launch(cx: Context, function: Function) -> StatedLaunch:
    """By the user, else by the first launch in the package of which most is known."""
    own = {parameter.name for parameter in function.parameters}
    given = [None if word in own else cx.facts.integers(word) for word in WORDS]
    grid, block = (sizes and possible(word, tuple(map(Expr.of, sizes))) for word, sizes in zip(WORDS, given[:2]))
    sites = launch_sites(cx, function) if grid is None or block is None else []
    site = max(sites, key=lambda s: (s.grid is not None) + (s.block is not None), default=LaunchSite())
    fits = block in (None, site.block)  # a grid is worked out for its block
    other = next((s.place for s in sites if (s.grid, s.block) != (site.grid, site.block)), "")
    return StatedLaunch(
        grid or (site.grid if fits else None), block or site.block, given[2][0] if given[2] else None,
        site.shared or ZERO, site.place if (site.grid and fits) or site.block else "", other,
    )  # fmt: skip


def set_launch(cx: Context, stated: StatedLaunch, body: Body, rank: int) -> None:
    """Gives the symbols of the launch their values: bound ones, else typical ones."""
    blocks, sizes = [ONE, ONE, ONE], [ONE, ONE, ONE]
    typical = _typical_block(cx, body, rank) if stated.block is None else ()
    hold_block(cx, stated.block or (), "it")
    said: dict[str, None] = {}
    for k, direction in enumerate(DIRECTIONS[:rank]):
        sizes[k] = block_symbol(cx, direction)
        if stated.block is None:
            _guess(cx, sizes[k], typical[k])
        else:
            _let(cx, sizes[k], _item(stated.block, k))
        axis = OneDirection(cx, body, direction)
        wanted, how = axis.wanted if stated.grid is None else (_item(stated.grid, k), "")
        said[how] = None
        _are_sizes(cx, wanted.symbols)
        blocks[k] = axis.set_blocks(wanted)
    _state(cx, stated, typical, [how for how in said if how])
    grid, block = (blocks[0], blocks[1], blocks[2]), (sizes[0], sizes[1], sizes[2])
    cx.builder.launch = Launch(grid, block, stated.registers, stated.shared)


def _are_sizes(cx: Context, names: Set[str]) -> None:
    """Whole numbers that say how much work there is grow with the data."""
    for name in names & cx.builder.symbols.keys():
        if cx.builder.symbols[name].kind == "int":
            cx.builder.symbols[name] = replace(cx.builder.symbols[name], kind="size")


def _item(sizes: tuple[Expr, ...], k: int) -> Expr:
    return sizes[k] if k < len(sizes) else ONE


def _state(cx: Context, stated: StatedLaunch, typical: tuple[int, ...], grid: list[str]) -> None:
    if stated.place:
        sizes = [f"{word} {_shown(size)}" for word in ("grid", "block") if (size := getattr(stated, word)) is not None]
        other = f" (otherwise in {stated.other})" if stated.other else ""
        cx.builder.assume(f"launched as in {stated.place}: {', '.join(sizes)}{other}")
    shown = str(typical[0]) if len(typical) == 1 else str(typical)
    parts = [f"blocks of {shown} threads"] if stated.block is None else []
    unknown = [word for word in ("grid", "block") if getattr(stated, word) is None]
    if unknown:
        said = " and ".join([*parts, *grid[:1]])
        cx.builder.assume(f"launched with {said} (typical; bind {' and '.join(unknown)})")


def _shown(sizes: tuple[Expr, ...]) -> str:
    return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


class OneDirection:
    """One direction of a launch, and the loops over it."""

    def __init__(self, cx: Context, body: Body, direction: Direction) -> None:
        self._cx = cx
        self._body = body
        self._size = block_symbol(cx, direction)
        of = {loop.axis.part: loop for loop in loops(body) if loop.axis and loop.axis.direction == direction}
        self._whole, self._blocks = of.get("grid"), of.get("block")
        self._variables = {loop.var for loop in of.values()}
        if self._whole is not None:
            self._place = symbol(self._whole.var)
        else:
            self._place = symbol(of["block"].var) * self._size + symbol(of["thread"].var)

    @property
    def wanted(self) -> tuple[Expr, str]:
        """The blocks of a typical launch, and what they are."""
        places = self._needed(self._place)
        if places is not None:
            return ceil_div(places, self._size), "as many blocks as its work needs"
        alone = self._needed(symbol(self._blocks.var)) if self._blocks is not None else None
        needed = alone if alone is not None else max(self._tiles(), key=value_at_large_sizes, default=None)
        if needed is not None:
            return needed, "as many blocks as its work needs"
        if self._blocks is not None and not self._tells_blocks_apart:
            return ONE, "one block"
        return Expr.of(TYPICAL_GRID), f"{TYPICAL_GRID} blocks"

    @property
    def _tells_blocks_apart(self) -> bool:
        """Whether anything in the kernel depends on the number of the block."""
        var = self._blocks.var if self._blocks is not None else ""
        return any(var in expr.symbols for node in walk(self._body) for expr in expressions(node))

    def set_blocks(self, blocks: Expr) -> Expr:
        """Gives the loops this number of blocks, which the launch has."""
        extent = self._whole.stop if self._whole is not None else ONE
        if len(extent.symbols) == 1:
            _let(self._cx, extent, blocks * self._size)
            return ceil_div(extent, self._size)
        own = extent / self._size if self._blocks is None else self._blocks.stop
        _let(self._cx, own, blocks)
        return own

    def _tiles(self) -> Iterator[Expr]:
        """The blocks that tiles of a written width ask for: ``32*block + …`` below n, or in an array."""
        var = self._blocks.var if self._blocks is not None else ""
        for node in walk(self._body):
            for c in node.conditions if isinstance(node, When) else ():
                tile = -c.expr.coefficient(var) if c.expr.is_linear_in([var]) else ZERO
                if (tile.constant is None and not has_loop_variable(tile)) or (tile.constant or 0) > 1:
                    yield ceil_div(_outside_loops(c.expr) + 1, tile)
        for access in accesses(self._body):
            array = self._cx.builder.arrays[access.array]
            for subscript, extent in zip(access.index, array.shape) if array.space == "global" else ():
                linear = subscript is not None and subscript.is_linear_in([var])
                width = subscript.coefficient(var).constant or 0 if subscript is not None and linear else 0
                if width > 1:
                    yield ceil_div(extent, Expr.of(width))

    def _needed(self, place: Expr) -> Expr | None:
        """How many values of ``place`` there is work for: by its guards, else by the arrays that it subscripts."""
        conditions = [c.expr for node in walk(self._body) if isinstance(node, When) for c in node.conditions]
        guarded = [_by_groups(expr, place) or expr + place + 1 for expr in conditions]
        inside = [
            extent - subscript + place
            for access in accesses(self._body)
            for subscript, extent in zip(access.index, self._cx.builder.arrays[access.array].shape)
            if subscript is not None and self._cx.builder.arrays[access.array].space == "global"
        ]
        known = [[e for e in found if not has_loop_variable(e) and e.symbols] for found in (guarded, inside)]
        return max(known[0], key=value_at_large_sizes) if known[0] else next(iter(known[1]), None)


def _by_groups(expr: Expr, place: Expr) -> Expr | None:
    """The values of ``place`` for which ``expr`` is at least 0, where that is ``n - 1 - place//size``."""
    for atom in expr.atoms:
        groups = expr + Expr.atom(atom) + 1
        if atom.name == "floor" and not has_loop_variable(groups):
            start, size = atom.args[0] - place, atom.args[1]
            return None if has_loop_variable(start) or has_loop_variable(size) else groups * size - start
    return None


def _outside_loops(expr: Expr) -> Expr:
    """The terms without loop variables."""
    return Expr({m: c for m, c in expr.terms.items() if not has_loop_variable(Expr({m: c}))})


def _typical_block(cx: Context, body: Body, rank: int) -> tuple[int, ...]:
    """By the shared arrays that the threads of a block fill, else by the number of directions."""
    threads = {loop.var: loop.axis.direction for loop in loops(body) if loop.axis and loop.axis.part == "thread"}
    filled: dict[str, int] = {}
    for access in accesses(body):
        array = cx.builder.arrays[access.array]
        for subscript, extent in zip(access.index, array.shape) if array.space == "shared" else ():
            names = subscript.symbols if subscript is not None else frozenset()
            direction = threads.get(min(names)) if len(names) == 1 and subscript == symbol(min(names)) else None
            if direction and isinstance(extent.constant, int):
                filled[direction] = min(extent.constant, filled.get(direction, extent.constant))
    usual = zip(DIRECTIONS[:rank], TYPICAL_BLOCKS[rank - 1])
    return tuple(filled.get(direction, number) for direction, number in usual)


def _let(cx: Context, name: Expr, value: Expr) -> None:
    """Gives a symbol of the launch its value, unless the user does."""
    [symbol_name] = name.symbols
    if symbol_name not in cx.facts.scalars:
        cx.builder.launched[symbol_name] = value


def _guess(cx: Context, name: Expr, value: int) -> None:
    [symbol_name] = name.symbols
    cx.builder.guesses[symbol_name] = value


def blocks_symbol(cx: Context, direction: Direction) -> Expr:
    return _symbol(cx, f"blocks_{direction}", "launch", f"blocks of the launch along {direction}")


def block_symbol(cx: Context, direction: Direction) -> Expr:
    return _symbol(cx, f"block_{direction}", "tile", f"threads of a block along {direction}")


def threads_symbol(cx: Context, direction: Direction) -> Expr:
    return _symbol(cx, f"threads_{direction}", "launch", f"threads of the launch along {direction}")


def _symbol(cx: Context, name: str, kind: SymbolKind, meaning: str) -> Expr:
    return cx.builder.once(("launch", name), name, kind, meaning, 0)
