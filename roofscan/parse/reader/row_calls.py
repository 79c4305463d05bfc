"""Whether a function is called for row after row."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse.definitions import DefinitionPath
from roofscan.parse.reader.find import compiled_users, lines_with
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Call, Expression, For, Name, Subscript, While
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


def _calls_in_loops(module: Module, path: DefinitionPath, name: str) -> Iterator[Call]:
    for loop in walk_all(module.function_at(path).body):
        if isinstance(loop, (For, While)):
            for node in walk_all(loop):
                called = dotted_path(node.function) if isinstance(node, Call) else None
                if isinstance(node, Call) and called is not None and called.rpartition(".")[2] == name:
                    yield node


def _is_chosen(argument: Expression) -> bool:
    return isinstance(argument, Subscript) and any(isinstance(item, Name) for item in argument.items)
