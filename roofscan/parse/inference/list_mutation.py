"""Names of lists that change their length, under any of their names: after ``b = a``, ``b.append(x)`` lengthens ``a``,
too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.syntax_walk import subscript_chain

SHRINKING = frozenset(("pop", "remove", "clear"))
RESIZING = SHRINKING | {"append", "extend", "insert"}  # methods that change the length of a list


def resized_lists(nodes: Iterable[Any]) -> Iterator[str]:
    """The names of lists that a method, ``+=`` or ``x = x + [y]`` lengthens or shortens."""
    for node in nodes:
        if isinstance(node, syntax.Attribute) and node.name in RESIZING:
            yield from root_name(node.base)
        elif isinstance(node, syntax.AugAssign) and _is_list(node.value):
            yield from root_name(node.target)
        elif isinstance(node, syntax.Assign) and isinstance(node.value, syntax.Binary):
            sides = (node.value.left, node.value.right)
            names = {t.id for t in node.targets if isinstance(t, syntax.Name)}
            if any(isinstance(s, syntax.Name) and s.id in names for s in sides) and any(map(_is_list, sides)):
                yield from names


def with_aliases(resized: set[str], nodes: Iterable[Any]) -> set[str]:
    """``resized`` and every name that may be bound to the same list, or to a list or tuple that holds it."""
    links = [names for node in nodes if len(names := _linked(node)) > 1]
    found, before = set(resized), -1
    while before != len(found):
        before = len(found)
        for names in links:
            if names & found:
                found |= names
    return found


def root_name(node: syntax.Expression) -> Iterator[str]:
    """The name that ``k[0].items`` starts with."""
    while isinstance(node, (syntax.Subscript, syntax.Attribute)):
        node = node.base
    if isinstance(node, syntax.Name):
        yield node.id


def _linked(node: Any) -> set[str]:
    """The names that may share a list after a statement or a call."""
    if isinstance(node, syntax.Assign) and node.value is not None:
        return {name for target in node.targets for name in shared_names(target)} | set(shared_names(node.value))
    if isinstance(node, syntax.Named):
        return {*shared_names(node.target), *shared_names(node.value)}
    if isinstance(node, syntax.For):
        return {*shared_names(node.target), *shared_names(node.iterable)}
    if isinstance(node, syntax.Call) and isinstance(node.function, syntax.Attribute) and node.function.name in RESIZING:
        return {*root_name(node.function.base), *(name for arg in node.args for name in shared_names(arg))}
    return set()


def shared_names(node: syntax.Expression) -> Iterator[str]:
    """The names whose list, or an item of it, the value of an expression may be or hold."""
    if isinstance(node, syntax.Name):
        yield node.id
    elif isinstance(node, (syntax.Subscript, syntax.Attribute)):
        _, items = subscript_chain(node)
        if not any(isinstance(item, syntax.Slice) for item in items):  # a slice is a copy
            yield from root_name(node)
    else:
        for part in _parts(node):
            yield from shared_names(part)


def _parts(node: syntax.Expression) -> tuple[syntax.Expression, ...]:
    if isinstance(node, syntax.Sequence):
        return node.items
    if isinstance(node, syntax.Conditional):
        return (node.then, node.orelse)
    if isinstance(node, (syntax.Boolean, syntax.Binary)):
        return (node.left, node.right)
    if isinstance(node, syntax.Call):  # a helper may return what it is given
        return node.args
    if isinstance(node, syntax.Comprehension):
        return (node.element, node.iterable)
    return (node.value,) if isinstance(node, (syntax.Starred, syntax.Named)) else ()


def _is_list(node: syntax.Expression) -> bool:
    return isinstance(node, syntax.Comprehension) or (isinstance(node, syntax.Sequence) and node.kind == "list")
