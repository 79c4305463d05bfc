"""What a ``for`` iterates over: how many items, and what each one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import BY_CODE
from roofscan.parse.lowering.attributes import element_or_view
from roofscan.parse.lowering.containers import UNKNOWN_ITEM
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import any_item
from roofscan.parse.lowering.numpy.array_operations import row_of
from roofscan.parse.lowering.numpy.views import flat, is_contiguous
from roofscan.parse.lowering.trip_counts import is_averaged, rows_total, trip_symbol
from roofscan.parse.lowering.values import (
    ITERATOR,
    BoundMethod,
    GeneratedValue,
    IteratorValue,
    ListedViews,
    RangeValue,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    View,
    integer,
    unknown_integer,
)
from roofscan.symbolic.expr import ONE, ZERO, Expr
from roofscan.symbolic.extrema import minimum
from roofscan.symbolic.floors import ceil_div


@dataclass(frozen=True)
class Iteration:
    """The loop variable runs from start to stop by step; ``item`` makes the target from it, ``finish`` reads what
    follows."""

    start: Expr
    stop: Expr
    step: Expr
    item: Callable[[Expr], Value]
    parallel: bool = False
    total: Expr | None = None
    total_over: str = ""
    finish: Callable[[], None] = lambda: None
    over_items: bool = False
    breaks: bool = False  # a break ends it, at a trip that is known


@dataclass(frozen=True)
class Items:
    """A sequence of known length whose k-th item can be made inside the loop's body; ``finish`` as in
    :class:`Iteration`."""

    length: Expr
    item: Callable[[Expr], Value]
    finish: Callable[[], None] = lambda: None


def iterable(value: Value) -> Value:
    """What a loop iterates over: x for ``reversed(x)``."""
    return value.parts[0] if isinstance(value, IteratorValue) and value.kind == "reversed" else value


def iterate(cx: Context, value: Value, line: int, name: str) -> Iteration:
    """The iteration over ``value``; a trip count that depends on data is a symbol."""
    if isinstance(value, RangeValue):
        return _range(cx, value, line, name)
    items = items_of(cx, value, line)
    if items is None:
        if value == ITERATOR:
            cx.builder.reason(
                line, "the remaining items of an iterator are not known: their reads are not counted", "lower"
            )
        why = value.why if isinstance(value, Unknown) and value != ITERATOR else "what the loop iterates over"
        cx.builder.reason(line, f"the trip count depends on {why}", "parametric")
        trips = trip_symbol(cx, line, name, f"the number of items of the loop in line {line}")
        return Iteration(ZERO, trips, ONE, lambda k: _item_of(cx, value, k, line))
    return Iteration(ZERO, items.length, ONE, items.item, finish=items.finish, over_items=True)


_unsigned = partial(integer, dtype=BY_CODE["u8"])


def _range(cx: Context, value: RangeValue, line: int, name: str) -> Iteration:
    start, stop, step = value.start.expr, value.stop.expr, value.step.expr
    averaged = False
    if start is not None and stop is not None and step is not None and step != ZERO:
        averaged = is_averaged(cx, range_length(start, stop, step))
        if not averaged:
            unsigned = value.start.dtype.is_unsigned and value.stop.dtype.is_unsigned
            return Iteration(start, stop, step, _unsigned if unsigned else integer, value.parallel)
    csr = rows_total(cx, value.start, value.stop, line) if step == ONE else None
    if csr is not None:
        total, over, trips = csr
        return Iteration(ZERO, trips, ONE, integer, value.parallel, total, over)
    why = next((s.why_unknown for s in (value.stop, value.start, value.step) if s.expr is None), "") or "data"
    why = "a number of which only the mean is known" if averaged else why
    begun = value.start.moved if step is not None else None
    length = None if value.stop.moved is None or step is None else value.stop.moved.ahead_of(begun)

    def item(k: Expr) -> Value:
        unknown = unknown_integer(f"a range that starts at {why}", value.start.dtype)
        moved = None if begun is None or step is None else begun.by(k * step)
        return replace(unknown, moved=moved)

    if length is not None and step is not None and step != ZERO:
        return Iteration(ZERO, range_length(ZERO, length, step), ONE, item, value.parallel)
    trips = trip_symbol(cx, line, name, f"mean trips of the loop in line {line}, which depend on {why}")
    cx.builder.reason(line, f"the trip count depends on {why}", "parametric")
    if start is not None and step is not None and step != ZERO:
        return Iteration(start, start + step * trips, step, integer, value.parallel)
    return Iteration(ZERO, trips, ONE, item, value.parallel)


def items_of(cx: Context, value: Value, line: int) -> Items | None:
    """``value`` as items of known number; None where the number depends on data."""
    value = iterable(value)
    if isinstance(value, BoundMethod) and value.name == "ravel" and isinstance(value.owner, View):  # x.flat
        value = flat(cx, value.owner, line) if is_contiguous(cx, value.owner) else value
    if isinstance(value, View) and value.ndim:
        return Items(value.shape[0], lambda k: _array_item(cx, value, k, line))
    if isinstance(value, RangeValue):
        start, stop, step = value.start.expr, value.stop.expr, value.step.expr
        if start is None or stop is None or step is None or step == ZERO:
            return None
        length = range_length(start, stop, step)
        return Items(length, lambda k: integer(start + step * k))
    if isinstance(value, ListedViews):
        return Items(value.whole.shape[0], lambda k: row_of(value.whole, k))
    if isinstance(value, GeneratedValue) and not value.lazy:
        item = Scalar(value.item.dtype, why_unknown="an item of a list")
        return Items(value.length, lambda k: item)
    if isinstance(value, TupleValue):
        return Items(Expr.of(len(value.items)), lambda k: any_item(cx, value, line))
    if isinstance(value, IteratorValue) and value.kind in ("enumerate", "zip"):
        return _joined(cx, value, line)
    return None


def _item_of(cx: Context, value: Value, k: Expr, line: int) -> Value:
    """The k-th item of a sequence of unknown length: what is known of it."""
    if isinstance(value, IteratorValue) and value.kind == "zip":
        return TupleValue(tuple(_item_of(cx, part, k, line) for part in value.parts))
    if isinstance(value, IteratorValue) and value.kind == "enumerate" and len(value.parts) == 1:
        return TupleValue((integer(k), _item_of(cx, value.parts[0], k, line)))
    items = items_of(cx, value, line)
    return UNKNOWN_ITEM if items is None else items.item(k)


def _array_item(cx: Context, view: View, k: Expr, line: int) -> Value:
    row = replace(row_of(view, k), any_stride=True)
    return element_or_view(cx, row, line)


def _joined(cx: Context, value: IteratorValue, line: int) -> Items | None:
    """``enumerate(x)`` and ``zip(x, y)``."""
    parts = value.parts
    if value.kind == "enumerate":
        inner = items_of(cx, parts[0], line)
        first = parts[1].expr if len(parts) > 1 and isinstance(parts[1], Scalar) else ZERO
        if inner is None or first is None:
            return None
        return Items(inner.length, lambda k: TupleValue((integer(first + k), inner.item(k))), inner.finish)
    each = [items_of(cx, part, line) for part in parts]
    known = [e for e in each if e is not None]
    if len(known) != len(each) or not known:
        return None
    length = minimum(*(e.length for e in known))
    return Items(length, lambda k: TupleValue(tuple(e.item(k) for e in known)), lambda: _zip_end(cx, known, line))


def _zip_end(cx: Context, parts: list[Items], line: int) -> None:
    """``zip`` takes an item of each part until one has none left: the parts before it have given one more."""
    for position, part in enumerate(parts[:-1], start=1):
        until = minimum(*(p.length for p in parts[:position]))
        after = minimum(*(p.length for p in parts[position:]))
        with cx.builder.when((Condition(until - after - 1, "ge"),), ONE, line):
            part.item(after)


def range_length(start: Expr, stop: Expr, step: Expr) -> Expr:
    constant = step.constant
    if constant is not None and constant < 0:
        return ceil_div(start - stop, -step)
    return ceil_div(stop - start, step)
