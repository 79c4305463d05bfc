"""Join (phi) of abstract values: what a name stands for after two arms of a condition."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import DType, promote
from roofscan.ir.kinds import ReasonEffect
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.number_kinds import common_type, narrowest
from roofscan.parse.lowering.elements import as_computed_here
from roofscan.parse.lowering.quotients import inexact
from roofscan.parse.lowering.values import (
    A_TEXT,
    CHANGED,
    Cut,
    DTypeValue,
    FunctionRef,
    NoneValue,
    Quotient,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    arrays_in,
    unknown_integer,
)
from roofscan.symbolic.expr import ONE, ZERO, Expr

ANY = Unknown("a value that depends on a condition")


def join(cx: Context, then: Value | None, orelse: Value | None, line: int) -> Value | None:
    """The value after two arms. Two arrays of one shape become one array at an unknown address. A value that is None
    after one arm is the other arm's, and tests of it stay open."""
    if _is_none(then) != _is_none(orelse) and then is not None and orelse is not None:
        some = orelse if _is_none(then) else then
        if isinstance(some, Scalar):
            return replace(some, number=None, literal=False, given="", or_none=True)
        return replace(some, or_none=True) if isinstance(some, (View, TupleValue)) else some
    if isinstance(then, View) and isinstance(orelse, View) and then != orelse:
        return _join_arrays(cx, then, orelse, line)
    arrays = [value for value in (then, orelse) if isinstance(value, View) and value.ndim]
    if len(arrays) == 1 and any(isinstance(value, (Scalar, TupleValue)) for value in (then, orelse)):
        message = "one arm of a condition gives an array, the other a number or a list: counted as the array"
        cx.builder.reason(line, message, "upper")
        return arrays[0]
    if isinstance(then, TupleValue) and isinstance(orelse, TupleValue) and len(then.items) == len(orelse.items):
        items = [join(cx, a, b, line) for a, b in zip(then.items, orelse.items, strict=True)]
        return TupleValue(tuple(i for i in items if i is not None), then.kind)
    if isinstance(then, DTypeValue) and isinstance(orelse, DTypeValue):
        return either_type(cx, then.dtype, orelse.dtype, line, "an element type that depends on a condition")
    if isinstance(then, Cut) and isinstance(orelse, Cut):
        return either_slice(then, orelse)
    joined = _join_plain(then, orelse)
    if joined is ANY and any(any(arrays_in(value)) for value in (then, orelse)):
        cx.builder.reason(line, "arrays that depend on a condition are not counted", "lower")
    if isinstance(joined, Scalar) and isinstance(then, Scalar) and isinstance(orelse, Scalar):
        dtype = common_type(cx, then, orelse)
        joined = replace(joined, dtype=dtype, least=narrowest(cx, dtype, (then, orelse)))
    return joined if joined is None or joined in (then, orelse) else as_computed_here(cx, joined)


def _join_plain(then: Value | None, orelse: Value | None) -> Value | None:
    """The join where no array needs a new shape; of two kinds of value the first counts."""
    if then == orelse or orelse is None:
        return then
    if then is None:
        return orelse
    if isinstance(then, Scalar) and isinstance(orelse, Scalar):
        node = orelse.node if then.node is None else then.node
        same = then.expr is not None and then.expr == orelse.expr
        return Scalar(
            promote(then.dtype, orelse.dtype),
            then.expr if same else None,
            node,
            weak=then.weak and orelse.weak,
            why_unknown=then.why_unknown or orelse.why_unknown or "a value that depends on a condition",
            or_none=then.or_none or orelse.or_none,
            joined=True,
            quotient=_either(then.quotient, orelse.quotient),
        )
    if (isinstance(then, Text) and isinstance(orelse, Text)) or A_TEXT in (then, orelse):
        return A_TEXT
    if isinstance(then, (NoneValue, Unknown)):
        return orelse
    if isinstance(orelse, (NoneValue, Unknown)):
        return then
    if isinstance(then, FunctionRef) and isinstance(orelse, FunctionRef) and then.function is orelse.function:
        return then
    return ANY


def either_slice(then: Cut, orelse: Cut) -> Cut:
    """One of two slices: an end that both do not have is not known."""
    pairs = ((then.lower, orelse.lower), (then.upper, orelse.upper), (then.step, orelse.step))
    return Cut(*(a if a == b else unknown_integer("an end of a slice that depends on a condition") for a, b in pairs))


def either_type(cx: Context, one: DType, other: DType, line: int, what: str) -> DTypeValue:
    """One of two element types: the wider."""
    if one.size != other.size:
        cx.builder.reason(line, f"{what}: counted as the wider", "open")
    if one.kind != other.kind:
        cx.builder.reason(line, f"{what}: counted as the wider", "wider")
    return DTypeValue(promote(one, other))


def _either(then: Quotient | None, orelse: Quotient | None) -> Quotient | None:
    """The place of either of two that are neighbours at the most."""
    if then is None or orelse is None or then.bottom != orelse.bottom:
        return None
    apart = ((then.top - orelse.top) / then.bottom).constant if len(then.bottom.terms) == 1 else None
    return inexact(then) if apart in (-1, 0, 1) else None


def join_names(
    cx: Context, a: dict[str, Value], b: dict[str, Value], before: dict[str, Value], line: int, share: Expr = ZERO
) -> dict[str, Value]:
    """Names after two arms, the second of which runs in ``share`` of the executions (0: not known). Where one arm
    leaves a name alone, the other arm's value carries the data flow, or its own value if that is a constant."""
    joined: dict[str, Value] = {}
    for name in {**a, **b}:
        x, y = a.get(name), b.get(name)
        value = join(cx, x, y, line)
        if isinstance(value, Scalar) and isinstance(x, Scalar) and isinstance(y, Scalar):
            changed, other, chosen = (y, x, share) if x == before.get(name) else (x, y, ONE - share)
            is_reset = share.symbols and other.made and not changed.made and cx.frame.loops
            value = replace(value, node=other.node if is_reset else changed.node)
            if is_reset:
                cx.frame.loops[-1].reset(name, chosen)
            elif changed.node and other.node and other != before.get(name) and cx.frame.loops:
                cx.frame.loops[-1].join(changed.node, other.node)
        if value is not None:
            joined[name] = value
    return joined


def any_item(cx: Context, value: TupleValue, line: int) -> Value:
    """An item of a tuple at an unknown place: the join of all items."""
    result: Value | None = value.items[0] if value.items else Unknown("an item of an empty tuple")
    for other in value.items[1:]:
        result = join(cx, result, other, line)
    if isinstance(result, Scalar):
        return Scalar(result.dtype, why_unknown="an item of a tuple", least=result.least)
    return result if result is not None else Unknown("an item of a tuple")


def may_run(cx: Context, conditions: tuple[Condition, ...]) -> bool:
    """Whether an arm may run: False where the sizes given by facts rule it out."""
    return all(_may_hold(cx, condition) for condition in conditions)


def _may_hold(cx: Context, condition: Condition) -> bool:
    value = cx.builder.known_value(condition.expr)
    return value is None or condition.holds(value)


def _is_none(value: Value | None) -> bool:
    """Whether a value is None, or was changed by a loop and may therefore be None."""
    return isinstance(value, NoneValue) or value == CHANGED


def _join_arrays(cx: Context, then: View, orelse: View, line: int) -> Value:
    names = " or ".join(cx.builder.shown(view.array) for view in (then, orelse))
    if then.ndim != orelse.ndim:
        return cx.unknown(line, f"{names}: arrays of different rank, by a condition")
    pairs = zip(then.shape, orelse.shape, strict=True)
    shape = tuple(_join_extents(cx, d, a, b, line) for d, (a, b) in enumerate(pairs))
    if not cx.compiled and then.dtype.kind != orelse.dtype.kind:
        cx.builder.reason(line, f"{names}, of different types: counted as the wider", "wider")
    if then.axes != orelse.axes or then.array != orelse.array:
        effect: ReasonEffect = "traffic" if then.dtype.size == orelse.dtype.size else "open"
        cx.builder.reason(line, f"{names}, by a condition: counted as the first", effect)
    or_none = then.or_none or orelse.or_none
    return replace(then, shape=shape, dtype=promote(then.dtype, orelse.dtype), or_none=or_none)


def _join_extents(cx: Context, dimension: int, then: Expr, orelse: Expr, line: int) -> Expr:
    """The extent of both arms, or a new symbol where they differ."""
    then, orelse = cx.builder.resolve(then), cx.builder.resolve(orelse)
    known = cx.builder.known_value(then)
    if then == orelse or (known is not None and known == cx.builder.known_value(orelse)):
        return then
    key = ("extent", line, dimension, str(then), str(orelse))
    cx.builder.reason(line, "the shape of an array depends on a condition", "parametric")
    meaning = f"{then} or {orelse}, by the condition in line {line}"
    return cx.builder.once(key, f"len_{line}", "length", meaning, line)
