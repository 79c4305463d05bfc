"""Expressions: each kind of syntax becomes an abstract value, and its work is added to the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roofscan.ir.dtypes import B1, F8
from roofscan.parse import syntax
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.assignments import store
from roofscan.parse.lowering.attributes import attribute
from roofscan.parse.lowering.calls.dispatch import call
from roofscan.parse.lowering.calls.inline import nested_function
from roofscan.parse.lowering.calls.made_functions import made_function
from roofscan.parse.lowering.containers import unknown_container
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.cases import cases_of, choose, forget_named
from roofscan.parse.lowering.control.join import join
from roofscan.parse.lowering.control.loops import comprehension
from roofscan.parse.lowering.control.parameter_tests import decided
from roofscan.parse.lowering.elements import as_scalar, scalar
from roofscan.parse.lowering.indexing import evaluate_subscript
from roofscan.parse.lowering.names import lookup
from roofscan.parse.lowering.numpy.array_operations import elementwise
from roofscan.parse.lowering.operators import binary_values
from roofscan.parse.lowering.values import NONE, Scalar, Text, TupleValue, Unknown, Value, View, literal, named


def evaluate(cx: Context, expression: syntax.Expression) -> Value:
    """The value of an expression; what is outside the model becomes Unknown, with a reason in the report."""
    handler = _HANDLERS.get(type(expression))
    if handler is None:
        return cx.unknown(expression.place.line, f"{_kind(expression)} is outside the model")
    value: Value = handler(cx, expression)
    if isinstance(value, View) and value.temporary:
        cx.builder.describe(value.array, expression)
    return value if isinstance(expression, _SPELLED) else named(value) if isinstance(value, Scalar) else value


def _kind(expression: syntax.Expression) -> str:
    return expression.kind if isinstance(expression, syntax.Other) else f"a {type(expression).__name__.lower()}"


def _literal(cx: Context, node: syntax.Literal) -> Value:
    if isinstance(node.value, (bool, int, float, complex)):
        return literal(node.value)
    if isinstance(node.value, str):
        return Text(node.value)
    return NONE


def _name(cx: Context, node: syntax.Name) -> Value:
    return made_function(cx, node.id) or lookup(cx, node.id, node.place.line)


def _binary(cx: Context, node: syntax.Binary) -> Value:
    return binary_values(cx, node.op, cx.eval(node.left), cx.eval(node.right), node.place.line)


def _unary(cx: Context, node: syntax.Unary) -> Value:
    value = cx.eval(node.operand)
    line = node.place.line
    if isinstance(value, View):
        if node.op == "+":
            return value
        kind = "neg" if node.op == "-" else "compare"
        return elementwise(cx, [value], line, lambda s: _unary_scalar(cx, node.op, s[0], line), kind)
    return _unary_scalar(cx, node.op, as_scalar(cx, value, line), line)


def _unary_scalar(cx: Context, op: str, value: Scalar, line: int) -> Scalar:
    if op == "-":
        return arithmetic.negate(cx, value, line)
    if op == "+":
        return value
    if op == "not":
        return Scalar(B1, node=value.node, why_unknown="a test")
    return arithmetic.invert(value)


def _compare(cx: Context, node: syntax.Compare) -> Value:
    known = decided(cx, node)
    if known is not None:
        return literal(known)
    if len(node.operators) > 1:
        cases_of(cx, node)
        return Scalar(B1, why_unknown="a test")
    values = [cx.eval(o) for o in node.operands]
    line = node.place.line
    if node.operators[0] in ("is", "is not"):
        return Scalar(B1, why_unknown="a test")
    if any(isinstance(v, View) and v.ndim for v in values):
        return elementwise(cx, values, line, lambda s: arithmetic.compare(cx, s[0], s[1], line), "compare")
    left, right = (as_scalar(cx, v, line) for v in values)
    return arithmetic.compare(cx, left, right, line)


def _boolean(cx: Context, node: syntax.Boolean) -> Value:
    """``a and b`` as a value. Work of the right side stands under the condition of the left side."""
    left = scalar(cx, node.left)
    state = cx.snapshot()
    with cx.builder.inside() as work:
        right = scalar(cx, node.right)
    if work:
        cx.restore(state)
        right = _where_open(cx, node)
    forget_named(cx, node.right)
    if left.dtype != right.dtype:
        joined = join(cx, left, right, node.place.line)
        left = joined if isinstance(joined, Scalar) else left
    return replace(left, node=right.node or left.node, expr=None, number=None, literal=False, given="")


def _where_open(cx: Context, node: syntax.Boolean) -> Scalar:
    """The right side of ``and`` or ``or``, evaluated only where the left side leaves the outcome open."""
    with cx.builder.inside():  # its work is counted already
        left = cases_of(cx, node.left)
    right = Scalar(F8, why_unknown="a test")
    for case in left.true if node.op == "and" else left.false:
        with cx.builder.when(case.conditions, case.share, node.place.line):
            right = scalar(cx, node.right)
    return right


def _conditional(cx: Context, node: syntax.Conditional) -> Value:
    value = choose(cx, node)
    forget_named(cx, node.then, node.orelse)
    return value


def _sequence(cx: Context, node: syntax.Sequence) -> Value:
    items: list[Value] = []
    for item in node.items:
        if isinstance(item, syntax.Starred):
            inner = cx.eval(item.value)
            if not isinstance(inner, TupleValue):
                return Unknown("a starred value")
            items.extend(inner.items)
        else:
            items.append(cx.eval(item))
    if node.kind == "set":  # equal items are one
        return unknown_container(cx, "a set", node.place.line)
    return TupleValue(tuple(items), node.kind)


def _formatted(cx: Context, node: syntax.Formatted) -> Value:
    """An f-string: its parts are computed."""
    for part in node.parts:
        cx.eval(part)
    return Unknown("a text")


def _named(cx: Context, node: syntax.Named) -> Value:
    value = cx.eval(node.value)
    store(cx, node.target, value, node.place.line)
    return cx.frame.names[node.target.id]


def _lambda(cx: Context, node: syntax.Lambda) -> Value:
    return nested_function(cx, node, "lambda")


_SPELLED = (syntax.Literal, syntax.Unary, syntax.Binary)
"""Expressions that may be literals. A number out of a tuple or a call is an ordinary operand."""

_HANDLERS: dict[type, Callable[[Context, Any], Value]] = {
    syntax.Literal: _literal, syntax.Name: _name, syntax.Named: _named, syntax.Formatted: _formatted,
    syntax.Binary: _binary, syntax.Unary: _unary, syntax.Compare: _compare, syntax.Boolean: _boolean,
    syntax.Conditional: _conditional, syntax.Sequence: _sequence, syntax.Comprehension: comprehension,
    syntax.Subscript: evaluate_subscript, syntax.Attribute: attribute, syntax.Call: call, syntax.Lambda: _lambda,
}  # fmt: skip
