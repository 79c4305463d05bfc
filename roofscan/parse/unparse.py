"""Expressions of the source as short text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.syntax_walk import subscript_chain

UNKNOWN = "…"  # other forms
_AS_WRITTEN: Mapping[Any, str] = {}


def unparse(node: syntax.Expression, names: Mapping[Any, str] = _AS_WRITTEN) -> str:
    """A short text for people; ``names`` replaces some of its names, and parts of it by their ``id``."""
    if id(node) in names:
        return names[id(node)]
    if isinstance(node, syntax.Name):
        return names.get(node.id, node.id)
    if isinstance(node, syntax.Literal):
        return repr(node.value)
    if isinstance(node, syntax.Attribute):
        return f"{unparse(node.base, names)}.{node.name}"
    if isinstance(node, syntax.Subscript):
        base, items = subscript_chain(node)
        return f"{unparse(base, names)}[{', '.join(unparse(i, names) for i in items)}]"
    if isinstance(node, (syntax.Binary, syntax.Boolean)):
        return f"{_operand(node, node.left, names)} {node.op} {_operand(node, node.right, names)}"
    if isinstance(node, syntax.Unary):
        return f"{node.op}{' ' if node.op == 'not' else ''}{_operand(node, node.operand, names)}"
    if isinstance(node, syntax.Compare):
        text = _operand(node, node.operands[0], names)
        for op, operand in zip(node.operators, node.operands[1:], strict=True):
            text += f" {op} {_operand(node, operand, names)}"
        return text
    if isinstance(node, syntax.Call):
        given = [f"{keyword.name}={unparse(keyword.value, names)}" for keyword in node.keywords if keyword.name]
        return f"{unparse(node.function, names)}({', '.join([*(unparse(a, names) for a in node.args), *given])})"
    if isinstance(node, syntax.Slice):
        ends = [end and unparse(end, names) for end in (node.lower, node.upper, node.step)]
        return f"{ends[0] or ''}:{ends[1] or ''}{f':{ends[2]}' if ends[2] else ''}"
    return UNKNOWN


_BINDS = {"or": 1, "and": 2, "not": 3, "==": 4, "+": 5, "*": 6, "-x": 7, "**": 8}
_AS_TIGHT = {"-": "+", "/": "*", "//": "*", "%": "*", "@": "*"}


def _operand(outer: syntax.Expression, inner: syntax.Expression, names: Mapping[Any, str]) -> str:
    """An operand's text, in parentheses where it binds no tighter than what encloses it (a chain runs to the left)."""
    text, first = unparse(inner, names), isinstance(outer, (syntax.Binary, syntax.Boolean)) and inner is outer.left
    loose = _tightness(inner) <= _tightness(outer) - (first and _tightness(outer) < _BINDS["**"])
    return f"({text})" if loose and id(inner) not in names else text


def _tightness(node: syntax.Expression) -> int:
    if isinstance(node, (syntax.Binary, syntax.Boolean)):
        return _BINDS.get(_AS_TIGHT.get(node.op, node.op), 0)
    if isinstance(node, syntax.Unary):
        return _BINDS["not" if node.op == "not" else "-x"]
    return _BINDS["=="] if isinstance(node, syntax.Compare) else 9
