"""Walks over the syntax tree, and the small questions that readers and lowering ask of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from roofscan.parse import syntax


@cache
def _child_fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a kind of node that may hold nodes, last first; None for other types."""
    if not is_dataclass(kind):
        return None
    return tuple(f.name for f in reversed(fields(kind)) if f.name != "place" and f.type not in _PLAIN)


_PLAIN = (
    "str", "str | None", "int", "bool", "object", "tuple[str, ...]", "SequenceKind", "SimpleKind",
    "ComprehensionKind", "Star", "BooleanOperator",
)  # fmt: skip
"""The types of fields that hold no node, as written."""


class _Children(dict[type, Callable[[Any], Iterable[Any]] | None]):
    """By the kind of a node, what takes its children from it, last first; None for other types."""

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
_SCOPES = frozenset((syntax.Function, syntax.Lambda, syntax.Class))
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


def children(node: Any) -> Iterator[Any]:
    """The nodes right below it, in source order."""
    kind: Any = type(node)
    for item in node if kind is tuple else (getattr(node, field) for field in _child_fields(kind) or ()):
        yield from children(item) if isinstance(item, tuple) else (item,)


def blocks(node: syntax.Statement) -> tuple[tuple[syntax.Statement, ...], ...]:
    """The statement lists inside a statement, in order; none for a simple one."""
    if isinstance(node, (syntax.If, syntax.For, syntax.While)):
        return (node.body, node.orelse)
    if isinstance(node, (syntax.With, syntax.Function, syntax.Class)):
        return (node.body,)
    if isinstance(node, syntax.Try):
        return (node.body, *node.handlers, node.orelse, node.final)
    return ()


def target_names(target: syntax.Expression) -> Iterator[str]:
    """The plain names that an assignment to ``target`` binds."""
    if isinstance(target, syntax.Name):
        yield target.id
    elif isinstance(target, syntax.Sequence):
        for item in target.items:
            yield from target_names(item)
    elif isinstance(target, syntax.Starred):
        yield from target_names(target.value)


def bound_values(node: syntax.Assign) -> Iterator[tuple[syntax.Expression, syntax.Expression]]:
    """The targets of an assignment with their values: of ``a, b = x, y`` each with its own."""
    if node.value is not None:
        for target in node.targets:
            yield from _matched(target, node.value)


def _matched(
    target: syntax.Expression, value: syntax.Expression
) -> Iterator[tuple[syntax.Expression, syntax.Expression]]:
    if isinstance(target, syntax.Sequence) and isinstance(value, syntax.Sequence):
        starred = any(isinstance(item, syntax.Starred) for item in (*target.items, *value.items))
        if len(target.items) == len(value.items) and not starred:
            for each, part in zip(target.items, value.items):
                yield from _matched(each, part)
            return
    yield target, value


def only_updated(body: Iterable[syntax.Statement]) -> frozenset[str]:
    """The names that nothing reads but their own assignments: ``bits = bits >> 1``, where no other statement names
    ``bits``. A compiler leaves them out."""
    all_nodes = list(walk_all(tuple(body)))
    used = Counter(node.id for node in all_nodes if isinstance(node, syntax.Name))
    for node in all_nodes:
        targets = node.targets if isinstance(node, syntax.Assign) else ()
        targets = (node.target,) if isinstance(node, syntax.AugAssign) else targets
        if len(targets) == 1 and isinstance(targets[0], syntax.Name):
            own = targets[0].id
            used[own] -= sum(isinstance(part, syntax.Name) and part.id == own for part in walk_all(node))
    return frozenset(name for name, times in used.items() if not times)


def assigned_names(body: Iterable[syntax.Statement]) -> list[str]:
    """The names that ``body`` binds anywhere inside, each once, in source order."""
    found: dict[str, None] = {}
    for node in walk(tuple(body)):
        if isinstance(node, syntax.Assign):
            for target in node.targets:
                found.update(dict.fromkeys(target_names(target)))
        elif isinstance(node, (syntax.AugAssign, syntax.For, syntax.Named)):
            found.update(dict.fromkeys(target_names(node.target)))
    return list(found)


def is_a_loops_own(name: str, node: Any) -> bool:
    """Whether a name occurs only in the bodies of ``for`` loops that bind it."""
    if isinstance(node, syntax.For) and name in target_names(node.target):
        return is_a_loops_own(name, (node.iterable, node.orelse))
    if isinstance(node, tuple):
        return all(is_a_loops_own(name, item) for item in node)
    if isinstance(node, syntax.Name):
        return node.id != name
    kind: Any = type(node)
    return all(is_a_loops_own(name, getattr(node, field)) for field in _child_fields(kind) or ())


def is_read_first(name: str, body: Iterable[syntax.Statement]) -> bool:
    """Whether a run of ``body`` may read what a name was bound to before it."""
    return _reads_first(name, body) is True


def _reads_first(name: str, body: Iterable[syntax.Statement]) -> bool | None:
    """As :func:`is_read_first`; None where ``body`` may end with the name neither read nor bound."""
    for statement in body:
        found = _use(name, statement)
        if found is not None:
            return found
    return None


def _use(name: str, statement: syntax.Statement) -> bool | None:
    if isinstance(statement, syntax.Assign) and not _mentions(name, statement.value):
        bound = any(name in target_names(target) for target in statement.targets)
        return False if bound else _mentions(name, statement.targets) or None
    if isinstance(statement, syntax.If) and not _mentions(name, statement.test):
        arms = [_reads_first(name, arm) for arm in (statement.body, statement.orelse)]
        return True if True in arms else None if None in arms else False
    if isinstance(statement, syntax.For) and not _mentions(name, statement.iterable):
        bound = name in target_names(statement.target)
        return (not bound and is_read_first(name, statement.body)) or is_read_first(name, statement.orelse) or None
    if isinstance(statement, syntax.While) and not _mentions(name, statement.test):
        return is_read_first(name, statement.body) or is_read_first(name, statement.orelse) or None
    return _mentions(name, statement) or None


def _mentions(name: str, node: Any) -> bool:
    return any(isinstance(part, syntax.Name) and part.id == name for part in walk_all(node))


def named_inside(*nodes: syntax.Expression) -> list[str]:
    """The names that ``:=`` binds in expressions."""
    return [node.target.id for expression in nodes for node in walk(expression) if isinstance(node, syntax.Named)]


def root_name(node: Any) -> str:
    """``p`` of ``p[i].x``; "" where it is not a name."""
    while isinstance(node, (syntax.Attribute, syntax.Subscript)):
        node = node.base
    return node.id if isinstance(node, syntax.Name) else ""


def dotted_path(expression: syntax.Expression) -> str | None:
    """``a.b.c`` for a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(expression, syntax.Attribute):
        parts.append(expression.name)
        expression = expression.base
    if not isinstance(expression, syntax.Name):
        return None
    return ".".join([expression.id, *reversed(parts)])


def dict_items(expression: syntax.Expression) -> tuple[tuple[syntax.Expression, syntax.Expression], ...]:
    """The keys and values of a dict display; nothing for anything else."""
    if not isinstance(expression, syntax.Other):
        return ()
    return tuple(zip(expression.parts[::2], expression.parts[1::2]))


def subscript_chain(expression: syntax.Expression) -> tuple[syntax.Expression, tuple[syntax.Expression, ...]]:
    """The base and all subscripts of ``A[i][j]``, together."""
    items: tuple[syntax.Expression, ...] = ()
    while isinstance(expression, syntax.Subscript):
        items = expression.items + items
        expression = expression.base
    return expression, items


def least_rank(expression: syntax.Expression, is_no_dimension: Callable[[syntax.Expression], bool]) -> int:
    """The dimensions that the subscripts of ``A[1:, i][j]`` refer to: 2, since ``j`` is a place in what ``1:`` leaves.
    ``is_no_dimension`` tells items that take none of them (a new axis, an ellipsis)."""
    taken = left = 0  # dimensions fixed by a place, and those that a slice leaves
    chain: list[tuple[syntax.Expression, ...]] = []
    while isinstance(expression, syntax.Subscript):
        chain.insert(0, expression.items)
        expression = expression.base
    for items, behind in zip(chain, (*chain[1:], ())):
        counted = [item for item in items if not is_no_dimension(item)]
        slices = len(counted) if selects(items, behind) else sum(isinstance(item, syntax.Slice) for item in counted)
        taken, left = taken + len(counted) - slices, max(0, left - len(counted)) + slices
    return taken + left


def selects(items: tuple[syntax.Expression, ...], behind: tuple[syntax.Expression, ...]) -> bool:
    """``[rows][:, columns]``, which would be ``[rows, :, columns]`` if rows were a place: an array, then."""
    if len(items) != 1 or len(behind) < 2 or not isinstance(items[0], syntax.Name):
        return False
    first = behind[0]
    return isinstance(first, syntax.Slice) and first.lower is first.upper is first.step is None


def has_exit(body: Iterable[syntax.Statement], *, loop_level: bool = True) -> bool:
    """Whether control can leave ``body`` early: continue or break of its own loop, return, or raise."""
    for statement in body:
        if isinstance(statement, syntax.Return):
            return True
        if isinstance(statement, syntax.Simple):
            if statement.kind in ("break", "continue") and loop_level:
                return True
        elif isinstance(statement, syntax.If):
            if has_exit(statement.body, loop_level=loop_level) or has_exit(statement.orelse, loop_level=loop_level):
                return True
        elif isinstance(statement, (syntax.For, syntax.While)):
            if has_exit(statement.body, loop_level=False):
                return True
        elif isinstance(statement, (syntax.With, syntax.Try)) and has_exit(statement.body, loop_level=loop_level):
            return True
    return False


def breaks(body: Iterable[syntax.Statement]) -> bool:
    """Whether a break in ``body`` may end the loop whose body it is."""
    for statement in body:
        if isinstance(statement, syntax.Simple) and statement.kind == "break":
            return True
        if isinstance(statement, (syntax.For, syntax.While)) and breaks(statement.orelse):
            return True
        if isinstance(statement, (syntax.If, syntax.With, syntax.Try)) and any(map(breaks, blocks(statement))):
            return True
    return False


def always_raises(body: tuple[syntax.Statement, ...]) -> bool:
    """Whether ``body`` ends in a raise: a guard, taken not to happen."""
    return bool(body) and isinstance(body[-1], syntax.Simple) and body[-1].kind == "raise"


def paths(expression: syntax.Expression) -> Iterator[str]:
    for node in walk(expression):
        if isinstance(node, (syntax.Name, syntax.Attribute)):
            path = dotted_path(node)
            if path:
                yield path


CONFIGURING = frozenset(("forall", "configure"))
"""Methods of a kernel that give what launches it."""


def launched_or_called(call: syntax.Call) -> syntax.Expression:
    """The function of a call: that of ``kernel[grid, block](…)`` and ``kernel.forall(n)(…)`` is the kernel."""
    function = call.function
    if isinstance(function, syntax.Subscript):
        return function.base
    inner = function.function if isinstance(function, syntax.Call) else None
    return inner.base if isinstance(inner, syntax.Attribute) and inner.name in CONFIGURING else function
