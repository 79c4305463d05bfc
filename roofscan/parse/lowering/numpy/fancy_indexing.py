"""Indexing by arrays: boolean masks and index arrays. The addresses depend on data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from roofscan.ir.data_subscripts import Pointer
from roofscan.ir.tree import Access
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, computed_here, element, read, write
from roofscan.parse.lowering.numpy.array_operations import nest, stream_read, temporary, total
from roofscan.parse.lowering.numpy.broadcasting import broadcast
from roofscan.parse.lowering.numpy.views import without_dimensions
from roofscan.parse.lowering.subscripts import Selection
from roofscan.parse.lowering.values import Axis, Displaced, Scalar, Value, View
from roofscan.symbolic.expr import ZERO, Expr

WHY = "a selection by an array"
BY_MASK = "a selection by a mask"
Change = Callable[[Scalar, "Scalar | None"], Scalar]


def select(cx: Context, chosen: Selection, line: int) -> Value:
    """``base[mask]`` or ``base[idx]``: reads the index, then the elements, and writes the result."""
    shape, first, width = _shape(cx, chosen, line)
    result = temporary(cx, shape, chosen.view.dtype, line, cx.builder.open_variables)

    def body(places: list[Expr]) -> None:
        value = read(cx, _element(cx, chosen, places, first, width), line)
        write(cx, element(result, places), value, line)

    nest(cx, shape, line, body)
    return result


def select_store(cx: Context, chosen: Selection, value: Value, line: int) -> None:
    """``base[mask] = value``: reads the index and the value, and writes the selected elements."""
    shape, first, width = _shape(cx, chosen, line)
    source = value if isinstance(value, View) and value.ndim else None
    stored = None if source is not None else as_scalar(cx, value, line)
    if source is not None:
        broadcast(cx, [shape, source.shape], line)

    def body(places: list[Expr]) -> None:
        item = stored or read(cx, element(_fitting(source, len(places)), places), line)
        write(cx, _element(cx, chosen, places, first, width), item, line)

    nest(cx, shape, line, body)


def _fitting(source: View | None, rank: int) -> View:
    """A value with more dimensions than its target has leading dimensions of extent 1."""
    assert source is not None
    if source.ndim <= rank:
        return source
    return without_dimensions(source, list(range(source.ndim - rank)))


def update_selected(
    cx: Context, base: View, index: View | Scalar, value: Value | None, change: Change, line: int
) -> None:
    """``np.add.at(base, index, value)``: each selected element is read, updated and written."""
    picked = ((0, index),) if isinstance(index, View) else ()
    chosen = Selection(base, picked)
    shape, first, width = _shape(cx, chosen, line) if picked else (base.shape[1:], 0, 0)

    def body(places: list[Expr]) -> None:
        target = _element(cx, chosen, places, first, width) if picked else element(base, [ZERO, *places])
        old = read(cx, target, line)
        new = None
        if isinstance(value, View) and value.ndim:
            new = read(cx, element(_fitting(value, len(places)), places), line)
        elif value is not None:
            new = as_scalar(cx, value, line)
        write(cx, target, change(old, new), line)

    nest(cx, shape, line, body)


def gathered(cx: Context, base: View, shape: tuple[Expr, ...], indices: list[View], line: int) -> View:
    """A fresh array of the elements of ``base`` that ``indices`` select."""
    for index in indices:
        stream_read(cx, index, line)
    result = temporary(cx, shape, base.dtype, line, cx.builder.open_variables)

    def body(places: list[Expr]) -> None:
        builder = cx.builder
        nowhere = (None,) * len(builder.arrays[base.array].shape)
        node = builder.access(Access(builder.new_id(), base.array, nowhere, False, line, 0, (), WHY))
        write(cx, element(result, places), Scalar(base.dtype, node=node), line)

    nest(cx, shape, line, body)
    return result


def _shape(cx: Context, chosen: Selection, line: int) -> tuple[tuple[Expr, ...], int, int]:
    """Reads the indices. Gives the shape of the selection, and the position and number of the selected dimensions in
    it."""
    lengths = broadcast(cx, [_index_shape(cx, index, line) for index in _written(chosen)], line)
    picked = {dimension for dimension, _ in chosen.picked}
    first = 0 if chosen.leading else min(picked)
    rest = [extent for d, extent in enumerate(chosen.view.shape) if d not in picked]
    return (*rest[:first], *lengths, *rest[first:]), first, len(lengths)


def _written(chosen: Selection) -> Iterator[View]:
    """The indices in the order of the subscript, repeated ones too; a mask picks all its dimensions, and comes once."""
    place = 0
    while place < len(chosen.picked):
        _, index = chosen.picked[place]
        yield index
        place += index.ndim if index.dtype.kind == "bool" else 1


def _index_shape(cx: Context, index: View, line: int) -> tuple[Expr, ...]:
    stream_read(cx, index, line)
    if index.dtype.kind != "bool":
        return index.shape
    name = cx.builder.names.get(index.array, index.array)
    shown = "the mask" if name.startswith("~t") else name
    meaning = f"number of true elements of {shown} (line {line})"
    cx.builder.reason(line, "the number of elements that a mask selects depends on data", "parametric")
    return (cx.builder.chosen(("length", index.array, line), total(index.shape), meaning, line),)


def _element(cx: Context, chosen: Selection, places: list[Expr], first: int, width: int) -> View:
    """The element at ``places`` of the result: the addresses of selected dimensions depend on data."""
    view = chosen.view
    here = tuple(places[first : first + width])
    pointer = _pointer(chosen, here)
    picked = {d: replace(computed_here(cx, (index.array, here)), pointer=pointer) for d, index in chosen.picked}
    rest = iter([*places[:first], *places[first + width :]])
    at = {d: picked[d] if d in picked else next(rest) for d in range(view.ndim)}
    axes = tuple(_place(axis, at, view) for axis in view.axes)
    return replace(view, shape=(), axes=axes)


def _pointer(chosen: Selection, here: tuple[Expr, ...]) -> Pointer | None:
    """The place of the elements that one mask selects: from the first to the last, in the order of memory."""
    masks = {index for _, index in chosen.picked}
    mask, axes = next(iter(masks)), [axis for axis in chosen.view.axes if axis.dim is not None]
    in_order = [axis.dim for axis in axes] == list(range(chosen.view.ndim))
    forward = all(axis.step.constant is not None and axis.step.constant > 0 for axis in axes)
    if len(masks) > 1 or mask.dtype.kind != "bool" or not (in_order and forward):
        return None
    return Pointer(mask.array, here[0], 0, None, False)


def _place(axis: Axis, at: Mapping[int, Expr | Displaced], view: View) -> Axis:
    if axis.dim is None or axis.offset is None:
        return replace(axis, dim=None)
    place = at[axis.dim]
    if isinstance(place, Displaced):
        return Axis(None, why=WHY if place.pointer is None else BY_MASK, moved=place)
    return Axis(axis.offset + axis.step * (ZERO if view.shape[axis.dim].constant == 1 else place))
