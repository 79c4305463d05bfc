"""Covariances, counted as NumPy computes them: centre the variables, multiply them, scale the product."""

from __future__ import annotations

from roofscan.parse.lowering.attributes import view_attribute
from roofscan.parse.lowering.calls.arguments import flag
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import copied
from roofscan.parse.lowering.numpy.array_operations import as_operand, library_work
from roofscan.parse.lowering.numpy.contractions import matmul
from roofscan.parse.lowering.numpy.reductions import MEAN, reduce_view
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, result_type, rows
from roofscan.parse.lowering.numpy.ufuncs import map_elements
from roofscan.parse.lowering.numpy.views import at_least, diagonal_of, with_new_dimensions
from roofscan.parse.lowering.operators import update_in_place
from roofscan.parse.lowering.values import Keywords, Scalar, Value, View, literal
from roofscan.symbolic.expr import ONE

_SCALES = ("bias", "ddof", "rowvar")


def covariance(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.cov`` and ``np.corrcoef`` of one array of m variables by n observations: 2*m**2*n + 2*m*n + m**2 + m + 1."""
    value = as_operand(cx, args[0], line) if args else None
    if not isinstance(value, View) or not 1 <= value.ndim <= 2 or len(args) > 1 or keywords.keys() - set(_SCALES):
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
    """Divide by the standard deviations of both variables, and clip to -1 and 1."""
    diagonal = diagonal_of(cx, product, 0)
    deviations = None if diagonal is None else map_elements(cx, "sqrt", [diagonal], line)
    if not isinstance(deviations, View):
        return
    for column in (with_new_dimensions(deviations, [1]), deviations):
        update_in_place(cx, "/", product, column, line)
    for bound in ("minimum", "maximum"):
        map_elements(cx, bound, [product, literal(1.0)], line, product)


STATISTICS: dict[str, NumpyRule] = {**rows("cov corrcoef", Function(covariance, takes_array=True, least_rank=2))}
