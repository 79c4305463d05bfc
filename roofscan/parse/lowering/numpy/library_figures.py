"""Library calls whose work is a figure of the literature, or depends on data: read once, written once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from roofscan.ir.dtypes import I8, DType
from roofscan.parse.lowering.calls.arguments import argument, axes_of, axis_of, flag
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import data_length, shape_of, written
from roofscan.parse.lowering.numpy.array_operations import as_operand, fill, library_work, stream_read, total
from roofscan.parse.lowering.numpy.reductions import result_type
from roofscan.parse.lowering.numpy.table import TABLE
from roofscan.parse.lowering.values import (
    Keywords,
    NoneValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    literal,
    unknown_integer,
)
from roofscan.symbolic.expr import ONE, Expr, apply, minimum

FORMULAS: dict[str, Callable[[Expr, Expr, Expr], Expr]] = {
    "n**3/3": lambda m, n, rhs: n**3 / 3,
    "2*n**2*rhs": lambda m, n, rhs: 2 * n**2 * rhs,
    "n**2*rhs": lambda m, n, rhs: n**2 * rhs,
    "2*n**3/3 + 2*n**2*rhs": lambda m, n, rhs: n**3 * Fraction(2, 3) + 2 * n**2 * rhs,
    "2*n**3": lambda m, n, rhs: 2 * n**3,
    "2*n**3/3": lambda m, n, rhs: n**3 * Fraction(2, 3),
    "2*m*n**2 - 2*n**3/3": lambda m, n, rhs: 2 * m * n**2 - n**3 * Fraction(2, 3),
    "9*n**3": lambda m, n, rhs: 9 * n**3,
    "4*n**3/3": lambda m, n, rhs: n**3 * Fraction(4, 3),
    "25*n**3": lambda m, n, rhs: 25 * n**3,
    "10*n**3": lambda m, n, rhs: 10 * n**3,
    "20*n**3": lambda m, n, rhs: 20 * n**3,
    "14*m*n**2 + 8*n**3": lambda m, n, rhs: 14 * m * n**2 + 8 * n**3,
    "14*m*n**2 + 8*n**3 + 2*m*n**2": lambda m, n, rhs: 16 * m * n**2 + 8 * n**3,
}
"""The figures of the table as functions of the sizes."""


def figure(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A factorization, a solve or a transform: its figure, half of it products and half sums."""
    operands = [v for v in (as_operand(cx, a, line) for a in args[:2]) if isinstance(v, View) and v.ndim]
    if not operands:
        return None
    row = TABLE[name]
    if "log2" in row.figure:
        return _transform(cx, name, operands[0], args, keywords, line)
    matrix = operands[0]
    if matrix.ndim < 2:
        return None
    dtype = result_type("float", matrix.dtype)
    rows, columns = matrix.shape[-2:]
    right = operands[1] if len(operands) > 1 else None
    solves = name in _SOLVERS and right is not None
    rhs = right.shape[-1] if solves and right is not None and right.ndim > 1 else ONE
    m, n = (rows, columns) if "m" in row.figure else (rows, rows)
    work = FORMULAS[row.figure](m, minimum(m, n), rhs) * total(matrix.shape[:-2])
    _charge(cx, name, row.figure, dtype, work, line)
    for view in operands if solves else [matrix]:
        stream_read(cx, view, line)
    return _results(cx, name, matrix, right if solves else None, args, keywords, line)


_SOLVERS = frozenset({"solve", "cho_solve", "lu_solve", "solve_triangular", "lstsq"})


def _charge(cx: Context, name: str, formula: str, dtype: DType, work: Expr, line: int) -> None:
    cx.builder.reason(line, f"{name} is counted by its library figure {formula}", "lower")
    scale = 4 if dtype.kind == "complex" else 1
    for kind in ("mul", "add"):
        library_work(cx, kind, dtype, line, work * scale / 2, "lapack")


def _results(
    cx: Context, name: str, matrix: View, right: View | None, args: list[Value], keywords: Keywords, line: int
) -> Value:
    """What the call returns, each array written once."""
    shape, (m, n) = matrix.shape, matrix.shape[-2:]
    batch, k = shape[:-2], minimum(m, n)
    dtype = result_type(TABLE[name].dtype, result_type("float", matrix.dtype))
    real = result_type("real", dtype)

    def made(*extents: Expr, of: DType = dtype) -> View:
        return written(cx, (*batch, *extents), of, line)

    if right is not None:
        solution = written(cx, (*batch, n, *right.shape[1:]) if right.ndim > 1 else (n,), dtype, line)
        return (
            TupleValue((solution, Unknown("residuals"), Unknown("a rank"), made(k, of=real)))
            if name == "lstsq"
            else solution
        )
    if name in ("cho_solve", "lu_solve"):
        return Unknown(f"a result of {name}")
    if name in ("det", "slogdet"):
        one = Scalar(dtype) if not batch else made()
        return one if name == "det" else TupleValue((one, one))
    if name in ("eigh", "eig"):
        return TupleValue((made(n, of=real if name == "eigh" else dtype), made(n, n)))
    if name in ("eigvalsh", "eigvals"):
        return made(n, of=dtype)
    if name == "qr":
        return TupleValue((made(m, k), made(k, n)))
    if name == "svd":
        full = keywords.get("full_matrices", args[1] if len(args) > 1 else None)
        thin = isinstance(full, Scalar) and full.number is False
        values = made(k, of=real)
        if isinstance(keywords.get("compute_uv"), Scalar) and not flag(keywords["compute_uv"]):
            return values
        return TupleValue((made(m, k if thin else m), values, made(k if thin else n, n)))
    if name == "lu":
        return TupleValue((made(m, m), made(m, k), made(k, n)))
    if name in ("lu_factor", "cho_factor"):
        return TupleValue((made(m, n), Unknown("pivots")))
    return made(n, m) if name == "pinv" else made(m, n)


def _transform(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value:
    """A fast Fourier transform along some axes: 5 N log2 N for N points (half of that for real input)."""
    if name.endswith(("2", "n")):
        axes = axes_of(keywords.get("axes"), view.ndim) if not name.endswith("2") else list(range(view.ndim))[-2:]
    else:
        place = axis_of(argument(args, keywords, 2, "axis"), view.ndim, -1)
        axes = None if place is None else [place]
    size = argument(args, keywords, 1, "n") if not name.endswith(("2", "n")) else keywords.get("s")
    lengths = None if size is None else shape_of(cx, size, line)
    if axes is None or (lengths is not None and len(lengths) != len(axes)):
        return cx.unknown(line, f"{name} along axes that are not known")
    shape = list(view.shape)
    for axis, length in zip(axes, lengths or ()):
        shape[axis] = length
    last = axes[-1]
    if name.startswith("irfft") and lengths is None:
        shape[last] = (shape[last] - 1) * 2
    halved = "rfft" in name or name in ("hfft", "ihfft")
    dtype = result_type(TABLE[name].dtype, view.dtype)
    points = total([shape[a] for a in axes])
    logarithm = apply("log2", [points]) if points.constant != 0 else ONE
    work = total(shape) * logarithm * Fraction(5, 2 if halved else 1)
    cx.builder.reason(line, f"{name} is counted by its library figure {TABLE[name].figure}", "lower")
    for kind in ("mul", "add"):
        library_work(cx, kind, result_type("real", dtype), line, work / 2)
    stream_read(cx, view, line)
    if halved and not name.startswith("irfft"):
        shape[last] = shape[last] // 2 + 1
    return written(cx, shape, dtype, line)


# -- sorting and searching ------------------------------------------------------------------------


def _by_data(cx: Context, name: str, views: Sequence[View], line: int) -> None:
    for view in views:
        stream_read(cx, view, line)
    cx.builder.reason(line, f"the work of {name} depends on data and is not counted in FLOPs", "uncounted")


def _views(cx: Context, args: list[Value], line: int) -> list[View]:
    return [v for v in (as_operand(cx, a, line) for a in args) if isinstance(v, View) and v.ndim]


def sort(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """As many elements out as in."""
    views = _views(cx, args[:1] if name not in ("isin", "in1d") else args[:2], line)
    if not views:
        return None
    _by_data(cx, name, views, line)
    return written(cx, views[0].shape, result_type(TABLE[name].dtype, views[0].dtype), line)


def sorted_in_place(cx: Context, name: str, view: View, line: int) -> None:
    _by_data(cx, name, [view], line)
    fill(cx, view, Scalar(view.dtype), line)


def search(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``searchsorted(table, values)`` and ``digitize(values, table)``: a place for each value."""
    table, values = args[:2] if len(args) > 1 else (None, None)
    if name == "digitize":
        table, values = values, table
    views = _views(cx, [v for v in (table, values) if v is not None], line)
    _by_data(cx, name, views, line)
    if isinstance(values, View) and values.ndim:
        return written(cx, values.shape, I8, line)
    return unknown_integer(f"a place that {name} finds")


def by_data(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``unique``, ``nonzero`` …: the length of the result depends on data."""
    views = _views(cx, args, line)
    if not views:
        return None
    _by_data(cx, name, views, line)
    length = data_length(cx, unknown_integer(f"a result of {name}"), line)
    dtype = result_type(TABLE[name].dtype, views[0].dtype)
    if name == "nonzero":
        return TupleValue(tuple(written(cx, (length,), I8, line) for _ in range(views[0].ndim)))
    if name == "argwhere":
        return written(cx, (length, Expr.of(views[0].ndim)), I8, line)
    extra = [k for k in ("return_index", "return_inverse", "return_counts") if flag(keywords.get(k))]
    weights = keywords.get("weights")
    if name == "bincount" and isinstance(weights, View):
        cx.builder.reason(line, "bincount adds its weights: at most one addition an element", "upper")
        library_work(cx, "add", weights.dtype, line, total(weights.shape))
        stream_read(cx, weights, line)
        dtype = weights.dtype
    first = written(cx, (length,), dtype, line)
    if not extra:
        return first
    rest = [written(cx, views[0].shape if k == "return_inverse" else (length,), I8, line) for k in extra]
    return TupleValue((first, *rest))


def histogram(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Counts (or sums of weights) by bins, and their edges; what the library computes on the way is not counted."""
    views = _views(cx, args[:1], line)
    weights = argument(args, keywords, 4, "weights")
    bins = argument(args, keywords, 1, "bins") or literal(10)
    if not views:
        return None
    _by_data(cx, name, [*views, *([weights] if isinstance(weights, View) else [])], line)
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
    _by_data(cx, name, views, line)
    cx.builder.reason(line, f"the interpolation inside {name} is not counted", "lower")
    keep = flag(keywords.get("keepdims"))
    kept = [ONE if d in axes else e for d, e in enumerate(views[0].shape) if keep or d not in axes]
    wanted = as_operand(cx, args[1], line) if position == 2 and len(args) > 1 else None
    shape = [*(wanted.shape if isinstance(wanted, View) else ()), *kept]
    dtype = result_type("float", views[0].dtype)
    return written(cx, shape, dtype, line) if shape else Scalar(dtype, why_unknown=f"a {name} of data")
