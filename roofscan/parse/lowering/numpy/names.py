"""NumPy and its like: which rule a function follows. What it costs stands in the table of ``functions``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from roofscan.parse.lowering.calls.arguments import axis_of, dtype_of
from roofscan.parse.lowering.casts import cast
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy import (
    allocation,
    calculus,
    contractions,
    creation,
    joining,
    library_figures,
    manipulation,
    reductions,
    statistics,
    ufuncs,
)
from roofscan.parse.lowering.numpy.array_operations import as_operand, fill, stream_read, total
from roofscan.parse.lowering.numpy.table import ARRAY_METHODS, TABLE, UFUNC_METHODS
from roofscan.parse.lowering.values import (
    NONE,
    Bound,
    Keywords,
    Scalar,
    TupleValue,
    Value,
    View,
    integer,
    literal,
    unknown_integer,
)
from roofscan.symbolic.expr import ONE

HARMLESS = frozenset({
    "order", "copy", "subok", "casting", "like", "kind", "side", "assume_unique", "ddof", "correction", "initial",
    "endpoint", "base", "mode", "constant_values", "optimize", "equal_nan", "rtol", "atol", "rcond", "k", "device",
    "check_finite", "overwrite_a", "overwrite_b", "lower", "trans", "unit_diagonal", "assume_a", "pivoting", "norm",
    "workers", "precision", "stable", "method", "interpolation", "density", "range", "minlength", "return_sign",
    "decimals", "nan", "posinf", "neginf", "shift", "allow_pickle", "hermitian", "UPLO", "driver", "dx",
})  # fmt: skip
"""Keywords that change neither shapes nor counts."""

SAME_ALONG_ANY_AXIS = frozenset({"rearrange", "sort"})
"""Rules whose results are shaped alike whatever the ``axis``."""

Rule = Callable[[Context, str, list[Value], Keywords, int], "Value | None"]


def call(cx: Context, module: str, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """The value of a library call; None where the table does not have the function, or not in this form."""
    if module in ("math", "builtins") and name in ("floor", "ceil", "trunc"):
        return _whole_of(cx, args, line)
    function = module.rpartition(".")[2]
    if name in UFUNC_METHODS and function in TABLE and "." in module and TABLE[function].rule in ("map", "map2"):
        return ufuncs.ufunc_method(cx, function, name, args, keywords, line)
    row = TABLE.get(name)
    if row is None:
        return None
    asked = _Asked(keywords)
    value = _RULES[row.rule](cx, name, args, asked, line)
    harmless = HARMLESS | {"axis"} if row.rule in SAME_ALONG_ANY_AXIS else HARMLESS
    for keyword in sorted(asked.keys() - asked.seen - harmless) if value is not None else ():
        cx.builder.reason(line, f"{name} is counted without its {keyword}=", "lower")
    if isinstance(value, Scalar) and module.startswith("numpy") and value.weak and not value.literal:
        from dataclasses import replace

        return replace(value, weak=False)  # a NumPy function makes a NumPy number of a Python one
    return value


class _Asked(dict[str, Value]):
    """Keywords that remember which of them a rule asked for."""

    def __init__(self, keywords: Keywords) -> None:
        super().__init__(keywords)
        self.seen: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.seen.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Value:
        self.seen.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.seen.add(str(key))
        return super().__contains__(key)


def _whole_of(cx: Context, args: list[Value], line: int) -> Value:
    value = as_scalar(cx, args[0], line) if args else literal(0)
    if value.is_integer:
        return value
    cx.builder.operation("convert", value.dtype, line, (value.node,))
    return unknown_integer("a rounded floating number")


# -- small rules ----------------------------------------------------------------------------------


def _ndindex(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    items = args[0].items if len(args) == 1 and isinstance(args[0], TupleValue) else tuple(args)
    return Bound(TupleValue(items), "ndindex") if items else None


def _first(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return args[0] if args else NONE


def _shape(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = as_operand(cx, args[0], line) if args else None
    return TupleValue(tuple(integer(extent) for extent in view.shape)) if isinstance(view, View) else None


def _size(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = as_operand(cx, args[0], line) if args else None
    if not isinstance(view, View):
        return integer(ONE) if isinstance(view, Scalar) else None
    axis = axis_of(args[1], view.ndim, 0) if len(args) > 1 else None
    return integer(total(view.shape) if len(args) < 2 or axis is None else view.shape[axis])


def _equal(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    read_arrays(cx, args, line)
    cx.builder.reason(line, f"the comparisons of {name} are not counted", "lower" if name == "allclose" else "traffic")
    return unknown_integer(f"a result of {name}")


def read_arrays(cx: Context, args: Sequence[Value], line: int) -> None:
    """Every array among the arguments is read once."""
    for arg in args:
        if isinstance(arg, View) and arg.ndim:
            stream_read(cx, arg, line)


_RULES: dict[str, Rule] = {
    "map": ufuncs.mapped,
    "map2": ufuncs.mapped,
    "where": ufuncs.where,
    "clip": ufuncs.clip,
    "reduce": reductions.reduction,
    "average": reductions.average,
    "norm": reductions.norm,
    "cumulate": reductions.cumulate,
    "dot": contractions.dot,
    "matmul": contractions.dot,
    "inner": contractions.inner,
    "vdot": contractions.inner,
    "multi_dot": contractions.chain,
    "matrix_power": contractions.power_of_matrix,
    "outer": contractions.outer,
    "kron": contractions.kron,
    "einsum": contractions.einsum,
    "tensordot": contractions.tensordot,
    "allocate": allocation.allocate_call,
    "copy": creation.copy_array,
    "as_array": creation.as_array,
    "arange": creation.arange,
    "linspace": creation.linspace,
    "indices": creation.indices,
    "meshgrid": creation.meshgrid,
    "fromfunction": creation.from_function,
    "data_array": creation.data_array,
    "random": creation.random,
    "reshape": manipulation.reshape,
    "ravel": manipulation.ravel,
    "flatten": manipulation.ravel,
    "transpose": manipulation.transposed,
    "swapaxes": manipulation.swapaxes,
    "moveaxis": manipulation.moveaxis,
    "squeeze": manipulation.squeeze,
    "expand_dims": manipulation.expand_dims,
    "broadcast_to": manipulation.broadcast_to,
    "flip": manipulation.flip,
    "diagonal": manipulation.diagonal,
    "diag": manipulation.diag,
    "split": manipulation.split,
    "part": ufuncs.real_part,
    "view": manipulation.same,
    "join": joining.join,
    "stack": joining.stack,
    "block": joining.block,
    "tile": joining.tile,
    "repeat": joining.repeat,
    "rearrange": joining.rearrange,
    "pad": joining.pad,
    "take": joining.take,
    "select": joining.select,
    "choose": joining.choose,
    "copyto": joining.copyto,
    "fill_diagonal": joining.fill_diagonal,
    "diff": calculus.diff,
    "gradient": calculus.gradient,
    "trapezoid": calculus.trapezoid,
    "convolve": calculus.convolve,
    "interp": calculus.interp,
    "cross": calculus.cross,
    "trace": calculus.trace,
    "polyval": calculus.polyval,
    "covariance": statistics.covariance,
    "softmax": calculus.softmax,
    "figure": library_figures.figure,
    "sort": library_figures.sort,
    "search": library_figures.search,
    "by_data": library_figures.by_data,
    "histogram": library_figures.histogram,
    "order_statistic": library_figures.order_statistic,
    "ndindex": _ndindex,
    "dtype": _first,
    "shape": _shape,
    "size": _size,
    "equal": _equal,
}
"""The function of each rule."""


def method(cx: Context, view: View, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A method of an array; None where the table does not have it."""
    if name in ARRAY_METHODS:
        return call(cx, "numpy", name, [view, *args], keywords, line)
    if name == "astype":
        return cast(cx, dtype_of(cx, args[0] if args else keywords.get("dtype"), view.dtype, line), view, line)
    if name == "fill" and args:
        fill(cx, view, as_scalar(cx, args[0], line), line)
        return NONE
    if name == "item":
        return Scalar(view.dtype, why_unknown="an element")
    if name in ("sort", "partition"):
        library_figures.sorted_in_place(cx, name, view, line)
        return NONE
    if name == "view" and not args and not keywords:
        return view
    return None
