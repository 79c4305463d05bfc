"""Slices: where each dimension starts, how it is stepped through, and how many elements it has."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import (
    always_negative,
    can_be_negative,
    extent,
    loop_variables,
    never_negative,
)
from roofscan.parse.lowering.trip_counts import rows_total
from roofscan.parse.lowering.values import Axis, Cut, NoneValue, Scalar, Value
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import ceil_div


def cut_axis(cx: Context, cut: Cut, size: Expr, dim: int, line: int) -> tuple[Axis, Expr]:
    """How a sliced dimension is addressed, and its extent."""
    step = _number(cut.step, ONE)
    told = None if step is None else cx.builder.known_value(step)
    backwards = told is not None and told < 0
    if backwards and told is not None:
        step = Expr.of(told)
    least = -1 if backwards else 0
    start = _end(cx, cut.lower, size, size - 1 if backwards else ZERO, line, least, longer=backwards)
    stop = _end(cx, cut.upper, size, Expr.of(-1) if backwards else size, line, least, longer=not backwards)
    if step is None or start is None or stop is None:
        why = "a slice whose start depends on data"
        axis = Axis(None, dim, why=why) if step is None or start is None else Axis(start, dim, step)
        if start is None and step == ONE and isinstance(cut.lower, Scalar) and cut.lower.moved is not None:
            axis = replace(axis, moved=cut.lower.moved.anywhere)
        return axis, _data_length(cx, cut, line)
    if backwards:
        start = _not_beyond(cx, start, size - 1, line)
        first, length = stop + 1, ceil_div(start - stop, -step)
    else:
        stop = _not_beyond(cx, stop, size, line)
        first, length = start, stop - start if step == ONE else ceil_div(stop - start, step)
    _reaches_back(cx, first, length, size, line)
    if length.constant is not None and (backwards or start.constant is None or stop.constant is None):
        cx.builder.window_lengths.add(length)
    return Axis(start, dim, step), _not_negative(cx, length, line)


def _reaches_back(cx: Context, first: Expr, length: Expr, size: Expr, line: int) -> None:
    """``x[-30:]`` has 30 elements where the array has as many; a length in its size says so itself."""
    back = size - first
    is_known = cx.builder.known_value(first) is not None or back.symbols & set(cx.builder.open_variables)
    if size.symbols & first.symbols - length.symbols and not is_known:
        cx.builder.assume(f"{size} is at least {back}: a slice reaches so far back from the end (line {line})")


def _number(value: Value | None, default: Expr) -> Expr | None:
    """A known integer, the default where it is left out; None where it depends on data."""
    if value is None or isinstance(value, NoneValue):
        return default
    return (
        value.expr
        if isinstance(value, Scalar) and value.is_integer and value.expr != ZERO
        else (ZERO if isinstance(value, Scalar) and value.expr == ZERO else None)
    )


def _end(
    cx: Context, value: Value | None, size: Expr, default: Expr, line: int, least: int, *, longer: bool
) -> Expr | None:
    """One end of a slice in elements from the start, ``least`` where it lies before it; ``longer``: a later end makes
    the slice longer."""
    if value is None or isinstance(value, NoneValue):
        return default
    number = _number(value, default)
    if number is None:
        return None
    known = cx.builder.known_value(number)
    if known is None:
        end = _free_end(cx, number, size, line, longer)
    else:
        end = number + size if known < 0 else number
    known = cx.builder.known_value(end)
    if known is not None and known < 0:
        return Expr.of(least) if end.constant is not None else maximum(end, least)
    if end.constant is None:
        lo, hi = extent(end, cx.builder.loops, cx.builder.guards)
        if (can_be_negative(lo) or always_negative(lo)) and not always_negative(hi):
            why = "a slice may start or end before the first element in some iterations"
            cx.builder.reason(line, why, "lower" if longer else "upper")
    return end


def _free_end(cx: Context, number: Expr, size: Expr, line: int, longer: bool) -> Expr:
    """``x[:-k]`` counts from the end for k >= 1 only: at k = 0 it is empty. A size is assumed to be at least 1. A loop
    in which k is 0 in some iterations makes the count a bound."""
    lo, hi = extent(number, cx.builder.loops, cx.builder.guards)
    if hi is None or not never_negative(-hi) or (never_negative(lo) and never_negative(hi)):
        return number
    if not always_negative(hi):
        why = "a slice counts from the end, and starts or ends at 0 in some iterations"
        cx.builder.reason(line, why, "upper" if longer else "lower")
    elif not hi.constant_term:
        cx.builder.assume(f"{-hi} is at least 1: a slice counts from the end by it (line {line})")
    return number + size


def _not_beyond(cx: Context, stop: Expr, size: Expr, line: int) -> Expr:
    """A slice ends with the array: the last tile of ``x[i : i + T]`` may be shorter."""
    beyond = stop - size
    known = cx.builder.known_value(beyond)
    if known is not None:
        if beyond.constant is not None:
            return size if known > 0 else stop
        return minimum(stop, size) if known > 0 else stop
    variables = stop.symbols & set(cx.builder.open_variables)
    if not variables and loop_variables(stop) and cx.builder.known_value(size) is not None:
        return minimum(stop, size)  # what a loop adds to the end is not known yet
    if not variables:
        cx.builder.assume(f"a slice to {stop} stays inside the {size} elements there (line {line})")
        return stop
    _, hi = extent(beyond, cx.builder.loops, cx.builder.guards)
    most = None if hi is None else cx.builder.known_value(hi)
    strided = _strided(cx, variables) or _is_open(cx, stop, size, variables)
    if most is not None and most <= 0 and not strided:
        return stop
    if strided or most is not None or _grows(hi):
        return minimum(stop, size)
    cx.builder.assume(f"slices of line {line} stay inside the array")
    return stop


def _grows(excess: Expr | None) -> bool:
    """Whether the end passes the last element for all sizes but the least: ``x[i : i + w]`` for each i."""
    if excess is None or excess.atoms or not excess.symbols:
        return False
    return never_negative(excess - excess.constant_term)


def _is_open(cx: Context, stop: Expr, size: Expr, variables: Set[str]) -> bool:
    """Whether facts give the size, and the end moves by a symbol: ``x[k*b : (k + 1)*b]``."""
    moves = any(stop.coefficient(name).constant is None for name in variables)
    return moves and cx.builder.known_value(size) is not None


def _strided(cx: Context, variables: Set[str]) -> bool:
    """Whether one of the loops has a step other than 1, and may overshoot."""
    return any(loop.var in variables and loop.step not in (ONE, -ONE) for loop in cx.builder.loops)


def _not_negative(cx: Context, length: Expr, line: int) -> Expr:
    """A slice that starts after its end is empty: at known sizes, or in some iterations of a loop."""
    known = length.constant if length.constant is not None else cx.builder.known_value(length)
    if known is not None:
        return length if known >= 0 else ZERO
    least, _ = extent(length, cx.builder.loops, cx.builder.guards)
    variables = set(cx.builder.open_variables)
    if not length.symbols & variables:
        return length
    if least is None:
        if all(cx.builder.known_value(symbol(name)) is not None for name in length.symbols - variables):
            return maximum(length, 0)
        cx.builder.assume(f"slices of line {line} stay inside the array")
        return length
    known = least.constant if least.constant is not None else cx.builder.known_value(least)
    if known is None and not never_negative(least - least.constant_term):
        cx.builder.assume(f"slices of line {line} stay inside the array")
    return maximum(length, 0) if known is not None and known < 0 else length


def _data_length(cx: Context, cut: Cut, line: int) -> Expr:
    """The length of a slice with ends from data: CSR rows have a known total, other slices a symbol."""
    if isinstance(cut.lower, Scalar) and isinstance(cut.upper, Scalar) and _number(cut.step, ONE) == ONE:
        length = None if cut.upper.moved is None else cut.upper.moved.ahead_of(cut.lower.moved)
        if length is not None:
            _may_reach_before(cx, cut.lower, line)
            cx.builder.assume(f"slices of line {line} stay inside the array")
            return _not_negative(cx, length, line)
        rows = rows_total(cx, cut.lower, cut.upper, line)
        if rows is not None:
            return rows[2]
    key = ("slice", line, repr((_origin(cut.lower), _origin(cut.upper))))
    cx.builder.reason(line, "the length of a slice depends on data", "parametric")
    return cx.builder.once(key, f"len_{line}", "length", f"mean length of the slice in line {line}", line)


def _may_reach_before(cx: Context, lower: Scalar, line: int) -> None:
    """``x[i - 1 : i + 2]`` around a place that depends on data has fewer elements where that is the first one."""
    if lower.moved is not None and not never_negative(extent(lower.moved.rest, cx.builder.loops, cx.builder.guards)[0]):
        cx.builder.reason(line, "a slice around a place that depends on data may reach beyond the array", "upper")


def _origin(value: Value | None) -> object:
    """What distinguishes the ends of slices of one line."""
    if not isinstance(value, Scalar):
        return None
    return value.loaded_from if value.loaded_from else (str(value.expr), value.why_unknown)
