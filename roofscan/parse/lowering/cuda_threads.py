"""CUDA kernels: the threads of a launch are parallel loops around the body. ``cuda.grid(1)`` runs from 0 to the threads
of the launch, and ``cuda.threadIdx.x`` is its remainder by the threads of a block. Where blocks share memory, blocks
and their threads are separate loops. x is the innermost loop: neighbours in a warp differ in x."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.ir.kernel import Barrier, Loop
from roofscan.ir.kinds import SymbolKind
from roofscan.ir.launch import DIRECTIONS, BarrierScope, Direction, Launch, LaunchAxis, LaunchPart, MemorySpace
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, read, write
from roofscan.parse.lowering.numpy.allocation import EMPTY
from roofscan.parse.lowering.subscripts import Selection, subscript
from roofscan.parse.lowering.values import Keywords, Scalar, TupleValue, Unknown, Value, View, integer
from roofscan.parse.syntax import Attribute, Call, Function, Literal, Name
from roofscan.parse.syntax_walk import dotted_path, walk
from roofscan.symbolic.expr import ONE, ZERO, ceil_div, floor_div, symbol

CUDA = "numba.cuda."
PLACES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
FREE = frozenset(("threadfence", "threadfence_block", "threadfence_system"))
BARRIERS: dict[str, BarrierScope] = {"syncthreads": "block", "syncwarp": "warp"}
SPACES: dict[str, MemorySpace] = {"local.array": "local", "shared.array": "shared"}
ATOMICS = {"add": "+", "sub": "-", "max": "max", "min": "min", "nanmax": "max", "nanmin": "min"}


def lower_threads(cx: Context, function: Function) -> None:
    """The body once for each thread of the launch; only once where it does not ask for an index in the grid."""
    asked = set(_asked(cx, function))
    rank = max((DIRECTIONS.index(axis) + 1 for _, axis in asked), default=0)
    if not rank:
        cx.builder.assume("figures are for one thread (the function does not use its index in the grid)")
        cx.block(function.body)
        return
    by_block = _shares_memory(cx, function)
    loops = [_loop(cx, kind, axis, function) for kind in _parts(by_block) for axis in reversed(DIRECTIONS[:rank])]
    _give_places(cx, loops, rank, by_block)
    _inside(cx, loops, function)


def _shares_memory(cx: Context, function: Function) -> bool:
    paths = (cx.here.resolve(node) for node in walk(function.body) if isinstance(node, Attribute))
    return f"{CUDA}shared.array" in paths


def _asked(cx: Context, function: Function) -> Iterator[tuple[str, Direction]]:
    """(name, axis) of every index that the source asks for: ``grid(2)`` asks for x and y."""
    for node in walk(function.body):
        path = cx.here.resolve(node) if isinstance(node, Attribute) else None
        if isinstance(node, Call) and isinstance(node.function, (Attribute, Name)):
            called = (cx.here.resolve_name(dotted_path(node.function) or "") or "").removeprefix(CUDA)
            first = node.args[0] if node.args else None
            if called in ("grid", "gridsize") and isinstance(first, Literal) and first.value in (1, 2, 3):
                yield from ((called, axis) for axis in DIRECTIONS[: int(str(first.value))])
        elif path is not None and path.startswith(CUDA):
            name, _, axis = path.removeprefix(CUDA).partition(".")
            if name in PLACES:
                yield from ((name, direction) for direction in DIRECTIONS if direction == axis)


def _parts(by_block: bool) -> tuple[LaunchPart, ...]:
    return ("block", "thread") if by_block else ("grid",)


def _loop(cx: Context, kind: LaunchPart, axis: Direction, function: Function) -> Loop:
    """The loop over one axis of the grid, of its blocks, or of the threads in a block."""
    axes: dict[LaunchPart, tuple[str, str, SymbolKind]] = {
        "grid": (f"threads_{axis}", f"threads of the launch along {axis}", "launch"),
        "block": (f"blocks_{axis}", f"blocks of the launch along {axis}", "launch"),
        "thread": (f"block_{axis}", f"threads of a block along {axis}", "tile"),
    }
    name, meaning, size = axes[kind]
    line = function.place.line
    extent = cx.builder.symbol(name, size, meaning, line)
    var = cx.builder.loop_variable(f"{kind}_{axis}")
    place = LaunchAxis(kind, axis)
    return Loop(var, ZERO, extent, ONE, (), line, parallel=True, source_name=f"{kind} {axis}", axis=place)


def _give_places(cx: Context, loops: list[Loop], rank: int, by_block: bool) -> None:
    """The values of ``cuda.grid``, ``cuda.threadIdx.x`` … inside these loops."""
    of = {loop.source_name: loop for loop in loops}
    grid, threads = [ONE, ONE, ONE], [ONE, ONE, ONE]
    for axis in DIRECTIONS[:rank]:
        if by_block:
            size, blocks = of[f"thread {axis}"].stop, of[f"block {axis}"].stop
            block, thread = symbol(of[f"block {axis}"].var), symbol(of[f"thread {axis}"].var)
            place, extent = block * size + thread, blocks * size
        else:
            size = cx.builder.symbol(f"block_{axis}", "tile", f"threads of a block along {axis}", 0)
            place, extent = symbol(of[f"grid {axis}"].var), of[f"grid {axis}"].stop
            block, blocks = floor_div(place, size), floor_div(extent, size)
            thread = place - size * block
        each = {"grid": place, "gridsize": extent, "threadIdx": thread, "blockIdx": block}
        each |= {"blockDim": size, "gridDim": blocks}
        cx.threads.update({f"{CUDA}{name}.{axis}": integer(expr) for name, expr in each.items()})
        grid[DIRECTIONS.index(axis)] = blocks if by_block else ceil_div(extent, size)
        threads[DIRECTIONS.index(axis)] = size
    cx.builder.launch = Launch((grid[0], grid[1], grid[2]), (threads[0], threads[1], threads[2]))


def _inside(cx: Context, loops: list[Loop], function: Function) -> None:
    if not loops:
        cx.block(function.body)
        return
    with cx.builder.in_loop(loops[0]) as body:
        _inside(cx, loops[1:], function)
    cx.builder.add(replace(loops[0], body=tuple(body)))


def cuda_call(cx: Context, dotted: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """The result of a function of ``numba.cuda``; None for an unknown function."""
    path = dotted.removeprefix(CUDA)
    if path in ("grid", "gridsize") and args and isinstance(args[0], Scalar):
        axes = DIRECTIONS[: int(args[0].number or 0)] if isinstance(args[0].number, int) else ""
        places = tuple(cx.threads[f"{dotted}.{axis}"] for axis in axes if f"{dotted}.{axis}" in cx.threads)
        return (places[0] if len(places) == 1 else TupleValue(places)) if places else None
    if path in BARRIERS:
        cx.builder.add(Barrier(BARRIERS[path], cx.builder.line(line)))
    if path in BARRIERS or path in FREE:
        return Unknown("nothing")
    if path in SPACES:
        return _array(cx, SPACES[path], args, keywords, line)
    if path == "const.array_like" and args:
        return args[0]
    if path.startswith("atomic.") and path.removeprefix("atomic.") in ATOMICS and len(args) == 3:
        return _atomic(cx, ATOMICS[path.removeprefix("atomic.")], args, line)
    return None


def _array(cx: Context, space: MemorySpace, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A new array of a block or of a thread."""
    cx.builder.reason(line, f"{space} memory is counted as if it were global", "traffic")
    made = EMPTY.lower(cx, "empty", args, keywords, line)
    if isinstance(made, View):
        array = cx.builder.arrays[made.array]
        in_threads = {loop.var for loop in cx.builder.loops if loop.axis and loop.axis.part == "thread"}
        fresh_in = tuple(var for var in array.fresh_in if space == "local" or var not in in_threads)
        cx.builder.arrays[made.array] = replace(array, space=space, fresh_in=fresh_in)
    return made


def _atomic(cx: Context, op: str, args: list[Value], line: int) -> Value | None:
    """``cuda.atomic.add(x, i, v)`` is ``x[i] += v``, and returns the old value."""
    target, index = args[0], args[1]
    if not isinstance(target, View):
        return None
    place = subscript(cx, target, index.items if isinstance(index, TupleValue) else [index], line)
    if isinstance(place, Selection) or place.ndim:
        return None
    old, new = read(cx, place, line, atomic=True), as_scalar(cx, args[2], line)
    if op in ("max", "min"):
        result = arithmetic.extremum(cx, op, [old, new], line)
    else:
        result = arithmetic.binary(cx, op, old, new, line)
    write(cx, place, result, line, atomic=True)
    return old
