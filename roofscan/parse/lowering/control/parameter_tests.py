"""Tests on parameters have one outcome in a call: a symbol that is 0 or 1, or what facts, defaults or texts decide.
:attr:`Scalar.given` names the parameter that a value is, until the value gets another name or is computed with. Facts
describe a call: a parameter that they leave out has its default. Without facts, whether an array that may be None is
passed stays open, unless the function puts something else in its place."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import B1
from roofscan.ir.symbols import ParameterTest
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.type_tests import are_equal, is_of_types
from roofscan.parse.lowering.names import constant_value
from roofscan.parse.lowering.values import (
    NONE,
    FunctionRef,
    ModuleRef,
    NoneValue,
    Scalar,
    Text,
    TextParameter,
    TupleValue,
    Value,
    View,
    literal,
    may_be_none,
)
from roofscan.parse.reader.decorators import constant
from roofscan.parse.syntax import (
    Attribute,
    Binary,
    Boolean,
    Call,
    Compare,
    Expression,
    Function,
    Literal,
    Name,
    Parameter,
    Unary,
)
from roofscan.parse.syntax_walk import dotted_path, walk
from roofscan.symbolic.expr import symbol


def decided(cx: Context, test: Compare) -> bool | None:
    """How the test comes out; None where it stays open, and then its operands have not been evaluated."""
    if len(test.operators) != 1:
        return None
    [op] = test.operators
    of_none = op in ("is", "is not") and isinstance(test.operands[1], Literal) and test.operands[1].value is None
    texts = (isinstance(o, Literal) and isinstance(o.value, str) for o in test.operands)
    of_types = is_of_types(cx, test)
    if not of_none and not of_types and not (op in ("==", "!=") and any(texts)):
        return None
    state = cx.snapshot()
    with cx.builder.inside() as work:
        holds = _is_none(cx, test) if of_none else (are_equal if of_types else _are_equal_texts)(cx, test)
    if holds is None:
        cx.restore(state)
        return None
    cx.builder.body.extend(work)
    return holds == (op in ("is", "==", "in"))


def _is_none(cx: Context, test: Compare) -> bool | None:
    value = cx.eval(test.operands[0])
    if may_be_none(value):
        return None
    if isinstance(value, NoneValue):
        return True
    if _is_number(cx, value) or isinstance(value, (View, TupleValue, Text, FunctionRef)):
        _assume_passed(cx, value, test.place.line)
        return False
    return None


def _is_number(cx: Context, value: Value) -> bool:
    """Whether a value is surely a number: computed, constant, or given by facts."""
    if not isinstance(value, Scalar):
        return False
    given = value.given in cx.facts.names or (value.expr is not None and cx.builder.known_value(value.expr) is not None)
    computed = value.expr is not None and not any(value.expr == symbol(name) for name in value.expr.symbols)
    return value.made or value.number is not None or given or computed


def _are_equal_texts(cx: Context, test: Compare) -> bool | None:
    left, right = (cx.eval(o) for o in test.operands)
    return left.value == right.value if isinstance(left, Text) and isinstance(right, Text) else None


def _assume_passed(cx: Context, value: Value, line: int) -> None:
    """An array parameter that is compared with None is assumed to be passed, unless facts give it."""
    array = cx.builder.arrays[value.array] if isinstance(value, View) else None
    if array is not None and array.role == "parameter" and array.name not in cx.facts.arrays:
        cx.builder.assume(Assumption(array.name, f"not None (line {line} asks)"))


Constant = bool | int | float | str | None


def as_given(cx: Context, value: Value, name: str) -> Value:
    """The value of a parameter, marked as such where it has no symbol."""
    if not isinstance(value, Scalar) or value.expr is not None or value.number is not None:
        return value
    value = replace(value, given=name)
    cx.builder.given[name] = value
    return value


def without_origin(value: Value) -> Value:
    """The value of another name for a parameter, which may be bound more than once."""
    return replace(value, given="") if isinstance(value, Scalar) and value.given else value


def parameters_tested(cx: Context, test: Expression) -> dict[str, str] | None:
    """The names in a test and the parameters that they are; None where the test depends on anything else."""
    if isinstance(test, Literal):
        return {}
    if isinstance(test, Name):
        given = _origin(cx, test)
        return None if given is None else {test.id: given}
    if isinstance(test, Call):
        return _together(cx, test.args) if _is_pure(cx, test) else None
    if isinstance(test, (Binary, Boolean)):
        return _together(cx, (test.left, test.right))
    if isinstance(test, Compare):
        return _together(cx, test.operands)
    return parameters_tested(cx, test.operand) if isinstance(test, Unary) else None


def parameter_test(cx: Context, test: Expression, text: str, names: Mapping[str, str]) -> ParameterTest:
    """What a flag stands for; ``names`` as :func:`parameters_tested` has them."""
    constant: float | str | None = None
    if isinstance(test, Compare) and test.operators == ("==",):
        left, right = test.operands
        if isinstance(left, Name) and isinstance(right, Literal) and isinstance(right.value, (int, float, str)):
            constant = right.value
    parameters = sorted({given for given in names.values() if given.isidentifier() and given != "None"})
    return ParameterTest(text, tuple(parameters), constant, by_default=_outcome(cx, test, names))


def _together(cx: Context, parts: tuple[Expression, ...]) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for part in parts:
        names = parameters_tested(cx, part)
        if names is None:
            return None
        found |= names
    return found


def _origin(cx: Context, name: Name) -> str | None:
    """The parameter that a name is, the value of a constant, or None."""
    frame = cx.frame
    if name.id in frame.type_facts.assigned:
        return None
    value = cx.eval(name)
    if isinstance(value, Scalar):
        if value.given:
            return value.given if cx.builder.given.get(value.given) == value else None
        return str(value.number) if value.number is not None else None
    if isinstance(value, View):
        return value.array if value.or_none and value.array in cx.builder.defaults else None
    own_text = isinstance(value, TextParameter) and len(cx.frames) == 1
    return name.id if own_text else "None" if isinstance(value, NoneValue) else None


def _is_pure(cx: Context, call: Call) -> bool:
    if call.keywords or dotted_path(call.function) is None:
        return False
    function = cx.eval(call.function) if isinstance(call.function, (Name, Attribute)) else None
    known = ("math.", "numpy.", "builtins.")
    return isinstance(function, ModuleRef) and function.dotted.startswith(known) and ".random" not in function.dotted


def outcome(cx: Context, test: Expression) -> bool | None:
    """The outcome of a test on parameters by facts, or by defaults, which are then assumptions; None where it stays
    open."""
    names = parameters_tested(cx, test) if cx.facts.names else None
    if names is None:
        return None
    holds = _outcome(cx, test, names)
    for given in sorted({*names.values()} & cx.builder.defaults.keys()) if holds is not None else ():
        if given not in cx.facts.names:
            cx.builder.assume(Assumption(given, f"{_constant(cx.builder.defaults[given])!r} (its default)"))
    return holds


def _outcome(cx: Context, test: Expression, names: Mapping[str, str]) -> bool | None:
    """The outcome by facts and default arguments."""
    try:
        return bool(_evaluate(test, {name: _known(cx, name, given) for name, given in names.items()}))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None


def _known(cx: Context, name: str, given: str) -> Constant:
    """The value of a name in a test; LookupError where it is not known."""
    fact = cx.facts.scalars.get(given)
    if fact is not None and fact.number is not None and given in cx.builder.given:
        return float(fact.number) if fact.is_float else int(fact.number)
    value = cx.frame.names.get(name)
    if isinstance(value, (Text, NoneValue)) or (isinstance(value, Scalar) and value.number is not None):
        return _constant(value)
    if given in cx.facts.names:
        raise LookupError(given)
    return _constant(cx.builder.defaults[given])


def _constant(value: Scalar | Text | NoneValue) -> Constant:
    if isinstance(value, Scalar):
        if value.number is None or isinstance(value.number, complex):
            raise LookupError("not a real number")
        return bool(value.number) if value.dtype == B1 else value.number
    return value.value if isinstance(value, Text) else None


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.eq, "is not": operator.ne,
}  # fmt: skip


def _evaluate(node: Expression, values: Mapping[str, Constant]) -> Any:
    """The value of a test; ValueError for an unknown form."""
    if isinstance(node, Literal) and (node.value is None or isinstance(node.value, (bool, int, float, str))):
        return node.value
    if isinstance(node, Name):
        return values[node.id]
    if isinstance(node, Unary) and node.op in ("not", "-"):
        inner = _evaluate(node.operand, values)
        return not inner if node.op == "not" else -inner
    if isinstance(node, (Binary, Boolean)):
        return _applied(node.op, _evaluate(node.left, values), _evaluate(node.right, values))
    if isinstance(node, Compare):
        operands = [_evaluate(operand, values) for operand in node.operands]
        pairs = zip(node.operators, operands, operands[1:], strict=False)
        return all(_applied(op, left, right) for op, left, right in pairs)
    raise ValueError("an unknown form")


def _applied(op: str, left: Any, right: Any) -> Any:
    if op in ("and", "or"):
        return (left and right) if op == "and" else (left or right)
    if op not in _OPERATORS:
        raise ValueError("an unknown operator")
    return _OPERATORS[op](left, right)


def resolve_default(cx: Context, value: Value) -> Value:
    """A parameter as the number that facts bind it to, or else its default, where the form of the work depends on it
    (``axis=axis``)."""
    if not isinstance(value, Scalar):
        return value
    known = None if value.expr is None else cx.builder.known_value(value.expr)
    if known is not None:
        return literal(int(known))
    name = value.given if value.expr is None else next(iter(value.expr.symbols))
    default: Value | None = cx.builder.defaults.get(name)
    is_parameter = value.expr is None or value.expr == symbol(name)
    if default is None or not is_parameter or name in cx.facts.names:
        return value
    cx.builder.assume(Assumption(name, f"{_constant(cx.builder.defaults[name])!r} (its default)"))
    return default


def constant_argument(cx: Context, function: Function, parameter: Parameter) -> Value | None:
    """What a parameter is in the call, if that is None or a text; else None."""
    name = parameter.name
    if name in cx.facts.constants:
        text = cx.facts.constants[name]
        return NONE if text is None else Text(text)
    default = constant_value(constant(parameter.default, cx.module)) if parameter.default is not None else None
    if isinstance(default, (Scalar, Text, NoneValue)):
        cx.builder.defaults[name] = default
    if not isinstance(default, NoneValue) or name in cx.facts.names or not is_asked(function, name):
        return None
    if not cx.facts.names and name not in cx.frame.type_facts.assigned:
        return None
    cx.builder.assume(Assumption(name, "None (its default)"))
    return NONE


def may_be_left_out(cx: Context, function: Function, name: str) -> bool:
    """Whether an array may be None in the call, and the function asks."""
    is_open = name not in cx.facts.names and isinstance(cx.builder.defaults.get(name), NoneValue)
    return is_open and is_asked(function, name)


def is_asked(function: Function, name: str) -> bool:
    """Whether the function compares the parameter with None."""
    return any(
        isinstance(node, Compare)
        and isinstance(node.operands[0], Name)
        and node.operands[0].id == name
        and any(isinstance(other, Literal) and other.value is None for other in node.operands[1:])
        for node in walk(function.body)
    )
