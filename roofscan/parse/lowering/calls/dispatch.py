"""Calls: library functions by their tables, functions of the file by lowering them in place, the rest by name."""

from __future__ import annotations

from roofscan.ir.dtypes import F8, I8
from roofscan.parse.lowering import values
from roofscan.parse.lowering.calls.builtins import BUILTINS, range_of
from roofscan.parse.lowering.calls.element_functions import call_function
from roofscan.parse.lowering.containers import MAPPING, container_method
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.type_tests import is_subtype
from roofscan.parse.lowering.cuda.functions import CUDA, cuda_call
from roofscan.parse.lowering.cuda.host import configure, for_all, is_cuda, launch
from roofscan.parse.lowering.numpy import library_calls
from roofscan.parse.lowering.numpy.array_operations import read_arrays
from roofscan.parse.lowering.numpy.constants import FREE, INTEGER_FUNCTIONS, NUMERIC_PACKAGES
from roofscan.parse.lowering.numpy.creation import drawn
from roofscan.parse.lowering.numpy.library_calls import MOVERS
from roofscan.parse.lowering.operators import cast
from roofscan.parse.lowering.quotients import integer_result
from roofscan.parse.lowering.records.named_tuples import named_tuple
from roofscan.parse.syntax import Attribute, Call, Name, Starred
from roofscan.parse.syntax_walk import CONFIGURING
from roofscan.parse.unparse import unparse

OF_CUDA_C = frozenset(f"cupy.{kind}" for kind in ("ElementwiseKernel", "ReductionKernel", "RawKernel"))
WITHOUT_ARITHMETIC = frozenset((
    "bisect", "collections", "contextlib", "copy", "functools", "gc", "heapq", "io", "itertools", "json", "logging",
    "os", "pathlib", "sys", "threading", "time", "traceback", "typing", "uuid", "warnings",
))  # fmt: skip
"""Standard packages whose functions do no arithmetic."""


def call(cx: Context, node: Call) -> values.Value:
    function = cx.eval(node.function)
    args, keywords = _arguments(cx, node)
    line = node.place.line
    if isinstance(function, values.FunctionRef):
        return call_function(cx, function, args, keywords, line)
    if isinstance(function, values.Configured):
        return launch(cx, function, args, keywords, line)
    if isinstance(function, values.ModuleRef):
        return call_library(cx, function.dotted, args, keywords, line)
    if isinstance(function, values.DTypeValue) and args and isinstance(args[0], values.TupleValue):
        return call_library(cx, "numpy.array", args[:1], {"dtype": function}, line)
    if isinstance(function, values.DTypeValue):
        return cast(cx, function.dtype, args[0] if args else values.literal(0), line)
    if not (isinstance(function, values.BoundMethod) and isinstance(function.owner, values.View)):
        cx.builder.outlive(*args, *keywords.values())
    if isinstance(function, values.Unknown) and isinstance(node.function, Attribute):
        function = values.BoundMethod(function, node.function.name)
    if isinstance(function, values.BoundMethod):
        return call_method(cx, function, args, keywords, line)
    made = named_tuple(cx, node.function.id, args, keywords) if isinstance(node.function, Name) else None
    return made or call_unknown(cx, node, args, line)


def _arguments(cx: Context, node: Call) -> tuple[list[values.Value], dict[str, values.Value]]:
    """The arguments by position and by keyword. Behind ``*args`` of unknown length no position is known."""
    args: list[values.Value] = []
    is_open = False
    for arg in node.args:
        value = cx.eval(arg.value if isinstance(arg, Starred) else arg)
        if isinstance(arg, Starred) and isinstance(value, values.TupleValue):
            args.extend(values.STARRED if is_open else item for item in value.items)
        else:
            is_open = is_open or isinstance(arg, Starred)
            args.append(values.STARRED if is_open else value)
    return args, {k.name: cx.eval(k.value) for k in node.keywords if k.name is not None}


def call_unknown(cx: Context, node: Call, args: list[values.Value], line: int) -> values.Value:
    """A callable that is passed in costs a symbol. Any other unknown callee makes the count a lower bound."""
    name = node.function.id if isinstance(node.function, Name) else None
    if name is not None and (isinstance(cx.frame.names.get(name), values.Scalar) or name not in cx.here.bindings):
        key = ("cost", cx.frame.dotted, name)
        meaning = f"FLOPs of one call of {name}, which is passed in (line {line})"
        cost = cx.builder.once(key, f"cost_{name}", "cost", meaning, line)
        cx.builder.reason(line, f"{name} is passed in: its cost is a symbol", "parametric")
        if any(isinstance(arg, values.View) for arg in args):
            cx.builder.reason(line, f"{name} is passed in: the data that it moves is not known", "unseen")
        node_id = cx.builder.operation("special", F8, line, (), cost)
        return values.Scalar(F8, node=node_id, why_unknown=f"a result of {name}")
    made = cx.here.constants.get(name or "")
    origin = cx.here.resolve(made.function) if isinstance(made, Call) else None
    shown = f"{name} (CUDA C++ of {origin})" if origin in OF_CUDA_C else name or f"`{unparse(node.function)}`"
    cx.builder.reason(line, f"{shown} is not known: its work is not counted", "lower")
    return values.Scalar(F8, weak=True, why_unknown=f"a result of {shown}")


def call_library(
    cx: Context, dotted: str, args: list[values.Value], keywords: dict[str, values.Value], line: int
) -> values.Value:
    """A function from outside the file, by its dotted name."""
    module, _, name = dotted.rpartition(".")
    if module == "builtins":
        handler = BUILTINS.get(name)
        if handler is not None:
            if "key" in keywords:
                cx.builder.reason(line, f"{name} calls a key function: its work is not counted", "lower")
            return handler(cx, args or [*keywords.values()], line)  # round(number=x, ndigits=2)
    if name in ("prange", "range"):
        return range_of(cx, args, line, parallel=name == "prange")
    if name == "iinfo":
        limits = ("min", "max", "bits")
        return values.TupleValue(
            tuple(values.unknown_integer(f"the {each} of a type") for each in limits), fields=limits
        )
    holds = _test_of_type(cx, name, args)
    if holds is not None:
        return values.literal(holds)
    if name in FREE:
        return args[0] if args else values.NONE
    if module == "math" and name in INTEGER_FUNCTIONS:
        return integer_result(cx, name, args)
    if module.partition(".")[0] in NUMERIC_PACKAGES or module in ("numba", "numba.cuda"):
        found = library_calls.call(cx, module, name, args, keywords, line)
        if found is not None:
            return found
    if module == "random" and not any(isinstance(arg, (values.View, values.TupleValue)) for arg in args):
        return drawn(cx, name, line, I8 if name in ("randint", "randrange", "getrandbits") else F8)
    if module.startswith("numba"):
        on_gpu = dotted.startswith(CUDA)
        found = cuda_call(cx, dotted, args, keywords, line) if on_gpu else _numba(name, args)
        if found is not None:
            return found
    made = named_tuple(cx, dotted, args, keywords)
    return _not_modelled(cx, dotted, args, keywords, line) if made is None else made


def _test_of_type(cx: Context, name: str, args: list[values.Value]) -> bool | None:
    """NumPy's questions about element types; None for others, and where the type is not known."""
    if name == "issubdtype" and len(args) == 2:
        return is_subtype(cx, *args)
    if name in ("iscomplexobj", "isrealobj") and len(args) == 1 and isinstance(args[0], (values.View, values.Scalar)):
        return (args[0].dtype.kind == "complex") == (name == "iscomplexobj")
    return None


def _not_modelled(
    cx: Context, dotted: str, args: list[values.Value], keywords: dict[str, values.Value], line: int
) -> values.Value:
    """A function without a rule: what its call leaves out, of work or of traffic. What it moves may be an array."""
    module, _, name = dotted.rpartition(".")
    short = dotted.lstrip(".")
    idle = module.partition(".")[0] in WITHOUT_ARITHMETIC and name != "accumulate"
    if (idle and not _passes_function(args, keywords)) or (module.startswith("numpy") and name in MOVERS):
        why = f"the data that {short} moves is not known"
        cx.builder.reason(line, why, "unseen")
        holds_arrays = any(values.arrays_in(values.TupleValue(tuple(args))))
        return values.Unknown(why, several=module.startswith("numpy") or holds_arrays)
    has_rule = module.startswith("numpy") and name in library_calls.TABLE
    problem = f"this call of {short} cannot be read" if has_rule else f"{short} is not known"
    cx.builder.reason(line, f"{problem}: its work is not counted", "lower")
    if module.partition(".")[0] in NUMERIC_PACKAGES:
        read_arrays(cx, args, line)
    return values.Unknown(f"a result of {short}")


def _passes_function(args: list[values.Value], keywords: dict[str, values.Value]) -> bool:
    """Whether a function is among the arguments: the callee may call it (``functools.reduce(f, items)``)."""
    return any(isinstance(value, (values.FunctionRef, values.ModuleRef)) for value in (*args, *keywords.values()))


def _numba(name: str, args: list[values.Value]) -> values.Value | None:
    if name in ("literal_unroll", "literally") and args:
        return args[0]
    if name in ("empty_list", "List", "Dict", "empty"):
        return values.Unknown("a typed container")
    if name in ("carray", "farray") and args:
        return args[0]
    return None


_OF_A_NUMBER = frozenset({"conjugate", "conj", "item", "copy", "astype", "sum", "max", "min", "mean"})
"""Methods that leave a number as it is; with an array among the arguments the owner is not a number."""


def call_method(
    cx: Context, bound: values.BoundMethod, args: list[values.Value], keywords: dict[str, values.Value], line: int
) -> values.Value:
    owner, name = bound.owner, bound.name
    if isinstance(owner, values.View):
        found = library_calls.method(cx, owner, name, args, keywords, line)
        if found is not None:
            return found
    elif (
        isinstance(owner, values.Scalar)
        and name in _OF_A_NUMBER
        and not any(isinstance(arg, values.View) for arg in args)
    ):
        return owner
    elif isinstance(owner, values.FunctionRef) and name in CONFIGURING and is_cuda(cx, owner):
        return (for_all if name == "forall" else configure)(cx, owner, args, keywords)
    found = container_method(cx, owner, name, line) if name in MAPPING or not isinstance(owner, values.View) else None
    if found is not None:
        return found
    if isinstance(owner, values.Text):
        return values.Unknown("a text")
    cx.builder.reason(line, f"the method {name} is not known: its work is not counted", "lower")
    return values.Unknown(f"a result of .{name}()")
