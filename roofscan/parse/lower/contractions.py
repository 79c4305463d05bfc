"""BLAS-like calls: each operand read once, the result written once, two operations a point of the index space."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.ir.expr import ONE, Expr
from roofscan.parse.lower.arithmetic import COMPLEX_PARTS, result_type
from roofscan.parse.lower.arrays import (
    as_operand,
    broadcast,
    fill,
    library_work,
    stream_read,
    temporary,
    total,
    unify,
)
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.values import Scalar, Value, View


def matmul(cx: Context, left: Value, right: Value, line: int, out: View | None = None) -> Value:
    """``left @ right`` (also ``np.dot``) for one- and two-dimensional arrays and stacks of matrices."""
    left, right = as_operand(cx, left, line), as_operand(cx, right, line)
    if not isinstance(left, View) or not isinstance(right, View) or not left.ndim or not right.ndim:
        from roofscan.parse.lower.expressions import binary_values

        if isinstance(left, (View, Scalar)) and isinstance(right, (View, Scalar)):
            return binary_values(cx, "*", left, right, line)
        return cx.unknown(line, "a matrix product of something that is not an array")
    unify(cx, left.shape[-1], right.shape[-2] if right.ndim > 1 else right.shape[0], line)
    batch = broadcast(cx, [left.shape[:-2], right.shape[:-2]], line)
    rows = left.shape[-2:-1]
    columns = right.shape[-1:] if right.ndim > 1 else ()
    return contraction(cx, [left, right], (*batch, *rows, *columns), left.shape[-1:], line, out)


def contraction(
    cx: Context, operands: Sequence[View], result: Sequence[Expr], summed: Sequence[Expr], line: int,
    out: View | None = None,
) -> Value:  # fmt: skip
    """The products over ``result`` and ``summed`` extents, added up over ``summed``."""
    points = total(result) * total(summed)
    dtype = operands[0].dtype
    for operand in operands[1:]:
        dtype = result_type(cx, Scalar(dtype), Scalar(operand.dtype))
    for operand in operands:
        stream_read(cx, operand, line)
    multiplications = max(1, len(operands) - 1)
    _work(cx, "*", dtype, line, points * multiplications)
    if summed:
        _work(cx, "+", dtype, line, points)
    if not result:
        return Scalar(dtype)
    target = out if out is not None else temporary(cx, result, dtype, line, cx.builder.open_variables)
    fill(cx, target, Scalar(dtype), line)
    return target


def _work(cx: Context, op: str, dtype: object, line: int, count: Expr) -> None:
    from roofscan.ir.dtypes import DType

    assert isinstance(dtype, DType)
    parts = COMPLEX_PARTS[op] if dtype.kind == "complex" else (({"*": "mul", "+": "add"}[op], 1),)
    for kind, each in parts:
        library_work(cx, kind, dtype, line, count * each, "matmul")


def einsum(cx: Context, text: str, operands: Sequence[Value], line: int) -> Value:
    """``np.einsum("ij,jk->ik", A, B)`` with explicit or implicit output."""
    views = [o for o in operands if isinstance(o, View)]
    spec = text.replace(" ", "")
    inputs, arrow, output = spec.partition("->")
    terms = inputs.split(",")
    if len(views) != len(operands) or len(terms) != len(views) or "." in spec:
        return cx.unknown(line, f"the einsum {text!r} is outside the model")
    extents: dict[str, Expr] = {}
    for term, view in zip(terms, views, strict=True):
        if len(term) != view.ndim:
            return cx.unknown(line, f"the einsum {text!r} does not fit its operands")
        for letter, extent in zip(term, view.shape, strict=True):
            if letter in extents:
                unify(cx, extents[letter], extent, line)
            else:
                extents[letter] = extent
    if not arrow:
        output = "".join(sorted(c for c in extents if inputs.count(c) == 1))
    summed = [e for c, e in extents.items() if c not in output]
    if len(views) > 2:
        cx.builder.reason(
            line, "an einsum of more than two operands is counted without an order of contraction", "upper"
        )
    return contraction(cx, views, [extents.get(c, ONE) for c in output], summed, line)


def outer(cx: Context, left: Value, right: Value, line: int) -> Value:
    """``np.outer``: every product once."""
    if not isinstance(left, View) or not isinstance(right, View):
        return cx.unknown(line, "an outer product of something that is not an array")
    return contraction(cx, [left, right], (total(left.shape), total(right.shape)), (), line)


def tensordot(cx: Context, left: Value, right: Value, axes: int, line: int) -> Value:
    """``np.tensordot`` over the last ``axes`` dimensions of one and the first of the other."""
    if not isinstance(left, View) or not isinstance(right, View) or axes > min(left.ndim, right.ndim):
        return cx.unknown(line, "a tensordot of something that is not an array")
    kept = left.shape[: left.ndim - axes]
    return contraction(cx, [left, right], (*kept, *right.shape[axes:]), left.shape[left.ndim - axes :], line)
