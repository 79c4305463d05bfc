"""Counters: integers that a loop only adds to, or only takes from, and where it uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofscan.ir.kernel import Counter
from roofscan.parse.syntax import (
    Assign,
    AugAssign,
    Binary,
    Boolean,
    Conditional,
    Expression,
    If,
    Literal,
    Name,
    Statement,
    Subscript,
)
from roofscan.parse.syntax_walk import assigned_names, has_exit, named_inside, root_name, walk
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
