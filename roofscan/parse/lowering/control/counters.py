"""Counters: integers that a loop only adds to, or only takes from, and where it uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any, NamedTuple

from roofscan.ir.data_subscripts import Counter, Pointer
from roofscan.parse import syntax
from roofscan.parse.syntax import (
    Assign,
    AugAssign,
    Binary,
    Boolean,
    Call,
    Conditional,
    Expression,
    For,
    If,
    Literal,
    Name,
    Statement,
    Subscript,
    While,
)
from roofscan.parse.syntax_walk import assigned_names, children, has_exit, named_inside, root_name, target_names, walk
from roofscan.symbolic.expr import symbol


def counter_of(name: str, placeholder: str, var: str, body: tuple[Statement, ...]) -> Counter | None:
    """What an integer of the iterations over ``var`` is, if it is a counter."""
    most = added_at_most(name, body)
    return Counter(placeholder, symbol(var), abs(most), frozenset(_moving_accesses(name, body))) if most else None


def added_at_most(name: str, body: Iterable[Statement]) -> int | None:
    """The most that a run of ``body`` adds to a name that it only adds numbers to (below 0: only takes them from)."""
    added = [_added(name, statement) for statement in body if name in assigned_names((statement,))]
    whole = [each for each in added if each is not None]
    one_way = all(each >= 0 for each in whole) or all(each <= 0 for each in whole)
    return sum(whole) if one_way and len(whole) == len(added) else None


def pointer_of(name: str, var: str, body: tuple[Statement, ...]) -> Pointer | None:
    """What an integer of the iterations over ``var`` is, if loops inside may only add numbers to it as well."""
    moved = _moves(name, body)
    if moved is None or moved.most == 0 or min(moved.up, moved.down) == inf:
        return None
    most = None if moved.most == inf else int(moved.most)
    return Pointer(name, symbol(var), int(min(moved.up, moved.down)), most, moved.down > 0)


class _Moves(NamedTuple):
    """The most that is added to a name, taken from it, and both."""

    up: float
    down: float
    most: float


def _moves(name: str, body: Iterable[Statement]) -> _Moves | None:
    """What a run of ``body`` does to a name; None where that is not to add numbers alone."""
    parts = [_Moves(0, 0, 0)]
    for statement in body:
        if name not in assigned_names((statement,)):
            continue
        if isinstance(statement, If) and not named_inside(statement.test):
            arms = [_moves(name, arm) for arm in (statement.body, statement.orelse)]
        elif isinstance(statement, (For, While)) and not _binds(name, statement):
            arms = [_moves(name, (*statement.body, *statement.orelse))]
        else:
            added = _added(name, statement) if isinstance(statement, (Assign, AugAssign)) else None
            arms = [None if added is None else _Moves(max(added, 0), max(-added, 0), abs(added))]
        known = [arm for arm in arms if arm is not None]
        if len(known) < len(arms):
            return None
        most = map(max, zip(*known))
        often = _times(statement)
        parts.append(_Moves(*(often * way if way else 0 for way in most)))
    return _Moves(*map(sum, zip(*parts)))


def _times(statement: Statement) -> float:
    """The most runs of what a statement holds."""
    if isinstance(statement, For) and isinstance(statement.iterable, Call):
        args, function = statement.iterable.args, statement.iterable.function
        [*before, stop] = args or (None,)
        if isinstance(stop, Literal) and type(stop.value) is int and not before and _is_name(function, "range"):
            return max(stop.value, 0)
    return inf if isinstance(statement, (For, While)) else 1


def _binds(name: str, loop: For | While) -> bool:
    if isinstance(loop, While):
        return bool(named_inside(loop.test))
    return name in target_names(loop.target)


def places_at(name: str, body: tuple[Statement, ...]) -> set[tuple[int, int]]:
    """Line and column of the subscripts at a name, or at numbers beside it."""
    found = (part for part in walk(body) if isinstance(part, Subscript))
    return {(p.place.line, p.place.column) for p in found if any(_is_beside(name, item) for item in p.items)}


def _is_beside(name: str, item: object) -> bool:
    if isinstance(item, Binary) and item.op in ("+", "-") and isinstance(item.right, Literal):
        item = item.left
    return _is_name(item, name)


def _is_name(item: object, name: str) -> bool:
    return isinstance(item, Name) and item.id == name


def _added(name: str, statement: Statement) -> int | None:
    if isinstance(statement, If) and not named_inside(statement.test):
        then, other = added_at_most(name, statement.body), added_at_most(name, statement.orelse)
        if then is None or other is None or then * other < 0:
            return None
        return max(then, other, key=abs)
    if isinstance(statement, AugAssign):
        return _signed(statement.op, statement.value)
    if isinstance(statement, Assign) and all(isinstance(target, Name) for target in statement.targets):
        value = statement.value
        from_itself = isinstance(value, Binary) and isinstance(value.left, Name) and value.left.id == name
        return _signed(value.op, value.right) if isinstance(value, Binary) and from_itself else None
    return None


def _signed(op: str, number: Expression) -> int | None:
    if not isinstance(number, Literal) or type(number.value) is not int or op not in ("+", "-"):
        return None
    return number.value if op == "+" else -number.value


def _moving_accesses(name: str, body: tuple[Statement, ...]) -> set[tuple[str, int]]:
    """Array and line of an access that runs whenever the counter moves, for each place where it does; of arrays that
    have one at each of them."""
    places = [_accesses(name, block) for block in _moving_blocks(name, body)]
    arrays = set.intersection(*({array for array, _ in found} for found in places)) if places else set()
    return {next(access for access in found if access[0] == array) for array in arrays for found in places}


def _moving_blocks(name: str, body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    if any(isinstance(s, (Assign, AugAssign)) and name in assigned_names((s,)) for s in body):
        yield body
    for statement in body:
        if isinstance(statement, If):
            yield from _moving_blocks(name, statement.body)
            yield from _moving_blocks(name, statement.orelse)


def _accesses(name: str, block: tuple[Statement, ...]) -> list[tuple[str, int]]:
    """The accesses at a counter that a run of a block surely makes, up to where it may end after the counter moved."""
    found: list[tuple[str, int]] = []
    moved = False
    for statement in block:
        if moved and has_exit((statement,)):
            break
        if isinstance(statement, (Assign, AugAssign)):
            moved = moved or name in assigned_names((statement,))
            parts = list(walk(statement))
            if not any(isinstance(part, (Conditional, Boolean)) for part in parts):
                found += [(root_name(part), part.place.line) for part in parts if _is_at(part, name)]
    return found


def _is_at(part: object, name: str) -> bool:
    return isinstance(part, Subscript) and any(isinstance(item, Name) and item.id == name for item in part.items)


# -- integers computed by more than a sum -----------------------------------------------------------
Use = tuple[str, bool]  # a name, and whether more than sums and calls is done to it


def recurring_names(body: tuple[syntax.Statement, ...]) -> set[str]:
    """The names whose next value depends on their last one that way, temporaries in between."""
    uses: dict[str, set[Use]] = {}
    for node in walk(body):
        if isinstance(node, syntax.Assign):
            names = [name for target in node.targets for name in target_names(target)]
            used = set(_used(node.value, False))
        elif isinstance(node, syntax.AugAssign):
            names = list(target_names(node.target))
            mixed = node.op not in ("+", "-")
            used = {*_used(node.value, mixed), *((name, mixed) for name in names)}
        else:
            continue
        for name in names:
            uses.setdefault(name, set()).update(used)
    return {name for name in uses if (name, True) in _reached(name, uses)}


def _used(node: Any, mixed: bool) -> Iterator[Use]:
    if isinstance(node, syntax.Name):
        yield node.id, mixed
        return
    mixed |= isinstance(node, syntax.Subscript) or (isinstance(node, syntax.Binary) and node.op not in ("+", "-"))
    for child in children(node):
        yield from _used(child, mixed)


def _reached(name: str, uses: dict[str, set[Use]]) -> set[Use]:
    found: set[Use] = set()
    open_ends = [(name, False)]
    while open_ends:
        here, mixed = open_ends.pop()
        further = {(other, mixed or mixes) for other, mixes in uses.get(here, ())} - found
        found |= further
        open_ends += further
    return found
