"""What the compiled functions of a file hand a function that they call: row after row, numbers of the source."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse.definitions import DefinitionPath
from roofscan.parse.reader.find import compiled_users, lines_with
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Call, Expression, For, Function, Literal, Name, Subscript, While
from roofscan.parse.syntax_walk import dotted_path, walk_all


def gets_rows(module: Module, dotted: str) -> bool:
    """Whether the compiled functions of the file that call it in loops hand it parts that a variable chooses, as in
    ``f(x[i], y)``, each time."""
    name = dotted.rpartition(".")[2]
    lines = lines_with(module, name)
    if len(lines) < 2:  # its own def
        return False
    calls = [call for path in compiled_users(module, dotted, lines) for call in _calls_in_loops(module, path, name)]
    return bool(calls) and all(any(map(_is_chosen, call.args)) for call in calls)


def given_numbers(module: Module, dotted: str, function: Function) -> frozenset[str]:
    """The parameters for which one of them hands a number of the source, 0 or more: ``fit(x, y, n, 0)``. Compiled with
    its caller, a short function has that number in place of the parameter."""
    name = dotted.rpartition(".")[2]
    lines = lines_with(module, name)
    users = compiled_users(module, dotted, lines) if len(lines) > 1 else ()
    calls = [node for path in users for node in walk_all(module.function_at(path).body) if isinstance(node, Call)]
    return frozenset(
        parameter.name
        for call in calls
        if (dotted_path(call.function) or "").rpartition(".")[2] == name
        for parameter, argument in zip(function.parameters, call.args, strict=False)
        if isinstance(argument, Literal) and type(argument.value) is int and argument.value >= 0
    )


def _calls_in_loops(module: Module, path: DefinitionPath, name: str) -> Iterator[Call]:
    for loop in walk_all(module.function_at(path).body):
        if isinstance(loop, (For, While)):
            for node in walk_all(loop):
                called = dotted_path(node.function) if isinstance(node, Call) else None
                if isinstance(node, Call) and called is not None and called.rpartition(".")[2] == name:
                    yield node


def _is_chosen(argument: Expression) -> bool:
    return isinstance(argument, Subscript) and any(isinstance(item, Name) for item in argument.items)
