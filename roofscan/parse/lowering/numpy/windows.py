"""Windows that slide over an array: a view in which neighbouring windows share elements."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse import syntax
from roofscan.parse.inference.operands import keyword, operand, operands_of
from roofscan.parse.inference.rule import Constraint, RankOf
from roofscan.parse.lowering.calls.arguments import argument, axes_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import shape_of
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, rows
from roofscan.parse.lowering.numpy.views import alias, steps_of
from roofscan.parse.lowering.values import Keywords, Value, View, entire_view
from roofscan.parse.syntax import Call, Expression
from roofscan.symbolic.extrema import maximum


def sliding(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    view, written = args[0] if args else None, argument(args, keywords, 1, "window_shape")
    if not isinstance(view, View) or written is None:
        return None
    windows, axes = shape_of(cx, written, line), axes_of(argument(args, keywords, 2, "axis"), view.ndim)
    steps = steps_of(cx, view)
    if windows is None or axes is None or steps is None or len(windows) != len(axes):
        return None
    shape = list(view.shape)
    for axis, window in zip(axes, windows):
        shape[axis] = maximum(0, shape[axis] - window + 1)
    strides = (*steps, *(steps[axis] for axis in axes))
    return entire_view(alias(cx, view, (*shape, *windows), line, strides))


class SlidingWindows(Function):
    """Without an axis there is a window for each dimension; a number is one for the only one."""

    def operand_ranks(self, call: Call) -> Iterator[Constraint]:
        if _axis(call) is None and (windows := _windows(call)):
            yield operands_of(call)[0], windows

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        windows, operands = _windows(call), operands_of(call)
        if not windows or not operands:
            return None
        rank = windows if _axis(call) is None else rank_of(operands[0])
        return None if rank is None else rank + windows


def _axis(call: Call) -> Expression | None:
    return keyword(call, "axis") or operand(call, 2)


def _windows(call: Call) -> int:
    """How many; 0 where that is not known."""
    written = keyword(call, "window_shape") or operand(call, 1)
    if isinstance(written, syntax.Sequence):
        return len(written.items)
    return 1 if isinstance(written, (syntax.Name, syntax.Literal, syntax.Binary)) else 0


WINDOWS: dict[str, NumpyRule] = {
    **rows("sliding_window_view", SlidingWindows(sliding, takes_array=True, moves_only=True))
}
