"""Selections by arrays: boolean masks, and arrays of subscripts. Their elements stand where the data says."""

from __future__ import annotations

from roofscan.ir.expr import Expr
from roofscan.ir.kernel import Access
from roofscan.parse.lower.arrays import nest, temporary
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.expressions import as_scalar
from roofscan.parse.lower.subscripts import element, read, write
from roofscan.parse.lower.values import Scalar, Value, View
from roofscan.parse.syntax import Expression, Slice


def select(cx: Context, base: View, items: tuple[Expression, ...], line: int) -> Value:
    """``base[mask]`` or ``base[idx]``: reads the index, then the elements, and writes the result."""
    shape, indices = _selected(cx, base, items, line)
    result = temporary(cx, shape, base.dtype, line, cx.builder.open_variables)

    def body(places: list[Expr]) -> None:
        for index in indices:
            if index.dtype.kind != "bool":
                read(cx, element(index, places[: index.ndim]), line)
        value = _gather(cx, base, line, write=False)
        write(cx, element(result, places), value, line)

    nest(cx, shape, line, body)
    return result


def select_store(cx: Context, base: View, items: tuple[Expression, ...], value: Value, line: int) -> None:
    """``base[mask] = value``: reads the index and the value, and writes the selected elements."""
    shape, indices = _selected(cx, base, items, line)

    def body(places: list[Expr]) -> None:
        for index in indices:
            if index.dtype.kind != "bool":
                read(cx, element(index, places[: index.ndim]), line)
        fits = isinstance(value, View) and 0 < value.ndim <= len(places)
        source = read(cx, element(value, places), line) if fits and isinstance(value, View) else None
        stored = source if source is not None else as_scalar(cx, value, line) if isinstance(value, Scalar) else None
        _gather(cx, base, line, write=True, value=stored)

    nest(cx, shape, line, body)


def _selected(cx: Context, base: View, items: tuple[Expression, ...], line: int) -> tuple[tuple[Expr, ...], list[View]]:
    """The shape of a selection, and the arrays that select."""
    values = [None if isinstance(i, Slice) else cx.eval(i) for i in items]
    indices = [v for v in values if isinstance(v, View) and v.ndim]
    shape: list[Expr] = []
    used = 0
    placed = False
    for value in values:
        if isinstance(value, View) and value.ndim:
            used += value.ndim if value.dtype.kind == "bool" else 1
            if not placed:
                shape.extend(_index_shape(cx, value, line))
                placed = True
        elif value is None and used < base.ndim:
            shape.append(base.shape[used])
            used += 1
        else:
            used += 1
    shape.extend(base.shape[used:])
    return tuple(shape), indices


def _index_shape(cx: Context, index: View, line: int) -> tuple[Expr, ...]:
    if index.dtype.kind != "bool":
        return index.shape
    from roofscan.parse.lower.arrays import stream_read

    stream_read(cx, index, line)
    key = ("length", index.array, line)
    shares = cx.builder.shares
    if key not in shares:
        meaning = f"how many elements of the mask in line {line} are true"
        shares[key] = cx.builder.symbol(f"len_{line}", "length", meaning, line)
        cx.builder.reason(line, "how many elements a mask selects depends on data", "parametric")
    return (shares[key],)


def _gather(cx: Context, base: View, line: int, *, write: bool, value: Scalar | None = None) -> Scalar:
    """One access at a place that depends on data."""
    builder = cx.builder
    why = "a selection by an array"
    array = builder.arrays[base.array]
    inputs = () if value is None or value.node is None else (value.node,)
    index = (None,) * len(array.shape)
    node = builder.access(Access(builder.new_id(), base.array, index, write, line, 0, inputs, why))
    return Scalar(base.dtype, node=node, why_unknown="an element that data selects")


def gathered(cx: Context, base: View, shape: tuple[Expr, ...], indices: list[View], line: int) -> View:
    return temporary(cx, shape, base.dtype, line, ())
