"""Induction variables: closed forms of what a loop changes, in its iterations and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.ir.kernel import Loop
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.control.loop_body import LoweredBody
from roofscan.parse.lowering.subscript_ranges import loop_variables
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.values import Scalar
from roofscan.parse.passes.placeholders import NewSymbolKind, Values, substitute_value, without_placeholders
from roofscan.symbolic.expr import ZERO, Expr, symbol

ClosedForms = dict[str, Expr | None]  # None where a value depends on data


def closed_forms(
    done: LoweredBody, number: Expr | None, count: Expr | None, var: str = ""
) -> tuple[ClosedForms, ClosedForms]:
    """For each placeholder its value in iteration ``number``; for each name its value after ``count`` iterations."""
    inside: ClosedForms = {}
    after: ClosedForms = {}
    placeholders = {placeholder for placeholder, _ in done.entries.values()}
    for name, (placeholder, old) in done.entries.items():
        assert old.expr is not None
        end = done.exits[name]
        inside[placeholder] = after[name] = None
        if end is None:
            continue
        change = end - symbol(placeholder)
        varying = change.symbols & (placeholders | loop_variables(change))
        if change == ZERO:
            inside[placeholder] = after[name] = old.expr
        elif var and varying == {var} and change.degree(var) == 1 and number == symbol(var) and not change.atoms:
            first, growth = change.coefficient(var, 0), change.coefficient(var)
            inside[placeholder] = old.expr + first * number + growth * number * (number - 1) / 2
            if count is not None:
                after[name] = old.expr + first * count + growth * count * (count - 1) / 2
        elif not varying:
            inside[placeholder] = None if number is None else old.expr + change * number
            after[name] = None if count is None else old.expr + change * count
    return inside, after


def add_loop(
    cx: Context, loop: Loop, done: LoweredBody, inside: ClosedForms, after: ClosedForms, last: Expr | None
) -> None:
    """Add the loop to the kernel, and give names their values after it; ``last`` is the loop variable's."""
    body = without_placeholders(done.nodes, inside, "a subscript that the loop changes by data", _new_symbol(cx))
    cx.builder.add(replace(loop, body=body, carried=done.carried, state=done.state))
    frame = cx.frame
    final: Values = {**inside, loop.var: last}
    for name, value in list(frame.names.items()):
        if name in done.entries and isinstance(value, Scalar) and value.is_integer:
            old = done.entries[name][1]
            frame.names[name] = replace(old, expr=after[name], number=None, literal=False, loaded_from=None,
                                        why_unknown="a value that a loop changes")  # fmt: skip
        else:
            frame.names[name] = substitute_value(value, final)
    ended = dict(frame.names)
    for names in done.exit.broken:
        left = {name: substitute_value(substitute_value(v, inside), {loop.var: None}) for name, v in names.items()}
        frame.names = join_names(cx, frame.names, left, ended, loop.line)


def _new_symbol(cx: Context) -> Callable[[NewSymbolKind, int], Expr]:
    """Makes symbols for what turns out to depend on data."""

    def make(kind: NewSymbolKind, line: int) -> Expr:
        if kind == "trips":
            cx.builder.reason(line, "the trip count depends on a value that a loop changes", "parametric")
            return trip_symbol(cx, line, f"trips_{line}", f"mean trips of the loop in line {line}")
        if kind == "work":
            cx.builder.reason(line, "the size of an operation depends on a value that a loop changes", "parametric")
            return cx.builder.symbol(f"work_{line}", "length", f"mean count of an operation in line {line}", line)
        cx.builder.reason(line, "a test depends on a value that a loop changes", "parametric")
        meaning = f"share of executions where the test in line {line} holds, from 0 to 1"
        return cx.builder.share(("share", cx.frame.dotted, line), meaning, line)

    return make
