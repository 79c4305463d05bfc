"""Scalar inference: names that are no arrays, by how they and the values computed from them are used.

If ``d = b - a`` is compared by an ``if``, then ``d``, ``a`` and ``b`` are scalars.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan.parse.inference.operands import module_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax import (
    Assign,
    Binary,
    Boolean,
    Call,
    Compare,
    Conditional,
    Expression,
    If,
    Name,
    Sequence,
    Unary,
    While,
)
from roofscan.parse.syntax_walk import dotted_path, paths, target_names


def known_scalars(nodes: list[Any], library: Library, compiled: bool = False) -> set[str]:
    """The names and dotted paths of scalars among all nodes of a function.

    In compiled code the items of ``np.array([a, b])`` are scalars; NumPy takes arrays, too.
    """
    found = {name for node in nodes for name in _compared_or_passed(node, library)}
    if compiled:
        found |= {name for node in nodes for name in _listed_items(node, library)}
    made = _values_bound_once(nodes)
    left = list(found)
    while left:
        name = left.pop()
        operands = set(_operands(made[name], library)) if name in made else set()
        left.extend(operands - found)
        found |= operands
    return found


def _compared_or_passed(node: Any, library: Library) -> Iterator[str]:
    """Names that decide a branch or are passed to a function of scalars."""
    if isinstance(node, (If, While, Conditional)):
        tests = tuple(_tested(node.test))
        yield from (name for test in tests for name in paths(test) if isinstance(test, (Name, Binary, Unary)))
    elif isinstance(node, Call):
        module, _, name = (dotted_path(node.function) or "").rpartition(".")
        if module in ("math", "cmath") or (not module and name in ("float", "int", "complex")):
            yield from (name for arg in node.args for name in paths(arg))
        elif not module and name in ("min", "max") and len(node.args) > 1:
            yield from (name for arg in node.args for name in _operands(arg, library))


def _tested(test: Expression) -> Iterator[Expression]:
    """The operands of comparisons in a test, also in those that ``and`` and ``or`` join."""
    if isinstance(test, Boolean):
        for part in (test.left, test.right):
            yield from _tested(part) if isinstance(part, (Boolean, Compare)) else ()
    elif isinstance(test, Compare):
        yield from test.operands
    else:
        yield test


def _listed_items(node: Any, library: Library) -> Iterator[str]:
    """The items of ``np.array([a, b + c])``."""
    if isinstance(node, Call) and node.args and module_of(node.function) and rule_of(node, library).makes_array_of_list:
        items = node.args[0].items if isinstance(node.args[0], Sequence) else ()
        yield from (name for item in items for name in _operands(item, library))


def _values_bound_once(nodes: list[Any]) -> dict[str, Expression]:
    """The value of each name that is bound once."""
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


def _operands(value: Expression, library: Library) -> Iterator[str]:
    """The names that a value is computed from by arithmetic; where it is a scalar, they are, too."""
    if isinstance(value, Name):
        yield value.id
    elif isinstance(value, Unary):
        yield from _operands(value.operand, library)
    elif isinstance(value, Binary) and value.op != "@":
        yield from _operands(value.left, library)
        yield from _operands(value.right, library)
    elif isinstance(value, Call) and module_of(value.function):
        if rule_of(value, library).is_ufunc:
            yield from (name for arg in value.args for name in _operands(arg, library))
