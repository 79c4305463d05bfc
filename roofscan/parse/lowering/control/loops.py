"""``for`` loops, comprehensions and generator expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.parse.lowering.assignments import store
from roofscan.parse.lowering.containers import unknown_container
from roofscan.parse.lowering.context import Context, LoopExit
from roofscan.parse.lowering.control.breaks import KnownBreak, known_break, lower_loop_else
from roofscan.parse.lowering.control.cases import cases_of
from roofscan.parse.lowering.control.counted_loop import CountedLoop
from roofscan.parse.lowering.control.iteration import Iteration, iterable, iterate, range_length
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.control.tables import written_out
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.views import alias
from roofscan.parse.lowering.values import (
    Axis,
    GeneratedValue,
    IteratorValue,
    ListedViews,
    RangeValue,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    View,
)
from roofscan.parse.syntax import Comprehension, Expression, For, Name, Statement
from roofscan.parse.syntax_walk import target_names
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

MAX_UNROLLED = 64  # the longest tuple over which a loop is written out, one copy of the body an item


def lower_for(cx: Context, node: For) -> bool:
    value = written_out(cx, node, iterable(cx.eval(node.iterable)))
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED:
        return _unrolled(cx, node, value)
    if isinstance(value, IteratorValue) and value.kind == "ndindex":
        _nested(cx, node, list(value.parts), [])
        return lower_loop_else(cx, node)
    iteration = iterate(cx, value, node.place.line, _stop_name(node.iterable))
    end = known_break(cx, node, iteration)
    if end is not None:
        _plain_loop(cx, node, end.full, end.shortened(iteration))
        _last_iteration(cx, node, end, iteration)
        return False
    _plain_loop(cx, node, node.body, iteration)
    iteration.finish()
    return lower_loop_else(cx, node)


def _plain_loop(cx: Context, node: For, statements: tuple[Statement, ...], iteration: Iteration) -> None:
    line = node.place.line

    def body(k: Expr) -> bool:
        with cx.builder.turn(line):
            store(cx, node.target, iteration.item(k), line)
            return cx.block(statements)

    CountedLoop(
        cx, iteration, body, statements, line, target_name(node.target), tuple(target_names(node.target))
    ).lower()


def _last_iteration(cx: Context, node: For, end: KnownBreak, iteration: Iteration) -> None:
    frame = cx.frame
    before = dict(frame.names)
    line = node.place.line
    with cx.builder.when((end.reached(iteration),), ONE, line), cx.builder.turn(line):
        store(cx, node.target, iteration.item(end.last), line)
        cx.block(end.prefix)
    frame.names = join_names(cx, frame.names, before, before, line)


def target_name(target: Expression) -> str:
    return next(iter(target_names(target)), "i")


def _stop_name(iterable: Expression) -> str:
    """The name of a plain stop (``range(k)``), which names the trip count."""
    args: tuple[Expression, ...] = getattr(iterable, "args", ())
    stop = args[1] if len(args) > 1 else args[0] if args else None
    return stop.id if isinstance(stop, Name) else ""


def _unrolled(cx: Context, node: For, value: TupleValue) -> bool:
    exit_ = LoopExit()
    cx.frame.loops.append(exit_)
    for item in value.items:
        with cx.builder.turn(node.place.line):
            store(cx, node.target, item, node.place.line)
            ended = cx.block(node.body)
        if ended and exit_.happened and not cx.frame.branch_depth:
            break
    cx.frame.loops.pop()
    if exit_.happened:
        cx.builder.reason(exit_.line, f"a {exit_.what} may end the loop early", "upper")
    return lower_loop_else(cx, node)


def _nested(cx: Context, node: For, extents: list[Value], indices: list[Value]) -> None:
    """``for i, j in np.ndindex(n, m)``: a nest of loops."""
    line = node.place.line
    if not extents:
        item: Value = TupleValue(tuple(indices)) if len(indices) > 1 else indices[0]
        store(cx, node.target, item, line)
        cx.block(node.body)
        return
    stop = as_scalar(cx, extents[0], line)
    zero, one = Scalar(stop.dtype, ZERO), Scalar(stop.dtype, ONE)
    name = f"trips_{line}_{len(indices) + 1}" if indices else ""
    iteration = iterate(cx, RangeValue(zero, stop, one), line, name)

    def body(k: Expr) -> bool:
        with cx.builder.turn(line):
            _nested(cx, node, extents[1:], [*indices, iteration.item(k)])
        return False

    CountedLoop(cx, iteration, body, node.body, line, f"i{len(indices)}", tuple(target_names(node.target))).lower()


def comprehension(cx: Context, node: Comprehension) -> Value:
    """``[f(x) for x in xs]``: a loop that stores one item an iteration in a list."""
    line = node.place.line
    value = iterable(cx.eval(node.iterable))
    saved = dict(cx.frame.names)
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED and not node.conditions:
        items: list[Value] = []
        for item in value.items:
            with cx.builder.turn(line):
                store(cx, node.target, item, line)
                items.append(cx.eval(node.element))
        cx.frame.names = saved
        return TupleValue(tuple(items), "list")
    iteration = iterate(cx, value, line, "")
    results: list[Value] = []
    variables: list[Expr] = []
    existing = frozenset(cx.builder.arrays)

    def body(k: Expr) -> bool:
        variables.append(k)
        with cx.builder.turn(line):
            store(cx, node.target, iteration.item(k), line)
            _where_all_hold(cx, node.conditions, lambda: results.append(cx.eval(node.element)))
        return False

    CountedLoop(cx, iteration, body, (), line, target_name(node.target), tuple(target_names(node.target))).lower()
    cx.frame.names = saved
    cx.builder.outlive(*results)
    element = results[-1] if results else Unknown("an item of an empty list")
    length = None if node.conditions else range_length(iteration.start, iteration.stop, iteration.step)
    if isinstance(element, Scalar) and length is not None:
        return GeneratedValue(element, length, lazy=node.kind != "list")
    if isinstance(element, View) and element.array in existing and length is not None and len(variables) == 1:
        whole = _all_views(cx, element, variables[0], iteration, length, line)
        if whole is not None:
            return ListedViews(whole, lazy=node.kind != "list")
    what = "a list made by a comprehension"
    numbers = element.items if isinstance(element, TupleValue) else (element,)
    return Unknown(what) if all(isinstance(n, Scalar) for n in numbers) else unknown_container(cx, what, line)


def _all_views(cx: Context, view: View, variable: Expr, iteration: Iteration, length: Expr, line: int) -> View | None:
    """The views of all iterations as the rows of one; None where they are not evenly spaced along one dimension."""
    [var] = variable.symbols
    moving = [axis for axis in view.axes if axis.offset is not None and var in axis.offset.symbols]
    if variable != symbol(var) or len(moving) != 1 or any(var in extent.symbols for extent in view.shape):
        return None
    sliding = moving[0].dim is not None
    axes: list[Axis] = []
    for axis in view.axes:
        inner = None if axis.dim is None else axis.dim + 1
        if axis.offset is None or axis.within or axis.moved or var in axis.step.symbols:
            return None
        if axis is not moving[0]:
            axes.append(replace(axis, dim=inner))
            continue
        step = axis.offset.coefficient(var)
        if not axis.offset.is_linear_in([var]) or var in step.symbols:
            return None
        first, by = axis.offset.subs({var: iteration.start}), step * iteration.step
        axes.append(replace(axis, offset=first, dim=inner) if sliding else Axis(first, 0, by, unsigned=axis.unsigned))
    if sliding:  # windows that share elements: their number steps along the same dimension
        array = cx.builder.arrays[view.array]
        stride = by * array.strides[view.axes.index(moving[0])]
        windows = alias(cx, view, (length, *array.shape), line, (stride, *array.strides))
        view, axes = replace(view, array=windows.name), [Axis(ZERO, 0), *axes]
    return replace(view, shape=(length, *view.shape), axes=tuple(axes), temporary=False)


def _where_all_hold(cx: Context, conditions: tuple[Expression, ...], work: Callable[[], None]) -> None:
    """Do ``work`` where all conditions hold; each condition is evaluated where those before it hold."""
    if not conditions:
        work()
        return
    for case in cases_of(cx, conditions[0]).true:
        with cx.builder.when(case.conditions, case.share, conditions[0].place.line):
            _where_all_hold(cx, conditions[1:], work)
