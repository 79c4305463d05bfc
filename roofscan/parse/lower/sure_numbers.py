"""Names that are surely no arrays, by what is done with them and with what is computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan.parse.lower.walk import dotted_path, paths, target_names
from roofscan.parse.syntax import (
    Assign,
    Binary,
    Call,
    Compare,
    Conditional,
    Expression,
    If,
    Name,
    Unary,
    While,
)


def sure_numbers(nodes: list[Any]) -> set[str]:
    """The names and dotted paths that are; ``nodes``: all of a function's body."""
    found = {name for node in nodes for name in _decided(node)}
    made = _made_once(nodes)
    left = list(found)
    while left:
        name = left.pop()
        operands = set(_operands(made[name])) if name in made else set()
        left.extend(operands - found)
        found |= operands
    return found


def _decided(node: Any) -> Iterator[str]:
    """What decides a branch, or goes into a function of numbers."""
    if isinstance(node, (If, While, Conditional)):
        tests = node.test.operands if isinstance(node.test, Compare) else (node.test,)
        yield from (name for test in tests for name in paths(test) if isinstance(test, (Name, Binary, Unary)))
    elif isinstance(node, Call):
        module, _, name = (dotted_path(node.function) or "").rpartition(".")
        if module in ("math", "cmath") or (not module and name in ("float", "int", "complex")):
            yield from (name for arg in node.args for name in paths(arg))
        elif not module and name in ("min", "max") and len(node.args) > 1:
            yield from (name for arg in node.args for name in _operands(arg))


def _made_once(nodes: list[Any]) -> dict[str, Expression]:
    """The value of each name that one assignment alone binds."""
    times: dict[str, int] = {}
    made: dict[str, Expression] = {}
    for node in nodes:
        targets = node.targets if isinstance(node, Assign) else (node.target,) if hasattr(node, "target") else ()
        for name in (name for target in targets for name in target_names(target)):
            times[name] = times.get(name, 0) + 1
        if isinstance(node, Assign) and node.value is not None and len(node.targets) == 1:
            [target] = node.targets
            if isinstance(target, Name):
                made[target.id] = node.value
    return {name: value for name, value in made.items() if times.get(name) == 1}


def _operands(value: Expression) -> Iterator[str]:
    """The names that arithmetic makes a value of: of a number, numbers."""
    if isinstance(value, Name):
        yield value.id
    elif isinstance(value, Unary):
        yield from _operands(value.operand)
    elif isinstance(value, Binary) and value.op != "@":
        yield from _operands(value.left)
        yield from _operands(value.right)
