"""Python's own functions: ``len``, ``range``, ``min``, ``sum``, ``zip``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.ir.dtypes import B1, C16, F8, I8, DType
from roofscan.parse.lowering import arithmetic, values
from roofscan.parse.lowering.containers import unknown_container
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.iteration import items_of, iterable, range_length
from roofscan.parse.lowering.control.number_kinds import as_least, doubt, narrowest
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy import library_calls
from roofscan.parse.lowering.numpy.array_operations import stream_read
from roofscan.parse.lowering.numpy.ufuncs import map_elements
from roofscan.parse.lowering.operators import binary_values, cast
from roofscan.parse.lowering.quotients import rounded, rounded_integer
from roofscan.symbolic.expr import ONE, ZERO


def range_of(cx: Context, args: list[values.Value], line: int, *, parallel: bool = False) -> values.Value:
    """``range(start, stop, step)`` and ``prange``."""
    scalars = [as_scalar(cx, a, line) for a in args]
    zero, one = values.integer(0), values.integer(1)
    if not 1 <= len(scalars) <= 3:
        return cx.unknown(line, "a range with a wrong number of arguments")
    if len(scalars) == 1:
        return values.RangeValue(zero, scalars[0], one, parallel)
    return values.RangeValue(scalars[0], scalars[1], scalars[2] if len(scalars) == 3 else one, parallel)


def _length(cx: Context, args: list[values.Value], line: int) -> values.Value:
    value = args[0] if args else values.NONE
    if isinstance(value, values.View) and value.ndim:
        return values.integer(value.shape[0])
    if isinstance(value, values.ListedViews):
        return values.integer(value.whole.shape[0])
    if isinstance(value, values.TupleValue):
        return values.literal(len(value.items))
    if isinstance(value, values.RangeValue):
        items = items_of(cx, value, line)
        if items is not None:
            return values.integer(items.length)
    return values.unknown_integer("the length of a list")


def _decides(name: str) -> Callable[[Context, list[values.Value], int], values.Value]:
    """``any`` and ``all`` stop at the first item that decides them."""

    def handler(cx: Context, args: list[values.Value], line: int) -> values.Value:
        if args and isinstance(args[0], values.View):
            return library_calls.call(cx, "numpy", name, args, {}, line) or values.NONE
        if not (args and (isinstance(args[0], values.TupleValue) or _is_list_of_numbers(args[0]))):
            cx.builder.reason(line, f"{name} may stop before the last item", "upper")
        return values.Scalar(B1, why_unknown="a test")

    return handler


def _is_list_of_numbers(value: values.Value) -> bool:
    return isinstance(value, values.GeneratedValue) and not value.lazy


def _extremum(name: str) -> Callable[[Context, list[values.Value], int], values.Value]:
    def handler(cx: Context, args: list[values.Value], line: int) -> values.Value:
        if len(args) == 1:
            if isinstance(args[0], values.View) and args[0].ndim == 1:
                return _least_of(cx, args[0], line)
            if isinstance(args[0], values.View):
                return library_calls.call(cx, "numpy", name, args, {}, line) or values.NONE
            if isinstance(args[0], values.TupleValue):
                args = list(args[0].items)
            if args and isinstance(args[0], values.GeneratedValue):
                item, length = args[0].item, args[0].length
                cx.builder.operation("minmax", item.dtype, line, (item.node,), length - 1)
                return values.Scalar(item.dtype, weak=item.weak, why_unknown="an extremum of data")
        scalars = [as_scalar(cx, a, line) for a in args]
        if not scalars:
            return values.Unknown(name)
        found = arithmetic.extremum(cx, name, scalars, line)  # one of the operands, of whatever kind
        weak = all(scalar.weak for scalar in scalars)
        return replace(found, weak=weak, least=narrowest(cx, found.dtype, scalars))

    return handler


def _least_of(cx: Context, view: values.View, line: int) -> values.Scalar:
    """Python's own ``min(x)``: the first element is compared with each of the others."""
    stream_read(cx, view, line)
    if view.dtype.counts:
        cx.builder.operation("minmax", view.dtype, line, (), view.shape[0] - 1)
    return values.Scalar(view.dtype, why_unknown="an extremum of data")


def _cast_to(dtype: DType) -> Callable[[Context, list[values.Value], int], values.Value]:
    """``float(x)``: a Python number, which is weak."""

    def handler(cx: Context, args: list[values.Value], line: int) -> values.Value:
        value = cast(cx, dtype, args[0] if args else values.literal(0), line)
        return replace(value, weak=True) if isinstance(value, values.Scalar) else value

    return handler


def _complex(cx: Context, args: list[values.Value], line: int) -> values.Value:
    scalars = [as_scalar(cx, a, line) for a in args]
    node = next((s.node for s in scalars if s.node is not None), None)
    return values.Scalar(C16, node=node, weak=not cx.compiled, joined=len(scalars) > 1)


def _round(cx: Context, args: list[values.Value], line: int) -> values.Value:
    value = as_scalar(cx, args[0], line)
    if value.is_integer:
        return value
    cx.builder.operation("convert", value.dtype, line, (value.node,))
    if len(args) > 1:
        return values.Scalar(value.dtype, weak=value.weak)
    return replace(rounded_integer(rounded(cx, value, "nearest"), "a rounded number", I8), weak=True)


def _sum(cx: Context, args: list[values.Value], line: int) -> values.Value:
    if args and isinstance(args[0], values.View):
        along: dict[str, values.Value] = {}
        if args[0].ndim > 1:
            along["axis"] = values.literal(0)
            cx.builder.reason(
                line, "Python's sum makes a new array for each row that it adds; these arrays are left out", "open"
            )
        return library_calls.call(cx, "numpy", "sum", args[:1], along, line) or values.NONE
    if args and isinstance(args[0], values.TupleValue) and args[0].items:
        result: values.Value = values.integer(0)
        for each in args[0].items:
            result = binary_values(cx, "+", result, each, line)
        return result
    if args and isinstance(args[0], values.GeneratedValue):
        item, length = args[0].item, args[0].length
        if item.dtype.counts:
            cx.builder.operation("add", item.dtype, line, (item.node,), length)
        if item.least is not None:
            doubt(cx, as_least(item), line)
        return values.Scalar(item.dtype, weak=item.weak, why_unknown="a sum of data", least=item.least)
    return cx.unknown(line, "a sum of something of unknown length")


def _divmod(cx: Context, args: list[values.Value], line: int) -> values.Value:
    if len(args) != 2:
        return cx.unknown(line, "divmod without two operands")
    a, b = args
    return values.TupleValue(tuple(binary_values(cx, op, a, b, line) for op in ("//", "%")))


def _type_of(cx: Context, args: list[values.Value], line: int) -> values.Value:
    value = args[0] if args else values.NONE
    return (
        values.DTypeValue(value.dtype) if isinstance(value, (values.Scalar, values.View)) else values.Unknown("a type")
    )


def _iterator(kind: values.IteratorKind) -> Callable[[Context, list[values.Value], int], values.Value]:
    return lambda cx, args, line: values.IteratorValue(kind, tuple(args))


def _reversed(cx: Context, args: list[values.Value], line: int) -> values.Value:
    return values.IteratorValue("reversed", (reversed_value(args[0] if args else values.NONE),))


def reversed_value(value: values.Value) -> values.Value:
    """A range or a tuple from its end; for anything else only the length matters."""
    if isinstance(value, values.RangeValue) and value.start.expr is not None and value.stop.expr is not None:
        step = value.step.expr or ONE
        length = range_length(value.start.expr, value.stop.expr, step)
        last = value.start.expr + step * (length - 1)
        return values.RangeValue(
            values.integer(last), values.integer(value.start.expr - step), values.integer(ZERO - step)
        )
    if isinstance(value, values.TupleValue):
        return values.TupleValue(tuple(reversed(value.items)), value.kind)
    return value


def _slice(cx: Context, args: list[values.Value], line: int) -> values.Value:
    return values.Cut(None, *args) if len(args) == 1 else values.Cut(*args[:3])


def _list(cx: Context, args: list[values.Value], line: int) -> values.Value:
    value = iterable(args[0]) if args else values.TupleValue((), "list")
    return replace(value, lazy=False) if isinstance(value, (values.GeneratedValue, values.ListedViews)) else value


BUILTINS: dict[str, Callable[[Context, list[values.Value], int], values.Value]] = {
    "range": lambda cx, args, line: range_of(cx, args, line),
    "abs": lambda cx, args, line: map_elements(cx, "abs", args[:1], line),
    "pow": lambda cx, args, line: map_elements(cx, "power", args[:2], line),
    **dict.fromkeys(("chr", "str", "repr", "bin", "oct", "hex"), lambda cx, args, line: values.A_TEXT),
    "ord": lambda cx, args, line: values.unknown_integer("a character"),
    **dict.fromkeys(("set", "frozenset"), lambda cx, args, line: unknown_container(cx, "a set", line)),
    "dict": lambda cx, args, line: unknown_container(cx, "a dict", line),
    "float": _cast_to(F8), "int": _cast_to(I8), "bool": _cast_to(B1), "complex": _complex,
    "min": _extremum("min"), "max": _extremum("max"), "any": _decides("any"), "all": _decides("all"),
    "enumerate": _iterator("enumerate"), "zip": _iterator("zip"), "reversed": _reversed, "slice": _slice,
    "len": _length, "round": _round, "sum": _sum, "divmod": _divmod, "type": _type_of, "tuple": _list, "list": _list,
}  # fmt: skip
