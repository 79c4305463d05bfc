"""Ufunc constraints: a parameter that a ufunc is applied to (``def f(x): return np.exp(x)``) is taken as an array where
nothing else is one; of several parameters, some may be scalars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofscan.parse.inference.operands import module_of, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.inference.type_facts import Layout, TypeFacts
from roofscan.parse.syntax import Assign, Binary, Call, Expression, Function, Name, Unary
from roofscan.parse.syntax_walk import target_names, walk


def apply_ufunc_constraints(function: Function, nodes: list[Any], facts: TypeFacts, library: Library) -> None:
    """Record the parameters that elementwise functions and reductions of expressions are applied to."""
    parameters = {p.name for p in function.parameters if p.default is None} - facts.integers - facts.scalars
    calls = [
        n for n in nodes if isinstance(n, Call) and (_is_elementwise(n, library) or _reduces_expression(n, library))
    ]
    made = _dependencies(nodes) if calls else {}
    alone = not facts.ranks
    for call in calls:
        names = {n for a in operands_of(call) for n in _sources(a, made)} & parameters
        facts.ufunc_operands |= names - facts.ranks.keys()
        for name in names if alone else ():
            facts.require_rank(name, 1 if facts.layout in (None, Layout.ELEMENTS) else 2)
            facts.assumed_ranks.setdefault(name, call.place.line)
    if not alone:
        return
    if facts.layout is Layout.ELEMENTS and len(parameters) > 1:
        facts.scalars_or_arrays = tuple(
            p.name for p in function.parameters if p.name in parameters & facts.ranks.keys()
        )
    elif facts.layout is None and len(parameters) > 1:
        facts.possible_scalars = frozenset(parameters & facts.ranks.keys())


def _dependencies(nodes: list[Any]) -> dict[str, set[str]]:
    """The names in the values that each name is bound to."""
    made: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, Assign) and node.value is not None:
            for name in (name for target in node.targets for name in target_names(target)):
                made.setdefault(name, set()).update(n.id for n in walk(node.value) if isinstance(n, Name))
    return made


def _sources(expression: Expression, made: Mapping[str, set[str]]) -> set[str]:
    """The names in an expression, and all those that they are computed from."""
    found: set[str] = set()
    stack = [n.id for n in walk(expression) if isinstance(n, Name)]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(made.get(name, ()))
    return found


def _is_elementwise(call: Call, library: Library) -> bool:
    return module_of(call.function) not in ("", "math") and rule_of(call, library).is_elementwise


def _reduces_expression(call: Call, library: Library) -> bool:
    """``(x * y).sum()``: the operand of a reduction is an array."""
    operands = operands_of(call)
    return bool(operands) and isinstance(operands[0], (Binary, Unary)) and rule_of(call, library).is_reduction
