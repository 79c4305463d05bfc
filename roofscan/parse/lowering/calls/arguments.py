"""Arguments of library calls, by position or by name: constants, axes and element types."""

from __future__ import annotations

from roofscan.ir.dtypes import DType
from roofscan.ir.dtypes import lookup as dtype_named
from roofscan.ir.kinds import ReasonEffect
from roofscan.parse.lowering import values
from roofscan.parse.lowering.context import Context


def argument(args: list[values.Value], keywords: values.Keywords, position: int, name: str) -> values.Value | None:
    """The argument at a position or of a name; None where it is absent or ``None``."""
    value = keywords.get(name, args[position] if len(args) > position else None)
    return None if isinstance(value, values.NoneValue) else value


def constant_integer(value: values.Value | None) -> int | None:
    if not isinstance(value, values.Scalar) or value.expr is None:
        return None
    constant = value.expr.constant
    return int(constant) if constant is not None and constant == int(constant) else None


def flag(value: values.Value | None) -> bool:
    return isinstance(value, values.Scalar) and value.number is True


def constant_integers(value: values.Value | None) -> list[int] | None:
    """The values of a tuple of constant integers, or of one; None where one is not constant."""
    items = value.items if isinstance(value, values.TupleValue) else () if value is None else (value,)
    found = [constant_integer(item) for item in items]
    known = [n for n in found if n is not None]
    return known if value is not None and len(known) == len(found) else None


def axes_of(axis: values.Value | None, ndim: int) -> list[int] | None:
    """The dimensions that an ``axis`` names, all of them where there is none; None where it is not known."""
    if axis is None or isinstance(axis, values.NoneValue):
        return list(range(ndim))
    numbers = constant_integers(axis)
    if numbers is None or any(not -ndim <= n < ndim for n in numbers):
        return None
    return [n % ndim for n in numbers]


def axis_of(axis: values.Value | None, ndim: int, default: int) -> int | None:
    """The one dimension that an ``axis`` names; None where it is not known."""
    found = [default % ndim] if axis is None and ndim else axes_of(axis, ndim)
    return found[0] if found is not None and len(found) == 1 else None


_OF_ANY_TYPE: tuple[ReasonEffect, ...] = ("lower", "open", "wider")


def dtype_of(cx: Context, value: values.Value | None, default: DType, line: int) -> DType:
    """The element type that an argument names, or the default; for an unknown type that is an assumption."""
    if value is None or isinstance(value, values.NoneValue):
        return default
    named = type_named(value)
    if named is None:
        cx.builder.assume(f"the result of line {line} is {default.name} (its dtype is not known)")
    if isinstance(value, values.Unknown) and not isinstance(value, values.TextParameter):  # nobody can tell it
        for effect in _OF_ANY_TYPE:
            cx.builder.reason(line, f"an element type that is not known: counted as {default.name}", effect)
    return named or default


def type_named(value: values.Value) -> DType | None:
    """The element type that a value is or names."""
    if isinstance(value, values.DTypeValue):
        return value.dtype
    if isinstance(value, values.Text):
        return dtype_named(value.value)
    return dtype_named(value.dotted.rpartition(".")[2]) if isinstance(value, values.ModuleRef) else None


def out_view(args: list[values.Value], keywords: values.Keywords, position: int) -> values.View | None:
    """The array that ``out=`` names (also as a tuple of one)."""
    value = argument(args, keywords, position, "out")
    if isinstance(value, values.TupleValue) and len(value.items) == 1:
        value = value.items[0]
    return value if isinstance(value, values.View) else None
