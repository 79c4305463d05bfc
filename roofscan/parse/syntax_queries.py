"""Small questions about syntax trees that finding and typing ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from roofscan.parse.syntax import (
    Attribute,
    Class,
    Expression,
    For,
    Function,
    If,
    Lambda,
    Name,
    Other,
    Statement,
    Try,
    While,
    With,
)

_LEAVES = (str, int, float, complex, bytes, bool, type(None), type(...))


_CHILDREN: dict[type, tuple[str, ...]] = {}


def _children(kind: type) -> tuple[str, ...]:
    """The fields of a node class that may hold nodes, last first."""
    if kind not in _CHILDREN:
        _CHILDREN[kind] = tuple(f.name for f in reversed(fields(kind)) if f.name != "place")
    return _CHILDREN[kind]


def walk(node: Any, *, nested: bool = True) -> Iterator[Any]:
    """All nodes of a node or a tuple of nodes, itself first, in source order.

    Without ``nested``, functions, lambdas and classes inside are met but not entered.
    """
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack.extend(reversed(item))
        elif not isinstance(item, _LEAVES):
            yield item
            if nested or item is node or not isinstance(item, (Function, Lambda, Class)):
                stack.extend(getattr(item, name) for name in _children(type(item)))


def blocks(node: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statement lists inside a statement, in order; none for a simple one."""
    if isinstance(node, (If, For, While)):
        return (node.body, node.orelse)
    if isinstance(node, (With, Function, Class)):
        return (node.body,)
    if isinstance(node, Try):
        return (node.body, *node.handlers, node.orelse, node.final)
    return ()


def dotted_name(expression: Expression) -> str | None:
    """``a.b.c`` for a chain of attributes on a name, else None."""
    names: list[str] = []
    while isinstance(expression, Attribute):
        names.append(expression.name)
        expression = expression.base
    return ".".join([expression.id, *reversed(names)]) if isinstance(expression, Name) else None


def dict_items(expression: Expression) -> tuple[tuple[Expression, Expression], ...]:
    """The keys and values of a dict display; nothing for anything else."""
    if not isinstance(expression, Other):
        return ()
    return tuple(zip(expression.parts[::2], expression.parts[1::2]))
