"""Expressions of the source as short text for people."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.parse.syntax import (
    Attribute,
    Binary,
    Boolean,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Subscript,
    Unary,
)
from roofscan.parse.syntax_walk import subscript_chain

_AS_WRITTEN: Mapping[str, str] = {}


def unparse(node: Expression, names: Mapping[str, str] = _AS_WRITTEN) -> str:
    """A test as short text for people; ``names`` may stand for others."""
    if isinstance(node, Name):
        return names.get(node.id, node.id)
    if isinstance(node, Literal):
        return repr(node.value)
    if isinstance(node, Attribute):
        return f"{unparse(node.base, names)}.{node.name}"
    if isinstance(node, Subscript):
        base, items = subscript_chain(node)
        return f"{unparse(base, names)}[{', '.join(unparse(i, names) for i in items)}]"
    if isinstance(node, (Binary, Boolean)):
        return f"{_operand(node, node.left, names)} {node.op} {_operand(node, node.right, names)}"
    if isinstance(node, Unary):
        return f"{node.op}{' ' if node.op == 'not' else ''}{_operand(node, node.operand, names)}"
    if isinstance(node, Compare):
        text = _operand(node, node.operands[0], names)
        for op, operand in zip(node.operators, node.operands[1:], strict=True):
            text += f" {op} {_operand(node, operand, names)}"
        return text
    if isinstance(node, Call):
        return f"{unparse(node.function, names)}({', '.join(unparse(a, names) for a in node.args)})"
    return "…"


_BINDS = {"or": 1, "and": 2, "not": 3, "==": 4, "+": 5, "*": 6, "-x": 7, "**": 8}
_AS_TIGHT = {"-": "+", "/": "*", "//": "*", "%": "*", "@": "*"}


def _operand(outer: Expression, inner: Expression, names: Mapping[str, str]) -> str:
    """An operand's text, in parentheses where it binds no tighter than what it stands in (a chain runs to the left)."""
    text, first = unparse(inner, names), isinstance(outer, (Binary, Boolean)) and inner is outer.left
    loose = _tightness(inner) <= _tightness(outer) - (first and _tightness(outer) < _BINDS["**"])
    return f"({text})" if loose else text


def _tightness(node: Expression) -> int:
    if isinstance(node, (Binary, Boolean)):
        return _BINDS.get(_AS_TIGHT.get(node.op, node.op), 0)
    if isinstance(node, Unary):
        return _BINDS["not" if node.op == "not" else "-x"]
    return _BINDS["=="] if isinstance(node, Compare) else 9
