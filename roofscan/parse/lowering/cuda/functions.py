"""The functions of ``numba.cuda`` that a kernel calls."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.kernel import Barrier
from roofscan.ir.launch import DIRECTIONS, BarrierScope, MemorySpace
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, read, write
from roofscan.parse.lowering.numpy.allocation import EMPTY
from roofscan.parse.lowering.subscripts import Selection, subscript
from roofscan.parse.lowering.values import Keywords, Scalar, TupleValue, Unknown, Value, View

CUDA = "numba.cuda."
FREE = frozenset(("threadfence", "threadfence_block", "threadfence_system"))
BARRIERS: dict[str, BarrierScope] = {"syncthreads": "block", "syncwarp": "warp"}
SPACES: dict[str, MemorySpace] = {"local.array": "local", "shared.array": "shared"}
ATOMICS = {"add": "+", "sub": "-", "max": "max", "min": "min", "nanmax": "max", "nanmin": "min"}


def cuda_call(cx: Context, dotted: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """The result of a function of ``numba.cuda``; None for an unknown function."""
    path = dotted.removeprefix(CUDA)
    if path in ("grid", "gridsize") and args and isinstance(args[0], Scalar):
        axes = DIRECTIONS[: int(args[0].number or 0)] if isinstance(args[0].number, int) else ()
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
