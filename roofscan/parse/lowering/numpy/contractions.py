"""Matrix products, ``einsum`` and their like: operands read once, the result written once, two operations per point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from roofscan.frozen import dataclass
from roofscan.parse import syntax
from roofscan.parse.inference.forward import product_rank
from roofscan.parse.inference.operands import keyword, operand, operands_of, rank_for_axis
from roofscan.parse.inference.rule import Constraint, RankOf
from roofscan.parse.lowering.arithmetic import MAX_INTEGER_EXPONENT, binary, result_type
from roofscan.parse.lowering.calls.arguments import argument, axes_of, constant_integer, out_view
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import (
    as_operand,
    elementwise,
    fill,
    library_arithmetic,
    stream_read,
    temporary,
    total,
)
from roofscan.parse.lowering.numpy.broadcasting import broadcast, unify
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, rows
from roofscan.parse.lowering.values import Keywords, Scalar, Text, TupleValue, Value, View, literal
from roofscan.parse.syntax import Call, Literal
from roofscan.symbolic.expr import ONE, Expr


def einsum(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.einsum("ij,jk->ik", A, B)`` with explicit or implicit output, and an ellipsis for leading dimensions."""
    if not args or not isinstance(args[0], Text):
        return None
    operands = [as_operand(cx, a, line) for a in args[1:]]
    views = [o for o in operands if isinstance(o, View)]
    text = args[0].value
    inputs, arrow, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(views) != len(operands) or len(terms) != len(views):
        return cx.unknown(line, f"an operand of the einsum {text!r} is not an array")
    spelled = [_spelled(term, view.ndim) for term, view in zip(terms, views, strict=True)]
    rest = max((t for t in map(_leading, spelled)), key=len)
    output = output.replace("...", rest) if arrow else rest + _implicit(inputs)
    extents = _letters(cx, spelled, views, line)
    if extents is None or set(output) - extents.keys():
        return cx.unknown(line, f"the einsum {text!r} does not match its operands")
    summed = [e for c, e in extents.items() if c not in output]
    if len(views) > 2:
        cx.builder.reason(
            line, "an einsum of more than two operands is counted as one loop nest; a better order costs less", "upper"
        )
    return contraction(cx, views, [extents[c] for c in output], summed, line, out_view([], keywords, 0))


def _spelled(term: str, ndim: int) -> str:
    """A term with capital Greek letters in place of its ellipsis, aligned at the last dimension."""
    if "..." not in term:
        return term
    count = max(0, ndim - len(term) + 3)
    return term.replace("...", _GREEK[len(_GREEK) - count :])


_GREEK = "ΑΒΓΔΕΖΗΘ"


def _leading(term: str) -> str:
    return "".join(c for c in term if c in _GREEK)


def _implicit(inputs: str) -> str:
    letters = inputs.replace(",", "").replace("...", "")
    return "".join(sorted(c for c in set(letters) if letters.count(c) == 1))


def _letters(cx: Context, terms: list[str], views: list[View], line: int) -> dict[str, Expr] | None:
    """The extent of each letter; equal letters are equal sizes (extents of 1 repeat)."""
    extents: dict[str, Expr] = {}
    for term, view in zip(terms, views, strict=True):
        if len(term) != view.ndim:
            return None
        for letter, extent in zip(term, view.shape, strict=True):
            known = extents.get(letter, ONE)
            if known != ONE and extent != ONE:
                unify(cx, known, extent, line)
            extents[letter] = extent if known == ONE else known
    return extents


@dataclass(frozen=True, kw_only=True)
class Einsum(Function):
    """``einsum("ij,j->i", A, x)``: the letters are the ranks."""

    overrides_subscripts: bool = True

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        _, arrow, output = _subscripts(call).partition("->")
        return len(output) if arrow and "." not in output else None

    def operand_ranks(self, call: Call) -> Iterator[Constraint]:
        inputs = _subscripts(call).partition("->")[0]
        terms = inputs.split(",") if inputs else []
        return ((o, len(term)) for term, o in zip(terms, operands_of(call)[1:]) if "." not in term)


def _subscripts(call: Call) -> str:
    first = operand(call, 0)
    text = first.value if isinstance(first, Literal) else None
    return text.replace(" ", "") if isinstance(text, str) else ""


EINSUM: dict[str, NumpyRule] = {**rows("einsum", Einsum(einsum))}


def matmul(cx: Context, left: Value, right: Value, line: int, out: View | None = None) -> Value:
    """``left @ right`` (also ``np.dot``) for one- and two-dimensional arrays and stacks of matrices."""
    left, right = as_operand(cx, left, line), as_operand(cx, right, line)
    if not isinstance(left, View) or not isinstance(right, View) or not left.ndim or not right.ndim:
        if isinstance(left, (View, Scalar)) and isinstance(right, (View, Scalar)):
            return elementwise(cx, [left, right], line, lambda s: binary(cx, "*", s[0], s[1], line), "*")
        return cx.unknown(line, "an operand of a matrix product is not an array")
    unify(cx, left.shape[-1], right.shape[-2] if right.ndim > 1 else right.shape[0], line)
    batch = broadcast(cx, [left.shape[:-2], right.shape[:-2]], line)
    rows = left.shape[-2:-1]
    columns = right.shape[-1:] if right.ndim > 1 else ()
    return contraction(cx, [left, right], (*batch, *rows, *columns), left.shape[-1:], line, out)


def contraction(
    cx: Context, operands: Sequence[View], result: Sequence[Expr], summed: Sequence[Expr], line: int,
    out: View | None = None,
) -> Value:  # fmt: skip
    """The products over the ``result`` and ``summed`` extents, summed over the latter."""
    points = total(result) * total(summed)
    dtype = operands[0].dtype
    for view in operands[1:]:
        dtype = result_type(cx, Scalar(dtype), Scalar(view.dtype))
    with nullcontext() if cx.builder.library_call else cx.builder.in_call("matmul"):
        for view in operands:
            stream_read(cx, view, line)
        made = None
        if len(operands) > 1:
            made = library_arithmetic(cx, "*", dtype, line, points * (len(operands) - 1), "matmul")
        if summed:
            made = library_arithmetic(cx, "+", dtype, line, points, "matmul")
        if not result:
            return Scalar(dtype, node=made)
        target = out if out is not None else temporary(cx, result, dtype, line, cx.builder.open_variables)
        fill(cx, target, Scalar(dtype, node=made), line)
        return target


def dot(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``dot``: the last axis of one with the last but one of the other; no batches."""
    if len(args) < 2:
        return None
    out = out_view(args, keywords, 2)
    left, right = as_operand(cx, args[0], line), as_operand(cx, args[1], line)
    if not isinstance(left, View) or not isinstance(right, View) or not left.ndim or right.ndim <= 2:
        return matmul(cx, left, right, line, out)
    unify(cx, left.shape[-1], right.shape[-2], line)
    kept = (*left.shape[:-1], *right.shape[:-2], right.shape[-1])
    return contraction(cx, [left, right], kept, left.shape[-1:], line, out)


def matmul_call(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return matmul(cx, args[0], args[1], line, out_view(args, keywords, 2)) if len(args) > 1 else None


def inner(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``inner``: the products of the last axes of both; ``vdot``: of all elements of both."""
    if len(args) < 2:
        return None
    left, right = as_operand(cx, args[0], line), as_operand(cx, args[1], line)
    if not isinstance(left, View) or not isinstance(right, View) or not left.ndim or not right.ndim:
        return matmul(cx, left, right, line)
    if name == "vdot":
        unify(cx, total(left.shape), total(right.shape), line)
        return contraction(cx, [left, right], (), left.shape, line)
    unify(cx, left.shape[-1], right.shape[-1], line)
    return contraction(cx, [left, right], (*left.shape[:-1], *right.shape[:-1]), left.shape[-1:], line)


def chain(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``multi_dot``, counted from left to right: an upper bound of the best order."""
    items = args[0].items if args and isinstance(args[0], TupleValue) else ()
    if len(items) < 2:
        return None
    if len(items) > 2:
        cx.builder.reason(line, "multi_dot is counted from left to right; another order may be cheaper", "upper")
    result: Value = items[0]
    for item in items[1:]:
        result = matmul(cx, result, item, line)
    return result


def power_of_matrix(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``matrix_power`` by repeated squaring: a product per binary digit after the first one, and another where it is
    1."""
    exponent = constant_integer(argument(args, keywords, 1, "n"))
    if not args or not isinstance(args[0], View) or exponent is None or not 1 <= exponent <= MAX_INTEGER_EXPONENT:
        return None
    result: Value = args[0]
    for _ in range(exponent.bit_length() - 1 + bin(exponent).count("1") - 1):
        result = matmul(cx, result, args[0], line)
    return result


def outer(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.outer``: one multiplication per element."""
    if len(args) < 2:
        return None
    left, right = as_operand(cx, args[0], line), as_operand(cx, args[1], line)
    if not isinstance(left, View) or not isinstance(right, View):
        return cx.unknown(line, "an operand of an outer product is not an array")
    shape = (total(left.shape), total(right.shape))
    return contraction(cx, [left, right], shape, (), line, out_view(args, keywords, 2))


def kron(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.kron``: one multiplication per element."""
    left, right = (as_operand(cx, a, line) for a in args[:2]) if len(args) >= 2 else (None, None)
    if not isinstance(left, View) or not isinstance(right, View) or left.ndim != right.ndim:
        return None
    shape = [a * b for a, b in zip(left.shape, right.shape, strict=True)]
    return contraction(cx, [left, right], shape, (), line)


def tensordot(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.tensordot`` over a number of dimensions, or over the pairs that ``axes`` lists."""
    axes = argument(args, keywords, 2, "axes") or literal(2)
    left, right = (as_operand(cx, a, line) for a in args[:2]) if len(args) >= 2 else (None, None)
    if not isinstance(left, View) or not isinstance(right, View):
        return None
    count = constant_integer(axes)
    if count is not None and 0 <= count <= min(left.ndim, right.ndim):
        pairs = [(left.ndim - count + k, k) for k in range(count)]
    elif isinstance(axes, TupleValue) and len(axes.items) == 2:
        first, second = (axes_of(a, v.ndim) for a, v in zip(axes.items, (left, right), strict=True))
        if first is None or second is None or len(first) != len(second):
            return None
        pairs = list(zip(first, second, strict=True))
    else:
        return None
    for a, b in pairs:
        unify(cx, left.shape[a], right.shape[b], line)
    kept = [e for d, e in enumerate(left.shape) if d not in {a for a, _ in pairs}]
    kept += [e for d, e in enumerate(right.shape) if d not in {b for _, b in pairs}]
    return contraction(cx, [left, right], kept, [left.shape[a] for a, _ in pairs], line)


@dataclass(frozen=True, kw_only=True)
class MatrixProduct(Function):
    """``np.dot``, ``np.matmul`` and ``np.inner``: the rank of the result follows that of ``a @ b``."""

    is_matrix_product: bool = True

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        ranks = [rank_of(operand) for operand in operands_of(call)[:2]]
        known = [rank for rank in ranks if rank is not None]
        return product_rank(known[0], known[1]) if len(known) == 2 else None


@dataclass(frozen=True, kw_only=True)
class Tensordot(Function):
    def rank_bounds_by_axes(self, call: Call) -> Iterator[Constraint]:
        """``axes=([0, 1], [1, 2])`` lists axes of both operands."""
        operands = operands_of(call)
        axes = (keyword(call, "axes") or operand(call, 2)) if len(operands) > 1 else None
        sides = axes.items if isinstance(axes, syntax.Sequence) else ()
        return ((o, rank) for o, axis in zip(operands, sides) if (rank := rank_for_axis(axis)))


CONTRACTIONS: dict[str, NumpyRule] = {
    **rows("dot", MatrixProduct(dot, is_method=True)),
    **rows("matmul", MatrixProduct(matmul_call)),
    **rows("inner", MatrixProduct(inner)),
    **rows("vdot", Function(inner)),
    **rows("multi_dot", Function(chain)),
    **rows("matrix_power", Function(power_of_matrix)),
    **rows("outer", Function(outer, rank=2, ranks=(1, 1))),
    **rows("kron", Function(kron, usual_ranks=(2, 2))),
    **rows("tensordot", Tensordot(tensordot, usual_ranks=(2, 2))),
}
