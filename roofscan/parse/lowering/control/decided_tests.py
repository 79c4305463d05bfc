"""Tests that are decided before the kernel runs: ``x is None``, and comparisons of known texts."""

from __future__ import annotations

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import FunctionRef, NoneValue, Scalar, Text, TupleValue, Value, View, may_be_none
from roofscan.parse.syntax import Compare, Literal


def decided(cx: Context, test: Compare) -> bool | None:
    """How the test comes out; None where it stays open, and then its operands have not been evaluated."""
    if len(test.operators) != 1:
        return None
    [op] = test.operators
    of_none = op in ("is", "is not") and isinstance(test.operands[1], Literal) and test.operands[1].value is None
    texts = (isinstance(o, Literal) and isinstance(o.value, str) for o in test.operands)
    if not of_none and not (op in ("==", "!=") and any(texts)):
        return None
    state = cx.snapshot()
    with cx.builder.inside() as work:
        holds = _is_none(cx, test) if of_none else _are_equal_texts(cx, test)
    if holds is None:
        cx.restore(state)
        return None
    cx.builder.body.extend(work)
    return holds == (op in ("is", "=="))


def _is_none(cx: Context, test: Compare) -> bool | None:
    value = cx.eval(test.operands[0])
    if may_be_none(value):
        return None
    if isinstance(value, NoneValue):
        return True
    is_number = isinstance(value, Scalar) and (value.made or value.number is not None)
    if is_number or isinstance(value, (View, TupleValue, Text, FunctionRef)):
        _assume_passed(cx, value, test.place.line)
        return False
    return None


def _are_equal_texts(cx: Context, test: Compare) -> bool | None:
    left, right = (cx.eval(o) for o in test.operands)
    return left.value == right.value if isinstance(left, Text) and isinstance(right, Text) else None


def _assume_passed(cx: Context, value: Value, line: int) -> None:
    """An array parameter that is compared with None is assumed to be passed, unless facts give it."""
    array = cx.builder.arrays[value.array] if isinstance(value, View) else None
    if array is not None and array.role == "parameter" and array.name not in cx.facts.arrays:
        cx.builder.assume(f"{array.name} is not None (line {line} asks)")
