"""What the compiled functions of a file hand a function that they call: row after row, numbers of the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from roofscan.parse.reader.find import compiled_users, lines_with
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Call, Expression, For, Function, Literal, Name, Subscript, While
from roofscan.parse.syntax_walk import dotted_path, walk_all


def calls_by_user(module: Module, dotted: str) -> Iterator[tuple[list[Any], list[Call]]]:
    """The nodes of each compiled function of the file that calls a function, and its calls."""
    name = _last_name(dotted)
    lines = lines_with(module, name)
    for path in compiled_users(module, dotted, lines) if len(lines) > 1 else ():  # one is its own def
        nodes = list(walk_all(module.function_at(path).body))
        if calls := list(_calls(nodes, name)):
            yield nodes, calls


def gets_rows(module: Module, dotted: str) -> bool:
    """Whether the compiled functions of the file that call it in loops hand it parts that a variable chooses, as in
    ``f(x[i], y)``, each time."""
    nodes = (node for nodes, _ in calls_by_user(module, dotted) for node in nodes)
    inside = (walk_all(loop) for loop in nodes if isinstance(loop, (For, While)))
    calls = [call for body in inside for call in _calls(body, _last_name(dotted))]
    return bool(calls) and all(any(map(_is_chosen, call.args)) for call in calls)


def given_numbers(module: Module, dotted: str, function: Function) -> frozenset[str]:
    """The parameters for which one of them hands a number of the source, 0 or more: ``fit(x, y, n, 0)``. Compiled with
    its caller, a short function has that number in place of the parameter."""
    return frozenset(
        parameter.name
        for _, calls in calls_by_user(module, dotted)
        for call in calls
        for parameter, argument in zip(function.parameters, call.args, strict=False)
        if isinstance(argument, Literal) and type(argument.value) is int and argument.value >= 0
    )


def _calls(nodes: Iterable[Any], name: str) -> Iterator[Call]:
    return (node for node in nodes if isinstance(node, Call) and _last_name(dotted_path(node.function) or "") == name)


def _last_name(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _is_chosen(argument: Expression) -> bool:
    return isinstance(argument, Subscript) and any(isinstance(item, Name) for item in argument.items)
