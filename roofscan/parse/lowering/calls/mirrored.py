"""Functions that call themselves once, with their operands exchanged: ``if a > b: return f(b, a)``. The inner call does
not come back to that branch."""

from __future__ import annotations

from dataclasses import replace

from roofscan.parse.syntax import Call, Compare, Function, If, Name, Statement
from roofscan.parse.syntax_walk import walk


def without_second_call(function: Function) -> Function | None:
    """The function as its inner call runs it; None where it may call itself again or elsewhere."""
    body = function.body
    for place, statement in enumerate(body):
        if isinstance(statement, If) and _self_calls(statement.body, function):
            rest = (*body[:place], *statement.orelse, *body[place + 1 :])
            if not _self_calls(rest, function) and _exchanges_compared(statement, function):
                return replace(function, body=rest)
    return None


def _self_calls(body: tuple[Statement, ...], function: Function) -> list[Call]:
    calls = (node for node in walk(body) if isinstance(node, Call))
    return [c for c in calls if isinstance(c.function, Name) and c.function.id == function.name]


def _exchanges_compared(guard: If, function: Function) -> bool:
    """Whether every call in the guarded body exchanges the two parameters that the guard compares."""
    test, names = guard.test, [p.name for p in function.parameters]
    if not isinstance(test, Compare) or len(test.operators) != 1 or test.operators[0] not in ("<", ">", "<=", ">="):
        return False
    one, other = (side.id if isinstance(side, Name) else "" for side in test.operands)
    if one == other or not {one, other} <= {*names}:
        return False
    return all(_exchanges(call, names, one, other) for call in _self_calls(guard.body, function))


def _exchanges(call: Call, names: list[str], one: str, other: str) -> bool:
    given = {name: arg.id for name, arg in zip(names, call.args) if isinstance(arg, Name)}
    return not (call.keywords or call.starred) and (given.get(one), given.get(other)) == (other, one)
