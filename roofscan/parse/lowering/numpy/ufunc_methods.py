"""Methods of ufuncs (``outer``, ``reduce``, ``accumulate``, ``at``), and choices by element."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.parse.inference.rule import RankOf
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.attributes import view_attribute
from roofscan.parse.lowering.calls.arguments import argument, axis_of, flag, out_view
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import written
from roofscan.parse.lowering.numpy.array_operations import as_operand, elementwise, library_work, read_arrays, total
from roofscan.parse.lowering.numpy.fancy_indexing import update_selected
from roofscan.parse.lowering.numpy.reductions import (
    CUMULATIVE_PRODUCT,
    CUMULATIVE_SUM,
    Accumulation,
    Reduction,
    reduce_view,
)
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, result_type, rows
from roofscan.parse.lowering.numpy.sorting import nonzero
from roofscan.parse.lowering.numpy.ufuncs import COMPONENT, UFUNCS, broadcast_rank
from roofscan.parse.lowering.numpy.views import with_new_dimensions
from roofscan.parse.lowering.values import NONE, Keywords, Scalar, Value, View, literal
from roofscan.parse.syntax import Call

_RUNNING = {"add": CUMULATIVE_SUM, "multiply": CUMULATIVE_PRODUCT}

UFUNC_METHODS = frozenset({"outer", "reduce", "accumulate", "at", "reduceat"})


def ufunc_method(
    cx: Context, function: str, method: str, args: list[Value], keywords: Keywords, line: int
) -> Value | None:
    """``np.add.outer(a, b)``, ``np.maximum.reduce(x)``, ``np.add.accumulate(x)``, ``np.add.at(x, idx, y)``."""
    rule = UFUNCS[function]
    operands = [as_operand(cx, a, line) for a in args]
    if method == "outer" and len(operands) == 2:
        left, right = operands
        if isinstance(left, View) and isinstance(right, View):
            left = with_new_dimensions(left, [left.ndim + k for k in range(right.ndim)])
        return rule.apply(cx, function, [left, right], line, out_view([], keywords, 0))
    if not operands or not isinstance(operands[0], View):
        return None
    axis = argument(args, keywords, 1, "axis") or literal(0)
    if method == "reduce":
        whole = keywords.get("axis") is NONE
        reducing = Reduction(rule.operations, "bool" if rule.makes_mask else "sum")
        return reduce_view(cx, function, reducing, operands[0], None if whole else axis, line,
                           keepdims=flag(keywords.get("keepdims")))  # fmt: skip
    if method == "accumulate":
        place = axis_of(axis, operands[0].ndim, 0)
        running = _RUNNING.get(function) or Accumulation(rule.operations, "bool" if rule.makes_mask else "same")
        return None if place is None else running.lower(cx, function, [operands[0]], {"axis": literal(place)}, line)
    if method == "reduceat" and len(operands) >= 2 and isinstance(operands[1], View) and operands[0].ndim == 1:
        return _reduce_at(cx, function, operands[0], operands[1], line)
    if method == "at" and len(operands) >= 2 and isinstance(operands[1], (View, Scalar)):
        return _update_at(cx, function, operands, line)
    return None


def _reduce_at(cx: Context, function: str, view: View, starts: View, line: int) -> Value:
    """``np.add.reduceat``: a result for each start, of the elements up to the next one. Those before the first start
    are left out."""
    cx.builder.assume(f"the indices of reduceat in line {line} increase")
    cx.builder.reason(line, "reduceat is counted as if its first index were 0", "upper")
    dtype = result_type("sum" if function in _RUNNING else "same", view.dtype)
    for kind in UFUNCS[function].operations:
        library_work(cx, kind, dtype, line, total(view.shape))
    read_arrays(cx, [starts, view], line)
    return written(cx, starts.shape, dtype, line)


def _update_at(cx: Context, function: str, operands: list[Value], line: int) -> Value:
    """``np.add.at``: elements at indices from data are read, updated and written in order."""
    target, index = operands[0], operands[1]
    assert isinstance(target, View) and isinstance(index, (View, Scalar))

    def change(old: Scalar, new: Scalar | None) -> Scalar:
        return UFUNCS[function].of_scalars(cx, function, [old] if new is None else [old, new], line)

    update_selected(cx, target, index, operands[2] if len(operands) > 2 else None, change, line)
    return NONE


def where(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.where(test, a, b)`` reads all three; ``np.where(test)`` is ``nonzero``."""
    if len(args) == 1:
        return nonzero(cx, "nonzero", args, keywords, line)
    if len(args) != 3:
        return None

    def choose(scalars: list[Scalar]) -> Scalar:
        weak = scalars[1].weak and scalars[2].weak
        dtype = arithmetic.result_type(cx, scalars[1], scalars[2])
        return Scalar(
            dtype, node=scalars[1].node or scalars[2].node, weak=weak, why_unknown="a choice by data", joined=True
        )

    return elementwise(cx, [as_operand(cx, a, line) for a in args], line, choose, name, ufunc=False)


def clip(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """One operation per bound."""
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
    return None if value is None else COMPONENT.apply(cx, name, [value], line)


@dataclass(frozen=True, kw_only=True)
class Where(Function):
    is_elementwise: bool = True
    treats_elements_alike: bool = True

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        return broadcast_rank(call, rank_of)


@dataclass(frozen=True, kw_only=True)
class MethodOfUfunc(NumpyRule):
    """What inference knows of it; ``ufunc_method`` lowers its calls."""

    takes_array: bool = True

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        return None


METHODS: dict[str, NumpyRule] = {
    **rows("accumulate", MethodOfUfunc(keeps_rank=True)),
    **rows("at", MethodOfUfunc(usual_ranks=(1, 1, 1))),
    **rows("reduceat", MethodOfUfunc(usual_ranks=(1, 1), rank=1)),
}

CHOICES: dict[str, NumpyRule] = {
    **rows("where", Where(where)),
    **rows("clip", Function(clip, is_elementwise=True, treats_elements_alike=True, keeps_rank=True, is_method=True)),
    **rows("real imag", Function(real_part)),
}
