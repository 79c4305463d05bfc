"""Array creation: allocations, copies, ranges, grids and random draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import C16, F8, I8, DType
from roofscan.ir.kinds import OperationKind
from roofscan.parse.inference.operands import is_method
from roofscan.parse.lowering.calls.arguments import argument, dtype_of, flag
from roofscan.parse.lowering.calls.inline import inline
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, scalar
from roofscan.parse.lowering.numpy import allocation
from roofscan.parse.lowering.numpy.array_operations import (
    allocate,
    as_operand,
    copy_into,
    fill,
    from_items,
    library_work,
    row_of,
    stream_read,
)
from roofscan.parse.lowering.numpy.joining import moved, stack
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, rows
from roofscan.parse.lowering.numpy.views import at_least, in_fortran_order, lies_in_order
from roofscan.parse.lowering.values import (
    DTypeValue,
    FunctionRef,
    GeneratedValue,
    Keywords,
    ListedViews,
    ModuleRef,
    NoneValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    exact_number,
    integer,
    literal,
    unknown_integer,
)
from roofscan.parse.syntax import Call, Expression, Slice
from roofscan.symbolic.expr import ZERO, Expr
from roofscan.symbolic.floors import ceil_div


def copy_array(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.array`` and ``copy``: fresh memory, unless ``copy=False`` of ``np.array`` says that it need not be."""
    value = argument(args, keywords, 0, "object") or argument(args, keywords, 0, "a")
    said = argument(args, keywords, 1, "dtype") if name == "array" else keywords.get("dtype")
    if value is None:
        return None
    if not isinstance(value, View):
        return _made_of(cx, value, said, line)
    order = _order(keywords.get("order") if name == "array" else argument(args, keywords, 1, "order"))
    if may_be_itself(keywords):
        return _laid_out(cx, value, said, order, line)
    return _copied(cx, value, dtype_of(cx, said, value.dtype, line), order, line)


def may_be_itself(keywords: Keywords) -> bool:
    """Whether ``copy=False``, or None, leaves an array that is as wanted uncopied."""
    value = keywords.get("copy")
    return isinstance(value, NoneValue) or (isinstance(value, Scalar) and value.number is False)


def _order(value: Value | None) -> str:
    return value.value if isinstance(value, Text) else "K"


def _laid_out(cx: Context, value: View, said: Value | None, order: str, line: int) -> View:
    """An array itself where it has the type and the order, else a copy."""
    dtype = dtype_of(cx, said, value.dtype, line)
    as_wanted = dtype == value.dtype and lies_in_order(cx, value, order)
    return value if as_wanted else _copied(cx, value, dtype, order, line)


def _copied(cx: Context, value: View, dtype: DType, order: str, line: int) -> View:
    made = allocation.copied(cx, value, line, dtype)
    return in_fortran_order(cx, made) if order == "F" else made


_ORDERS = {"ascontiguousarray": "C", "asfortranarray": "F"}


def as_array(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``asarray`` and its like: the array itself where it has the type."""
    value = args[0] if args else keywords.get("a")
    said = argument(args, keywords, 1, "dtype")
    if value is None or (len(args) > 2 and name.startswith("atleast")):
        return None
    if isinstance(value, View):
        order = _ORDERS.get(name) or _order(argument(args, keywords, 2, "order"))
        value = _laid_out(cx, value, said, order, line)
    else:
        value = _made_of(cx, value, said, line)
    if name.startswith("atleast") and isinstance(value, View):
        return at_least(cx, value, int(name[8]))
    return value


def _made_of(cx: Context, value: Value, said: Value | None, line: int) -> Value:
    """An array made of a list, of the items of a comprehension, or of a scalar."""
    if isinstance(value, TupleValue):
        made = from_items(cx, value, line)
        if made is not None:
            return allocation.typed(cx, made, said, line)
        if value.items and all(isinstance(item, View) and item.ndim for item in value.items):
            return stack(cx, "stack", [value], {} if said is None else {"dtype": said}, line) or Unknown(
                "an array of arrays", several=True
            )
        return _unseen(cx, "an array is made of a list whose items are not numbers", line)
    if isinstance(value, ListedViews) and not value.lazy:
        dtype = dtype_of(cx, said, value.whole.dtype, line)
        return moved(cx, [value.whole], value.whole.shape, dtype, line)
    if isinstance(value, GeneratedValue) and not value.lazy:
        view = allocate(cx, (value.length,), dtype_of(cx, said, value.item.dtype, line), line)
        fill(cx, view, value.item, line)
        return view
    if isinstance(value, Scalar):
        return replace(value, dtype=dtype_of(cx, said, value.dtype, line), literal=False, weak=False)
    return _unseen(cx, "an array made of something unknown", line)


def _unseen(cx: Context, why: str, line: int) -> Unknown:
    """An array of which nothing is known."""
    return replace(cx.unknown(line, why, "unseen"), several=True)


def arange(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    said = keywords.get("dtype", next((a for a in args if isinstance(a, (DTypeValue, ModuleRef, Text))), None))
    bounds = [a for a in args if not isinstance(a, (DTypeValue, ModuleRef, Text))]
    scalars = [as_scalar(cx, a, line) for a in bounds]
    scalars += [as_scalar(cx, keywords[k], line) for k in ("start", "stop", "step")[len(scalars) :] if k in keywords]
    if not scalars:
        return None
    length, dtype = _range_of(cx, scalars, line)
    return allocation.written(cx, (length,), dtype_of(cx, said, dtype, line), line)


def _range_of(cx: Context, scalars: list[Scalar], line: int) -> tuple[Expr, DType]:
    start, stop = (scalars[0], scalars[1]) if len(scalars) > 1 else (integer(0), scalars[0])
    step = scalars[2] if len(scalars) > 2 else integer(1)
    dtype = F8 if any(s.dtype.counts for s in (start, stop, step)) else I8
    numbers = [exact_number(s) for s in (start, stop, step)]
    if all(n is not None for n in numbers) and numbers[2]:
        first, last, by = (n for n in numbers if n is not None)
        return Expr.of(max(0, -((first - last) // by))), dtype
    if start.expr is None or stop.expr is None or step.expr is None or not step.expr:
        return allocation.data_length(cx, stop, line), dtype
    length = ceil_div(stop.expr - start.expr, step.expr)
    known = cx.builder.known_value(length)
    return length if known is None or known >= 0 else ZERO, dtype


@dataclass(frozen=True)
class Spacing(NumpyRule):
    """``linspace``: a multiple of the step is added to the start, an estimate of the library's work."""

    operations: tuple[OperationKind, ...]
    _: KW_ONLY
    rank: int | None = 1
    extents_position: int | None = 2

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        shape = allocation.shape_of(cx, argument(args, keywords, 2, "num") or literal(50), line)
        if shape is None:
            return None
        ends = (argument(args, keywords, 0, "start"), argument(args, keywords, 1, "stop"))
        is_complex = any(isinstance(end, (Scalar, View)) and end.dtype.kind == "complex" for end in ends)
        dtype = dtype_of(cx, argument(args, keywords, 5, "dtype"), C16 if is_complex else F8, line)
        for kind in self.operations:
            library_work(cx, kind, F8, line, shape[0])
        made = allocation.written(cx, shape, dtype, line)
        return TupleValue((made, Scalar(F8))) if flag(argument(args, keywords, 4, "retstep")) else made


def indices(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    shape = allocation.shape_of(cx, args[0], line) if args else None
    return None if shape is None else allocation.written(cx, (Expr.of(len(shape)), *shape), I8, line)


def from_function(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.fromfunction``: a function of grids of indices, which are written first."""
    shape = allocation.shape_of(cx, args[1], line) if len(args) == 2 else None
    if shape is None or not isinstance(args[0], FunctionRef):
        return None
    grids = allocation.written(cx, (Expr.of(len(shape)), *shape), dtype_of(cx, keywords.get("dtype"), F8, line), line)
    return inline(cx, args[0], [row_of(grids, Expr.of(k)) for k in range(len(shape))], {}, line)


def meshgrid(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """One array per axis; with ``indexing="xy"`` the first two axes are exchanged."""
    views = [v for v in (as_operand(cx, a, line) for a in args) if isinstance(v, View) and v.ndim == 1]
    if len(views) != len(args) or not views or "sparse" in keywords or "copy" in keywords:
        return None
    indexing = keywords.get("indexing")
    order = list(range(len(views)))
    if len(order) > 1 and not (isinstance(indexing, Text) and indexing.value == "ij"):
        order[0], order[1] = 1, 0
    shape = tuple(views[k].shape[0] for k in order)
    grids = []
    for place, view in enumerate(views):
        lined = replace(
            view,
            shape=tuple(view.shape[0] if order[d] == place else Expr.of(1) for d in range(len(views))),
            axes=tuple(a if a.dim is None else replace(a, dim=order.index(place)) for a in view.axes),
        )
        grid = allocate(cx, shape, view.dtype, line)
        copy_into(cx, grid, lined, line)
        grids.append(grid)
    return TupleValue(tuple(grids), "list")


def grid_of_slices(cx: Context, sparse: bool, items: Sequence[Expression], line: int) -> Value:
    """``np.mgrid[a:b, c:d]`` (one array of all grids) and ``np.ogrid`` (one array per axis)."""
    lengths: list[Expr] = []
    dtype = I8
    for item in items:
        if not isinstance(item, Slice):
            return cx.unknown(line, "an index of a grid is not a slice")
        ends = [integer(0) if e is None else scalar(cx, e) for e in (item.lower, item.upper)]
        step = None if item.step is None else scalar(cx, item.step)
        if step is not None and isinstance(step.number, complex):  # a count, the end included
            length, kind = Expr.of(int(abs(step.number))), F8
        else:
            length, kind = _range_of(cx, [*ends, *([] if step is None else [step])], line)
        lengths.append(length)
        dtype = F8 if kind == F8 else dtype
    if not sparse:
        return allocation.written(cx, (Expr.of(len(lengths)), *lengths) if len(lengths) > 1 else lengths, dtype, line)
    one = Expr.of(1)
    shapes = [[e if d == k else one for d in range(len(lengths))] for k, e in enumerate(lengths)]
    return TupleValue(tuple(allocation.written(cx, shape, dtype, line) for shape in shapes))


def drawn(cx: Context, name: str, line: int, dtype: DType) -> Scalar:
    cx.builder.reason(line, f"the work of {name} (random numbers) is not counted", "hidden")
    return Scalar(dtype, why_unknown="a random number")


@dataclass(frozen=True)
class Random(NumpyRule):
    """Random draws: the result is written, the work of the generator is not counted."""

    _: KW_ONLY
    dtype: DType = F8
    size_position: int = 2
    takes_extents: bool = False  # rand(n, m)

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        dtype = dtype_of(cx, keywords.get("dtype"), self.dtype, line)
        number = drawn(cx, name, line, dtype)
        sizes: Value | None = keywords.get("size")
        if sizes is None and self.takes_extents:
            sizes = TupleValue(tuple(args)) if args else None
        elif sizes is None:
            sizes = args[self.size_position] if len(args) > self.size_position else None
        shape = None if sizes is None else allocation.shape_of(cx, sizes, line)
        if shape is None:
            return number
        return allocation.written(cx, shape, dtype, line)


def generator(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``rng = np.random.default_rng(seed)``: its methods are the functions of ``numpy.random``."""
    return ModuleRef("numpy.random")


def data_array(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A result whose length depends on data; arguments are read once."""
    for view in (a for a in args if isinstance(a, View) and a.ndim):
        stream_read(cx, view, line)
    cx.builder.reason(line, f"the work of {name} is not counted", "lower")
    length = allocation.data_length(cx, unknown_integer(f"a result of {name}"), line)
    dtype = next((a.dtype for a in args if isinstance(a, View)), F8)
    return allocation.written(cx, (length,), dtype_of(cx, keywords.get("dtype"), dtype, line), line)


@dataclass(frozen=True, kw_only=True)
class Copy(Function):
    """``x.copy()``: only arrays have the method."""

    copies: bool = True
    keeps_rank: bool = True
    treats_elements_alike: bool = True
    moves_only: bool = True

    def rank_bound_of_first(self, call: Call) -> int:
        return int(is_method(call))


CREATION: dict[str, NumpyRule] = {
    **rows("zeros ones", allocation.Allocation()),
    **rows("full", allocation.Allocation(has_fill_value=True)),
    **rows("eye tri", allocation.Allocation(has_columns=True)),
    **rows("identity", allocation.Allocation(is_square=True)),
    **rows("empty ndarray", allocation.EMPTY),
    **rows("zeros_like ones_like", allocation.AllocationLike()),
    **rows("full_like", allocation.AllocationLike(has_fill_value=True)),
    **rows("empty_like", allocation.AllocationLike(written=False)),
    **rows(
        "array",
        Function(copy_array, makes_array_of_list=True, keeps_rank=True, treats_elements_alike=True, moves_only=True),
    ),
    **rows("copy", Copy(copy_array, is_method=True)),
    **rows(
        "asarray asanyarray ascontiguousarray asfortranarray require atleast_1d atleast_2d atleast_3d",
        Function(as_array, keeps_rank=True, treats_elements_alike=True, moves_only=True),
    ),
    **rows("arange", Function(arange, rank=1, bounds_may_be_floats=True)),
    **rows("linspace", Spacing(("mul", "add"))),
    **rows("logspace geomspace", Spacing(("mul", "add", "special"))),
    **rows("indices", Function(indices, extents_position=0)),
    **rows("meshgrid", Function(meshgrid, usual_ranks=(1, 1, 1))),
    **rows("fromfunction", Function(from_function, extents_position=1)),
    **rows("fromiter frombuffer hanning hamming blackman bartlett vander", Function(data_array)),
    **rows("default_rng RandomState", Function(generator)),
    **rows("rand randn", Random(takes_extents=True)),
    **rows("random random_sample standard_normal", Random(size_position=0)),
    **rows("uniform normal exponential standard_exponential poisson binomial lognormal laplace", Random()),
    **rows("randint integers", Random(dtype=I8)),
}
