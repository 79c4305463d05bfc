"""What stands behind two arms of a condition, where the arms leave different arrays behind."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import promote
from roofscan.ir.kernel import Condition
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join_values import merge
from roofscan.parse.lowering.values import CHANGED, NoneValue, Scalar, TupleValue, Unknown, Value, View
from roofscan.symbolic.expr import Expr


def reached(cx: Context, conditions: tuple[Condition, ...]) -> bool:
    """Whether an arm may run: False where the sizes that facts give rule it out."""
    return all(_may_hold(cx, condition) for condition in conditions)


def _may_hold(cx: Context, condition: Condition) -> bool:
    value = cx.builder.known_value(condition.expr)
    if value is None:
        return True
    if condition.relation == "ge":
        return value >= 0
    rest = value % condition.modulus if condition.modulus else value
    return (rest == 0) == (condition.relation == "eq")


def either(cx: Context, then: Value | None, orelse: Value | None, line: int) -> Value | None:
    """The value after two arms: one array stands for two of the same shape, at an address that is not known.

    What is None after one of them stands for the other arm's value, and tests of it are left open.
    """
    if _is_none(then) != _is_none(orelse) and then is not None and orelse is not None:
        some = orelse if _is_none(then) else then
        if isinstance(some, Scalar):
            return replace(some, number=None, literal=False, given="", or_none=True)
        return replace(some, or_none=True) if isinstance(some, (View, TupleValue)) else some
    if isinstance(then, View) and isinstance(orelse, View) and then != orelse:
        return _either_array(cx, then, orelse, line)
    arrays = [value for value in (then, orelse) if isinstance(value, View) and value.ndim]
    if len(arrays) == 1 and any(isinstance(value, (Scalar, TupleValue)) for value in (then, orelse)):
        what = "an array here and a number or a list there, by a condition: counted as the array"
        cx.builder.reason(line, what, "upper")
        return arrays[0]
    return merge(then, orelse)


def _is_none(value: Value | None) -> bool:
    """Whether a value is None, or what a loop's turns have left, which may be."""
    return isinstance(value, NoneValue) or value == CHANGED


def any_item(cx: Context, value: TupleValue, line: int) -> Value:
    """An item of a tuple, where it is not known which."""
    result: Value | None = value.items[0] if value.items else Unknown("an item of an empty tuple")
    for other in value.items[1:]:
        result = either(cx, result, other, line)
    if isinstance(result, Scalar):
        return Scalar(result.dtype, why_unknown="an item of a tuple")
    return result if result is not None else Unknown("an item of a tuple")


def _either_array(cx: Context, then: View, orelse: View, line: int) -> Value:
    if then.ndim != orelse.ndim:
        names = " or ".join(_shown(cx, view) for view in (then, orelse))
        return cx.unknown(line, f"{names}, of unlike dimensions, by a condition")
    pairs = zip(then.shape, orelse.shape, strict=True)
    shape = tuple(_either_extent(cx, d, a, b, line) for d, (a, b) in enumerate(pairs))
    if then.axes != orelse.axes or then.array != orelse.array:
        names = " or ".join(_shown(cx, view) for view in (then, orelse))
        cx.builder.reason(line, f"{names}, by a condition: the first is meant", "traffic")
    or_none = then.or_none or orelse.or_none
    return replace(then, shape=shape, dtype=promote(then.dtype, orelse.dtype), or_none=or_none)


def _shown(cx: Context, view: View) -> str:
    name = cx.builder.names.get(view.array, view.array)
    return "a temporary" if name.startswith("~") else name


def _either_extent(cx: Context, dimension: int, then: Expr, orelse: Expr, line: int) -> Expr:
    """The extent that both arms have, or a symbol."""
    then, orelse = cx.builder.resolve(then), cx.builder.resolve(orelse)
    known = cx.builder.known_value(then)
    if then == orelse or (known is not None and known == cx.builder.known_value(orelse)):
        return then
    key = ("extent", line, dimension, str(then), str(orelse))
    if key not in cx.builder.shares:
        meaning = f"{then} or {orelse}, by the condition in line {line}"
        cx.builder.shares[key] = cx.builder.symbol(f"len_{line}", "length", meaning, line)
        cx.builder.reason(line, "the shape of an array depends on a condition", "parametric")
    return cx.builder.shares[key]
