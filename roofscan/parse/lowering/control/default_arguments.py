"""Parameters that are None or a text in the call that is analysed, by facts or by their default.

Facts describe a call: a parameter that they leave out has its default. Without facts, whether an array that may be None
is passed stays open, unless the function puts something else in its place.
"""

from __future__ import annotations

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.names import constant_value
from roofscan.parse.lowering.values import NONE, NoneValue, Scalar, Text, Value
from roofscan.parse.syntax import Compare, Function, Literal, Name, Parameter
from roofscan.parse.syntax_walk import walk


def constant_argument(cx: Context, function: Function, parameter: Parameter) -> Value | None:
    """What a parameter is in the call, if that is None or a text; else None."""
    name = parameter.name
    if name in cx.facts.constants:
        text = cx.facts.constants[name]
        return NONE if text is None else Text(text)
    default = constant_value(parameter.default) if parameter.default is not None else None
    if isinstance(default, (Scalar, Text, NoneValue)):
        cx.builder.defaults[name] = default
    if not isinstance(default, NoneValue) or name in cx.facts.names or not _is_asked(function, name):
        return None
    if not cx.facts.names and name not in cx.frame.type_facts.assigned:
        return None
    cx.builder.assume(f"{name} is None (its default)")
    return NONE


def may_be_left_out(cx: Context, function: Function, name: str) -> bool:
    """Whether an array may be None in the call, and the function asks."""
    is_open = name not in cx.facts.names and isinstance(cx.builder.defaults.get(name), NoneValue)
    return is_open and _is_asked(function, name)


def _is_asked(function: Function, name: str) -> bool:
    """Whether a function compares a parameter with None."""
    return any(
        isinstance(node, Compare)
        and isinstance(node.operands[0], Name)
        and node.operands[0].id == name
        and any(isinstance(other, Literal) and other.value is None for other in node.operands[1:])
        for node in walk(function.body)
    )
