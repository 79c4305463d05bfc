"""Joining, tiling and rearranging: operands are read once, the result is written once, nothing is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType, promote
from roofscan.parse import syntax
from roofscan.parse.inference.operands import is_method, keyword, operand, operands_of, rank_for_axis
from roofscan.parse.inference.rule import Constraint
from roofscan.parse.inference.type_facts import Layout
from roofscan.parse.lowering.calls.arguments import argument, axis_of, constant_integer, dtype_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import shape_of, written
from roofscan.parse.lowering.numpy.array_operations import as_operand, row_of, stream_read, total
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, OfArray, rows
from roofscan.parse.lowering.numpy.views import at_least, flat, with_new_dimensions
from roofscan.parse.lowering.values import NONE, Keywords, ListedViews, Scalar, TupleValue, Value, View, literal
from roofscan.parse.syntax import Call
from roofscan.symbolic.expr import ONE, ZERO, Expr


def moved(cx: Context, sources: Sequence[View], shape: Sequence[Expr], dtype: DType, line: int) -> View:
    for source in sources:
        stream_read(cx, source, line)
    return written(cx, shape, dtype, line)


def _parts(cx: Context, value: Value | None, line: int) -> list[View]:
    """The arrays in a list; empty where one is unknown."""
    items = value.items if isinstance(value, TupleValue) else ()
    views = [v for v in (as_operand(cx, item, line) for item in items) if isinstance(v, View)]
    return views if len(views) == len(items) else []


def _common(cx: Context, views: Sequence[View], keywords: Keywords, line: int) -> DType:
    return dtype_of(cx, keywords.get("dtype"), reduce(promote, (view.dtype for view in views)), line)


def _listed(value: Value | None) -> View | None:
    """The arrays of a comprehension, as the rows of one."""
    return value.whole if isinstance(value, ListedViews) and not value.lazy else None


def _join_listed(cx: Context, name: str, whole: View, args: list[Value], keywords: Keywords, line: int) -> View | None:
    count, *shape = whole.shape
    axis = argument(args, keywords, 1, "axis") or literal(0)
    if axis_of(axis, len(shape), 0) != 0 or name == "dstack" or (len(shape) > 1 and name in ("hstack", "column_stack")):
        return None
    if name == "column_stack":
        shape = [*shape, count]
    elif name in ("vstack", "row_stack") and len(shape) == 1:
        shape = [count, *shape]
    else:
        shape[0] = count * shape[0]
    return moved(cx, [whole], shape, _common(cx, [whole], keywords, line), line)


def join(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``concatenate`` along its axis, and ``vstack`` and its like, whose name gives the axis."""
    whole = _listed(args[0] if args else None)
    if whole is not None:
        return _join_listed(cx, name, whole, args, keywords, line)
    views = _parts(cx, args[0] if args else None, line)
    if not views:
        return None
    if keywords.get("axis", args[1] if len(args) > 1 else literal(0)) is NONE:
        return _joined(cx, [flat(cx, v, line) for v in views], 0, keywords, line)
    said = argument(args, keywords, 1, "axis") or literal(0)
    if name in ("vstack", "row_stack"):
        views = [at_least(cx, v, 2) for v in views]
    elif name == "dstack":
        views, said = [at_least(cx, v, 3) for v in views], literal(2)
    elif name == "column_stack":
        views, said = [with_new_dimensions(v, [1]) if v.ndim == 1 else v for v in views], literal(1)
    elif name == "hstack":
        said = literal(1 if views[0].ndim > 1 else 0)
    axis = axis_of(said, views[0].ndim, 0)
    if axis is None or any(v.ndim != views[0].ndim for v in views):
        return cx.unknown(line, f"the axis of {name} is unknown")
    return _joined(cx, views, axis, keywords, line)


def _joined(cx: Context, views: Sequence[View], axis: int, keywords: Keywords, line: int) -> View:
    shape = list(views[0].shape)
    shape[axis] = sum((v.shape[axis] for v in views), ZERO)
    return moved(cx, views, shape, _common(cx, views, keywords, line), line)


def append(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    views = _parts(cx, TupleValue(tuple(_as_list(a) for a in args[:2])), line)
    axis = argument(args, keywords, 2, "axis")
    if len(views) != 2:
        return None
    if axis is None:
        return _joined(cx, [flat(cx, v, line) for v in views], 0, keywords, line)
    place = axis_of(axis, views[0].ndim, 0)
    return None if place is None or views[1].ndim != views[0].ndim else _joined(cx, views, place, keywords, line)


def _as_list(value: Value) -> Value:
    return TupleValue((value,), "list") if isinstance(value, Scalar) else value


def stack(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    whole = _listed(args[0] if args else None)
    views = [row_of(whole, ZERO)] if whole is not None else _parts(cx, args[0] if args else None, line)
    if not views:
        return None
    axis = axis_of(argument(args, keywords, 1, "axis") or literal(0), views[0].ndim + 1, 0)
    if axis is None:
        return cx.unknown(line, "the axis of stack is unknown")
    shape = list(views[0].shape)
    shape.insert(axis, whole.shape[0] if whole is not None else Expr.of(len(views)))
    dtype = _common(cx, views, keywords, line)
    return moved(cx, views if whole is None else [whole], shape, dtype, line)


def block(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.block`` of a list of arrays, or of rows of them."""
    rows = args[0].items if args and isinstance(args[0], TupleValue) else ()
    nested = [_parts(cx, row, line) for row in rows] if all(isinstance(r, TupleValue) for r in rows) else []
    parts = nested or [_parts(cx, args[0] if args else None, line)]
    views = [view for row in parts for view in row]
    if not all(parts) or {view.ndim for view in views} != ({2} if nested else {views[0].ndim}):
        return None
    shape = list(views[0].shape)
    shape[-1] = sum((view.shape[-1] for view in parts[0]), ZERO)
    if nested:
        shape[0] = sum((row[0].shape[0] for row in parts), ZERO)
    return moved(cx, views, shape, _common(cx, views, keywords, line), line)


def tile(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    reps = argument(args, keywords, 1, "reps")
    times = None if reps is None else shape_of(cx, reps, line)
    if times is None:
        return None
    rank = max(view.ndim, len(times))
    shape = (*(ONE,) * (rank - view.ndim), *view.shape)
    times = (*(ONE,) * (rank - len(times)), *times)
    return moved(cx, [view], [a * b for a, b in zip(shape, times, strict=True)], view.dtype, line)


def repeat(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    times = argument(args, keywords, 1, "repeats")
    if not isinstance(times, Scalar):
        return None
    sizes = shape_of(cx, times, line)
    said = argument(args, keywords, 2, "axis")
    axis = axis_of(said, view.ndim, 0)
    if sizes is None or axis is None:
        return None
    if said is None:
        return moved(cx, [view], [total(view.shape) * sizes[0]], view.dtype, line)
    shape = [e * sizes[0] if d == axis else e for d, e in enumerate(view.shape)]
    return moved(cx, [view], shape, view.dtype, line)


def rearrange(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``roll``, ``triu`` …: the result has as many elements as the operand."""
    return moved(cx, [view], view.shape, view.dtype, line)


def rot90(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """An odd number of rotations exchanges the first two extents."""
    count = constant_integer(argument(args, keywords, 1, "k") or literal(1))
    if count is None or argument(args, keywords, 2, "axes") is not None:
        return cx.unknown(line, "the rotation of rot90 is unknown")
    shape = (*view.shape[1::-1], *view.shape[2:]) if count % 2 else view.shape
    return moved(cx, [view], shape, view.dtype, line)


def pad(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    widths = argument(args, keywords, 1, "pad_width")
    if widths is None:
        return None
    added = _widths(widths, view.ndim)
    if added is None:
        return cx.unknown(line, "the widths of a padding are unknown")
    return moved(cx, [view], [e + a for e, a in zip(view.shape, added, strict=True)], view.dtype, line)


def _widths(widths: Value, ndim: int) -> list[Expr] | None:
    """By how much each dimension grows; the widths are one number, a pair, or a pair per dimension."""
    if isinstance(widths, Scalar):
        return None if widths.expr is None else [widths.expr * 2] * ndim
    if not isinstance(widths, TupleValue):
        return None
    pairs = [i for i in widths.items if isinstance(i, TupleValue)]
    if not pairs:
        pairs = [widths]
    sums = [_sum_of_pair(pair) for pair in pairs]
    known = [s for s in sums if s is not None]
    if len(known) != len(sums) or len(known) not in (1, ndim):
        return None
    return known * ndim if len(known) == 1 else known


def _sum_of_pair(pair: TupleValue) -> Expr | None:
    ends = [i.expr for i in pair.items if isinstance(i, Scalar) and i.expr is not None]
    if len(ends) != len(pair.items) or len(ends) not in (1, 2):
        return None
    return ends[0] * 2 if len(ends) == 1 else ends[0] + ends[1]


@dataclass(frozen=True, kw_only=True)
class Join(Function):
    """``np.concatenate([a, b], axis=1)``, ``np.append(a, b)`` and its like."""

    joins_arrays: bool = True
    axis_position: int | None = 1
    moves_only: bool = True
    takes_list: bool = True

    def rank_bounds_by_axes(self, call: Call) -> Iterator[Constraint]:
        if is_method(call):
            return
        needed = rank_for_axis(keyword(call, "axis") or operand(call, 1)) or 1
        first = operands_of(call)[0]
        arrays = () if self.takes_list else operands_of(call)[:2]
        for array in first.items if isinstance(first, syntax.Sequence) else arrays:
            yield array, max(1, needed - self.axis_is_new)


@dataclass(frozen=True, kw_only=True)
class Roll(OfArray):
    axis_position: int | None = 2
    keeps_rank: bool = True
    takes_array: bool = True
    shape_ignores_axis: bool = True

    def layout(self, call: Call) -> Layout | None:
        """Without an axis, ``np.roll(x, k)`` moves elements whatever the rank."""
        return Layout.ELEMENTS if len(call.args) == 2 and not call.keywords else None


JOINING: dict[str, NumpyRule] = {
    **rows("concatenate concat hstack vstack dstack column_stack row_stack", Join(join)),
    **rows("append", Join(append, takes_list=False)),
    **rows("stack", Join(stack, axis_is_new=True)),
    **rows("block", Function(block, joins_arrays=True)),
    **rows("tile", OfArray(tile, takes_array=True, extents_follow=True, moves_only=True)),
    **rows("repeat", OfArray(repeat, takes_array=True, axis_position=2, moves_only=True, is_method=True)),
    **rows("roll", Roll(rearrange)),
    **rows("rot90", OfArray(rot90, keeps_rank=True, takes_array=True, shape_ignores_axis=True)),
    **rows("triu tril", OfArray(rearrange, keeps_rank=True, takes_array=True, shape_ignores_axis=True, least_rank=2)),
    **rows("pad", OfArray(pad, keeps_rank=True, takes_array=True)),
}
