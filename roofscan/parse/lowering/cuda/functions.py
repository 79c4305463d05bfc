"""The functions of ``numba.cuda`` that a kernel calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.dtypes import B1, BY_CODE, F8, I8, DType, lookup
from roofscan.ir.kinds import OperationKind
from roofscan.ir.launch import DIRECTIONS, BarrierScope, MemorySpace
from roofscan.ir.tree import Barrier
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, read, write
from roofscan.parse.lowering.numpy.allocation import EMPTY
from roofscan.parse.lowering.operators import cast
from roofscan.parse.lowering.subscripts import Selection, subscript
from roofscan.parse.lowering.values import (
    Keywords,
    ModuleRef,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    View,
    literal,
    unknown_integer,
)
from roofscan.symbolic.expr import ZERO

CUDA = "numba.cuda."
BARRIERS: dict[str, BarrierScope] = {
    "syncthreads": "block", "syncthreads_count": "block", "syncthreads_and": "block", "syncthreads_or": "block",
    "syncwarp": "warp", "cg.sync": "grid",
}  # fmt: skip
SPACES: dict[str, MemorySpace] = {"local.array": "local", "shared.array": "shared"}
ATOMICS = {"add": "+", "sub": "-", "max": "max", "min": "min", "nanmax": "max", "nanmin": "min"}
REPLACING = frozenset(("exch", "inc", "dec", "and_", "or_", "xor", "cas", "compare_and_swap"))
IDLE = frozenset((
    "threadfence", "threadfence_block", "threadfence_system", "nanosleep", "brkpt", "synchronize", "select_device",
    "close", "pinned", "defer_cleanup", "event_elapsed_time",
))  # fmt: skip
OBJECTS = frozenset(
    ("stream", "default_stream", "per_thread_default_stream", "event", "get_current_device", "current_context")
)
"""Functions of the host whose results do no work of their own, whatever is asked of them."""
WHOLE = frozenset((
    "popc", "brev", "clz", "ffs", "ballot_sync", "activemask", "lanemask_lt", "match_any_sync", "match_all_sync",
    "any_sync", "all_sync", "eq_sync", "uni_sync",
    *(f"libdevice.{name}" for name in (
        "brev", "brevll", "byte_perm", "clz", "clzll", "ffs", "ffsll", "popc", "popcll", "double2hiint",
        "double2loint", "double_as_longlong", "float_as_int", "mul24", "umul24", "mulhi", "umulhi", "mul64hi",
        "umul64hi", "llabs", "llmax", "llmin", "ullmax", "ullmin", "umax", "umin", "hadd", "uhadd", "rhadd", "urhadd",
        "sad", "usad",
    )),
))  # fmt: skip
"""Functions that give an integer."""
PASSED = {"shfl_sync": 1, "shfl_up_sync": 1, "shfl_down_sync": 1, "shfl_xor_sync": 1, "selp": 1}
"""Functions that give one of their arguments, or another thread's, and where that stands."""
WARP = 32
VECTOR = re.compile(r"(u?int|float)(8|16|32|64)x([1-4])|(float|double|u?int|u?long|u?short)([1-4])")
OF_C = {"double": "f8", "float": "f4", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8", "short": "i2",
        "half": "i2", "ll": "i8", "ull": "u8"}  # fmt: skip

GENERATOR = re.compile(r"random\.xoroshiro128p_(uniform|normal)_float(32|64)")
NORMAL: tuple[OperationKind, ...] = ("special", "mul", "sqrt", "mul", "special", "mul")  # of two uniform numbers

# -- libdevice and fp16: what a function does, its name without fast_, h, f and how it rounds --------------
OF_DEVICE: dict[str, tuple[OperationKind, ...]] = {
    **dict.fromkeys(("add", "fadd", "dadd"), ("add",)), **dict.fromkeys(("sub", "fsub", "dsub"), ("sub",)),
    **dict.fromkeys(("mul", "fmul", "dmul"), ("mul",)), **dict.fromkeys(("div", "fdiv", "fdivide", "ddiv"), ("div",)),
    **dict.fromkeys(("fma", "fmaf"), ("mul", "add")), **dict.fromkeys(("sqrt", "fsqrt", "dsqrt"), ("sqrt",)),
    **dict.fromkeys(("rcp", "frcp", "drcp"), ("div",)), **dict.fromkeys(("min", "max", "fmin", "fmax"), ("minmax",)),
    **dict.fromkeys(("abs", "fabs"), ("abs",)), "neg": ("neg",), "copysign": ("neg",),
    **dict.fromkeys(("floor", "ceil", "trunc", "rint", "round", "nearbyint"), ("convert",)),
    **dict.fromkeys((
        "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
        "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "erf", "erfc", "erfinv", "cbrt", "rcbrt",
        "rsqrt", "frsqrt", "sinpi", "cospi", "tgamma", "lgamma", "hypot", "fmod", "norm", "normcdf", "normcdfinv",
        "erfcinv", "erfcx", "j0", "j1", "jn", "y0", "y1", "yn", "powi", "remainder",
    ), ("special",)),
}  # fmt: skip
PREDICATE = re.compile(r"libdevice\.(is(nan|inf|finite)|(is)?finite|signbit)[df]?|fp16\.h(eq|ne|lt|le|gt|ge)")
CONVERSION = re.compile(r"libdevice\.(?:u?int|u?ll|half|float|double)2(u?int|u?ll|half|float|double)(?:_r[nzud])?")
SINE_AND_COSINE = re.compile(r"libdevice\.(?:fast_)?sincos(pi)?f?")
DEVICE_NAME = re.compile(r"(?:fast_)?(\w+?)(?:_r[nzud])?")


def cuda_call(cx: Context, dotted: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """The result of a function of ``numba.cuda``; None for an unknown function."""
    path = dotted.removeprefix(CUDA)
    if path in ("grid", "gridsize") and args and isinstance(args[0], Scalar):
        return _along_axes(cx, dotted, args[0])
    if path in BARRIERS:
        cx.builder.add(Barrier(BARRIERS[path], cx.builder.line(line)))
    if path in BARRIERS or path in IDLE:
        return unknown_integer("a count of threads") if args else Unknown("nothing")
    if path == "cg.this_grid":
        return ModuleRef(f"{CUDA}cg")  # whose sync is a barrier of the grid
    if path.partition(".")[0] in OBJECTS:
        return ModuleRef(dotted)
    if path in SPACES:
        return _array(cx, SPACES[path], args, keywords, line)
    if path == "const.array_like" and args:
        return _constant(cx, args[0])
    if path in WHOLE:
        return unknown_integer(f"a result of {path}")
    if path in PASSED and len(args) > PASSED[path]:
        why = f"a result of {path}" if path == "selp" else "another thread's value"
        return _of_same_type(cx, args[PASSED[path]], why, line)
    group, _, name = path.rpartition(".")
    if group == "atomic":
        return _atomic(cx, name, args, line)
    return _computed(cx, path, args, line)


def _along_axes(cx: Context, dotted: str, ndim: Scalar) -> Value | None:
    """The thread's place in the grid, or the threads of the grid, along the first axes."""
    axes = DIRECTIONS[: int(ndim.number or 0)] if isinstance(ndim.number, int) else ()
    places = tuple(cx.threads[f"{dotted}.{axis}"] for axis in axes if f"{dotted}.{axis}" in cx.threads)
    return (places[0] if len(places) == 1 else TupleValue(places)) if places else None


def _computed(cx: Context, path: str, args: list[Value], line: int) -> Value | None:
    """The result of a function that computes from numbers; None for an unknown function."""
    group, _, name = path.rpartition(".")
    drawn = GENERATOR.fullmatch(path)
    if drawn is not None:
        return _draw(cx, drawn[1] == "normal", BY_CODE[f"f{int(drawn[2]) // 8}"], args, line)
    converted = CONVERSION.fullmatch(path)
    if converted is not None and args:
        return cast(cx, BY_CODE[OF_C[converted[1]]], args[0], line)
    if PREDICATE.fullmatch(path) and args:
        asked = [as_scalar(cx, arg, line) for arg in args]
        node = cx.builder.operation("compare", _widest(asked), line, tuple(s.node for s in asked))
        return Scalar(B1, node=node, why_unknown=f"a result of {name}")
    if SINE_AND_COSINE.fullmatch(path):
        both = [_of_device(cx, name.replace("sincos", function), group, args, line) for function in ("sin", "cos")]
        return TupleValue(tuple(each for each in both if each is not None))
    if path == "fma" or group in ("libdevice", "fp16"):
        return _of_device(cx, name, group, args, line)
    vector = VECTOR.fullmatch(path)
    return _vector(cx, vector, args, line) if vector else None


def _array(cx: Context, space: MemorySpace, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A new array of a block or of a thread. One of no elements is as long as the launch says."""
    shape = args[0] if args else keywords.get("shape")
    made = EMPTY.lower(cx, "empty", [_extent_of_launch(cx, shape, line), *args[1:]], keywords, line)
    if isinstance(made, View):
        array = cx.builder.arrays[made.array]
        in_threads = {loop.var for loop in cx.builder.loops if loop.axis and loop.axis.part == "thread"}
        fresh_in = tuple(var for var in array.fresh_in if space == "local" or var not in in_threads)
        cx.builder.arrays[made.array] = replace(array, space=space, fresh_in=fresh_in)
    return made


def _extent_of_launch(cx: Context, shape: Value | None, line: int) -> Value:
    if not isinstance(shape, Scalar) or shape.expr != ZERO:
        return shape or literal(1)
    meaning = f"elements of the dynamic shared memory (line {line})"
    size = cx.builder.once(("dynamic", line), "shared_size", "tile", meaning, line)
    return Scalar(I8, size)


def _constant(cx: Context, value: Value) -> Value:
    if isinstance(value, View) and cx.builder.arrays[value.array].role == "global":
        cx.builder.arrays[value.array] = replace(cx.builder.arrays[value.array], space="constant")
    return value


def _of_same_type(cx: Context, value: Value, why: str, line: int) -> Scalar:
    """The value that another thread has of a variable, or one of two: of the same type, and of this one's making."""
    mine = as_scalar(cx, value, line)
    return Scalar(mine.dtype, node=mine.node, weak=mine.weak, why_unknown=why)


def _atomic(cx: Context, name: str, args: list[Value], line: int) -> Value | None:
    """``cuda.atomic.add(x, i, v)`` is ``x[i] += v``, and returns the old value."""
    target = args[0] if args else None
    if name == "compare_and_swap" and len(args) == 3:
        args = [args[0], literal(0), *args[1:]]
    if not isinstance(target, View) or len(args) < 3 or name not in {*ATOMICS, *REPLACING}:
        return None
    place = subscript(cx, target, args[1].items if isinstance(args[1], TupleValue) else [args[1]], line)
    if isinstance(place, Selection) or place.ndim:
        return None
    old, new = read(cx, place, line, atomic=True), as_scalar(cx, args[-1], line)
    op = ATOMICS.get(name)
    if op in ("max", "min"):
        new = arithmetic.extremum(cx, op, [old, new], line)
    elif op is not None:
        new = arithmetic.binary(cx, op, old, new, line)
    write(cx, place, new, line, atomic=True)
    return old


def _draw(cx: Context, normal: bool, dtype: DType, args: list[Value], line: int) -> Value | None:
    """A random number: two words of its thread's state are read and written, for each uniform number that it takes."""
    states = args[0] if args else None
    if not isinstance(states, View) or states.ndim != 2 or len(args) < 2:
        return None
    words = [subscript(cx, states, [args[1], literal(k)], line) for k in range(2)]
    node: int | None = None
    places = [word for word in words if isinstance(word, View) and not word.ndim]
    for _ in range(2 if normal else 1):
        for place in places:
            read(cx, place, line)
        for place in places:
            write(cx, place, unknown_integer("a state"), line)
        node = cx.builder.operation("mul", F8, line, ())
    for kind in NORMAL if normal else ():
        node = cx.builder.operation(kind, dtype, line, (node,))
    return Scalar(dtype, node=node, why_unknown="a random number")


def _of_device(cx: Context, name: str, group: str, args: Sequence[Value], line: int) -> Value | None:
    """A function of libdevice, or one of half precision: ``sqrtf``, ``fast_expf``, ``fmul_rn``, ``hfma``."""
    plain = DEVICE_NAME.fullmatch(name)
    short = plain[1] if plain else name
    known = [n for n in (short, short.removesuffix("f"), short.removeprefix("h")) if n in OF_DEVICE]
    if not known or not args:
        return None
    scalars = [as_scalar(cx, arg, line) for arg in args]
    dtype = BY_CODE["f2"] if group == "fp16" else _widest(scalars)
    node = scalars[0].node
    for kind in OF_DEVICE[known[0]] if dtype.counts else ():
        function = known[0] if kind == "special" else ""
        inputs = tuple(s.node for s in scalars) if node is scalars[0].node else (node,)
        node = cx.builder.operation(kind, dtype, line, inputs, function=function)
    return Scalar(dtype, node=node, why_unknown=f"a result of {name}")


def _widest(scalars: Sequence[Scalar]) -> DType:
    return max((s.dtype for s in scalars), key=lambda dtype: (dtype.counts, dtype.size))


def _vector(cx: Context, match: re.Match[str], args: Sequence[Value], line: int) -> Value | None:
    """``cuda.float32x3(x, y, z)``, of numbers and shorter vectors."""
    stem, bits, count, of_c, count_of_c = match.groups()
    dtype = lookup(f"{stem}{bits}") if stem else BY_CODE.get(OF_C.get(of_c, ""))
    items = [item for arg in args for item in (arg.items if isinstance(arg, TupleValue) else (arg,))]
    width = int(count or count_of_c)
    if dtype is None or len(items) not in (1, width):
        return None
    scalars = [as_scalar(cx, item, line) for item in items] * (width // len(items))
    return TupleValue(
        tuple(replace(s, dtype=dtype, weak=False, literal=False) for s in scalars), fields=("x", "y", "z", "w")[:width]
    )
