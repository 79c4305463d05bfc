"""Arrays that a loop rebinds must keep their shape from one iteration to the next, or the count is a bound. Where they
are other data than in the first, the traffic is an estimate."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.ir.tree import Body, Loop, Operation
from roofscan.ir.visitor import loops_of, walk_with_blocks
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.broadcasting import unify
from roofscan.parse.lowering.subscript_ranges import never_negative
from roofscan.parse.lowering.values import FunctionRef, TupleValue, Value, View, views_by_place
from roofscan.parse.syntax import Statement
from roofscan.parse.syntax_walk import is_read_first
from roofscan.symbolic.expr import Expr


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
        old.ndim == new.ndim and not any(_is_selected(cx, extent) for extent in new.shape)
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
        cx.builder.reason(loop.line, message, "traffic")


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
    shrinks |= any(_is_selected(cx, extent) for extent in new.shape)
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
