"""Tests on element types (``x.dtype.kind in "iu"``, ``np.issubdtype(x.dtype, np.floating)``). Kinds are known, or
assumed in so many words; which of several types of one kind it is, only facts tell."""

from __future__ import annotations

from roofscan.ir.dtypes import DType
from roofscan.ir.records import RecordType
from roofscan.parse.lowering.calls.arguments import type_named
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import DTypeValue, ModuleRef, Text, TupleValue, Value
from roofscan.parse.syntax import Attribute, Compare, Expression, Name

ABSTRACT = {
    "generic": "biufc", "number": "iufc", "integer": "iu", "signedinteger": "i", "unsignedinteger": "u",
    "inexact": "fc", "floating": "f", "complexfloating": "c", "bool_": "b",
}  # fmt: skip
"""Letters of the kinds that NumPy's abstract types hold."""


def is_of_types(cx: Context, test: Compare) -> bool:
    """Whether an operand asks for an element type, or for its letter."""
    return test.operators[0] in ("==", "!=", "in", "not in") and any(_is_type(cx, o) for o in test.operands)


def _is_type(cx: Context, operand: Expression) -> bool:
    if isinstance(operand, Name):
        return isinstance(cx.frame.names.get(operand.id), DTypeValue)
    return isinstance(operand, Attribute) and (operand.name == "dtype" or _is_type(cx, operand.base))


def are_equal(cx: Context, test: Compare) -> bool | None:
    """Whether the left one is the right one, or in it; None where that is not known."""
    left, right = (cx.eval(operand) for operand in test.operands)
    if test.operators[0] in ("==", "!="):
        return _is_same(cx, left, right)
    if isinstance(left, Text) and isinstance(right, Text):
        return left.value in right.value
    if not isinstance(right, TupleValue):
        return None
    found = [_is_same(cx, left, item) for item in right.items]
    return True if True in found else None if None in found else False


def _is_same(cx: Context, left: Value, right: Value) -> bool | None:
    if isinstance(left, Text) and isinstance(right, Text):
        return left.value == right.value
    if not isinstance(left, DTypeValue) and not isinstance(right, DTypeValue):
        return None
    return _are_one(cx, type_named(left), type_named(right))


def _are_one(cx: Context, one: DType | None, other: DType | None) -> bool | None:
    if one is None or other is None:
        return None
    if letter_of(one) != letter_of(other):
        return False
    return one == other if cx.facts.arrays else None


def is_subtype(cx: Context, dtype: Value, wanted: Value) -> bool | None:
    """Whether NumPy counts an element type to another one, or to an abstract one."""
    one = type_named(dtype)
    if one is None:
        return None
    if isinstance(wanted, ModuleRef) and wanted.dotted.startswith("numpy."):
        letters = ABSTRACT.get(wanted.dotted.removeprefix("numpy."))
        return None if letters is None else letter_of(one) in letters
    return _are_one(cx, one, type_named(wanted))


def letter_of(dtype: DType) -> str:
    """NumPy's letter for the kind of a type; V: a structured one."""
    return "V" if isinstance(dtype, RecordType) else "u" if dtype.is_unsigned else dtype.kind[0]
