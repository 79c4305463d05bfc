"""Statements: each kind has a handler that says whether control leaves the block there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.lowering.assignments import assign, augmented
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.calls.inline import nested_function
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.branches import guard, lower_if
from roofscan.parse.lowering.control.breaks import lower_if_reached, way_past
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.control.loops import lower_for
from roofscan.parse.lowering.control.whiles import lower_while
from roofscan.parse.lowering.values import NONE, ModuleRef, Unknown, Value
from roofscan.parse.syntax_walk import always_raises, has_exit, walk

NO_EXCEPTION = "no exception is raised"


def lower_block(cx: Context, body: tuple[syntax.Statement, ...]) -> bool:
    """Lower statements in order; whether control always leaves the block before its end."""
    for position, statement in enumerate(body):
        rest = body[position + 1 :]
        if rest and isinstance(statement, (syntax.For, syntax.While)):
            way = way_past(statement)
            if way:
                left = lower_statement(cx, statement)
                return lower_if_reached(cx, rest, statement.place.line, way) or left
        if isinstance(statement, syntax.If):
            if always_raises(statement.body) and not statement.orelse:
                guard(cx, statement)
                continue
            if has_exit(statement.body) or has_exit(statement.orelse):
                return lower_if(cx, statement, rest)
        if isinstance(statement, syntax.With) and has_exit(statement.body):
            _enter(cx, statement)
            return lower_block(cx, statement.body + rest)
        may_leave = isinstance(statement, syntax.Try) and has_exit(statement.body + statement.orelse)
        if may_leave and isinstance(statement, syntax.Try) and _runs_straight(statement):
            cx.builder.assume(NO_EXCEPTION)
            return lower_block(cx, statement.body + statement.orelse + rest)
        if lower_statement(cx, statement):
            return True
        if may_leave and rest:
            why = "what leaves the try block may skip what follows it"
            cx.builder.reason(statement.place.line, why, "upper")
    return False


def _runs_straight(node: syntax.Try) -> bool:
    """Whether nothing but the block itself runs where nothing is raised."""
    return not node.final and all(map(always_raises, node.handlers)) and not _raises(node)


def _raises(node: syntax.Try) -> syntax.Simple | None:
    return next((n for n in walk(node.body) if isinstance(n, syntax.Simple) and n.kind == "raise"), None)


def lower_statement(cx: Context, statement: syntax.Statement) -> bool:
    handler = _HANDLERS.get(type(statement))
    if handler is None:
        cx.builder.reason(statement.place.line, f"{_kind(statement)} is outside the model", "lower")
        _lose(cx, getattr(statement, "binds", ()))
        return False
    return bool(handler(cx, statement))


def _lose(cx: Context, names: tuple[str, ...]) -> None:
    cx.frame.names.update(dict.fromkeys(names, Unknown("a value from outside the model")))


def _kind(statement: syntax.Statement) -> str:
    return statement.kind if isinstance(statement, syntax.Other) else f"a {type(statement).__name__.lower()} statement"


def _return(cx: Context, node: syntax.Return) -> bool:
    cx.frame.returns.append(NONE if node.value is None else cx.eval(node.value))
    for loop in cx.frame.loops:
        loop.happened, loop.line, loop.what = True, node.place.line, "return"
    return True


def _simple(cx: Context, node: syntax.Simple) -> bool:
    if node.kind in ("break", "continue") and cx.frame.loops:
        loop = cx.frame.loops[-1]
        (loop.broken if node.kind == "break" else loop.continued).append(dict(cx.frame.names))
        if node.kind == "break":
            loop.happened, loop.line, loop.what = True, node.place.line, "break"
    if node.kind == "del":
        _lose(cx, node.names)
    return node.kind in ("break", "continue", "raise")


def _expression(cx: Context, node: syntax.ExpressionStatement) -> None:
    if not isinstance(node.value, syntax.Literal):
        cx.eval(node.value)


def _with(cx: Context, node: syntax.With) -> bool:
    _enter(cx, node)
    return lower_block(cx, node.body)


def _enter(cx: Context, node: syntax.With) -> None:
    if not all(_of_cuda(cx, item) for item in node.items):
        cx.builder.reason(node.place.line, "a with block is counted as its body", "traffic")
    _lose(cx, node.binds)


def _of_cuda(cx: Context, item: syntax.Expression) -> bool:
    """Whether it pins memory, or waits for a stream at the end."""
    function = item.function if isinstance(item, syntax.Call) else item
    found = cx.eval(function) if isinstance(function, (syntax.Name, syntax.Attribute)) else None
    return isinstance(found, ModuleRef) and found.dotted.startswith("numba.cuda.")


def _try(cx: Context, node: syntax.Try) -> bool:
    raised = _raises(node)
    if raised is not None and not all(always_raises(handler) for handler in node.handlers):
        message = "an exception is raised and caught in the same function"
        raise Unsupported(cx.builder.line(raised.place.line), message)
    before = dict(cx.frame.names)
    left = lower_block(cx, node.body + node.orelse)
    caught = tuple(handler for handler in node.handlers if not always_raises(handler))
    if not caught:
        cx.builder.assume(NO_EXCEPTION)
    for handler in caught:
        _caught(cx, handler, before, node.place.line)
    return lower_block(cx, node.final) or (left and not caught)


def _caught(cx: Context, handler: tuple[syntax.Statement, ...], before: dict[str, Value], line: int) -> None:
    """A handler that goes on: its work is done in a share of the executions, besides all of the try block."""
    meaning = f"share of executions where an exception in the try block of line {line} is caught, from 0 to 1"
    share = cx.builder.share(("caught", cx.frame.dotted, line), meaning, line)
    cx.builder.reason(line, "an exception that is caught may skip the rest of its try block", "upper")
    after, cx.frame.names = cx.frame.names, dict(before)
    with cx.builder.when((), share, line):
        cx.frame.branch_depth += 1
        left = lower_block(cx, handler)
        cx.frame.branch_depth -= 1
    cx.frame.names = after if left else join_names(cx, after, cx.frame.names, before, line)


def _function(cx: Context, node: syntax.Function) -> None:
    cx.frame.names[node.name] = nested_function(cx, node, f"{cx.frame.dotted}.{node.name}")


def _class(cx: Context, node: syntax.Class) -> None:
    _lose(cx, (node.name,))


def _import(cx: Context, node: syntax.Import) -> None:
    """An import hides a local of that name; the module resolves the name."""
    for _, name in node.names:
        cx.frame.names.pop(name, None)


_HANDLERS: dict[type, Callable[[Context, Any], bool | None]] = {
    syntax.Assign: assign, syntax.AugAssign: augmented, syntax.ExpressionStatement: _expression,
    syntax.If: lower_if, syntax.For: lower_for, syntax.While: lower_while, syntax.With: _with, syntax.Try: _try,
    syntax.Return: _return, syntax.Simple: _simple,
    syntax.Function: _function, syntax.Class: _class, syntax.Import: _import,
}  # fmt: skip
