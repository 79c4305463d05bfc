"""Loops whose iterations take turns (``t % 2`` picks a buffer or a row): one pass covers a full period of the turns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import modulus_of
from roofscan.parse.lowering.values import TupleValue, View
from roofscan.parse.syntax_walk import walk


def alternation_period(cx: Context, counter: str, statements: tuple[syntax.Statement, ...]) -> int:
    """The iterations after which the remainders of ``counter`` that pick arrays or rows repeat; 1 where none do."""
    if not any(isinstance(node, (syntax.For, syntax.While, syntax.Call, syntax.Slice)) for node in walk(statements)):
        return 1  # consecutive elements, not turns
    turns = {
        name
        for s in statements
        if isinstance(s, syntax.Assign) and s.value is not None and _moduli(s.value, counter)
        for target in s.targets
        for name in _names(target)
    }
    return math.lcm(1, *_picking(cx, counter, turns, statements))


def _picking(cx: Context, counter: str, turns: set[str], statements: tuple[syntax.Statement, ...]) -> Iterator[int]:
    for test, arms in _tests(statements):
        if any(_picks_work(cx, node) for node in walk(arms)):
            yield from _moduli(test, counter)
            yield from _of_turns(counter, turns, test, statements)
    for node in walk(statements):
        if isinstance(node, syntax.Subscript) and _holds_rows(cx, node):
            for item in node.items:
                yield from _moduli(item, counter)
                yield from _of_turns(counter, turns, item, statements)


def _tests(statements: tuple[syntax.Statement, ...]) -> Iterator[tuple[syntax.Expression, object]]:
    """The tests of a block itself, with their arms: those of inner loops are not entered."""
    for statement in statements:
        if isinstance(statement, syntax.If):
            yield statement.test, (statement.body, statement.orelse)
            yield from _tests(statement.body)
            yield from _tests(statement.orelse)
        elif isinstance(statement, syntax.Assign):
            for node in walk(statement.value):
                if isinstance(node, syntax.Conditional):
                    yield node.test, (node.then, node.orelse)


def _picks_work(cx: Context, node: object) -> bool:
    if isinstance(node, syntax.Name):
        return isinstance(cx.frame.names.get(node.id), (View, TupleValue))
    return isinstance(node, (syntax.For, syntax.While))


def _holds_rows(cx: Context, node: syntax.Subscript) -> bool:
    base = cx.frame.names.get(node.base.id) if isinstance(node.base, syntax.Name) else None
    return isinstance(base, TupleValue) or (isinstance(base, View) and base.ndim > 1)


def _of_turns(
    counter: str, turns: set[str], expression: syntax.Expression, statements: tuple[syntax.Statement, ...]
) -> Iterator[int]:
    """The moduli by which the names in an expression were made."""
    if turns.isdisjoint(_names(expression)):
        return
    for statement in statements:
        if isinstance(statement, syntax.Assign) and any(turns.intersection(_names(t)) for t in statement.targets):
            yield from _moduli(statement.value, counter)


def _moduli(expression: syntax.Expression | None, counter: str) -> Iterable[int]:
    """The constants by which ``counter``, plus or minus a constant, is divided for a remainder."""
    return {
        modulus
        for node in walk(expression)
        if isinstance(node, syntax.Binary)
        for modulus in (modulus_of(node),)
        if modulus > 1 and list(_names(node.left)) == [counter]
    }


def _names(expression: syntax.Expression) -> Iterator[str]:
    return (node.id for node in walk(expression) if isinstance(node, syntax.Name))


__all__ = ["alternation_period"]
