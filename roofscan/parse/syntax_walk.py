"""Walks over the syntax tree, and the small questions that readers and lowering ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Class,
    Expression,
    For,
    Function,
    If,
    Lambda,
    Name,
    Named,
    Other,
    Return,
    Sequence,
    Simple,
    Slice,
    Starred,
    Statement,
    Subscript,
    Try,
    While,
    With,
)


@cache
def _child_fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a kind of node that may hold nodes, last first; None for what is no node."""
    if not is_dataclass(kind):
        return None
    return tuple(f.name for f in reversed(fields(kind)) if f.name != "place" and f.type not in _PLAIN)


_PLAIN = (
    "str", "str | None", "int", "bool", "object", "tuple[str, ...]", "SequenceKind", "SimpleKind",
    "ComprehensionKind", "Star", "BooleanOperator",
)  # fmt: skip
"""The types of fields that hold no node, as written."""


class _Children(dict[type, Callable[[Any], Iterable[Any]] | None]):
    """By the kind of a node, what takes its children from it, last first; None for what is no node."""

    def __missing__(self, kind: type) -> Callable[[Any], Iterable[Any]] | None:
        names = _child_fields(kind)
        made: Callable[[Any], Iterable[Any]] | None = None
        if names is not None:
            made = attrgetter(*names) if len(names) > 1 else _several(names)
        self[kind] = made
        return made


def _several(names: tuple[str, ...]) -> Callable[[Any], Iterable[Any]]:
    """As attrgetter of two names or more: it gives a single value by itself."""
    return lambda node: [getattr(node, name) for name in names]


_CHILDREN = _Children()
_SCOPES = frozenset((Function, Lambda, Class))
_NONE: frozenset[type] = frozenset()


def walk_all(node: Any) -> Iterator[Any]:
    """``node`` and all below it, in source order, nested functions included."""
    return walk(node, _NONE)


def walk(node: Any, closed: frozenset[type] = _SCOPES) -> Iterator[Any]:
    """``node`` and all below it, in source order; nested functions are met but not entered."""
    stack = [node]
    while stack:
        item = stack.pop()
        kind: Any = type(item)
        if kind is tuple:
            stack.extend(item[::-1])
            continue
        children = _CHILDREN[kind]
        if children is not None:
            yield item
            if kind not in closed or item is node:
                stack.extend(children(item))


def blocks(node: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statement lists inside a statement, in order; none for a simple one."""
    if isinstance(node, (If, For, While)):
        return (node.body, node.orelse)
    if isinstance(node, (With, Function, Class)):
        return (node.body,)
    if isinstance(node, Try):
        return (node.body, *node.handlers, node.orelse, node.final)
    return ()


def target_names(target: Expression) -> Iterator[str]:
    """The plain names that an assignment to ``target`` binds."""
    if isinstance(target, Name):
        yield target.id
    elif isinstance(target, Sequence):
        for item in target.items:
            yield from target_names(item)
    elif isinstance(target, Starred):
        yield from target_names(target.value)


def assigned_names(body: Iterable[Statement]) -> list[str]:
    """The names that ``body`` binds anywhere inside, each once, in source order."""
    found: dict[str, None] = {}
    for node in walk(tuple(body)):
        if isinstance(node, Assign):
            for target in node.targets:
                found.update(dict.fromkeys(target_names(target)))
        elif isinstance(node, (AugAssign, For, Named)):
            found.update(dict.fromkeys(target_names(node.target)))
    return list(found)


def is_a_loops_own(name: str, node: Any) -> bool:
    """Whether a name stands only in the bodies of ``for`` loops that bind it."""
    if isinstance(node, For) and name in target_names(node.target):
        return is_a_loops_own(name, (node.iterable, node.orelse))
    if isinstance(node, tuple):
        return all(is_a_loops_own(name, item) for item in node)
    if isinstance(node, Name):
        return node.id != name
    kind: Any = type(node)
    return all(is_a_loops_own(name, getattr(node, field)) for field in _child_fields(kind) or ())


def named_inside(*nodes: Expression) -> list[str]:
    """The names that ``:=`` binds in expressions."""
    return [node.target.id for expression in nodes for node in walk(expression) if isinstance(node, Named)]


def dotted_path(expression: Expression) -> str | None:
    """``a.b.c`` for a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(expression, Attribute):
        parts.append(expression.name)
        expression = expression.base
    if not isinstance(expression, Name):
        return None
    return ".".join([expression.id, *reversed(parts)])


def dict_items(expression: Expression) -> tuple[tuple[Expression, Expression], ...]:
    """The keys and values of a dict display; nothing for anything else."""
    if not isinstance(expression, Other):
        return ()
    return tuple(zip(expression.parts[::2], expression.parts[1::2]))


def subscript_chain(expression: Expression) -> tuple[Expression, tuple[Expression, ...]]:
    """The base and all subscripts of ``A[i][j]``, together."""
    items: tuple[Expression, ...] = ()
    while isinstance(expression, Subscript):
        items = expression.items + items
        expression = expression.base
    return expression, items


def least_rank(expression: Expression, is_no_dimension: Callable[[Expression], bool]) -> int:
    """The dimensions that the subscripts of ``A[1:, i][j]`` speak of: 2, since ``j`` is a place in what ``1:`` leaves.

    ``is_no_dimension`` tells items that take none of them (a new axis, an ellipsis).
    """
    taken = left = 0  # dimensions fixed by a place, and those that a slice leaves
    chain: list[tuple[Expression, ...]] = []
    while isinstance(expression, Subscript):
        chain.insert(0, expression.items)
        expression = expression.base
    for items, behind in zip(chain, (*chain[1:], ())):
        counted = [item for item in items if not is_no_dimension(item)]
        slices = len(counted) if selects(items, behind) else sum(isinstance(item, Slice) for item in counted)
        taken, left = taken + len(counted) - slices, max(0, left - len(counted)) + slices
    return taken + left


def selects(items: tuple[Expression, ...], behind: tuple[Expression, ...]) -> bool:
    """``[rows][:, columns]``, which would be ``[rows, :, columns]`` if rows were a place: an array, then."""
    if len(items) != 1 or len(behind) < 2 or not isinstance(items[0], Name):
        return False
    first = behind[0]
    return isinstance(first, Slice) and first.lower is first.upper is first.step is None


def has_exit(body: Iterable[Statement], *, loop_level: bool = True) -> bool:
    """Whether control can leave ``body`` early: continue or break of its own loop, return, or raise."""
    for statement in body:
        if isinstance(statement, Return):
            return True
        if isinstance(statement, Simple):
            if statement.kind in ("break", "continue") and loop_level:
                return True
        elif isinstance(statement, If):
            if has_exit(statement.body, loop_level=loop_level) or has_exit(statement.orelse, loop_level=loop_level):
                return True
        elif isinstance(statement, (For, While)):
            if has_exit(statement.body, loop_level=False):
                return True
        elif isinstance(statement, (With, Try)) and has_exit(statement.body, loop_level=loop_level):
            return True
    return False


def breaks(body: Iterable[Statement]) -> bool:
    """Whether a break in ``body`` may end the loop whose body it is."""
    for statement in body:
        if isinstance(statement, Simple) and statement.kind == "break":
            return True
        if isinstance(statement, If) and (breaks(statement.body) or breaks(statement.orelse)):
            return True
        if isinstance(statement, (For, While)) and breaks(statement.orelse):
            return True
        if isinstance(statement, With) and breaks(statement.body):
            return True
        if isinstance(statement, Try) and any(
            breaks(block) for block in (statement.body, *statement.handlers, statement.orelse, statement.final)
        ):
            return True
    return False


def always_raises(body: tuple[Statement, ...]) -> bool:
    """Whether ``body`` ends in a raise: a guard, taken not to happen."""
    return bool(body) and isinstance(body[-1], Simple) and body[-1].kind == "raise"


def paths(expression: Expression) -> Iterator[str]:
    """The names and dotted paths in an expression."""
    for node in walk(expression):
        if isinstance(node, (Name, Attribute)):
            path = dotted_path(node)
            if path:
                yield path
