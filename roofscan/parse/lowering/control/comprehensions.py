"""Comprehensions and generator expressions: loops whose list is not an array."""

from __future__ import annotations

from collections.abc import Callable

from roofscan.parse.lowering.assignments import store
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.cases import cases_of
from roofscan.parse.lowering.control.iteration import iterable, iterate, range_length
from roofscan.parse.lowering.control.loops import MAX_UNROLLED, run_loop, target_name
from roofscan.parse.lowering.values import GeneratedValue, Scalar, TupleValue, Unknown, Value
from roofscan.parse.syntax import Comprehension, Expression
from roofscan.parse.syntax_walk import target_names
from roofscan.symbolic.expr import Expr


def comprehension(cx: Context, node: Comprehension) -> Value:
    """``[f(x) for x in xs]``: a loop that stores one item an iteration in a list."""
    line = node.place.line
    value = iterable(cx.eval(node.iterable))
    saved = dict(cx.frame.names)
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED and not node.conditions:
        items: list[Value] = []
        for item in value.items:
            store(cx, node.target, item, line)
            items.append(cx.eval(node.element))
        cx.frame.names = saved
        return TupleValue(tuple(items), "list")
    iteration = iterate(cx, value, line, "")
    results: list[Value] = []

    def body(k: Expr) -> bool:
        store(cx, node.target, iteration.item(k), line)
        _where_all_hold(cx, node.conditions, lambda: results.append(cx.eval(node.element)))
        return False

    run_loop(cx, iteration, body, (), line, target_name(node.target), tuple(target_names(node.target)))
    cx.frame.names = saved
    element = results[-1] if results else Unknown("an item of an empty list")
    length = None if node.conditions else range_length(iteration.start, iteration.stop, iteration.step)
    if isinstance(element, Scalar) and length is not None:
        return GeneratedValue(element, length, lazy=node.kind != "list")
    return Unknown("a list made by a comprehension")


def _where_all_hold(cx: Context, conditions: tuple[Expression, ...], work: Callable[[], None]) -> None:
    """Do ``work`` where all conditions hold; each condition is evaluated where those before it hold."""
    if not conditions:
        work()
        return
    for case in cases_of(cx, conditions[0]).true:
        with cx.builder.when(case.conditions, case.share, conditions[0].place.line):
            _where_all_hold(cx, conditions[1:], work)
