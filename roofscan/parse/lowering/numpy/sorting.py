"""Sorting, searching and counting: work that depends on data, with arrays read once and results written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import I8
from roofscan.parse.lowering.calls.arguments import argument, axes_of, flag
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import data_length, shape_of, written
from roofscan.parse.lowering.numpy.array_operations import as_operand, fill, library_work, stream_read, total
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, ResultType, result_type, rows
from roofscan.parse.lowering.values import (
    Keywords,
    NoneValue,
    Scalar,
    Text,
    TupleValue,
    Value,
    View,
    literal,
    unknown_integer,
)
from roofscan.symbolic.expr import ONE, Expr


def _read(cx: Context, name: str, views: Sequence[View], line: int) -> None:
    """Reads arrays for work that depends on data."""
    for view in views:
        stream_read(cx, view, line)
    cx.builder.reason(line, f"the work of {name} depends on data and is not counted in FLOPs", "uncounted")


def _views(cx: Context, args: list[Value], line: int) -> list[View]:
    return [v for v in (as_operand(cx, a, line) for a in args) if isinstance(v, View) and v.ndim]


@dataclass(frozen=True)
class Sort(NumpyRule):
    """``sort``, ``argsort``, ``isin``: the result has the shape of the operand."""

    dtype: ResultType = "same"
    _: KW_ONLY
    operands: int = 1
    keeps_rank: bool = True
    takes_array: bool = True
    axis_is_second: bool = True
    shape_ignores_axis: bool = True

    @property
    def makes_mask(self) -> bool:
        return self.dtype == "bool"

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        views = _views(cx, args[: self.operands], line)
        if not views:
            return None
        _read(cx, name, views, line)
        return written(cx, views[0].shape, result_type(self.dtype, views[0].dtype), line)


def sorted_in_place(cx: Context, name: str, view: View, line: int) -> None:
    _read(cx, name, [view], line)
    fill(cx, view, Scalar(view.dtype), line)


def search(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``searchsorted(table, values)``: an index for each value."""
    table, values = args[:2] if len(args) > 1 else (None, None)
    views = _views(cx, [v for v in (table, values) if v is not None], line)
    _read(cx, name, views, line)
    if isinstance(values, View) and values.ndim:
        return written(cx, values.shape, I8, line)
    return unknown_integer(f"an index that {name} finds")


def digitize(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return search(cx, name, args[1::-1], keywords, line)


def _length(cx: Context, name: str, views: Sequence[View], line: int) -> Expr:
    """Reads the arrays; the length of the result depends on data."""
    _read(cx, name, views, line)
    return data_length(cx, unknown_integer(f"a result of {name}"), line)


def _found(cx: Context, name: str, views: Sequence[View], line: int) -> Expr:
    """Reads the array; the number of its nonzero elements depends on data."""
    _read(cx, name, views, line)
    cx.builder.reason(line, "the size of an array depends on data", "parametric")
    meaning = f"number of elements that {name} finds (line {line})"
    return cx.builder.chosen(("found", line, views[0].array), total(views[0].shape), meaning, line)


def nonzero(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``nonzero``: an array of indices for each dimension."""
    views = _views(cx, args, line)
    if not views:
        return None
    length = _found(cx, name, views, line)
    return TupleValue(tuple(written(cx, (length,), I8, line) for _ in range(views[0].ndim)))


def flat_nonzero(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    views = _views(cx, args, line)
    return written(cx, (_found(cx, name, views, line),), I8, line) if views else None


def argwhere(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    views = _views(cx, args, line)
    return written(cx, (_found(cx, name, views, line), Expr.of(views[0].ndim)), I8, line) if views else None


def bincount(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    views, weights = _views(cx, args, line), keywords.get("weights")
    if not views:
        return None
    length, dtype = _length(cx, name, views, line), I8
    if isinstance(weights, View):
        cx.builder.reason(line, "bincount adds its weights: at most one addition per element", "upper")
        library_work(cx, "add", weights.dtype, line, total(weights.shape))
        stream_read(cx, weights, line)
        dtype = weights.dtype
    return written(cx, (length,), dtype, line)


def unique(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``unique`` and the operations on sets."""
    views = _views(cx, args, line)
    if not views:
        return None
    length = _length(cx, name, views, line)
    extra = [k for k in ("return_index", "return_inverse", "return_counts") if flag(keywords.get(k))]
    first = written(cx, (length,), views[0].dtype, line)
    rest = [written(cx, views[0].shape if k == "return_inverse" else (length,), I8, line) for k in extra]
    return TupleValue((first, *rest)) if extra else first


def histogram(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Counts (or sums of weights) by bins, and their edges; other arithmetic of the library is not counted."""
    views = _views(cx, args[:1], line)
    weights = argument(args, keywords, 4, "weights")
    bins = argument(args, keywords, 1, "bins") or literal(10)
    if not views:
        return None
    _read(cx, name, [*views, *([weights] if isinstance(weights, View) else [])], line)
    cx.builder.reason(line, "the arithmetic inside histogram is not counted", "lower")
    if isinstance(bins, View):
        length = bins.shape[0] - 1
    else:
        sizes = None if isinstance(bins, (Text, NoneValue)) else shape_of(cx, bins, line)
        length = sizes[0] if sizes else data_length(cx, unknown_integer("a number of bins"), line)
    dtype = weights.dtype if isinstance(weights, View) else I8
    edges = written(cx, (length + 1,), result_type("float", views[0].dtype), line)
    return TupleValue((written(cx, (length,), dtype, line), edges))


def order_statistic(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``median``, ``percentile``: a selection, and an average of neighbours that is not counted."""
    views = _views(cx, args[:1], line)
    position = 1 if "median" in name else 2
    axes = axes_of(argument(args, keywords, position, "axis"), views[0].ndim) if views else None
    if not views or axes is None:
        return None
    _read(cx, name, views, line)
    cx.builder.reason(line, f"the interpolation inside {name} is not counted", "lower")
    keep = flag(keywords.get("keepdims"))
    kept = [ONE if d in axes else e for d, e in enumerate(views[0].shape) if keep or d not in axes]
    wanted = as_operand(cx, args[1], line) if position == 2 and len(args) > 1 else None
    shape = [*(wanted.shape if isinstance(wanted, View) else ()), *kept]
    dtype = result_type("float", views[0].dtype)
    return written(cx, shape, dtype, line) if shape else Scalar(dtype, why_unknown=f"a {name} of data")


SORTING: dict[str, NumpyRule] = {
    **rows("sort msort", Sort()),
    **rows("partition", Sort(axis_is_second=False)),
    **rows("argsort lexsort", Sort("int"), methods="argsort"),
    **rows("argpartition", Sort("int", axis_is_second=False, is_method=True)),
    **rows("isin in1d", Sort("bool", operands=2, axis_is_second=False)),
    **rows("searchsorted", Function(search, is_method=True)),
    **rows("digitize", Function(digitize)),
    **rows("unique intersect1d union1d setdiff1d", Function(unique, takes_array=True)),
    **rows("nonzero", Function(nonzero, takes_array=True, is_method=True)),
    **rows("flatnonzero", Function(flat_nonzero, takes_array=True)),
    **rows("argwhere", Function(argwhere, takes_array=True)),
    **rows("histogram", Function(histogram, takes_array=True)),
    **rows("bincount", Function(bincount, takes_array=True)),
    **rows(
        "percentile median quantile nanmedian nanpercentile nanquantile", Function(order_statistic, takes_array=True)
    ),
}
