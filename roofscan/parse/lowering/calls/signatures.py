"""The signature that a call takes: Numba converts the arguments and the result to its types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from roofscan.ir.dtypes import promote
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import beside_floats
from roofscan.parse.lowering.operators import cast
from roofscan.parse.lowering.values import Scalar, Value, View
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import UNKNOWN, ParameterType
from roofscan.parse.reader.types import Signature, signature
from roofscan.parse.syntax import Expression, Function, Lambda

_KINDS = ("bool", "int", "float", "complex")


def take_signature(
    cx: Context, function: Function | Lambda, written: Iterable[Expression], names: dict[str, Value], line: int,
    module: Module, ufunc: bool, inside: bool = True,
) -> ParameterType:  # fmt: skip
    """Converts the arguments, which are bound to names, and gives the type of the result. A ufunc takes the first
    signature to which all of them convert safely, ``inside`` compiled code with integers of any size beside floats;
    another function prefers one of exactly their types."""
    parameters = [p.name for p in function.parameters]
    args = [names[name] for name in parameters]
    read = [signature(each, module) for each in written]
    found = [each for each in read if each is not None and len(each.arguments) == len(args)]
    numbers = [arg for arg in args if isinstance(arg, Scalar)]
    seen = beside_floats(numbers) if ufunc and inside and cx.compiled and len(numbers) == len(args) else args
    exact = [] if ufunc else _fitting(cx, found, args, exactly=True)
    taken = next(iter(exact or _fitting(cx, found, seen, exactly=False) or found), None)
    if taken is None:
        return UNKNOWN
    for name, arg, kind in zip(parameters, args, taken.arguments, strict=True):
        if isinstance(arg, View) and kind.order == "A":
            names[name] = replace(arg, any_stride=True)
        else:
            names[name] = converted(cx, arg, kind, line)
    return taken.result


def _fitting(cx: Context, found: list[Signature], args: Sequence[Value], exactly: bool) -> list[Signature]:
    return [s for s in found if all(_fits(cx, a, t, exactly) for a, t in zip(args, s.arguments, strict=True))]


def _fits(cx: Context, arg: Value, kind: ParameterType, exactly: bool) -> bool:
    if not isinstance(arg, (Scalar, View)) or kind.dtype is None:
        return True
    if isinstance(arg, View) and arg.ndim:
        return arg.dtype == kind.dtype and kind.ndim in (None, arg.ndim)
    if arg.dtype == kind.dtype or exactly or not {arg.dtype.kind, kind.dtype.kind} <= set(_KINDS):
        return arg.dtype == kind.dtype
    if isinstance(arg, Scalar) and arg.weak and not cx.compiled:
        return _KINDS.index(arg.dtype.kind) <= _KINDS.index(kind.dtype.kind)
    return promote(arg.dtype, kind.dtype) == kind.dtype


def converted(cx: Context, value: Value, kind: ParameterType, line: int) -> Value:
    """A number in the type that a signature says; anything else as it is."""
    if not isinstance(value, Scalar) or kind.kind != "scalar" or kind.dtype is None or kind.dtype == value.dtype:
        return value
    if not {kind.dtype.kind, value.dtype.kind} <= set(_KINDS):
        return value
    made = cast(cx, kind.dtype, value, line)
    if not isinstance(made, Scalar) or promote(value.dtype, kind.dtype) != kind.dtype:
        return made
    same = kind.dtype.kind == value.dtype.kind == "float"
    return replace(made, given=value.given, number=value.number if same else made.number)
