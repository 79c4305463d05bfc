"""NumPy and its like: which rule a function follows. The costs themselves are tables in ``functions``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofscan.ir.dtypes import F8, I8, promote
from roofscan.ir.expr import Expr
from roofscan.parse.lower import arithmetic
from roofscan.parse.lower.arrays import (
    allocate,
    as_operand,
    elementwise,
    fill,
    library_work,
    stream_read,
    total,
)
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.contractions import einsum, matmul, outer, tensordot
from roofscan.parse.lower.expressions import as_scalar, transpose
from roofscan.parse.lower.functions import (
    ALLOCATIONS,
    BINARY,
    COPIES,
    PARAMETRIC,
    REDUCTIONS,
    UNARY,
)
from roofscan.parse.lower.making import allocate_call, arange, copy_array, data_length, dtype_of, linspace
from roofscan.parse.lower.reductions import reduce
from roofscan.parse.lower.reshaping import ravel, reshape, reshaped, transposed
from roofscan.parse.lower.values import (
    NONE,
    Bound,
    Keywords,
    NoneValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    literal,
    unknown_whole,
)

Rule = Callable[[Context, str, list[Value], Keywords, int], "Value | None"]


def call(cx: Context, module: str, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """The value of a library call; None where no table has the function."""
    if module == "math" and name in ("floor", "ceil", "trunc"):
        return _whole_of(cx, args, line)
    rule = _RULES.get(name)
    if rule is not None:
        return rule(cx, name, args, keywords, line)
    if name in REDUCTIONS and args:
        axis = keywords.get("axis", args[1] if len(args) > 1 else None)
        keep = keywords.get("keepdims")
        return reduce(cx, name, args[0], axis, isinstance(keep, Scalar) and keep.number is True, line)
    if (name in UNARY and len(args) >= 1) or (name in BINARY and len(args) >= 2):
        return _elementwise(cx, name, args, keywords, line)
    return None


def _elementwise(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value:
    from roofscan.parse.lower.calls import elementwise_call

    count = 2 if name in BINARY and len(args) >= 2 else 1
    out = keywords.get("out", args[count] if len(args) > count else None)
    target = out if isinstance(out, View) else None
    return elementwise_call(cx, name, args[:count], line, target)


def _whole_of(cx: Context, args: list[Value], line: int) -> Value:
    value = as_scalar(cx, args[0], line) if args else literal(0)
    if value.is_whole:
        return value
    cx.builder.operation("convert", value.dtype, line, (value.node,))
    return unknown_whole("a rounded floating number")


# -- the rest -------------------------------------------------------------------------------------


def _dot(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if len(args) < 2:
        return None
    out = keywords.get("out", args[2] if len(args) > 2 else None)
    left, right = as_operand(cx, args[0], line), as_operand(cx, args[1], line)
    if name == "inner" and isinstance(right, View) and right.ndim > 1:
        right = transpose(right, (*range(right.ndim - 2), right.ndim - 1, right.ndim - 2))
    return matmul(cx, left, right, line, out if isinstance(out, View) else None)


def _einsum(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], Text):
        return None
    return einsum(cx, args[0].value, args[1:], line)


def _outer(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return outer(cx, args[0], args[1], line) if len(args) >= 2 else None


def _tensordot(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if len(args) < 2:
        return None
    axes = keywords.get("axes", args[2] if len(args) > 2 else literal(2))
    count = axes.expr.constant if isinstance(axes, Scalar) and axes.expr is not None else None
    return tensordot(cx, args[0], args[1], int(count), line) if count is not None else None


def _where(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if len(args) != 3:
        return None

    def pick(scalars: list[Scalar]) -> Scalar:
        return Scalar(arithmetic.result_type(cx, scalars[1], scalars[2]), node=scalars[1].node or scalars[2].node)

    return elementwise(cx, args, line, pick, "where")


def _clip(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    bounds = [*args[1:3], *(keywords[k] for k in ("a_min", "a_max", "min", "max") if k in keywords)]
    operands = [args[0], *(b for b in bounds if not isinstance(b, NoneValue))]

    def clip(scalars: list[Scalar]) -> Scalar:
        return arithmetic.extremum(cx, "min", scalars, line)

    return elementwise(cx, operands, line, clip, "clip")


def _cumulate(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    view = args[0]
    axis = keywords.get("axis", args[1] if len(args) > 1 else None)
    place = axis.expr.constant if isinstance(axis, Scalar) and axis.expr is not None else None
    if place is None and view.ndim > 1:
        flat = reshaped(cx, view, [total(view.shape)], line)
        assert isinstance(flat, View)
        view = flat
    length = view.shape[int(place) if place is not None else 0]
    elements = total(view.shape)
    rows = elements / length if len(length.terms) == 1 else total([e for e in view.shape if e != length])
    library_work(cx, "add" if name == "cumsum" else "mul", view.dtype, line, elements - rows)
    return elementwise(cx, [view], line, lambda s: s[0], name)


def _diff(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if len(args) != 1 or not isinstance(args[0], View) or keywords.keys() - {"axis"}:
        return None
    from dataclasses import replace

    view = args[0]
    last = view.ndim - 1
    shape = (*view.shape[:last], view.shape[last] - 1)
    shifted = tuple(
        replace(a, offset=None if a.offset is None else a.offset + a.step) if a.dim == last else a for a in view.axes
    )
    low, high = replace(view, shape=shape), replace(view, shape=shape, axes=shifted)
    return elementwise(cx, [high, low], line, lambda s: arithmetic.binary(cx, "-", s[0], s[1], line), "diff")


def _stream(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Comparisons and data-dependent work: the operands are read once, the result has an unknown length."""
    read_arrays(cx, args, line)
    cx.builder.reason(line, f"the work of {name} depends on data and is not counted in FLOPs", "parametric")
    view = next((a for a in args if isinstance(a, View) and a.ndim), None)
    if view is None:
        return Unknown(f"a result of {name}")
    if name in ("median", "percentile", "quantile"):
        return Scalar(view.dtype if view.dtype.counts else F8)
    same = name in ("sort", "argsort", "partition", "argpartition", "isin", "in1d", "digitize")
    shape = view.shape if same else (data_length(cx, unknown_whole(name), line),)
    result = allocate(cx, shape, view.dtype if name in ("sort", "partition", "unique") else I8, line)
    fill(cx, result, Scalar(result.dtype), line)
    return result


def _joined(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``concatenate``, ``stack`` and their like along the first axis or the one that is said."""
    parts = list(args[0].items) if args and isinstance(args[0], TupleValue) else []
    views = [p for p in (as_operand(cx, p, line) for p in parts) if isinstance(p, View) and p.ndim]
    if not views or len(views) != len(parts):
        return None
    axis = keywords.get("axis", args[1] if len(args) > 1 else literal(0))
    place = axis.expr.constant if isinstance(axis, Scalar) and axis.expr is not None else None
    if place is None:
        return None
    dtype = views[0].dtype
    for view in views[1:]:
        dtype = promote(dtype, view.dtype)
    first = views[0]
    stacks = name in ("stack", "vstack", "column_stack") and (first.ndim == 1 or name == "stack")
    for view in views:
        stream_read(cx, view, line)
    if stacks:
        shape: tuple[Expr, ...] = (Expr.of(len(views)), *first.shape)
        if name == "column_stack":
            shape = (*first.shape, Expr.of(len(views)))
    else:
        where = 0 if name == "vstack" else int(place) % first.ndim
        where = first.ndim - 1 if name == "hstack" else where
        joined = sum((v.shape[where] for v in views), Expr.of(0))
        shape = (*first.shape[:where], joined, *first.shape[where + 1 :])
    result = allocate(cx, shape, dtype, line)
    fill(cx, result, Scalar(dtype), line)
    return result


def _roll(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    return elementwise(cx, [args[0]], line, lambda s: s[0], name)


def _ndindex(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    items = args[0].items if len(args) == 1 and isinstance(args[0], TupleValue) else tuple(args)
    return Bound(TupleValue(items), "ndindex") if items else None


def _dtype_name(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return args[0] if args else NONE


_LIBRARY_FIGURES = frozenset({"cholesky", "solve", "inv", "lu", "qr", "eigh", "svd", "eig", "det", "lstsq", "pinv",
                              "fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftn", "ifftn"})  # fmt: skip


def _library_figure(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    read_arrays(cx, args, line)
    cx.builder.reason(line, f"{name} is a library call whose work is not counted", "lower")
    return Unknown(f"a result of {name}")


def read_arrays(cx: Context, args: Sequence[Value], line: int) -> None:
    """Every array among the arguments is read once."""
    for arg in args:
        if isinstance(arg, View) and arg.ndim:
            stream_read(cx, arg, line)


_RULES: dict[str, Rule] = {
    **dict.fromkeys(ALLOCATIONS, allocate_call),
    **dict.fromkeys(COPIES, copy_array),
    **dict.fromkeys(PARAMETRIC, _stream),
    **dict.fromkeys(("dot", "matmul", "inner", "vdot"), _dot),
    **dict.fromkeys(("ravel", "flatten"), ravel),
    **dict.fromkeys(("transpose", "swapaxes"), transposed),
    **dict.fromkeys(("cumsum", "cumprod"), _cumulate),
    **dict.fromkeys(("concatenate", "stack", "vstack", "hstack", "column_stack"), _joined),
    **dict.fromkeys(("roll", "flip", "fliplr", "flipud"), _roll),
    **dict.fromkeys(_LIBRARY_FIGURES, _library_figure),
    "arange": arange,
    "linspace": linspace,
    "reshape": reshape,
    "einsum": _einsum,
    "outer": _outer,
    "tensordot": _tensordot,
    "where": _where,
    "clip": _clip,
    "diff": _diff,
    "ndindex": _ndindex,
    "dtype": _dtype_name,
}

_METHODS_OF_FUNCTIONS = frozenset({
    "reshape", "ravel", "flatten", "transpose", "swapaxes", "dot", "cumsum", "cumprod", "clip", "copy", "argsort",
    "nonzero", "conj", "conjugate", "round", *REDUCTIONS,
}) - {"norm"}  # fmt: skip


def method(cx: Context, view: View, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A method of an array; None where no table has it."""
    if name in _METHODS_OF_FUNCTIONS:
        return call(cx, "numpy", name, [view, *args], keywords, line)
    if name == "astype":
        dtype = dtype_of(cx, args[0] if args else keywords.get("dtype"), view.dtype)
        from roofscan.parse.lower.calls import cast

        return cast(cx, dtype, view, line)
    if name == "fill" and args:
        fill(cx, view, as_scalar(cx, args[0], line), line)
        return NONE
    if name == "item":
        return Scalar(view.dtype, why_unknown="an element")
    if name in ("sort", "partition"):
        _stream(cx, name, [view], {}, line)
        fill(cx, view, Scalar(view.dtype), line)
        return NONE
    if name in ("view", "squeeze", "flat"):
        return view
    return None
