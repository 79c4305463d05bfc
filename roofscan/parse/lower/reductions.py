"""Reductions: the input read once (twice for a variance) in C order, the result written once."""

from __future__ import annotations

from roofscan.ir.dtypes import B1, C8, F4, F8, I8, DType
from roofscan.ir.expr import ONE, Expr
from roofscan.parse.lower.arithmetic import COMPLEX_PARTS
from roofscan.parse.lower.arrays import as_operand, fill, nest, temporary, total
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.functions import BOOL_RESULTS, INTEGER_RESULTS, REDUCTIONS
from roofscan.parse.lower.subscripts import element, read
from roofscan.parse.lower.values import NoneValue, Scalar, TupleValue, Value, View


def reduce(cx: Context, name: str, value: Value, axis: Value | None, keepdims: bool, line: int) -> Value:
    """``np.<name>(value, axis=…)``: a number, or an array over the axes that stay."""
    value = as_operand(cx, value, line)
    if isinstance(value, Scalar):
        return value
    if not isinstance(value, View):
        return cx.unknown(line, f"{name} of something that is not an array")
    axes = _axes(axis, value.ndim)
    if axes is None:
        return cx.unknown(line, f"{name} along an axis that is not known")
    each, per_result, passes = REDUCTIONS[name]
    dtype = value.dtype
    for turn in range(passes):
        kinds = each if turn == passes - 1 else ()
        nest(cx, value.shape, line, lambda indices, kinds=kinds: _accumulate(cx, value, indices, kinds, line))  # type: ignore[misc]
    kept = tuple(e for d, e in enumerate(value.shape) if d not in axes)
    result_dtype = _result_type(name, dtype)
    shape = tuple(ONE if d in axes else e for d, e in enumerate(value.shape)) if keepdims else kept
    _finish_elements(cx, per_result, result_dtype, total(kept), line)
    if not shape:
        return Scalar(result_dtype, why_unknown=f"a {name} of data")
    target = temporary(cx, shape, result_dtype, line, cx.builder.open_variables)
    fill(cx, target, Scalar(result_dtype), line)
    return target


def _axes(axis: Value | None, ndim: int) -> set[int] | None:
    """The dimensions that a reduction removes; None where the axis is not a constant."""
    if axis is None or isinstance(axis, NoneValue):
        return set(range(ndim))
    items = axis.items if isinstance(axis, TupleValue) else (axis,)
    found: set[int] = set()
    for item in items:
        place = item.expr.constant if isinstance(item, Scalar) and item.expr is not None else None
        if place is None or not -ndim <= place < ndim:
            return None
        found.add(int(place) % ndim)
    return found


def _accumulate(cx: Context, value: View, indices: list[Expr], kinds: tuple[str, ...], line: int) -> None:
    scalar = read(cx, element(value, indices), line)
    if not value.dtype.counts:
        return
    for kind in kinds:
        _charge(cx, kind, value.dtype, ONE, line, scalar.node)


def _charge(cx: Context, kind: str, dtype: DType, count: Expr, line: int, node: int | None = None) -> None:
    op = {"add": "+", "sub": "-", "mul": "*", "div": "/"}.get(kind)
    parts = COMPLEX_PARTS[op] if dtype.kind == "complex" and op else ((kind, 1),)
    for part, each in parts:
        cx.builder.operation(part, dtype, line, (node,), count * each)


def _finish_elements(cx: Context, kinds: tuple[str, ...], dtype: DType, count: Expr, line: int) -> None:
    if dtype.counts:
        for kind in kinds:
            _charge(cx, kind, dtype, count, line)


def _result_type(name: str, dtype: DType) -> DType:
    if name in INTEGER_RESULTS:
        return I8
    if name in BOOL_RESULTS:
        return B1
    if REDUCTIONS[name][1] and not dtype.counts:  # a mean of whole numbers is a float
        return F8
    if name == "norm" and dtype.kind == "complex":
        return F4 if dtype == C8 else F8
    return I8 if dtype.kind == "bool" and name == "sum" else dtype
