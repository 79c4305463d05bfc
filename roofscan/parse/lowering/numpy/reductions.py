"""Reductions: the input read once (twice for a variance) in C order, the result written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F8, DType
from roofscan.ir.kinds import OperationKind
from roofscan.parse import syntax
from roofscan.parse.inference.operands import is_method, keyword, operands_of, rank_for_axis
from roofscan.parse.inference.rule import RankOf
from roofscan.parse.inference.type_facts import Layout
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
    library_arithmetic,
    library_work,
    mask_share,
    nest,
    temporary,
    total,
)
from roofscan.parse.lowering.numpy.rule import NumpyRule, ResultType, result_type, rows
from roofscan.parse.lowering.numpy.views import flat
from roofscan.parse.lowering.values import Keywords, Scalar, Text, Value, View, exact_number
from roofscan.parse.syntax import Call, Expression, Unary
from roofscan.symbolic.expr import ONE, Expr


@dataclass(frozen=True)
class AxisRule(NumpyRule):
    """The operations per element read (the last one accumulates), and per element of the result."""

    operations: tuple[OperationKind, ...] = ()
    dtype: ResultType = "same"
    result_operations: tuple[OperationKind, ...] = ()
    _: KW_ONLY
    reads: int = 1  # passes over the input
    takes_array: bool = True

    @property
    def makes_mask(self) -> bool:
        return self.dtype == "bool"


@dataclass(frozen=True)
class Reduction(AxisRule):
    """``np.sum(x, axis=..., keepdims=..., dtype=..., out=..., where=...)`` and its like."""

    _: KW_ONLY
    is_product: bool = False
    takes_dtype: bool = False  # the third argument is a dtype
    is_reduction: bool = True
    is_method: bool = True
    axis_is_second: bool = True

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        operands = operands_of(call)
        rank = rank_of(operands[0]) if operands else None
        axis = self.axis(call)
        if _keeps_dimensions(call):
            return rank
        if axis is None:
            return 0
        count = len(axis.items) if isinstance(axis, syntax.Sequence) else 1
        return None if rank is None else max(0, rank - count)

    def rank_bound_of_first(self, call: Call) -> int:
        axis = self.axis(call)
        if axis is None:
            return 1
        needed = rank_for_axis(axis) or 0
        if isinstance(axis, syntax.Sequence):
            return max(len(axis.items) + 1, needed) if axis.items else 0
        return max(2, needed)

    def layout(self, call: Call) -> Layout | None:
        if len(call.args) != (0 if is_method(call) else 1):
            return None
        axis, keeps = self.axis(call), _keeps_dimensions(call)
        if axis is None:
            return None if keeps else Layout.ELEMENTS
        if isinstance(axis, syntax.Literal) and axis.value == 0:
            return Layout.FIRST_AXIS
        return Layout.LAST_AXIS if keeps and _is_minus_one(axis) else None

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        if not args:
            return None
        said = argument(args, keywords, 2, "dtype") if self.takes_dtype else None
        return reduce_view(
            cx, name, self, args[0], argument(args, keywords, 1, "axis"), line,
            keepdims=flag(keywords.get("keepdims")), said=said,
            out=out_view(args, keywords, 3 if self.takes_dtype else 2),
            where=argument([], keywords, 0, "where"), is_product=self.is_product,
        )  # fmt: skip


def _keeps_dimensions(call: Call) -> bool:
    keep = keyword(call, "keepdims")
    return isinstance(keep, syntax.Literal) and keep.value is True


def _is_minus_one(axis: Expression) -> bool:
    operand = axis.operand if isinstance(axis, Unary) and axis.op == "-" else None
    return isinstance(operand, syntax.Literal) and operand.value == 1


def _passes(
    cx: Context, rule: AxisRule, view: View, dtype: DType, where: View | None, axes: Sequence[int], line: int,
    is_product: bool,
) -> int | None:  # fmt: skip
    """All passes over the elements, of which the last one does the operations; the id of the result."""
    share = mask_share(cx, line) if where is not None else ONE
    made: int | None = None
    for read_pass in range(rule.reads):
        kinds = rule.operations if read_pass == rule.reads - 1 else ()

        def body(indices: list[Expr], kinds: tuple[OperationKind, ...] = kinds) -> None:
            nonlocal made
            if where is not None:
                read(cx, element(where, indices), line)
            with guarded(cx, share, line):
                made = read(cx, element(view, indices), line).node
                if dtype.counts:
                    made = charge(cx, kinds, dtype, ONE, line, made, is_product=is_product) or made

        nest(cx, view.shape, line, body, axes, parallel=cx.splits_arrays and len(axes) == view.ndim)
    return made


def reduce_view(
    cx: Context, name: str, rule: AxisRule, value: Value, axis: Value | None, line: int, *,
    keepdims: bool = False, said: Value | None = None, out: View | None = None, where: Value | None = None,
    is_product: bool = False,
) -> Value:  # fmt: skip
    """The reduction of ``value``: a scalar, or an array over the axes that remain."""
    value = as_operand(cx, value, line)
    if isinstance(value, Scalar):
        result = result_type(rule.dtype, value.dtype)
        return value if result == value.dtype else Scalar(result, node=value.node, why_unknown=name)
    if not isinstance(value, View):
        return cx.unknown(line, f"the operand of {name} is not an array")
    axes = axes_of(axis, value.ndim)
    if axes is None:
        return cx.unknown(line, f"the axis of {name} is unknown")
    view, dtype = value, dtype_of(cx, said, value.dtype, line)
    if rule.dtype in ("float", "real") and not dtype.counts:
        dtype = F8  # means and norms of integers are taken in float64
    made = _passes(cx, rule, view, dtype, where if isinstance(where, View) else None, axes, line, is_product)
    kept = [e for d, e in enumerate(view.shape) if d not in axes]
    result = dtype_of(cx, said, result_type(rule.dtype, view.dtype), line)
    shape = [ONE if d in axes else e for d, e in enumerate(view.shape)] if keepdims else kept
    if made is not None and not kept:
        cx.builder.broadcast_sizes.of[made] = SCALAR
    if result.counts:
        made = charge(cx, rule.result_operations, result, total(kept), line, made) or made
    if not shape and out is None:
        return Scalar(result, node=made, why_unknown=f"a {name} of data")
    return _stored(cx, shape, Scalar(result, node=made), out, line)


def _stored(cx: Context, shape: Sequence[Expr], values: Scalar, out: View | None, line: int) -> View:
    target = out or temporary(cx, shape, values.dtype, line, cx.builder.open_variables)
    fill(cx, target, values, line)
    return target


def charge(
    cx: Context, kinds: Sequence[OperationKind], dtype: DType, count: Expr, line: int, node: int | None = None, *,
    is_product: bool = False,
) -> int | None:  # fmt: skip
    """Adds ``count`` operations of each kind; the id of the last one. A complex addition adds both parts; a complex
    multiplication counts in full where the reduction is a product."""
    made = None
    for kind in kinds:
        parts: Sequence[tuple[OperationKind, int]] = ((kind, 1),)
        if dtype.kind == "complex" and kind in ("add", "sub"):
            parts = ((kind, 2),)
        elif dtype.kind == "complex" and is_product and kind == "mul":
            parts = COMPLEX_PARTS["*"]
        for part, each in parts:
            made = cx.builder.operation(part, dtype, line, (node,), count * each)
    return made


@dataclass(frozen=True)
class Norm(Reduction):
    """``np.linalg.norm``: of vectors for any order, of matrices for the Frobenius norm."""

    _: KW_ONLY
    is_reduction: bool = False
    is_method: bool = False
    axis_is_second: bool = False

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        return None

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        if not args:
            return None
        value, order = as_operand(cx, args[0], line), argument(args, keywords, 1, "ord")
        axis = argument(args, keywords, 2, "axis")
        rule = self
        number = exact_number(order) if isinstance(order, Scalar) and order.number is not None else None
        infinite = isinstance(order, Scalar) and isinstance(order.number, float) and abs(order.number) == float("inf")
        matrix = isinstance(value, View) and value.ndim == 2 and axis is None
        if matrix and (infinite or number in (1, -1)):
            return cx.unknown(line, "the maximum row or column norm of a matrix is not counted")
        if order is None or isinstance(order, Text) or number == 2:
            if matrix and (number == 2 or (isinstance(order, Text) and order.value == "nuc")):
                return cx.unknown(line, "the spectral norm of a matrix is not counted (a singular value decomposition)")
        elif infinite:
            rule = Norm(("abs", "minmax"), "real")
        elif number in (0, 1):
            rule = Norm(("abs", "add") if number == 1 else ("compare", "add"), "real")
        else:
            rule = Norm(("abs", "special", "add"), "real", ("special",))
        return reduce_view(cx, name, rule, value, axis, line, keepdims=flag(argument(args, keywords, 3, "keepdims")))


@dataclass(frozen=True)
class Average(AxisRule):
    """``np.average``: a mean, or with weights a product, two sums and a division."""

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        weights = argument(args, keywords, 2, "weights")
        axis = argument(args, keywords, 1, "axis")
        if not args or weights is None:
            return reduce_view(cx, name, self, args[0], axis, line) if args else None
        products = elementwise(cx, [args[0], weights], line, lambda s: binary(cx, "*", s[0], s[1], line), name)
        reduce_view(cx, name, SUM, weights, None, line)
        return reduce_view(cx, name, self, products, axis, line)


@dataclass(frozen=True)
class Accumulation(NumpyRule):
    """Running results: one operation per element except the first one of each row."""

    operation: str | tuple[OperationKind, ...]  # an operator, or what a ufunc does for an element
    dtype: ResultType = "sum"
    _: KW_ONLY
    keeps_rank: bool = True
    takes_array: bool = True
    is_method: bool = True
    axis_is_second: bool = True

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        value = as_operand(cx, args[0], line) if args else None
        if not isinstance(value, View):
            return None
        axis = argument(args, keywords, 1, "axis")
        view = flat(cx, value, line) if axis is None and value.ndim > 1 else value
        place = axis_of(axis, view.ndim, 0)
        if place is None:
            return cx.unknown(line, f"the axis of {name} is unknown")
        dtype = dtype_of(cx, argument(args, keywords, 2, "dtype"), result_type(self.dtype, view.dtype), line)
        rows_along = total([e for d, e in enumerate(view.shape) if d != place])
        count = total(view.shape) - rows_along
        if isinstance(self.operation, str) and dtype.counts and count:
            library_arithmetic(cx, self.operation, dtype, line, count)
        for kind in self.operation if isinstance(self.operation, tuple) else ():
            library_work(cx, kind, dtype, line, count)
        out = out_view(args, keywords, 3)
        return elementwise(cx, [view], line, lambda s: Scalar(dtype, node=s[0].node), name, out)


SUM = Reduction(("add",), "sum", keeps_integers=True, takes_dtype=True)
MEAN = Reduction(("add",), "float", ("div",), takes_dtype=True)
_IF_NUMBER: OperationKind = "compare"  # the test for NaN of each element
CUMULATIVE_SUM, CUMULATIVE_PRODUCT = Accumulation("+"), Accumulation("*")
_SQUARES: tuple[OperationKind, ...] = ("add", "sub", "mul", "add")
_DIVISIONS: tuple[OperationKind, ...] = ("div", "div")

REDUCTIONS: dict[str, NumpyRule] = {
    **rows("sum", SUM),
    **rows("nansum", Reduction((_IF_NUMBER, "add"), "sum", takes_dtype=True)),
    **rows("prod", Reduction(("mul",), "sum", is_product=True, keeps_integers=True, takes_dtype=True)),
    **rows("product", Reduction(("mul",), "sum", is_product=True, takes_dtype=True)),
    **rows("nanprod", Reduction((_IF_NUMBER, "mul"), "sum", is_product=True, takes_dtype=True)),
    **rows("max min amax amin", Reduction(("minmax",), keeps_integers=True)),
    **rows("nanmax nanmin", Reduction(("minmax",))),
    **rows("ptp", Reduction(("minmax", "minmax"), "same", ("sub",))),
    **rows("argmax argmin nanargmax nanargmin count_nonzero", Reduction((), "int")),
    **rows("any all", Reduction((), "bool")),
    **rows("mean", MEAN),
    **rows("nanmean", Reduction((_IF_NUMBER, "add"), "float", ("div",), takes_dtype=True)),
    **rows("average", Average(("add",), "float", ("div",))),
    **rows("var", Reduction(_SQUARES, "real", _DIVISIONS, reads=2, takes_dtype=True)),
    **rows("std", Reduction(_SQUARES, "real", (*_DIVISIONS, "sqrt"), reads=2, takes_dtype=True)),
    **rows("nanvar", Reduction((_IF_NUMBER, *_SQUARES), "real", _DIVISIONS, reads=2, takes_dtype=True)),
    **rows("nanstd", Reduction((_IF_NUMBER, *_SQUARES), "real", (*_DIVISIONS, "sqrt"), reads=2, takes_dtype=True)),
    **rows("norm", Norm(("mul", "add"), "real", ("sqrt",))),
    **rows("logsumexp", Reduction(("minmax", "sub", "special", "add"), "float", ("special", "add"), reads=2)),
    **rows("cumsum nancumsum cumulative_sum", CUMULATIVE_SUM),
    **rows("cumprod nancumprod cumulative_prod", CUMULATIVE_PRODUCT),
}
