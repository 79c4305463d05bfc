"""The heads of a nest's loops in another order: as they are, or with the bounds of a triangle turned round."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from roofscan.cost.transform.triangles import in_order
from roofscan.fix.linear import Linear, linear
from roofscan.fix.source import bindings, loaded_names, loop_name, stored_names
from roofscan.ir.tree import Loop
from roofscan.symbolic.expr import ONE, Expr


def heads_in(loops: Sequence[cst.For], order: Sequence[str]) -> list[cst.For] | None:
    """The loops by name in an order; None where what the nest binds is in a range that is no plain sum."""
    bound, names = stored_names(loops[0]), [loop_name(loop) for loop in loops]
    if all(bound.isdisjoint(loaded_names(loop.iter)) for loop in loops):
        return [loops[names.index(name)] for name in order]
    every = list(bindings(loops[0]))
    if any(every.count(name) > 1 for name in names):
        return None
    known = [_known(loop, bound, names[:depth]) for depth, loop in enumerate(loops)]
    if any(loop is None for loop in known):
        return None
    before = [loop for loop in known if loop is not None]
    after = in_order(before, [names.index(name) for name in order])
    if after is None:
        return None
    return [_head(loops[names.index(loop.var)], before[names.index(loop.var)], loop) for loop in after]


def _known(loop: cst.For, bound: set[str], outside: Sequence[str]) -> Loop | None:
    """A loop with sums for bounds, or with what nothing is known of but the loops that it must stay in."""
    name, ends, needed = loop_name(loop), _ends(loop), loaded_names(loop.iter) & bound
    if not needed <= {*outside}:
        return None
    if ends is None:
        hidden = sum(map(Expr.of, sorted(needed)), start=Expr.of(f"the bounds of {name}"))
        return Loop(name, hidden, hidden, hidden, (), 0)
    start, stop = map(_expr, ends)
    return Loop(name, start, stop, ONE, (), 0)


def _ends(loop: cst.For) -> tuple[Linear, Linear] | None:
    call = loop.iter
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name) or call.func.value != "range":
        return None
    if not 1 <= len(call.args) <= 2 or any(argument.keyword or argument.star for argument in call.args):
        return None
    found = [linear(argument.value, lengths=True) for argument in call.args]
    start, stop = found if len(found) == 2 else (Linear(), *found)
    return None if start is None or stop is None else (start, stop)


def _expr(found: Linear) -> Expr:
    terms = (count * Expr.of(name) for name, count in found.names.items())
    return sum(terms, start=Expr.of(found.constant))


def _linear(expr: Expr) -> Linear:
    names = {str(symbol): int(expr.coefficient(symbol).constant_term) for symbol in sorted(expr.symbols)}
    return Linear(int(expr.constant_term), names)


def _head(loop: cst.For, before: Loop, after: Loop) -> cst.For:
    """The loop as it is, or with its new range."""
    if before == after:
        return loop
    start, stop = str(_linear(after.start)), str(_linear(after.stop))
    text = f"range({stop})" if start == "0" else f"range({start}, {stop})"
    return loop.with_changes(iter=cst.parse_expression(text))
