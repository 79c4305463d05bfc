"""Whether a function is a helper: one that others of its file call in loops, such as a distance of two rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roofscan.parse.reader.decorators import may_compile
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.outline import Definition, DefinitionPath
from roofscan.parse.syntax import Call, Comprehension, Expression, For, Function, Name, While
from roofscan.parse.syntax_walk import dotted_path, walk_all


def is_helper(module: Module, dotted: str) -> bool:
    """Whether a compiled function calls it in a loop or passes it on, or the file keeps it in a table of functions."""
    name = dotted.rpartition(".")[2]
    lines = [n for n, text in enumerate(module.lines, 1) if name in text and re.search(rf"\b{name}\b", text)]
    if len(lines) < 2:  # its own def
        return False
    if any(_uses(module, path, dotted, name, lines) for path in _paths(module)):
        return True
    assignments = (each for each in module.definitions if each.kind == "assign" and _on(each, lines))
    return any(_keeps(module, each, name) for each in assignments)


def _paths(module: Module) -> Iterator[DefinitionPath]:
    return (path for paths in module.function_paths.values() for path in paths)


def _on(definition: Definition, lines: list[int]) -> bool:
    return any(
        definition.line < line <= definition.end_line or definition.line == definition.end_line == line
        for line in lines
    )


def _uses(module: Module, path: DefinitionPath, dotted: str, name: str, lines: list[int]) -> bool:
    """Whether a compiled function other than ``dotted`` calls it in a loop, or passes it to another function."""
    definition = path[-1]
    if ".".join(p.name for p in path) == dotted or not _on(definition, lines):
        return False
    if not any(may_compile(head, module) for p in path for head in p.applied):
        return False
    return _in_a_loop(module.function_at(path), name)


def _in_a_loop(function: Function, name: str) -> bool:
    nodes = list(walk_all(function.body))
    passed = (arg for node in nodes if isinstance(node, Call) for arg in node.args)
    called = (
        node.function
        for loop in nodes if isinstance(loop, (For, While, Comprehension))
        for node in walk_all(loop) if isinstance(node, Call)
    )  # fmt: skip
    return any(_is(e, name) for e in called) or any(isinstance(e, Name) and e.id == name for e in passed)


def _is(expression: Expression, name: str) -> bool:
    found = dotted_path(expression)
    return found is not None and found.rpartition(".")[2] == name


def _keeps(module: Module, definition: Definition, name: str) -> bool:
    """Whether an assignment puts the function into a dict, a list or a tuple; what a call makes of it is another."""
    values = (value for bound, _ in definition.bound for value in module.assignments(bound))
    found = (node for value in values if not isinstance(value, (Call, Name)) for node in walk_all(value))
    return any(isinstance(node, Name) and node.id == name for node in found)
