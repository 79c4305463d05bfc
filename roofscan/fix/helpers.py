"""Functions of the file that compute one value from others and do nothing else: a call of one may move, as one of
``math`` may."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

import libcst as cst

from roofscan.fix.source import SourceTree, bindings, loaded_names, nodes, parameter_names, stored_names

PURE = frozenset(("range", "prange", "len", "min", "max", "abs", "float", "int", "round", "bool", "complex"))
REDUCTIONS = frozenset(("sum", "mean", "min", "max"))
MODULES = frozenset(("math", "cmath", "np", "numpy"))
COMPILERS = frozenset(("njit", "jit", "vectorize"))

_STATEMENTS = (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Pass, cst.Return, cst.If, cst.SimpleStatementLine)
_UNKNOWN = (cst.NamedExpr, cst.Await, cst.Yield, cst.BaseComp, cst.Lambda, cst.Subscript)


def pure_helpers(source: SourceTree, function: cst.FunctionDef) -> frozenset[str]:
    """The names by which a function calls such functions: compiled ones at the top of the file, without loops and
    subscripts, which call only each other and what Numba knows."""
    own = {*bindings(function), *parameter_names(function)}
    return frozenset(name for name in _pure_functions(source) & loaded_names(function) if name not in own)


@lru_cache(maxsize=4)
def _pure_functions(source: SourceTree) -> frozenset[str]:
    candidates = {name: node for name, node in source.own_functions.items() if _is_alone(node)}
    pure: frozenset[str] = frozenset()
    for _ in candidates:  # each round adds those that call the ones before
        more = frozenset(name for name, node in candidates.items() if _calls_only(node, pure))
        if more == pure:
            break
        pure = more
    return pure


def with_helpers(source: SourceTree, parts: Iterable[cst.CSTNode]) -> tuple[cst.CSTNode, ...]:
    """Some nodes, and the functions of the file that they call, directly or not."""
    found, names = tuple(parts), set[str]()
    while new := loaded_names(*found) & source.own_functions.keys() - names:
        names |= new
        found = (*found, *(source.own_functions[name].body for name in sorted(new)))
    return found


def is_known_function(function: cst.BaseExpression, helpers: Collection[str] = ()) -> bool:
    """Whether what is called has no effect but its value."""
    if isinstance(function, cst.Name):
        return function.value in PURE or function.value in helpers
    if not isinstance(function, cst.Attribute):
        return False
    value, name = function.value, function.attr.value
    if isinstance(value, (cst.BinaryOperation, cst.Call, cst.Subscript)):
        return name in REDUCTIONS  # of an expression, whose calls are looked at too
    if not isinstance(value, cst.Name):
        return False
    return name in REDUCTIONS or (value.value in MODULES and name != "random")


def _is_alone(function: cst.FunctionDef) -> bool:
    """Whether it is compiled, and made of assignments, tests and a value alone."""
    body = function.body.body if isinstance(function.body, cst.IndentedBlock) else ()
    if not body or not any(COMPILERS & loaded_names(decorator) for decorator in function.decorators):
        return False
    statements = body[1:] if function.get_docstring() is not None else body
    found = [node for statement in statements for node in nodes(statement)]
    return all(map(_is_plain, found)) and _updates_its_own(function, found)


def _updates_its_own(function: cst.FunctionDef, found: Iterable[cst.CSTNode]) -> bool:
    """Whether ``v += 1`` changes new values alone: of an argument it would change the caller's array."""
    shared = parameter_names(function)
    updated: list[cst.BaseExpression] = []
    for node in found:
        if isinstance(node, (cst.Assign, cst.AnnAssign)) and not _is_new(node.value):
            shared |= stored_names(node)
        elif isinstance(node, cst.AugAssign):
            updated.append(node.target)
    return all(isinstance(target, cst.Name) and target.value not in shared for target in updated)


def _is_new(value: cst.BaseExpression | None) -> bool:
    return isinstance(value, (cst.BinaryOperation, cst.UnaryOperation, cst.BaseNumber))


def _is_plain(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.BaseStatement, cst.BaseSmallStatement)):
        return isinstance(node, _STATEMENTS)
    return not isinstance(node, (*_UNKNOWN, cst.For)) and (not isinstance(node, cst.AssignTarget) or _is_name(node))


def _is_name(target: cst.AssignTarget) -> bool:
    parts = target.target.elements if isinstance(target.target, cst.Tuple) else ()
    return isinstance(target.target, cst.Name) or (bool(parts) and all(isinstance(p.value, cst.Name) for p in parts))


def _calls_only(function: cst.FunctionDef, helpers: Collection[str]) -> bool:
    calls = (node for node in nodes(function.body) if isinstance(node, cst.Call))
    return all(is_known_function(call.func, helpers) for call in calls)
