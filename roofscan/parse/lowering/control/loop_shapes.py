"""Arrays that a loop rebinds must keep their shape from one iteration to the next, or the count is a bound. Where they
are other data than in the first, the traffic is an estimate."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from roofscan.ir.dtypes import NUMBERS, DType, promote
from roofscan.ir.tree import Body, Loop, Node, Operation
from roofscan.ir.visitor import loops, loops_of, walk_with_blocks
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.broadcasting import unify
from roofscan.parse.lowering.subscript_ranges import MARK, never_negative
from roofscan.parse.lowering.values import FunctionRef, TupleValue, Value, View, views_by_place
from roofscan.parse.syntax import Statement
from roofscan.parse.syntax_walk import is_read_first
from roofscan.symbolic.expr import Expr, symbol


def check_shapes(cx: Context, before: dict[str, Value], loop: Loop, statements: tuple[Statement, ...]) -> None:
    """Record a reason for each array whose shape differs between iterations; functions may not change at all."""
    for name, new in cx.frame.names.items():
        old = before.get(name)
        if not isinstance(old, (View, TupleValue, FunctionRef)) or new is old or name == loop.source_name:
            continue
        if not is_read_first(name, statements):
            continue
        if isinstance(old, FunctionRef) and isinstance(new, FunctionRef) and old.function is not new.function:
            raise Unsupported(cx.builder.line(loop.line), f"{name} is another function in later iterations")
        later = dict(views_by_place(name, new))
        for place, view in views_by_place(name, old):
            if place in later:
                _check_array(cx, place, view, later[place], loop)


def changes_shape(cx: Context, before: Mapping[str, Value], statements: tuple[Statement, ...]) -> bool:
    """Whether an iteration leaves an array of another known shape to the next: the levels of a pyramid."""
    pairs = (
        (old, new) for name, old in before.items() if is_read_first(name, statements)
        for new in (cx.frame.names.get(name),) if isinstance(old, View) and isinstance(new, View)
    )  # fmt: skip
    return any(
        old.ndim == new.ndim and not _is_cut(cx, new)
        and any(_differ(cx, a, b) for a, b in zip(old.shape, new.shape, strict=True))
        for old, new in pairs
    )  # fmt: skip


def _differ(cx: Context, a: Expr, b: Expr) -> bool:
    """Whether two extents are neither equal nor assumed to be."""
    a, b = cx.builder.resolve(a), cx.builder.resolve(b)
    known = [cx.builder.known_value(e) for e in (a, b)]
    return a != b and (None in known or known[0] != known[1])


def _check_array(cx: Context, name: str, old: View, new: View, loop: Loop) -> None:
    if old.shape != new.shape:
        _check_shape(cx, name, old, new, loop.line)
    if new != old and not _is_made_in(cx, new, loop) and not _is_part(cx, new, old):
        message = f"{name} refers to other data in later iterations, and is counted as in the first"
        cx.builder.reason(loop.line, message, "traffic" if old.dtype.size == new.dtype.size else "open")


def _is_made_in(cx: Context, view: View, loop: Loop) -> bool:
    """Whether an iteration allocates the array."""
    return loop.var in cx.builder.arrays[view.array].fresh_in


def _is_part(cx: Context, new: View, old: View) -> bool:
    """Whether ``new`` is a part of the whole array ``old``."""
    return new.array == old.array and new.shape != old.shape == cx.builder.arrays[old.array].shape


def _check_shape(cx: Context, name: str, old: View, new: View, line: int) -> None:
    pairs = list(zip(old.shape, new.shape, strict=True)) if old.ndim == new.ndim else []
    if pairs and all(may_equal(cx, a, b, line) for a, b in pairs):
        return
    grows = bool(pairs) and all(never_negative(b - a) for a, b in pairs)
    shrinks = bool(pairs) and all(never_negative(a - b) for a, b in pairs)
    shrinks |= any(_is_selection_of(cx, b, a) for a, b in pairs) or (new.array == old.array and _is_cut(cx, new))
    message = f"{name} changes its shape between iterations, and is counted as in the first"
    if shrinks or not grows:
        cx.builder.reason(line, message, "upper")
    if not shrinks:
        cx.builder.reason(line, message, "lower")


def may_equal(cx: Context, a: Expr, b: Expr, line: int) -> bool:
    """Whether two extents are equal or can be assumed to be."""
    a, b = cx.builder.resolve(a), cx.builder.resolve(b)
    if a == b:
        return True
    known = [cx.builder.known_value(e) for e in (a, b)]
    if None not in known and known[0] != known[1]:
        return False
    plain = all(len(e.terms) == 1 and cx.builder.may_equate(next(iter(e.symbols), "")) for e in (a, b))
    if plain:
        unify(cx, a, b, line)
    return plain


def _is_selection_of(cx: Context, extent: Expr, whole: Expr) -> bool:
    """Whether an extent is how many of ``whole`` elements data choose."""
    made = cx.builder.symbols.get(next(iter(extent.symbols), ""))
    return made is not None and extent == symbol(made.name) and made.whole is not None and made.whole == whole


def _is_cut(cx: Context, view: View) -> bool:
    return any(_is_selected(cx, extent) for extent in view.shape)


def _is_selected(cx: Context, extent: Expr) -> bool:
    """Whether an extent is the length of a data-dependent selection."""
    return any(s in cx.builder.symbols and cx.builder.symbols[s].kind == "length" for s in extent.symbols)


def float_operations(body: Body) -> list[tuple[str, tuple[Expr, ...]]]:
    """The floating operations of a body in order, each with the trip counts around it and its own count."""
    return [
        (node.kind, (*(loop.stop - loop.start for loop in loops_of(around)), node.count))
        for node, around in walk_with_blocks(body)
        if isinstance(node, Operation) and node.dtype.counts
    ]


def work_of(body: Body) -> list[tuple[str, Expr]]:
    """The floating operations of a body in order, each with its own count."""
    return [(kind, counts[-1]) for kind, counts in float_operations(body)]


def wider_elements(
    cx: Context, before: Mapping[str, Value], loop: Loop, statements: tuple[Statement, ...]
) -> dict[str, tuple[View, DType]]:  # fmt: skip
    """The arrays that an iteration replaces by fresh ones of another element type, and the wider of both types. In
    compiled code a name has one."""
    found: dict[str, tuple[View, DType]] = {}
    for name, old in before.items():
        new = cx.frame.names.get(name)
        if cx.compiled or not (isinstance(old, View) and isinstance(new, View) and old.ndim == new.ndim > 0):
            continue
        dtype = promote(old.dtype, new.dtype) if {old.dtype.kind, new.dtype.kind} <= NUMBERS else old.dtype
        if dtype != old.dtype and is_read_first(name, statements):
            if _is_made_in(cx, new, loop):
                found[name] = old, dtype
            elif old.dtype.kind != new.dtype.kind:
                message = f"{name} has elements of another type in later iterations, and is counted as in the first"
                cx.builder.reason(loop.line, message, "lower")
                cx.builder.reason(loop.line, message, "wider")
    return found


# -- arrays that an iteration passes to the next ----------------------------------------------------
def passed_views(
    cx: Context, before: Mapping[str, Value], loop: Loop, nodes: tuple[Node, ...], statements: tuple[Statement, ...],
    settled: Collection[str],
) -> dict[str, View]:  # fmt: skip
    """The arrays that names hold when an iteration begins, as the one before left them: ``A[i - 1]`` for ``last``.
    Names that exchange arrays are left to :func:`rotation_period`."""
    after = cx.frame.names
    exchanged = [old for name, old in before.items() if after.get(name) != old and name not in settled]
    inside = {node.var for node in loops(nodes)}
    earlier = {loop.var: symbol(loop.var) - loop.step}
    return {
        name: _moved(new, earlier)
        for name, old in before.items() if name not in settled
        for new in (after.get(name),)
        if isinstance(old, View) and isinstance(new, View) and new not in exchanged and new != old
        and loop.var not in cx.builder.arrays[new.array].fresh_in
        and _is_known(new, inside) and is_read_first(name, statements) and fits(cx, old, new, loop.line)
    }  # fmt: skip


def check_first(cx: Context, first: Value, passed: Value, name: str, loop: Loop) -> None:
    """A reason where the first iteration does not find what an iteration before it would have left."""
    assert isinstance(first, View) and isinstance(passed, View)
    begun = _moved(passed, {loop.var: loop.start})
    if begun.array != first.array or not _same(cx, _places(begun), _places(first)):
        message = f"{name} refers to other data in the first iteration, and is counted as in later ones"
        cx.builder.reason(loop.line, message, "traffic" if first.dtype.size == passed.dtype.size else "open")


def _is_known(view: View, inside: Collection[str]) -> bool:
    """Whether the loop's own variable and what is outside the loop tell where a view is."""
    symbols = {s for e in (*_places(view), *view.shape) for s in e.symbols}
    return all(axis.offset is not None for axis in view.axes) and not any(MARK in s or s in inside for s in symbols)


def _moved(view: View, values: Mapping[str, Expr]) -> View:
    axes = (
        replace(a, offset=a.offset and a.offset.subs(values), written=a.written and a.written.subs(values))
        for a in view.axes
    )
    return replace(view, axes=tuple(axes))


def _places(view: View) -> tuple[Expr, ...]:
    dims = (-1 if axis.dim is None else axis.dim for axis in view.axes)
    return tuple(e for axis, dim in zip(view.axes, dims) for e in (axis.offset or Expr.of(0), axis.step, Expr.of(dim)))


def fits(cx: Context, old: View, new: View, line: int) -> bool:
    """Whether two arrays have one shape, or can be assumed to have it."""
    return old.ndim == new.ndim and all(may_equal(cx, a, b, line) for a, b in zip(old.shape, new.shape))


def _same(cx: Context, a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    return len(a) == len(b) and all(cx.builder.resolve(x) == cx.builder.resolve(y) for x, y in zip(a, b))
