"""Array manipulation without joining: reshape, transpose, flip, diagonals and splits. Most results are views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.assumption import Assumption
from roofscan.parse import syntax
from roofscan.parse.inference.operands import keyword, operands_of, rank_for_axis
from roofscan.parse.inference.rule import Constraint, RankOf
from roofscan.parse.lowering.attributes import transpose
from roofscan.parse.lowering.calls.arguments import argument, axes_of, axis_of, constant_integer, constant_integers
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy import views
from roofscan.parse.lowering.numpy.allocation import copied, shape_of
from roofscan.parse.lowering.numpy.array_operations import allocate, copy_into, fill
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, OfArray, rows
from roofscan.parse.lowering.values import Axis, Keywords, Scalar, TupleValue, Value, View, literal
from roofscan.parse.syntax import Call
from roofscan.symbolic.expr import ONE, ZERO, Expr

MAX_PARTS = 64  # the largest number of parts into which an array is split


def reshape(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    wanted: Value = TupleValue(tuple(args[1:])) if len(args) > 2 else args[1] if len(args) > 1 else literal(-1)
    wanted = keywords.get("newshape", keywords.get("shape", wanted))
    shape = shape_of(cx, wanted, line)
    if shape is None:
        return None
    view = views.in_order(cx, args[0], keywords.get("order"))
    if view is args[0]:
        return views.reshaped(cx, view, shape, line)
    return views.backwards(views.reshaped(cx, view, shape[::-1], line))


def ravel(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    return views.flat(cx, views.in_order(cx, args[0], argument(args, keywords, 1, "order")), line)


def flatten(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    return views.flat(cx, copied(cx, views.in_order(cx, args[0], argument(args, keywords, 1, "order")), line), line)


def transposed(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    if not args or not isinstance(args[0], View):
        return None
    view = args[0]
    said = keywords.get("axes", args[1] if len(args) == 2 else TupleValue(tuple(args[1:])) if len(args) > 2 else None)
    order = constant_integers(said) if isinstance(said, TupleValue) else None
    if order is None or len(order) != view.ndim:
        order = list(reversed(range(view.ndim)))
    return transpose(view, tuple(o % view.ndim for o in order))


def matrix_transpose(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = args[0] if args else None
    ndim = view.ndim if isinstance(view, View) else 0
    return transpose(view, (*range(ndim - 2), ndim - 1, ndim - 2)) if isinstance(view, View) else None


def swapaxes(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = args[0] if args else None
    if not isinstance(view, View):
        return None
    a, b = (axis_of(argument(args, keywords, k, f"axis{k}"), view.ndim, 0) for k in (1, 2))
    if a is None or b is None:
        return cx.unknown(line, "the axes of swapaxes are unknown")
    places = list(range(view.ndim))
    places[a], places[b] = places[b], places[a]
    return transpose(view, tuple(places))


def moveaxis(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = args[0] if args else None
    if not isinstance(view, View):
        return None
    sources = axes_of(argument(args, keywords, 1, "source"), view.ndim)
    targets = axes_of(argument(args, keywords, 2, "destination"), view.ndim)
    if sources is None or targets is None or len(sources) != len(targets) or name != "moveaxis":
        return cx.unknown(line, f"the axes of {name} are unknown")
    order = [d for d in range(view.ndim) if d not in sources]
    for target, source in sorted(zip(targets, sources, strict=True)):
        order.insert(target, source)
    return transpose(view, tuple(order))


def flip(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``flip`` and its like, whose name gives the axis: a view with a negative step."""
    axis = argument(args, keywords, 1, "axis") if name == "flip" else literal(int(name == "fliplr"))
    flipped = axes_of(axis, view.ndim)
    if flipped is None:
        return cx.unknown(line, "the axis of a flip is unknown")
    return replace(view, axes=tuple(_reversed(a, view.shape) if a.dim in flipped else a for a in view.axes))


def _reversed(axis: Axis, shape: Sequence[Expr]) -> Axis:
    if axis.offset is None or axis.dim is None:
        return axis
    return replace(axis, offset=axis.offset + axis.step * (shape[axis.dim] - 1), step=-axis.step)


def expand_dims(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    numbers = constant_integers(argument(args, keywords, 1, "axis"))
    if numbers is None:
        return None
    return views.with_new_dimensions(view, [n % (view.ndim + len(numbers)) for n in numbers])


def squeeze(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view = args[0] if args else None
    if not isinstance(view, View):
        return view
    said = argument(args, keywords, 1, "axis")
    if said is None:
        return views.without_dimensions(view, [d for d, e in enumerate(view.shape) if e == ONE])
    axes = axes_of(said, view.ndim)
    return None if axes is None else views.without_dimensions(view, axes)


def broadcast_to(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    said = argument(args, keywords, 1, "shape")
    shape = None if said is None else shape_of(cx, said, line)
    if shape is None or len(shape) < view.ndim:
        return None
    skip = len(shape) - view.ndim
    axes = tuple(
        a if a.dim is None else replace(a, dim=None) if view.shape[a.dim] == ONE else replace(a, dim=a.dim + skip)
        for a in view.axes
    )
    return replace(view, shape=shape, axes=axes)


def diagonal(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    offset = constant_integer(argument(args, keywords, 1, "offset") or literal(0))
    if offset is None or view.ndim < 2:
        return None
    first = axis_of(argument(args, keywords, 2, "axis1"), view.ndim, 0)
    second = axis_of(argument(args, keywords, 3, "axis2"), view.ndim, 1)
    return None if first is None or second is None else views.diagonal_of(cx, view, offset, first, second)


@dataclass(frozen=True, kw_only=True)
class Diagonal(OfArray):
    """``diag``: the diagonal of a matrix, or the matrix of a diagonal."""

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        first = rank_of(operands_of(call)[0]) if operands_of(call) else None
        return None if first is None else self.rank_of_first(call, first)

    def rank_of_first(self, call: Call, result: int) -> int | None:
        return {1: 2, 2: 1}.get(result)


def diag(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``diag``: the diagonal matrix of a vector, written in full, or the diagonal of a matrix, a view."""
    offset = constant_integer(argument(args, keywords, 1, "k") or literal(0))
    if offset is None or not view.ndim:
        return None
    if view.ndim > 1:
        return views.diagonal_of(cx, view, offset)
    size = view.shape[0] + abs(offset)
    made = allocate(cx, (size, size), view.dtype, line)
    fill(cx, made, Scalar(view.dtype), line)
    target = views.diagonal_of(cx, made, offset)
    if target is not None:
        copy_into(cx, target, view, line)
    return made


def split(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``split`` into equal parts, ``array_split`` into nearly equal ones, or at indices: consecutive views."""
    said = argument(args, keywords, 1, "indices_or_sections")
    default = {"hsplit": 1, "dsplit": 2}.get(name, 0)
    if said is None:
        return None
    axis = axis_of(argument(args, keywords, 2, "axis"), view.ndim, min(default, view.ndim - 1))
    if axis is None:
        return None
    extent = view.shape[axis]
    ends = _ends_of_parts(said, extent) if name == "array_split" else _ends_of_equal(cx, said, extent, line)
    if ends is None:
        return None
    starts = [ZERO, *ends[:-1]]
    return TupleValue(tuple(views.part(view, axis, a, b - a) for a, b in zip(starts, ends, strict=True)), "list")


def _ends_of_equal(cx: Context, said: Value, extent: Expr, line: int) -> list[Expr] | None:
    """The ends of equal parts; NumPy rejects an extent that is not divisible."""
    count = constant_integer(said)
    if count is None or not 1 <= count <= MAX_PARTS:
        return _ends_of_parts(said, extent)
    if extent.constant is None and count > 1:
        cx.builder.assume(Assumption(str(cx.builder.resolve(extent)), f"a multiple of {count} (line {line})"))
    return [extent // count * (k + 1) for k in range(count)]


def _ends_of_parts(said: Value, extent: Expr) -> list[Expr] | None:
    """The ends of parts; where the extent is not divisible, the first parts are longer by one."""
    if isinstance(said, TupleValue):
        places = [i.expr for i in said.items if isinstance(i, Scalar) and i.expr is not None]
        return [*places, extent] if len(places) == len(said.items) else None
    count = constant_integer(said)
    if count is None or not 1 <= count <= MAX_PARTS:
        return None
    lengths = [(extent + (count - 1 - k)) // count for k in range(count)]
    return [sum(lengths[: k + 1], ZERO) for k in range(count)]


def same(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    return args[0] if args else None


@dataclass(frozen=True, kw_only=True)
class Reshape(Function):
    extents_follow: bool = True
    moves_only: bool = True

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        """``x.reshape(n, m)`` and ``x.reshape((n, m))``."""
        sizes = operands_of(call)[1:]
        if len(sizes) == 1:
            return len(sizes[0].items) if isinstance(sizes[0], syntax.Sequence) else None
        return len(sizes) or None


@dataclass(frozen=True, kw_only=True)
class Transpose(Function):
    keeps_rank: bool = True
    moves_only: bool = True

    def rank_bounds_by_axes(self, call: Call) -> Iterator[Constraint]:
        """``x.transpose(2, 0, 1)`` and ``np.transpose(x, (2, 0, 1))`` name every axis."""
        first, *others = operands_of(call)
        axes = keyword(call, "axes") or (others[0] if len(others) == 1 else None)
        order = axes.items if isinstance(axes, syntax.Sequence) else others
        if len(order) > 1:
            yield first, len(order)


@dataclass(frozen=True, kw_only=True)
class AxisExchange(Function):
    keeps_rank: bool = True
    moves_only: bool = True

    def rank_bounds_by_axes(self, call: Call) -> Iterator[Constraint]:
        """``np.moveaxis(x, 0, 2)``: two axes at least."""
        first, *others = operands_of(call)
        yield first, max([2, *filter(None, map(rank_for_axis, others))])


MANIPULATION: dict[str, NumpyRule] = {
    **rows("reshape", Reshape(reshape, is_method=True)),
    **rows("ravel", Function(ravel, rank=1, takes_array=True, moves_only=True, is_method=True)),
    **rows("flatten", Function(flatten, rank=1, takes_array=True, moves_only=True, is_method=True)),
    **rows("transpose permute_dims", Transpose(transposed), methods="transpose"),
    **rows("matrix_transpose", Transpose(matrix_transpose)),
    **rows("swapaxes", AxisExchange(swapaxes, is_method=True)),
    **rows("moveaxis rollaxis", AxisExchange(moveaxis)),
    **rows("squeeze", Function(squeeze, moves_only=True, is_method=True)),
    **rows("expand_dims", OfArray(expand_dims, axis_position=1, axis_is_new=True, moves_only=True)),
    **rows("broadcast_to", OfArray(broadcast_to, extents_follow=True, moves_only=True)),
    **rows("flip fliplr flipud", OfArray(flip, keeps_rank=True, takes_array=True, axis_position=1, moves_only=True)),
    **rows("diagonal", OfArray(diagonal, ranks=(2,), moves_only=True, is_method=True)),
    **rows("diag", Diagonal(diag, moves_only=True, usual_ranks=(2,))),
    **rows("split array_split hsplit vsplit", OfArray(split, axis_position=2, moves_only=True)),
    **rows("real_if_close", Function(same, keeps_rank=True, moves_only=True)),
}
