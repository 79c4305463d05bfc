"""Reductions: the input read once (twice for a variance) in C order, the result written once."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.ir.dtypes import B1, BY_CODE, C8, C16, F4, F8, I8, DType
from roofscan.ir.kinds import OperationKind
from roofscan.parse.lowering.arithmetic import COMPLEX_PARTS, binary
from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.calls.arguments import argument, axes_of, axis_of, dtype_of, flag, out_view
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import element, read
from roofscan.parse.lowering.numpy.array_operations import (
    as_operand,
    elementwise,
    fill,
    guarded,
    library_work,
    mask_share,
    nest,
    temporary,
    total,
)
from roofscan.parse.lowering.numpy.manipulation import flat
from roofscan.parse.lowering.numpy.table import TABLE, Row
from roofscan.parse.lowering.values import Keywords, Scalar, Text, Value, View, exact_number
from roofscan.symbolic.expr import ONE, Expr

SECOND_IS_DTYPE = frozenset({"sum", "prod", "mean", "var", "std", "cumsum", "cumprod", "nansum", "nanmean"})


def reduction(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.<name>(x, axis=…, keepdims=…, dtype=…, out=…, where=…)``."""
    if not args:
        return None
    position = 3 if name in SECOND_IS_DTYPE else 2
    said = argument(args, keywords, 2, "dtype") if name in SECOND_IS_DTYPE else None
    return reduce_view(
        cx, name, TABLE[name], args[0], argument(args, keywords, 1, "axis"), line,
        keepdims=flag(keywords.get("keepdims")), said=said, out=out_view(args, keywords, position),
        where=argument([], keywords, 0, "where"),
    )  # fmt: skip


def reduce_view(
    cx: Context, name: str, row: Row, value: Value, axis: Value | None, line: int, *,
    keepdims: bool = False, said: Value | None = None, out: View | None = None, where: Value | None = None,
) -> Value:  # fmt: skip
    """A number, or an array over the axes that stay."""
    value = as_operand(cx, value, line)
    if isinstance(value, Scalar):
        return value
    if not isinstance(value, View):
        return cx.unknown(line, f"{name} of something that is not an array")
    axes = axes_of(axis, value.ndim)
    if axes is None:
        return cx.unknown(line, f"{name} along an axis that is not known")
    view, dtype = value, dtype_of(cx, said, value.dtype, line)
    if row.dtype in ("float", "real") and not dtype.counts:
        dtype = F8  # means and norms of whole numbers are taken in float64
    mask = where if isinstance(where, View) else None
    share = mask_share(cx, line) if mask is not None else ONE
    made: int | None = None
    for turn in range(row.reads):
        kinds = row.each if turn == row.reads - 1 else ()

        def body(indices: list[Expr], kinds: tuple[OperationKind, ...] = kinds) -> None:
            nonlocal made
            if mask is not None:
                read(cx, element(mask, indices), line)
            with guarded(cx, share, line):
                made = _accumulate(cx, view, indices, kinds, dtype, name, line)

        nest(cx, view.shape, line, body, axes)
    kept = [e for d, e in enumerate(view.shape) if d not in axes]
    result = dtype_of(cx, said, result_type(row.dtype, view.dtype), line)
    shape = [ONE if d in axes else e for d, e in enumerate(view.shape)] if keepdims else kept
    if made is not None and not kept:
        cx.builder.broadcast_sizes.of[made] = SCALAR
    if result.counts:
        made = charge(cx, row.result, result, total(kept), line, made) or made
    if not shape and out is None:
        return Scalar(result, node=made, why_unknown=f"a {name} of data")
    target = out or temporary(cx, shape, result, line, cx.builder.open_variables)
    fill(cx, target, Scalar(result, node=made), line)
    return target


def _accumulate(
    cx: Context, view: View, indices: list[Expr], kinds: tuple[OperationKind, ...], dtype: DType, name: str, line: int
) -> int | None:
    """One element more. The last operation on it stands for the value that comes out in the end."""
    scalar = read(cx, element(view, indices), line)
    made = charge(cx, kinds, dtype, ONE, line, scalar.node, product=name.endswith("prod")) if dtype.counts else None
    return made or scalar.node


def charge(
    cx: Context, kinds: Sequence[OperationKind], dtype: DType, count: Expr, line: int, node: int | None = None, *,
    product: bool = False,
) -> int | None:  # fmt: skip
    """``count`` operations of each kind, and the last one's id; a complex sum adds both parts, a complex ``product``
    multiplies in full."""
    made = None
    for kind in kinds:
        parts: Sequence[tuple[OperationKind, int]] = ((kind, 1),)
        if dtype.kind == "complex" and kind in ("add", "sub"):
            parts = ((kind, 2),)
        elif dtype.kind == "complex" and product and kind == "mul":
            parts = COMPLEX_PARTS["*"]
        for part, each in parts:
            made = cx.builder.operation(part, dtype, line, (node,), count * each)
    return made


def result_type(rule: str, dtype: DType) -> DType:
    """The element type of a result, by the rule of its row."""
    if rule in ("int", "bool"):
        return I8 if rule == "int" else B1
    if rule == "sum" and dtype.kind in ("int", "bool"):
        return BY_CODE["u8"] if dtype.code.startswith("u") else I8
    if rule in ("float", "real") and not dtype.counts:
        return F8
    if rule == "real" and dtype.kind == "complex":
        return F4 if dtype == C8 else F8
    if rule == "complex":
        return C8 if dtype in (F4, C8) else C16
    return dtype


# -- reductions of their own kind ------------------------------------------------------------------


def norm(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.linalg.norm``: of vectors for any order, of matrices for the Frobenius norm; else a library figure."""
    if not args:
        return None
    value, order = as_operand(cx, args[0], line), argument(args, keywords, 1, "ord")
    axis = argument(args, keywords, 2, "axis")
    row = TABLE[name]
    number = exact_number(order) if isinstance(order, Scalar) and order.number is not None else None
    infinite = isinstance(order, Scalar) and isinstance(order.number, float) and abs(order.number) == float("inf")
    matrix = isinstance(value, View) and value.ndim == 2 and axis is None
    if matrix and (infinite or number in (1, -1)):
        return cx.unknown(line, "a norm of a matrix by its largest row or column is not counted")
    if order is None or isinstance(order, Text) or number == 2:
        if matrix and (number == 2 or (isinstance(order, Text) and order.value == "nuc")):
            return cx.unknown(line, "the spectral norm of a matrix is not counted (a singular value decomposition)")
    elif infinite:
        row = Row("norm", ("abs", "minmax"), "real")
    elif number in (0, 1):
        row = Row("norm", ("abs", "add") if number == 1 else ("compare", "add"), "real")
    else:
        row = Row("norm", ("abs", "special", "add"), "real", ("special",))
    return reduce_view(cx, name, row, value, axis, line, keepdims=flag(argument(args, keywords, 3, "keepdims")))


def average(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.average``: a mean, or with weights a product, two sums and a division."""
    weights = argument(args, keywords, 2, "weights")
    axis = argument(args, keywords, 1, "axis")
    if not args or weights is None:
        return reduce_view(cx, name, TABLE[name], args[0], axis, line) if args else None
    products = elementwise(cx, [args[0], weights], line, lambda s: binary(cx, "*", s[0], s[1], line), name)
    reduce_view(cx, name, TABLE["sum"], weights, None, line)
    return reduce_view(cx, name, TABLE[name], products, axis, line)


def cumulate(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Running sums: one operation an element but for the first of each row."""
    value = as_operand(cx, args[0], line) if args else None
    if not isinstance(value, View):
        return None
    axis = argument(args, keywords, 1, "axis")
    view = flat(cx, value, line) if axis is None and value.ndim > 1 else value
    place = axis_of(axis, view.ndim, 0)
    if place is None:
        return cx.unknown(line, f"{name} along an axis that is not known")
    row = TABLE[name]
    dtype = dtype_of(cx, argument(args, keywords, 2, "dtype"), result_type(row.dtype, view.dtype), line)
    rows = total([e for d, e in enumerate(view.shape) if d != place])
    count = total(view.shape) - rows
    if dtype.counts and count:
        parts: Sequence[tuple[OperationKind, int]] = ((row.each[0], 1),)
        if dtype.kind == "complex":
            parts = COMPLEX_PARTS["+" if row.each == ("add",) else "*"]
        for kind, each in parts:
            library_work(cx, kind, dtype, line, count * each)
    out = out_view(args, keywords, 3)
    return elementwise(cx, [view], line, lambda s: Scalar(dtype, node=s[0].node), name, out)
