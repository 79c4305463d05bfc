"""Differences, sums of products and their like, counted by their definitions: operands read once, results written
once."""

from __future__ import annotations

from fractions import Fraction

from roofscan.ir.dtypes import F8, promote
from roofscan.ir.kinds import OperationKind
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.attributes import view_attribute
from roofscan.parse.lowering.calls.arguments import argument, axes_of, axis_of, constant_integer, flag
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import copied, written
from roofscan.parse.lowering.numpy.array_operations import (
    as_operand,
    elementwise,
    library_arithmetic,
    library_work,
    read_arrays,
    stream_read,
    total,
)
from roofscan.parse.lowering.numpy.broadcasting import broadcast
from roofscan.parse.lowering.numpy.contractions import matmul
from roofscan.parse.lowering.numpy.reductions import MEAN, SUM, reduce_view
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, OfArray, result_type, rows
from roofscan.parse.lowering.numpy.ufuncs import map_elements
from roofscan.parse.lowering.numpy.views import at_least, diagonal_of, part, with_new_dimensions
from roofscan.parse.lowering.operators import update_in_place
from roofscan.parse.lowering.values import Keywords, Scalar, Text, TupleValue, Value, View, literal
from roofscan.symbolic.expr import ONE, Expr
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import floor_div

_SCALES = ("bias", "ddof", "rowvar")


def covariance(cx: Context, name: str, value: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.cov`` and ``np.corrcoef`` of one array of m variables by n observations. A covariance is 2*m**2*n + 2*m*n
    + m**2 + m + 1 FLOPs: means, differences, the product with its transpose, one division, a multiplication per
    element."""
    if not 1 <= value.ndim <= 2 or len(args) > 1 or keywords.keys() - set(_SCALES):
        return None
    by_columns = keywords.get("rowvar")
    by_rows = by_columns is None or flag(by_columns)
    rows: Value = at_least(cx, value, 2)
    if value.ndim == 2 and not by_rows:
        rows = view_attribute(cx, value, "T", line)
    assert isinstance(rows, View)
    centred = copied(cx, rows, line, result_type("float", rows.dtype))
    mean = reduce_view(cx, "mean", MEAN, centred, literal(1), line, keepdims=True)
    update_in_place(cx, "-", centred, mean, line)
    product = matmul(cx, centred, view_attribute(cx, centred, "T", line), line)
    assert isinstance(product, View)
    library_work(cx, "div", product.dtype, line, ONE)
    update_in_place(cx, "*", product, Scalar(product.dtype, weak=True), line)
    if name == "corrcoef":
        _correlate(cx, product, line)
    return product


def _correlate(cx: Context, product: View, line: int) -> None:
    """Divides by the standard deviations of both variables, and clips to -1 and 1."""
    diagonal = diagonal_of(cx, product, 0)
    deviations = None if diagonal is None else map_elements(cx, "sqrt", [diagonal], line)
    if not isinstance(deviations, View):
        return
    for column in (with_new_dimensions(deviations, [1]), deviations):
        update_in_place(cx, "/", product, column, line)
    for bound in ("minimum", "maximum"):
        map_elements(cx, bound, [product, literal(1.0)], line, product)


STATISTICS: dict[str, NumpyRule] = {**rows("cov corrcoef", OfArray(covariance, takes_array=True, least_rank=2))}


def diff(cx: Context, name: str, value: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``diff`` of order n: n times the difference of two views."""
    order = constant_integer(argument(args, keywords, 1, "n") or literal(1))
    if not value.ndim or order is None or not 0 <= order <= 8:
        return None
    if keywords.keys() - {"axis", "n"}:
        return None
    axis = axis_of(argument(args, keywords, 2, "axis"), value.ndim, -1)
    if axis is None:
        return None
    result: Value = value
    for _ in range(order):
        if not isinstance(result, View):
            return None
        length = result.shape[axis] - 1
        high, low = part(result, axis, Expr.of(1), length), part(result, axis, Expr.of(0), length)
        result = elementwise(cx, [high, low], line, lambda s: arithmetic.binary(cx, "-", s[0], s[1], line), name)
    return result


def gradient(cx: Context, name: str, value: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A difference and a division per element and axis."""
    axes = axes_of(keywords.get("axis"), value.ndim)
    if axes is None:
        return None
    if any(isinstance(a, View) and a.ndim for a in args[1:]):
        return cx.unknown(line, "the gradient on unevenly spaced points is not counted")
    dtype = result_type("float", value.dtype)
    parts: list[Value] = []
    for _ in axes:
        for op in ("-", "/"):
            library_arithmetic(cx, op, dtype, line, total(value.shape))
        stream_read(cx, value, line)
        parts.append(written(cx, value.shape, dtype, line))
    return parts[0] if len(parts) == 1 else TupleValue(tuple(parts), "list")


def trapezoid(cx: Context, name: str, value: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A sum of mean heights times widths: two additions, a multiplication and a division per interval, and
    a subtraction where the points are given."""
    points = argument(args, keywords, 1, "x")
    if not value.ndim:
        return None
    axis = axis_of(argument(args, keywords, 3, "axis"), value.ndim, -1)
    if axis is None:
        return None
    dtype = result_type("float", value.dtype)
    kept = [e for d, e in enumerate(value.shape) if d != axis]
    intervals = total(kept) * (value.shape[axis] - 1)
    stream_read(cx, value, line)
    if isinstance(points, View):
        stream_read(cx, points, line)
        library_arithmetic(cx, "-", points.dtype, line, total(points.shape[:-1]) * (points.shape[-1] - 1))
    for op in ("+", "*", "/", "+"):
        library_arithmetic(cx, op, dtype, line, intervals)
    return written(cx, kept, dtype, line) if kept else Scalar(dtype)


def convolve(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A multiplication and an addition for each pair of elements that overlap."""
    views = [v for v in (as_operand(cx, a, line) for a in args[:2]) if isinstance(v, View) and v.ndim == 1]
    if len(views) != 2:
        return None
    mode = argument(args, keywords, 2, "mode")
    word = mode.value if isinstance(mode, Text) else "full" if name == "convolve" else "valid"
    n, k = maximum(*(v.shape[0] for v in views)), minimum(*(v.shape[0] for v in views))
    if n.atoms:
        n, k = views[0].shape[0], views[1].shape[0]
        cx.builder.assume(f"the first operand of {name} is the longer one (line {line})")
    dtype = promote(views[0].dtype, views[1].dtype)
    left, right = floor_div(k - 1, Expr.of(2)), floor_div(k, Expr.of(2))
    pairs = {"full": n * k, "valid": (n - k + 1) * k, "same": n * k - _triangle(left) - _triangle(right)}
    lengths = {"full": n + k - 1, "valid": n - k + 1, "same": n}
    if word not in pairs:
        return None
    for op in ("*", "+"):
        library_arithmetic(cx, op, dtype, line, pairs[word])
    read_arrays(cx, views, line)
    return written(cx, (lengths[word],), dtype, line)


def _triangle(size: Expr) -> Expr:
    return size * (size + 1) * Fraction(1, 2)


def interp(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A slope and a step per point; points outside the table cost less."""
    operands = [as_operand(cx, a, line) for a in args[:3]]
    points, table = (operands[0], operands[1:]) if len(operands) == 3 else (None, [])
    tables = [t for t in table if isinstance(t, View)]
    if not isinstance(points, (View, Scalar)) or len(tables) != 2:
        return None
    cx.builder.reason(line, "interp is counted as if all points were inside the table", "upper")
    shape = points.shape if isinstance(points, View) else ()
    parts: tuple[tuple[OperationKind, int], ...] = (("sub", 3), ("div", 1), ("mul", 1), ("add", 1))
    for kind, each in parts:
        library_work(cx, kind, F8, line, total(shape) * each)
    for view in (points, *tables):
        if isinstance(view, View):
            stream_read(cx, view, line)
    return written(cx, shape, F8, line) if shape else Scalar(F8)


def cross(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Six multiplications and three subtractions per pair of vectors (two and one in the plane)."""
    views = [v for v in (as_operand(cx, a, line) for a in args[:2]) if isinstance(v, View) and v.ndim]
    if len(views) != 2:
        return None
    sizes = [v.shape[-1].constant for v in views]
    known = {s for s in sizes if s is not None}
    if not known:
        cx.builder.assume(f"the vectors of the cross product in line {line} have three elements")
    plane = known == {2}
    dtype = promote(views[0].dtype, views[1].dtype)
    kept = broadcast(cx, [v.shape[:-1] for v in views], line)
    library_arithmetic(cx, "*", dtype, line, total(kept) * (2 if plane else 6))
    library_arithmetic(cx, "-", dtype, line, total(kept) * (1 if plane else 3))
    read_arrays(cx, views, line)
    shape = kept if plane else (*kept, Expr.of(3))
    return written(cx, shape, dtype, line) if shape else Scalar(dtype)


def trace(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    offset = constant_integer(argument(args, keywords, 1, "offset") or literal(0))
    line_of = diagonal_of(cx, view, offset) if offset is not None else None
    return None if line_of is None else reduce_view(cx, "sum", SUM, line_of, literal(-1), line)


def polyval(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """Horner's rule: a multiplication and an addition per coefficient."""
    operands = [as_operand(cx, a, line) for a in args[:2]]
    if len(operands) != 2 or not isinstance(operands[0], View) or not isinstance(operands[1], (View, Scalar)):
        return None
    coefficients, points = operands
    assert isinstance(coefficients, View) and isinstance(points, (View, Scalar))
    shape = points.shape if isinstance(points, View) else ()
    dtype = result_type("float", promote(coefficients.dtype, points.dtype))
    for op in ("*", "+"):
        library_arithmetic(cx, op, dtype, line, total(shape) * coefficients.shape[0])
    for view in (coefficients, points):
        if isinstance(view, View):
            stream_read(cx, view, line)
    return written(cx, shape, dtype, line) if shape else Scalar(dtype)


def softmax(cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """A maximum, a subtraction, an exponential, an addition and a division per element."""
    dtype = result_type("float", view.dtype)
    for kind in ("minmax", "sub", "special", "add", "div"):
        library_work(cx, kind, dtype, line, total(view.shape))
    for _ in range(2):
        stream_read(cx, view, line)
    return written(cx, view.shape, dtype, line)


CALCULUS: dict[str, NumpyRule] = {
    **rows("diff ediff1d", OfArray(diff, takes_array=True, axis_position=2)),
    **rows("gradient", OfArray(gradient, takes_array=True)),
    **rows("trapezoid trapz", OfArray(trapezoid, takes_array=True)),
    **rows("convolve correlate", Function(convolve, takes_array=True, ranks=(1, 1))),
    **rows("interp", Function(interp, ranks=(0, 1, 1), usual_ranks=(1,))),
    **rows("cross", Function(cross, full_rank_operands=2, usual_ranks=(2, 2))),
    **rows("trace", OfArray(trace, ranks=(2,), is_method=True)),
    **rows("polyval", Function(polyval, usual_ranks=(1, 1))),
    **rows("softmax", OfArray(softmax, keeps_rank=True, takes_array=True)),
}
