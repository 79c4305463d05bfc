"""Replaces placeholders in lowered nodes: integers that a loop changes are known once its body is lowered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Literal

from roofscan.ir.data_subscripts import Counter, Rest
from roofscan.ir.tree import Access, Body, Branch, Loop, Node, Operation, When
from roofscan.ir.visitor import expressions, replace_nodes, substitute
from roofscan.parse.lowering.subscript_ranges import is_placeholder, loop_variables, number_of
from roofscan.parse.lowering.values import Axis, Scalar, TupleValue, Value, View
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

Values = Mapping[str, Expr | None]  # None: the placeholder stands for something that depends on data

NewSymbolKind = Literal["share", "trips", "work"]
NewSymbol = Callable[[NewSymbolKind, int], Expr]  # for a line


def without_placeholders(
    body: Body, values: Values, why: str, new_symbol: NewSymbol, counters: Mapping[str, Counter], var: str
) -> Body:
    """The body of the loop over ``var`` with the placeholders replaced; subscripts that depend on data are irregular
    for the reason ``why``."""
    known = {name: value for name, value in values.items() if value is not None}
    unknown = values.keys() - known.keys()
    body = substitute(body, known)
    return _without_unknown(body, unknown, why, new_symbol, counters, var) if unknown else body


def _without_unknown(
    body: Body, unknown: Set[str], why: str, new_symbol: NewSymbol, counters: Mapping[str, Counter], var: str,
    *, within: bool = False,
) -> Body:  # fmt: skip
    """``within``: in a loop below the one that changes the placeholders."""

    def inner(below: Body, inside: bool = within) -> Body:
        return _without_unknown(below, unknown, why, new_symbol, counters, var, within=inside)

    def changed(node: Node) -> Body | None:
        if isinstance(node, Loop) and not within:
            return (_loop(replace(node, body=inner(node.body, True)), unknown, why, new_symbol),)
        if all(map(unknown.isdisjoint, (expr.symbols for expr in expressions(node)))):
            return None
        if isinstance(node, Access):
            index = tuple(None if e is None or e.symbols & unknown else e for e in node.index)
            cause = node.why_irregular if index == node.index else why
            return (
                replace(node, index=index, why_irregular=cause, rests=_rests(node, unknown, counters, var, within)),
            )
        if isinstance(node, Operation):
            return (replace(node, count=new_symbol("work", node.line)),)
        if isinstance(node, Loop):
            return (_loop(replace(node, body=inner(node.body)), unknown, why, new_symbol),)
        if isinstance(node, When):
            below = inner(node.body)
            share = new_symbol("share", node.line)
            kept = tuple(condition for condition in node.conditions if condition.expr.symbols.isdisjoint(unknown))
            if all(condition.denied for condition in node.conditions if condition not in kept):
                share = ONE - share
            branch = Branch(share, below, node.line)
            return (replace(node, conditions=kept, body=(branch,)) if kept else branch,)
        return None

    return replace_nodes(body, changed)


def _rests(
    access: Access, unknown: Set[str], counters: Mapping[str, Counter], var: str, within: bool
) -> tuple[Rest | None, ...]:
    """What subscripts add to the terms that depend on data. These are fixed in the loops below the one over ``var``,
    which changes them, if no variable of a loop is in them."""
    before = access.rests or (None,) * len(access.index)
    forms = [e if rest is None else rest.expr for e, rest in zip(access.index, before, strict=True)]
    found: list[Rest | None] = []
    for e, form, rest in zip(access.index, forms, before, strict=True):
        gone = Expr() if form is None else Expr({m: c for m, c in form.terms.items() if Expr({m: 1}).symbols & unknown})
        if form is None or (e is not None and not gone.terms) or loop_variables(gone) - unknown:
            found.append(None)
        else:
            kept = rest if rest is not None and not gone.terms else _begun(form, gone, rest, unknown, var)
            element, counter = kept.element, kept.counter
            if element is not None and any(subscript.symbols & unknown for subscript in element[1]):
                element = None
            if rest is None and not within:
                counter = next((c for name, c in counters.items() if gone == symbol(name)), None)
            fixed = within and kept.fixed
            shift = kept.shift if kept.shift is not None and kept.shift.symbols.isdisjoint(unknown) else None
            found.append(replace(kept, expr=form - gone, fixed=fixed, element=element, counter=counter, shift=shift))
    return tuple(found)


def _begun(form: Expr, gone: Expr, rest: Rest | None, unknown: Set[str], var: str) -> Rest:
    """A subscript beside a number with which an iteration over ``var`` begins, if it is one."""
    if rest is not None:
        return Rest(form, rest.fixed)
    alone = next((name for name in unknown if is_placeholder(name) and gone == symbol(name)), "")
    return Rest(form, True, origin=number_of(alone), loop=symbol(var)) if alone else Rest(form, True)


def _loop(loop: Loop, unknown: Set[str], why: str, new_symbol: NewSymbol) -> Loop:
    ends = (loop.start, loop.stop, loop.step)
    if all(end.symbols.isdisjoint(unknown) for end in ends):
        return loop
    trips = new_symbol("trips", loop.line)
    start, body = loop.start, loop.body
    if start.symbols & unknown:
        start, body = ZERO, _without_unknown(body, {loop.var}, why, new_symbol, {}, loop.var)
    return replace(loop, start=start, stop=start + trips, step=ONE, body=body)


def substitute_value(value: Value, values: Values) -> Value:
    """What a name stands for, with placeholders and the variables of closed loops replaced."""
    if isinstance(value, Scalar):
        if value.expr is not None and value.expr.symbols & values.keys():
            value = replace(value, expr=_replaced(value.expr, values), why_unknown="a value that a loop changes")
        if value.quotient is not None and (value.quotient.top.symbols | value.quotient.bottom.symbols) & values.keys():
            value = replace(value, quotient=None)
        moved = value.moved
        if moved is not None and moved.rest.symbols & values.keys():
            value = replace(value, moved=None)
        elif moved is not None and moved.element is not None and _mentions(moved.element[1], values):
            value = replace(value, moved=replace(moved, element=None))
        return (
            replace(value, loaded_from=None) if value.loaded_from and _mentions(value.loaded_from[1], values) else value
        )
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(substitute_value(i, values) for i in value.items))
    if isinstance(value, View):
        shape = tuple(_replaced(e, values) for e in value.shape)
        known = tuple(e for e in shape if e is not None)
        if len(known) < len(shape):
            return value
        return replace(value, shape=known, axes=tuple(_axis(a, values) for a in value.axes))
    return value


def _replaced(expr: Expr, values: Values) -> Expr | None:
    """``expr`` with its placeholders replaced; None where one depends on data."""
    found = {name: values[name] for name in expr.symbols & values.keys()}
    known = {name: value for name, value in found.items() if value is not None}
    return expr.subs(known) if len(known) == len(found) else None


def _mentions(place: tuple[Expr | None, ...], values: Values) -> bool:
    return any(e is not None and e.symbols & values.keys() for e in place)


def _axis(axis: Axis, values: Values) -> Axis:
    if axis.offset is None:
        return axis
    offset, step = _replaced(axis.offset, values), _replaced(axis.step, values)
    if offset is None or step is None:
        return Axis(None, axis.dim, why="a value that a loop changes")
    return replace(axis, offset=offset, step=step)
