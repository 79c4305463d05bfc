"""Tests that have a name (``along_x = (t + first) % 2 == 0``): asked under it they are the test itself, as long as
what it is made of has not changed. Only those of known integers and texts are kept: to ask them again costs nothing."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import B1
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import NamedTest, NoneValue, Scalar, Text, TextParameter, Value
from roofscan.parse.syntax import Binary, Boolean, Compare, Expression, Literal, Name, Unary
from roofscan.parse.syntax_walk import walk

_FORMS = (Binary, Boolean, Compare, Literal, Name, Unary)


def as_named(cx: Context, test: Expression, value: Value) -> Value:
    """The value of a test that gets a name, with the test."""
    if not isinstance(value, Scalar) or value.number is not None or not _is_test(test):
        return value
    if not all(isinstance(node, _FORMS) for node in walk(test)):
        return value
    names = tuple((node.id, cx.frame.names.get(node.id)) for node in walk(test) if isinstance(node, Name))
    if not all(_is_known(cx, each) for _, each in names):
        return value
    return replace(value, test=NamedTest(test, names))


def named_test(cx: Context, value: Value) -> Expression | None:
    """The test that a value is, where its parts are what they were."""
    test = value.test if isinstance(value, Scalar) else None
    if test is None or any(cx.frame.names.get(name) != before for name, before in test.names):
        return None
    return test.expression


def are_truth_values(cx: Context, test: Compare) -> bool:
    """Whether two tests, of which at least one is written out, are compared (``(t == 0) == rows_first``)."""
    if test.operators not in (("==",), ("!=",)) or not any(map(_is_test, test.operands)):
        return False
    return all(_is_truth_value(cx, operand) for operand in test.operands)


def _is_truth_value(cx: Context, operand: Expression) -> bool:
    if isinstance(operand, Name):
        value = cx.frame.names.get(operand.id)
        return isinstance(value, Scalar) and value.dtype == B1 and _is_known(cx, value)
    if not _is_test(operand) or not all(isinstance(node, _FORMS) for node in walk(operand)):
        return False
    return all(_is_known(cx, cx.frame.names.get(node.id)) for node in walk(operand) if isinstance(node, Name))


def _is_test(expression: Expression) -> bool:
    if isinstance(expression, Unary):
        return expression.op == "not" and _is_part(expression.operand)
    if isinstance(expression, Boolean):
        return _is_part(expression.left) and _is_part(expression.right)
    return isinstance(expression, Compare)


def _is_part(expression: Expression) -> bool:
    return isinstance(expression, Name) or _is_test(expression)


def _is_known(cx: Context, value: Value | None) -> bool:
    if not isinstance(value, Scalar) or not value.is_integer:
        return isinstance(value, (NoneValue, Text, TextParameter))
    return value.expr is not None or value.number is not None or named_test(cx, value) is not None
