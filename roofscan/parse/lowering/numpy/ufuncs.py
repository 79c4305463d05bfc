"""Elementwise functions, and the methods that NumPy's have: ``outer``, ``reduce``, ``accumulate``, ``at``."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import DType
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.attributes import view_attribute
from roofscan.parse.lowering.calls.arguments import (
    argument,
    axis_of,
    dtype_of,
    flag,
    out_view,
)
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import as_operand, elementwise
from roofscan.parse.lowering.numpy.fancy_indexing import update_selected
from roofscan.parse.lowering.numpy.library_figures import by_data
from roofscan.parse.lowering.numpy.manipulation import with_new_dimensions
from roofscan.parse.lowering.numpy.reductions import cumulate, reduce_view
from roofscan.parse.lowering.numpy.scalars import scalar_function
from roofscan.parse.lowering.numpy.table import TABLE, Row
from roofscan.parse.lowering.values import NONE, Keywords, Scalar, Value, View, literal


def mapped(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """One operand or two, element by element, with ``out=``, ``where=`` and ``dtype=``."""
    count = 2 if TABLE[name].rule == "map2" else 1
    if len(args) < count:
        return None
    out = out_view(args, keywords, count) if name not in ("round", "around", "round_") else out_view(args, keywords, 2)
    said = keywords.get("dtype")
    dtype = None
    if said is not None and isinstance(args[0], (View, Scalar)):
        dtype = dtype_of(cx, said, args[0].dtype, line)
    return map_elements(cx, name, args[:count], line, out, argument([], keywords, 0, "where"), dtype)


def map_elements(
    cx: Context, name: str, args: list[Value], line: int, out: View | None = None, where: Value | None = None,
    dtype: DType | None = None,
) -> Value:  # fmt: skip
    """A function of the table on numbers, or element by element."""
    operands = [as_operand(cx, a, line) for a in args]
    if not operands:
        return cx.unknown(line, f"{name} without operands")

    def compute(scalars: list[Scalar]) -> Scalar:
        if dtype is not None:
            scalars = [replace(s, dtype=dtype, weak=False) for s in scalars]
        return scalar_function(cx, name, scalars, line)

    if any(isinstance(a, View) and a.ndim for a in operands) or out is not None:
        return elementwise(cx, operands, line, compute, name, out, where)
    return compute([as_scalar(cx, a, line) for a in operands])


def ufunc_method(
    cx: Context, function: str, method: str, args: list[Value], keywords: Keywords, line: int
) -> Value | None:
    """``np.add.outer(a, b)``, ``np.maximum.reduce(x)``, ``np.add.accumulate(x)``, ``np.add.at(x, idx, y)``."""
    row = TABLE[function]
    operands = [as_operand(cx, a, line) for a in args]
    if method == "outer" and len(operands) == 2:
        left, right = operands
        if isinstance(left, View) and isinstance(right, View):
            left = with_new_dimensions(left, [left.ndim + k for k in range(right.ndim)])
        return map_elements(cx, function, [left, right], line, out_view([], keywords, 0))
    if not operands or not isinstance(operands[0], View):
        return None
    axis = argument(args, keywords, 1, "axis") or literal(0)
    if method == "reduce":
        whole = keywords.get("axis") is NONE
        reducing = Row("reduce", row.each, row.dtype if row.dtype == "bool" else "sum")
        return reduce_view(cx, function, reducing, operands[0], None if whole else axis, line,
                           keepdims=flag(keywords.get("keepdims")))  # fmt: skip
    if method == "accumulate" and function in ("add", "multiply"):
        place = axis_of(axis, operands[0].ndim, 0)
        running = "cumsum" if function == "add" else "cumprod"
        return None if place is None else cumulate(cx, running, [operands[0]], {"axis": literal(place)}, line)
    if method == "at" and len(operands) >= 2 and isinstance(operands[1], (View, Scalar)):
        return _update_at(cx, function, operands, line)
    return None


def _update_at(cx: Context, function: str, operands: list[Value], line: int) -> Value:
    """Elements at places that data says are read, changed and written, one after the other."""
    target, index = operands[0], operands[1]
    assert isinstance(target, View) and isinstance(index, (View, Scalar))

    def change(old: Scalar, new: Scalar | None) -> Scalar:
        return scalar_function(cx, function, [old] if new is None else [old, new], line)

    update_selected(cx, target, index, operands[2] if len(operands) > 2 else None, change, line)
    return NONE


# -- choices --------------------------------------------------------------------------------------


def where(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.where(test, a, b)`` reads all three; ``np.where(test)`` is ``nonzero``."""
    if len(args) == 1:
        return by_data(cx, "nonzero", args, keywords, line)
    if len(args) != 3:
        return None

    def pick(scalars: list[Scalar]) -> Scalar:
        weak = scalars[1].weak and scalars[2].weak
        dtype = arithmetic.result_type(cx, scalars[1], scalars[2])
        return Scalar(dtype, node=scalars[1].node or scalars[2].node, weak=weak, why_unknown="a choice by data")

    return elementwise(cx, [as_operand(cx, a, line) for a in args], line, pick, name)


def clip(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """One operation for each bound that is given."""
    low = argument(args, keywords, 1, "a_min") or argument([], keywords, 0, "min")
    high = argument(args, keywords, 2, "a_max") or argument([], keywords, 0, "max")
    operands = [args[0], *(b for b in (low, high) if b is not None)] if args else []
    if not operands:
        return None
    out = out_view(args, keywords, 3)
    return elementwise(
        cx, [as_operand(cx, o, line) for o in operands], line,
        lambda s: arithmetic.extremum(cx, "min", s, line), name, out,
    )  # fmt: skip


def real_part(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.real(z)`` and ``np.imag(z)``: a view of half of each element."""
    value = as_operand(cx, args[0], line) if args else None
    if isinstance(value, View) and value.ndim and value.dtype.kind == "complex":
        return view_attribute(cx, value, name, line)
    if isinstance(value, View) and value.ndim and name == "real":
        return value
    return None if value is None else map_elements(cx, name, [value], line)
