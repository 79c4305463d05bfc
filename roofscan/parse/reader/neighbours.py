"""Which kernel a function of the same file calls right before or after another one, with an array that both get."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from roofscan.ir.kernel import Neighbour
from roofscan.parse.reader.decorators import may_compile
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Assign, Call, ExpressionStatement, Name, Statement
from roofscan.parse.syntax_walk import blocks


def neighbour_of(module: Module, dotted: str) -> Neighbour | None:
    """The first in the file; None where there is none. Only functions that name the kernel are read."""
    if "." in dotted or module.word_counts[dotted] < 2:
        return None
    for paths in module.function_paths.values():
        for path in paths:
            if any(dotted in text for text in module.lines[path[-1].line : path[-1].end_line]):
                for one, other in _pairs(module.function_at(path).body):
                    name = _partner(one, other, dotted)
                    if name and _is_compiled(module, name):
                        return Neighbour(name, path[-1].name, other.place.line)
    return None


def _pairs(body: tuple[Statement, ...]) -> Iterator[tuple[Call, Call]]:
    """Calls in statements that follow each other."""
    for first, second in pairwise(body):
        one, other = _call(first), _call(second)
        if one and other:
            yield one, other
    for statement in body:
        for block in blocks(statement):
            yield from _pairs(block)


def _call(statement: Statement) -> Call | None:
    value = statement.value if isinstance(statement, (Assign, ExpressionStatement)) else None
    return value if isinstance(value, Call) and isinstance(value.function, Name) else None


def _partner(one: Call, other: Call, dotted: str) -> str:
    """The name of the other function, where one of the two calls is of ``dotted`` and both get the same variable."""
    names = [call.function.id for call in (one, other) if isinstance(call.function, Name)]
    shared = {arg.id for arg in one.args if isinstance(arg, Name)} & {a.id for a in other.args if isinstance(a, Name)}
    if not shared or dotted not in names or names[0] == names[1]:
        return ""
    return names[1] if names[0] == dotted else names[0]


def _is_compiled(module: Module, name: str) -> bool:
    paths = module.function_paths.get(name, [])
    return any(may_compile(head, module) for path in paths for head in path[-1].applied)
