"""Scalar inference: names that are no arrays, by how they and the values computed from them are used. If ``d = b - a``
is compared by an ``if``, then ``d``, ``a`` and ``b`` are scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.operands import module_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax_walk import dotted_path, paths, target_names, walk

Resolve = Callable[[str], "str | None"]
"""The dotted origin of a name of the module: ``sqrt`` is ``math.sqrt`` after ``from math import sqrt``."""

_OF_ONE_NUMBER = frozenset({"builtins.float", "builtins.int", "builtins.complex", "builtins.round"})
_MODULES_OF_NUMBERS = frozenset({"math", "cmath", "random"})
_OF_NUMBERS = frozenset({"builtins.min", "builtins.max"})


def known_scalars(nodes: list[Any], library: Library, resolve: Resolve, compiled: bool = False) -> set[str]:
    """The names and dotted paths of scalars among all nodes of a function. In compiled code the items of ``np.array([a,
    b])``, the operand of ``abs`` and the terms of a sum of numbers are scalars; NumPy accepts arrays there."""
    found = {name for node in nodes for name in _compared_or_passed(node, library, resolve)}
    if compiled:
        found |= {name for node in nodes for name in _listed_items(node, library)}
        found |= {name for node in nodes for name in _operand_of_abs(node, library)}
        found |= set(_terms_of_sums(nodes, library))
    made = _values_bound_once(nodes)
    left = list(found)
    while left:
        name = left.pop()
        operands = set(_operands(made[name], library)) if name in made else set()
        left.extend(operands - found)
        found |= operands
    return found


def _compared_or_passed(node: Any, library: Library, resolve: Resolve) -> Iterator[str]:
    """Names that decide a branch or are passed to a function of scalars."""
    if isinstance(node, (syntax.If, syntax.While, syntax.Conditional)):
        tests = tuple(_tested(node.test))
        yield from (
            name
            for test in tests
            for name in paths(test)
            if isinstance(test, (syntax.Name, syntax.Binary, syntax.Unary))
        )
    elif isinstance(node, syntax.Call):
        origin = resolve(dotted_path(node.function) or "") or ""
        of_numbers = origin in _OF_NUMBERS and len(node.args) > 1
        if of_numbers or origin in _OF_ONE_NUMBER or origin.partition(".")[0] in _MODULES_OF_NUMBERS:
            yield from (name for arg in node.args for name in _operands(arg, library))


def _operand_of_abs(node: Any, library: Library) -> Iterator[str]:
    if isinstance(node, syntax.Call) and isinstance(node.function, syntax.Name) and node.function.id == "abs":
        yield from (name for arg in node.args for name in _operands(arg, library))


def _terms_of_sums(nodes: list[Any], library: Library) -> Iterator[str]:
    """The operands of what a loop computes under a name that starts as a literal number: ``acc = 0.0``, and in the
    loop ``acc += a * b``. Compiled code gives such a name one type."""
    started = {_name_set(node) for node in nodes if isinstance(node, syntax.Assign) and _is_number(node.value)} - {""}
    for loop in (node for node in nodes if isinstance(node, (syntax.For, syntax.While))):
        for node in walk(loop.body):
            if (
                isinstance(node, (syntax.Assign, syntax.AugAssign))
                and node.value is not None
                and _name_set(node) in started
            ):
                yield from _operands(node.value, library)


def _is_number(value: syntax.Expression | None) -> bool:
    return isinstance(value, syntax.Literal) and isinstance(value.value, (int, float, complex))


def _name_set(node: syntax.Assign | syntax.AugAssign) -> str:
    """The one name that a statement binds; "" for anything else."""
    targets = node.targets if isinstance(node, syntax.Assign) else (node.target,)
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], syntax.Name) else ""


def _tested(test: syntax.Expression) -> Iterator[syntax.Expression]:
    if isinstance(test, syntax.Boolean):
        for part in (test.left, test.right):
            yield from _tested(part) if isinstance(part, (syntax.Boolean, syntax.Compare)) else ()
    elif isinstance(test, syntax.Compare):
        yield from test.operands
    else:
        yield test


def _listed_items(node: Any, library: Library) -> Iterator[str]:
    """The items of ``np.array([a, b + c])``."""
    if (
        isinstance(node, syntax.Call)
        and node.args
        and module_of(node.function)
        and rule_of(node, library).makes_array_of_list
    ):
        items = node.args[0].items if isinstance(node.args[0], syntax.Sequence) else ()
        yield from (name for item in items for name in _operands(item, library))


def _values_bound_once(nodes: list[Any]) -> dict[str, syntax.Expression]:
    """The value of each name that is bound once."""
    times: dict[str, int] = {}
    made: dict[str, syntax.Expression] = {}
    for node in nodes:
        targets = node.targets if isinstance(node, syntax.Assign) else (node.target,) if hasattr(node, "target") else ()
        for name in (name for target in targets for name in target_names(target)):
            times[name] = times.get(name, 0) + 1
        if isinstance(node, syntax.Assign) and node.value is not None and len(node.targets) == 1:
            [target] = node.targets
            if isinstance(target, syntax.Name):
                made[target.id] = node.value
    return {name: value for name, value in made.items() if times.get(name) == 1}


def _operands(value: syntax.Expression, library: Library) -> Iterator[str]:
    """The names that a value is computed from by arithmetic; where it is a scalar, they are, too."""
    if isinstance(value, (syntax.Name, syntax.Attribute)):
        yield dotted_path(value) or ""
    elif isinstance(value, syntax.Unary):
        yield from _operands(value.operand, library)
    elif isinstance(value, syntax.Binary) and value.op != "@":
        yield from _operands(value.left, library)
        yield from _operands(value.right, library)
    elif isinstance(value, syntax.Call) and module_of(value.function):
        if rule_of(value, library).is_ufunc:
            yield from (name for arg in value.args for name in _operands(arg, library))
