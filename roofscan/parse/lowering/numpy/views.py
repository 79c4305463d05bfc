"""Views: other shapes and orders of the same memory. A reshape that joins dimensions which do not lie one behind the
other is a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.parse.lowering.attributes import transpose
from roofscan.parse.lowering.builder import c_strides, f_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import copied
from roofscan.parse.lowering.numpy.array_operations import total
from roofscan.parse.lowering.numpy.broadcasting import in_source
from roofscan.parse.lowering.values import Axis, Text, Value, View, entire_view
from roofscan.symbolic.expr import ONE, ZERO, Expr
from roofscan.symbolic.extrema import minimum


def reshaped(cx: Context, view: View, shape: Sequence[Expr], line: int) -> View:
    """``view.reshape(shape)``: the same memory where it is contiguous, else a copy."""
    elements = total(view.shape)
    known = total([e for e in shape if e.constant != -1])
    if any(e.constant == -1 for e in shape):
        rest = ONE if known == elements else _quotient(cx, elements, known, line)
        shape = [rest if e.constant == -1 else e for e in shape]
    sizes = tuple(shape)
    if _without_ones(sizes) == _without_ones(view.shape):
        flat_view = without_dimensions(view, [d for d, e in enumerate(view.shape) if e == ONE])
        return with_new_dimensions(flat_view, [d for d, e in enumerate(sizes) if e == ONE])
    fixed = _fixed_axes(cx, view)
    if not is_contiguous(cx, view):
        strides = _split(cx, view, sizes)
        if strides is not None:
            return entire_view(alias(cx, view, sizes, line, strides))
        view = _copied(cx, view, line)
    elif fixed:
        return _in_each_part(cx, view, fixed, sizes, line)
    elif not is_entire(cx, view):
        cx.builder.reason(line, f"a part of {view.array} is reshaped; its first elements are counted", "traffic")
    return entire_view(alias(cx, view, sizes, line))


def _copied(cx: Context, view: View, line: int) -> View:
    """A copy in C order. One extent of 1 can make a view contiguous, of which NumPy makes no copy."""
    free = dict.fromkeys(in_source(cx, extent) for extent in view.shape if extent.constant is None)
    if any(loop.var in extent.symbols for extent in view.shape for loop in cx.builder.loops):
        message = "a reshape is counted as a copy in every iteration; where an extent is 1, it copies nothing"
        cx.builder.reason(line, message, "open")
    elif free:
        cx.builder.assume(f"the reshape in line {line} copies: {' and '.join(free)} exceed{'s' * (len(free) == 1)} 1")
    return copied(cx, view, line)


def _quotient(cx: Context, elements: Expr, known: Expr, line: int) -> Expr:
    """The extent that a reshape leaves open; NumPy rejects a number of elements that is not divisible."""
    count = known.constant
    if elements.constant is None and count is not None and count > 1 and elements != elements // known * known:
        cx.builder.assume(f"{cx.builder.resolve(elements)} is a multiple of {known} (line {line})")
    return elements / known if len(known.terms) == 1 else elements // known


def _split(cx: Context, view: View, sizes: Sequence[Expr]) -> tuple[Expr, ...] | None:
    """The strides of a reshape that only splits the dimensions of a view from the first element on; else None."""
    rest, strides, steps = list(sizes), [], steps_of(cx, view)
    if steps is None:
        return None
    for dimension, extent in enumerate(view.shape):
        parts = [rest.pop(0)] if rest else []
        while rest and not _make_up(parts, extent):
            parts.append(rest.pop(0))
        if not _make_up(parts, extent):
            return None
        strides += [steps[dimension] * total(parts[k + 1 :]) for k in range(len(parts))]
    return None if rest else tuple(strides)


def steps_of(cx: Context, view: View) -> tuple[Expr, ...] | None:
    """The stride of each dimension of a view from the first element on; None where it is another part."""
    if len(view.axes) != view.ndim or any(a.offset != ZERO or a.dim is None or a.step != ONE for a in view.axes):
        return None
    steps = {axis.dim: stride for axis, stride in zip(view.axes, cx.builder.arrays[view.array].strides)}
    return tuple(steps[dimension] for dimension in range(view.ndim))


def _make_up(parts: Sequence[Expr], extent: Expr) -> bool:
    """Whether the product of the parts is the extent, where one of them may be what is left of it: ``n // 5``."""
    others = [total([*parts[:k], *parts[k + 1 :]]) for k in range(len(parts))]
    return total(parts) == extent or any(p == extent // other for p, other in zip(parts, others))


def alias(
    cx: Context, view: View, sizes: tuple[Expr, ...], line: int, strides: tuple[Expr, ...] | None = None
) -> Array:
    """The memory of a view under another shape."""
    base = cx.builder.arrays[view.array]
    alias = Array(
        f"{base.name}.reshape", base.dtype, sizes, strides or c_strides(sizes), base.role, line, base.fresh_in,
        base.memory, base.live_out, base.record and replace(base.record, size=base.dtype.size, ndim=len(sizes)),
    )  # fmt: skip
    return cx.builder.array(alias)


def _fixed_axes(cx: Context, view: View) -> int:
    """The number of leading axes that are fixed, where a view is all that lies behind them in a C-ordered array; else
    0."""
    array = cx.builder.arrays[view.array]
    fixed = len(array.shape) - view.ndim
    ahead, behind = view.axes[:fixed], view.axes[fixed:]
    alike = view.shape == array.shape[fixed:] and array.strides == c_strides(array.shape)
    known = all(a.dim is None and a.offset is not None for a in ahead)
    return fixed if alike and known and all(a == Axis(ZERO, d) for d, a in enumerate(behind)) else 0


def _in_each_part(cx: Context, view: View, fixed: int, sizes: tuple[Expr, ...], line: int) -> View:
    """``x[i].reshape(sizes)``: row i of an array whose rows have that shape."""
    parts = alias(cx, view, (*cx.builder.arrays[view.array].shape[:fixed], *sizes), line)
    axes = (*view.axes[:fixed], *(Axis(ZERO, d) for d in range(len(sizes))))
    return replace(entire_view(parts), shape=sizes, axes=axes)


def flat(cx: Context, view: View, line: int) -> View:
    """All elements in a row."""
    return reshaped(cx, view if is_contiguous(cx, view) else _copied(cx, view, line), [total(view.shape)], line)


def in_order(cx: Context, view: View, order: Value | None) -> View:
    """The view that has in C order what ``view`` has in the order that a call names: ``x.ravel(order="F")``."""
    said = order.value if isinstance(order, Text) else "C"
    back = backwards(view)
    keeps = said in ("A", "K") and not is_contiguous(cx, view) and is_contiguous(cx, back)
    return back if view.ndim > 1 and (said == "F" or keeps) else view


def in_fortran_order(cx: Context, view: View) -> View:
    """An array that was just made, laid out in Fortran order."""
    made = cx.builder.arrays[view.array]
    cx.builder.arrays[view.array] = replace(made, strides=f_strides(made.shape))
    return view


def lies_in_order(cx: Context, view: View, order: str) -> bool:
    """Whether an array has the layout that a call asks for."""
    if order not in ("C", "F"):
        return True
    return is_contiguous(cx, backwards(view) if order == "F" else view)


def backwards(view: View) -> View:
    """A view with its dimensions in reverse."""
    return transpose(view, tuple(reversed(range(view.ndim))))


def _without_ones(shape: Sequence[Expr]) -> list[Expr]:
    return [extent for extent in shape if extent != ONE]


def is_contiguous(cx: Context, view: View) -> bool:
    """Whether a view's elements lie one behind the other, in C order."""
    strides = [ZERO] * view.ndim
    for axis, stride in zip(view.axes, cx.builder.arrays[view.array].strides):
        if axis.offset is None:
            return False
        if axis.dim is not None:
            strides[axis.dim] += axis.step * stride
    return all(a == b for a, b, e in zip(strides, c_strides(view.shape), view.shape) if e != ONE)


def is_entire(cx: Context, view: View) -> bool:
    """Whether a view is all of a C-ordered array, in order."""
    array = cx.builder.arrays[view.array]
    return (
        view.shape == array.shape
        and array.strides == c_strides(array.shape)
        and all(a == Axis(ZERO, d) for d, a in enumerate(view.axes))
    )


def with_new_dimensions(view: View, places: Sequence[int]) -> View:
    """``view`` with dimensions of extent 1 at ``places`` of the result."""
    count = view.ndim + len(places)
    old = iter(range(view.ndim))
    order = [None if d in places else next(old) for d in range(count)]
    moved = {o: d for d, o in enumerate(order) if o is not None}
    axes = tuple(a if a.dim is None else replace(a, dim=moved[a.dim]) for a in view.axes)
    return replace(view, shape=tuple(ONE if o is None else view.shape[o] for o in order), axes=axes)


def without_dimensions(view: View, places: Sequence[int]) -> View:
    kept = [d for d in range(view.ndim) if d not in places]
    moved = {d: k for k, d in enumerate(kept)}
    axes = tuple(
        a if a.dim is None else replace(a, dim=moved[a.dim]) if a.dim in moved else replace(a, dim=None)
        for a in view.axes
    )
    return replace(view, shape=tuple(view.shape[d] for d in kept), axes=axes)


def at_least(cx: Context, view: View, ndim: int) -> View:
    """``atleast_1d`` and so on: dimensions of one in front (for three also behind)."""
    if view.ndim >= ndim:
        return view
    if ndim == 3:
        return with_new_dimensions(view, [[0, 1, 2], [0, 2], [2]][view.ndim])
    return with_new_dimensions(view, list(range(ndim - view.ndim)))


def diagonal_of(cx: Context, view: View, offset: int, first: int = 0, second: int = 1) -> View | None:
    """The diagonal of two dimensions as a view, last among its dimensions; ``offset`` above the main one."""
    if view.ndim < 2 or first == second:
        return None
    rows, columns = view.shape[first], view.shape[second]
    length = minimum(rows, columns - offset) if offset >= 0 else minimum(rows + offset, columns)
    kept = [d for d in range(view.ndim) if d not in (first, second)]
    moved = {d: k for k, d in enumerate(kept)} | {first: len(kept), second: len(kept)}
    shift = {first: max(0, -offset), second: max(0, offset)}
    axes = tuple(
        a if a.dim is None or a.offset is None
        else replace(a, offset=a.offset + a.step * shift.get(a.dim, 0), dim=moved[a.dim])
        for a in view.axes
    )  # fmt: skip
    return replace(view, shape=(*(view.shape[d] for d in kept), length), axes=axes)


def part(view: View, axis: int, start: Expr, length: Expr) -> View:
    """``view`` from ``start`` on, ``length`` long, along one dimension."""
    axes = tuple(
        a if a.dim != axis or a.offset is None else replace(a, offset=a.offset + a.step * start) for a in view.axes
    )
    shape = tuple(length if d == axis else e for d, e in enumerate(view.shape))
    return replace(view, shape=shape, axes=axes)
