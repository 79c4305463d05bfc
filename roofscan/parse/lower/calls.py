"""Calls: library functions by their tables, functions of the file by lowering them in place, the rest by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.ir.dtypes import B1, C16, F8, I8, DType
from roofscan.ir.expr import ONE, ZERO
from roofscan.parse.lower import arithmetic, library
from roofscan.parse.lower.arrays import stream_read
from roofscan.parse.lower.containers import MAPPING, a_container, container_method, named_tuple
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.expressions import as_scalar, binary_values
from roofscan.parse.lower.functions import FREE, MOVERS, NUMERIC_PACKAGES
from roofscan.parse.lower.inline import inline
from roofscan.parse.lower.values import (
    NONE,
    Bound,
    DTypeValue,
    FunctionRef,
    ModuleRef,
    RangeValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    generated,
    literal,
    unknown_whole,
    whole,
)
from roofscan.parse.lower.wording import source_text
from roofscan.parse.syntax import Attribute, Call, Name, Starred

WITHOUT_ARITHMETIC = frozenset((
    "bisect", "collections", "contextlib", "copy", "functools", "gc", "heapq", "io", "itertools", "json", "logging",
    "os", "pathlib", "sys", "threading", "time", "traceback", "typing", "uuid", "warnings",
))  # fmt: skip
"""Python's own packages whose functions compare, move and count at most."""


def call(cx: Context, node: Call) -> Value:
    """The value of a call."""
    function = cx.eval(node.function)
    args, keywords = _arguments(cx, node)
    line = node.place.line
    if isinstance(function, FunctionRef):
        return inline(cx, function, args, keywords, line)
    if isinstance(function, ModuleRef):
        return call_library(cx, function.dotted, args, keywords, line)
    if isinstance(function, DTypeValue):
        return cast(cx, function.dtype, args[0] if args else literal(0), line)
    if isinstance(function, Unknown) and isinstance(node.function, Attribute):
        function = Bound(function, node.function.name)
    if isinstance(function, Bound):
        return call_method(cx, function, args, keywords, line)
    return call_unknown(cx, node, line)


def _arguments(cx: Context, node: Call) -> tuple[list[Value], dict[str, Value]]:
    args: list[Value] = []
    for arg in node.args:
        if isinstance(arg, Starred):
            inner = cx.eval(arg.value)
            args.extend(inner.items if isinstance(inner, TupleValue) else [Unknown("starred arguments")])
        else:
            args.append(cx.eval(arg))
    return args, {k.name: cx.eval(k.value) for k in node.keywords if k.name is not None}


def call_unknown(cx: Context, node: Call, line: int) -> Value:
    """A callable that is passed in costs a symbol; any other unknown callee makes the count a lower bound."""
    name = node.function.id if isinstance(node.function, Name) else None
    made = named_tuple(cx, name, node) if name is not None else None
    if made is not None:
        return made
    if name is not None and (isinstance(cx.frame.names.get(name), Scalar) or name not in cx.here.bindings):
        key = ("cost", cx.frame.dotted, name)
        if key not in cx.builder.shares:
            meaning = f"FLOPs of one call of {name}, which is passed in (line {line})"
            cx.builder.shares[key] = cx.builder.symbol(f"cost_{name}", "cost", meaning, line)
        cx.builder.reason(line, f"{name} is passed in: its cost is a symbol", "parametric")
        node_id = cx.builder.operation("special", F8, line, (), cx.builder.shares[key])
        return Scalar(F8, node=node_id, why_unknown=f"a result of {name}")
    shown = name or f"`{source_text(node.function)}`"
    cx.builder.reason(line, f"{shown} is not known: its work is not counted", "lower")
    return Scalar(F8, weak=True, why_unknown=f"a result of {shown}")


def call_library(cx: Context, dotted: str, args: list[Value], keywords: dict[str, Value], line: int) -> Value:
    """A function from outside the file, by its dotted name."""
    module, _, name = dotted.rpartition(".")
    if module == "builtins":
        handler = _BUILTINS.get(name)
        if handler is not None:
            return handler(cx, args, line)
    if name in ("prange", "range"):
        return _range(cx, args, line, parallel=name == "prange")
    if name in FREE:
        return literal_result(args)
    if module.partition(".")[0] in NUMERIC_PACKAGES or module == "numba":
        found = library.call(cx, module, name, args, keywords, line)
        if found is not None:
            return found
    if module.startswith("numba"):
        from roofscan.parse.lower.threads import CUDA, cuda_call

        on_gpu = dotted.startswith(CUDA)
        found = cuda_call(cx, dotted, args, keywords, line) if on_gpu else _numba(cx, name, args, line)
        if found is not None:
            return found
    short = dotted.lstrip(".")
    idle = module.partition(".")[0] in WITHOUT_ARITHMETIC and name != "accumulate"
    if (idle and not _hands_on_work(args, keywords)) or (module.startswith("numpy") and name in MOVERS):
        return cx.unknown(line, f"what {short} moves is not known", "unseen")
    cx.builder.reason(line, f"{short} is not known: its work is not counted", "lower")
    library.read_arrays(cx, args, line)
    return Unknown(f"a result of {short}")


def _hands_on_work(args: list[Value], keywords: dict[str, Value]) -> bool:
    """Whether a function is among the arguments: what is called may call it (``functools.reduce(f, items)``)."""
    return any(isinstance(value, (FunctionRef, ModuleRef)) for value in (*args, *keywords.values()))


def literal_result(args: list[Value]) -> Value:
    return args[0] if args else NONE


def _numba(cx: Context, name: str, args: list[Value], line: int) -> Value | None:
    if name in ("literal_unroll", "literally") and args:
        return args[0]
    if name in ("empty_list", "List", "Dict", "empty"):
        return Unknown("a typed container")
    if name in ("carray", "farray") and args:
        return args[0]
    return None


def elementwise_call(cx: Context, name: str, args: list[Value], line: int) -> Value:
    """A function of the tables, on numbers or element by element."""
    from roofscan.parse.lower.maps import map_elements

    return map_elements(cx, name, args, line)


def cast(cx: Context, dtype: DType, value: Value, line: int) -> Value:
    """``float(x)``, ``int(x)``, ``np.float32(x)``: a conversion, weight 0."""
    if isinstance(value, View) and value.ndim:
        from roofscan.parse.lower.arrays import elementwise

        return elementwise(cx, [value], line, lambda s: _cast_scalar(cx, dtype, s[0], line), "convert")
    return _cast_scalar(cx, dtype, as_scalar(cx, value, line), line)


def _cast_scalar(cx: Context, dtype: DType, value: Scalar, line: int) -> Scalar:
    if dtype.kind in ("int", "bool"):
        if value.is_whole:
            return replace(value, dtype=dtype if dtype.kind == "int" else value.dtype, weak=False)
        number = value.number
        if isinstance(number, float) and abs(number) < 1e15:
            return replace(whole(int(number)), dtype=dtype)
        cx.builder.operation("convert", value.dtype, line, (value.node,))
        return unknown_whole("a floating number made whole", dtype)
    if value.literal and isinstance(value.number, (int, float)):
        return Scalar(dtype, number=float(value.number))
    node = value.node
    if value.dtype != dtype:
        node = cx.builder.operation("convert", dtype, line, (value.node,))
    return Scalar(dtype, node=node)


_OF_A_NUMBER = frozenset({"conjugate", "conj", "item", "copy", "astype", "sum", "max", "min", "mean"})
"""Methods that leave a number as it is; with an array among the arguments they are no number's."""


def call_method(cx: Context, bound: Bound, args: list[Value], keywords: dict[str, Value], line: int) -> Value:
    """A method of an array, a list or a number."""
    owner, name = bound.owner, bound.name
    if isinstance(owner, View):
        found = library.method(cx, owner, name, args, keywords, line)
        if found is not None:
            return found
    elif isinstance(owner, Scalar) and not any(isinstance(arg, View) for arg in args):
        if name in _OF_A_NUMBER:
            return owner
    found = container_method(cx, owner, name, line) if name in MAPPING or not isinstance(owner, View) else None
    if found is not None:
        return found
    if isinstance(owner, Text):
        return Unknown("a text")
    cx.builder.reason(line, f"the method {name} is not known: its work is not counted", "lower")
    return Unknown(f"a result of .{name}()")


# -- builtins -------------------------------------------------------------------------------------


def _range(cx: Context, args: list[Value], line: int, *, parallel: bool = False) -> Value:
    scalars = [as_scalar(cx, a, line) for a in args]
    zero, one = whole(0), whole(1)
    if not 1 <= len(scalars) <= 3:
        return cx.unknown(line, "a range with a wrong number of arguments")
    if len(scalars) == 1:
        return RangeValue(zero, scalars[0], one, parallel)
    return RangeValue(scalars[0], scalars[1], scalars[2] if len(scalars) == 3 else one, parallel)


def _length(cx: Context, args: list[Value], line: int) -> Value:
    value = args[0] if args else NONE
    if isinstance(value, View) and value.ndim:
        return whole(value.shape[0])
    if isinstance(value, TupleValue):
        return literal(len(value.items))
    if isinstance(value, RangeValue):
        from roofscan.parse.lower.iteration import items_of

        items = items_of(cx, value, line)
        if items is not None:
            return whole(items.length)
    return unknown_whole("the length of a list")


def _decides(name: str) -> Callable[[Context, list[Value], int], Value]:
    """``any`` and ``all`` stop at the first item that decides."""

    def handler(cx: Context, args: list[Value], line: int) -> Value:
        if args and isinstance(args[0], View):
            return library.call(cx, "numpy", name, args, {}, line) or NONE
        if not (args and (isinstance(args[0], TupleValue) or generated(args[0]))):
            cx.builder.reason(line, f"{name} may stop before the last item", "upper")
        return Scalar(B1, why_unknown="a test")

    return handler


def _extremum(name: str) -> Callable[[Context, list[Value], int], Value]:
    def handler(cx: Context, args: list[Value], line: int) -> Value:
        if len(args) == 1:
            if isinstance(args[0], View) and args[0].ndim == 1 and not cx.compiled:
                return _least_of(cx, args[0], line)
            if isinstance(args[0], View):
                return library.call(cx, "numpy", name, args, {}, line) or NONE
            if isinstance(args[0], TupleValue):
                args = list(args[0].items)
            made = generated(args[0], lazy=True) if args else None
            if made is not None:
                cx.builder.operation("minmax", made[0].dtype, line, (made[0].node,), made[1] - 1)
                return Scalar(made[0].dtype, why_unknown="an extremum of data")
        scalars = [as_scalar(cx, a, line) for a in args]
        return arithmetic.extremum(cx, name, scalars, line) if scalars else Unknown(name)

    return handler


def _least_of(cx: Context, view: View, line: int) -> Scalar:
    """Python's own ``min(x)``: the first element is compared with each of the others."""
    stream_read(cx, view, line)
    if view.dtype.counts:
        cx.builder.operation("minmax", view.dtype, line, (), view.shape[0] - 1)
    return Scalar(view.dtype, why_unknown="an extremum of data")


def _abs(cx: Context, args: list[Value], line: int) -> Value:
    return elementwise_call(cx, "abs", args[:1], line)


def _cast_to(dtype: DType) -> Callable[[Context, list[Value], int], Value]:
    """``float(x)``: Python's own number, which is weak."""

    def handler(cx: Context, args: list[Value], line: int) -> Value:
        value = cast(cx, dtype, args[0] if args else literal(0), line)
        return replace(value, weak=True) if isinstance(value, Scalar) else value

    return handler


def _complex(cx: Context, args: list[Value], line: int) -> Value:
    scalars = [as_scalar(cx, a, line) for a in args]
    return Scalar(C16, node=next((s.node for s in scalars if s.node is not None), None), weak=not cx.compiled)


def _round(cx: Context, args: list[Value], line: int) -> Value:
    value = as_scalar(cx, args[0], line)
    if value.is_whole:
        return value
    cx.builder.operation("convert", value.dtype, line, (value.node,))
    return Scalar(value.dtype) if len(args) > 1 else unknown_whole("a rounded number")


def _sum(cx: Context, args: list[Value], line: int) -> Value:
    if args and isinstance(args[0], View):
        along: dict[str, Value] = {"axis": literal(0)} if args[0].ndim > 1 else {}
        return library.call(cx, "numpy", "sum", args[:1], along, line) or NONE
    if args and isinstance(args[0], TupleValue) and args[0].items:
        result: Value = whole(0)
        for item in args[0].items:
            result = binary_values(cx, "+", result, item, line)
        return result
    made = generated(args[0], lazy=True) if args else None
    if made is not None:
        if made[0].dtype.counts:
            cx.builder.operation("add", made[0].dtype, line, (made[0].node,), made[1])
        return Scalar(made[0].dtype, why_unknown="a sum of data")
    return cx.unknown(line, "sum of something whose length is not known")


def _pow(cx: Context, args: list[Value], line: int) -> Value:
    return elementwise_call(cx, "power", args[:2], line)


def _divmod(cx: Context, args: list[Value], line: int) -> Value:
    if len(args) != 2:
        return cx.unknown(line, "divmod without two operands")
    a, b = args
    return TupleValue(tuple(binary_values(cx, op, a, b, line) for op in ("//", "%")))


def _type_of(cx: Context, args: list[Value], line: int) -> Value:
    value = args[0] if args else NONE
    return DTypeValue(value.dtype) if isinstance(value, (Scalar, View)) else Unknown("a type")


def _joined(name: str) -> Callable[[Context, list[Value], int], Value]:
    return lambda cx, args, line: Bound(TupleValue(tuple(args)), name)


def _reversed(cx: Context, args: list[Value], line: int) -> Value:
    return Bound(backwards(args[0] if args else NONE), "reversed")


def backwards(value: Value) -> Value:
    """A range or a tuple from its end; of anything else only the length matters."""
    if isinstance(value, RangeValue) and value.start.expr is not None and value.stop.expr is not None:
        step = value.step.expr or ONE
        from roofscan.parse.lower.iteration import range_length

        length = range_length(value.start.expr, value.stop.expr, step)
        last = value.start.expr + step * (length - 1)
        return RangeValue(whole(last), whole(value.start.expr - step), whole(ZERO - step))
    if isinstance(value, TupleValue):
        return TupleValue(tuple(reversed(value.items)), value.kind)
    return value


def _list(cx: Context, args: list[Value], line: int) -> Value:
    from roofscan.parse.lower.iteration import walked

    value = walked(args[0]) if args else TupleValue((), "list")
    return replace(value, name="generated") if isinstance(value, Bound) and value.name == "generator" else value


_BUILTINS: dict[str, Callable[[Context, list[Value], int], Value]] = {
    "range": lambda cx, args, line: _range(cx, args, line),
    "len": _length,
    "min": _extremum("min"),
    "max": _extremum("max"),
    "abs": _abs,
    "float": _cast_to(F8),
    "int": _cast_to(I8),
    "bool": _cast_to(B1),
    "complex": _complex,
    "round": _round,
    "sum": _sum,
    "any": _decides("any"),
    "all": _decides("all"),
    "pow": _pow,
    "divmod": _divmod,
    "type": _type_of,
    "ord": lambda cx, args, line: unknown_whole("a character"),
    "set": lambda cx, args, line: a_container(cx, "a set", line),
    "frozenset": lambda cx, args, line: a_container(cx, "a set", line),
    "dict": lambda cx, args, line: a_container(cx, "a dict", line),
    "enumerate": _joined("enumerate"),
    "zip": _joined("zip"),
    "reversed": _reversed,
    "tuple": _list,
    "list": _list,
}
