"""Arrays that an iteration passes to the next: ``last = A[i]`` at its end, and ``last`` read before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from roofscan.ir.tree import Loop, Node
from roofscan.ir.visitor import loops
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.loop_shapes import may_equal
from roofscan.parse.lowering.subscript_ranges import MARK
from roofscan.parse.lowering.values import Value, View
from roofscan.parse.syntax import Statement
from roofscan.parse.syntax_walk import is_read_first
from roofscan.symbolic.expr import Expr, symbol


def passed_views(
    cx: Context, before: Mapping[str, Value], loop: Loop, nodes: tuple[Node, ...], statements: tuple[Statement, ...],
    passed: Collection[str],
) -> dict[str, View]:  # fmt: skip
    """The arrays that names hold when an iteration begins, as the one before left them: ``A[i - 1]`` for ``last``.
    Names that exchange arrays are left to :func:`rotation_period`."""
    after = cx.frame.names
    exchanged = [old for name, old in before.items() if after.get(name) != old and name not in passed]
    inside = {node.var for node in loops(nodes)}
    earlier = {loop.var: symbol(loop.var) - loop.step}
    return {
        name: _moved(new, earlier)
        for name, old in before.items() if name not in passed
        for new in (after.get(name),)
        if isinstance(old, View) and isinstance(new, View) and new not in exchanged and new != old
        and loop.var not in cx.builder.arrays[new.array].fresh_in
        and _is_known(new, inside) and is_read_first(name, statements) and _fits(cx, old, new, loop.line)
    }  # fmt: skip


def check_first(cx: Context, first: Value, passed: Value, name: str, loop: Loop) -> None:
    """A reason where the first iteration does not find what an iteration before it would have left."""
    assert isinstance(first, View) and isinstance(passed, View)
    begun = _moved(passed, {loop.var: loop.start})
    if begun.array != first.array or not _same(cx, _places(begun), _places(first)):
        message = f"{name} refers to other data in the first iteration, and is counted as in later ones"
        cx.builder.reason(loop.line, message, "traffic")


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


def _fits(cx: Context, old: View, new: View, line: int) -> bool:
    return old.ndim == new.ndim and all(may_equal(cx, a, b, line) for a, b in zip(old.shape, new.shape))


def _same(cx: Context, a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    return len(a) == len(b) and all(cx.builder.resolve(x) == cx.builder.resolve(y) for x, y in zip(a, b))
