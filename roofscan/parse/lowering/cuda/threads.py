"""CUDA kernels: the threads of a launch are parallel loops around the body. ``cuda.grid(1)`` runs from 0 to the threads
of the launch. Where blocks share memory, or a thread's place in its block matters by itself, blocks and their threads
are separate loops. x is the innermost loop: neighbours in a warp differ in x."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.ir.launch import DIRECTIONS, Direction, LaunchAxis, LaunchPart
from roofscan.ir.tree import Body, Loop
from roofscan.ir.visitor import expressions, walk
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.cuda.functions import WARP
from roofscan.parse.lowering.cuda.launches import StatedLaunch, block_symbol, blocks_symbol, set_launch, threads_symbol
from roofscan.parse.lowering.values import integer
from roofscan.parse.syntax import Attribute, Call, Function, Literal, Name
from roofscan.parse.syntax_walk import dotted_path
from roofscan.parse.syntax_walk import walk as walk_source
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import floor_div

CUDA = "numba.cuda."
OF_PLACE = ("threadIdx", "blockIdx")
ASKED = (*OF_PLACE, "blockDim", "gridDim")
BY_BLOCK = frozenset(f"{CUDA}{name}" for name in ("shared.array", "syncthreads", "laneid"))


def lower_threads(cx: Context, function: Function, stated: StatedLaunch) -> None:
    """The body once for each thread of the launch."""
    asked = set(_asked(cx, function))
    own = max((DIRECTIONS.index(direction) + 1 for _, direction in asked), default=0)
    rank = max(stated.rank, own)
    for direction in DIRECTIONS[own:rank]:
        cx.builder.assume(
            f"threads along {direction} repeat one another's work: no index of the kernel tells them apart"
        )
    if not rank:
        cx.builder.assume("figures are for one thread (the function does not use its index in the grid)")
        cx.block(function.body)
        return
    before = cx.snapshot()
    body = () if _shares(cx, function) else _by_place(cx, function, rank, asked)
    if not body:
        cx.restore(before)
        loops = [launch_loop(cx, part, d, function) for part in _SPLIT for d in reversed(DIRECTIONS[:rank])]
        _give_places_in_blocks(cx, loops, rank)
        body = _inside(cx, loops, function)
    for node in body:
        cx.builder.add(node)
    set_launch(cx, stated, body, rank)


_SPLIT: tuple[LaunchPart, ...] = ("block", "thread")


def _shares(cx: Context, function: Function) -> bool:
    """Whether blocks share memory, or wait for each other's threads."""
    paths = (cx.here.resolve(node) for node in walk_source(function.body) if isinstance(node, Attribute))
    return not BY_BLOCK.isdisjoint(path or "" for path in paths)


def _by_place(cx: Context, function: Function, rank: int, asked: set[tuple[str, Direction]]) -> Body:
    """The body in loops over the places in the grid; () where it asks for more than a thread's place."""
    counted = {direction for name, direction in asked if name == "gridDim"}
    loops = [launch_loop(cx, "grid", d, function, d in counted) for d in reversed(DIRECTIONS[:rank])]
    shares = {name for name, s in cx.builder.symbols.items() if s.kind in ("share", "trips")}
    _give_places(cx, loops)
    body = _inside(cx, loops, function)
    unknown = {name for name, s in cx.builder.symbols.items() if s.kind in ("share", "trips")} - shares
    of_place = any(name in OF_PLACE for name, _ in asked)
    return () if of_place and (unknown or _splits(body, loops)) else body


def _splits(body: Body, loops: list[Loop]) -> bool:
    """Whether a place is taken apart into that of the block and that of the thread."""
    places = {loop.var for loop in loops}
    exprs = (expr for node in walk(body) for expr in expressions(node))
    return any(atom.name == "floor" and places & Expr.atom(atom).symbols for e in exprs for atom in e.atoms)


def _asked(cx: Context, function: Function) -> Iterator[tuple[str, Direction]]:
    """(name, direction) of every index that the source asks for: ``grid(2)`` asks for x and y."""
    for node in walk_source(function.body):
        path = cx.here.resolve(node) if isinstance(node, Attribute) else None
        if isinstance(node, Call) and isinstance(node.function, (Attribute, Name)):
            called = (cx.here.resolve_name(dotted_path(node.function) or "") or "").removeprefix(CUDA)
            first = node.args[0] if node.args else None
            if called in ("grid", "gridsize") and isinstance(first, Literal) and first.value in (1, 2, 3):
                yield from ((called, direction) for direction in DIRECTIONS[: int(str(first.value))])
        elif path is not None and path.startswith(CUDA):
            name, _, axis = path.removeprefix(CUDA).partition(".")
            if name in ASKED:
                yield from ((name, direction) for direction in DIRECTIONS if direction == axis)


def launch_loop(
    cx: Context, part: LaunchPart, direction: Direction, function: Function, by_blocks: bool = False
) -> Loop:
    """The loop over one direction of the grid, of its blocks, or of the threads in a block."""
    line = function.place.line
    if by_blocks:
        extent = blocks_symbol(cx, direction) * block_symbol(cx, direction)
    elif part == "grid":
        extent = threads_symbol(cx, direction)
    else:
        extent = blocks_symbol(cx, direction) if part == "block" else block_symbol(cx, direction)
    var = cx.builder.loop_variable(f"{part}_{direction}")
    axis = LaunchAxis(part, direction)
    return Loop(var, ZERO, extent, ONE, (), line, parallel=True, source_name=f"{part} {direction}", axis=axis)


def _give_places(cx: Context, loops: list[Loop]) -> None:
    """The values of ``cuda.grid``, ``cuda.threadIdx.x`` … where loops run over places in the grid."""
    for direction, loop in zip(DIRECTIONS, reversed(loops)):
        size, place = block_symbol(cx, direction), symbol(loop.var)
        block = floor_div(place, size)
        _give(cx, direction, place, loop.stop, place - size * block, block, size, floor_div(loop.stop, size))


def _give_places_in_blocks(cx: Context, loops: list[Loop], rank: int) -> None:
    """The same where loops run over blocks and over the threads of one."""
    blocks, threads = list(reversed(loops[:rank])), list(reversed(loops[rank:]))
    number = ZERO  # of the thread in its block
    for inner in reversed(threads):
        number = number * inner.stop + symbol(inner.var)
    cx.threads[f"{CUDA}laneid"] = integer(number - WARP * floor_div(number, Expr.of(WARP)))
    for direction, outer, inner in zip(DIRECTIONS, blocks, threads):
        place = symbol(outer.var) * inner.stop + symbol(inner.var)
        extent = outer.stop * inner.stop
        _give(cx, direction, place, extent, symbol(inner.var), symbol(outer.var), inner.stop, outer.stop)


def _give(
    cx: Context, direction: Direction, place: Expr, extent: Expr, thread: Expr, block: Expr, size: Expr, blocks: Expr
) -> None:
    each = {
        "grid": place, "gridsize": extent, "threadIdx": thread, "blockIdx": block, "blockDim": size, "gridDim": blocks,
    }  # fmt: skip
    cx.threads.update({f"{CUDA}{name}.{direction}": integer(expr) for name, expr in each.items()})
    cx.threads[f"{CUDA}warpsize"] = integer(Expr.of(WARP))


def _inside(cx: Context, loops: list[Loop], function: Function) -> Body:
    """The body inside these loops, as a new body."""
    if not loops:
        with cx.builder.inside() as body:
            cx.block(function.body)
        return tuple(body)
    with cx.builder.in_loop(loops[0]):
        inner = _inside(cx, loops[1:], function)
    return (replace(loops[0], body=inner),)
