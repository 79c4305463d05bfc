"""``for`` loops, comprehensions and generator expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Loop, Node, When
from roofscan.ir.visitor import walk
from roofscan.parse.lowering.assignments import store
from roofscan.parse.lowering.containers import unknown_container
from roofscan.parse.lowering.context import Context, LoopExit
from roofscan.parse.lowering.control.alternations import MAX_PERIOD, alternation_period, end_rotation, rotation_period
from roofscan.parse.lowering.control.breaks import KnownBreak, known_break, lower_loop_else
from roofscan.parse.lowering.control.cases import cases_of
from roofscan.parse.lowering.control.induction import add_loop, closed_forms
from roofscan.parse.lowering.control.iteration import Iteration, iterable, iterate, range_length
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.control.loop_body import LoweredBody, lower_loop_body
from roofscan.parse.lowering.control.loop_shapes import changes_shape
from roofscan.parse.lowering.control.tables import written_out
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.views import alias
from roofscan.parse.lowering.subscript_ranges import extent, never_negative
from roofscan.parse.lowering.trip_counts import trip_symbol
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
from roofscan.symbolic.extrema import maximum

MAX_LEVELS = 16  # the most iterations that are written out because an array changes its shape between them
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
        store(cx, node.target, iteration.item(k), line)
        return cx.block(statements)

    run_loop(cx, iteration, body, statements, line, target_name(node.target), tuple(target_names(node.target)))


def _last_iteration(cx: Context, node: For, end: KnownBreak, iteration: Iteration) -> None:
    frame = cx.frame
    before = dict(frame.names)
    with cx.builder.when((end.reached(iteration),), ONE, node.place.line):
        store(cx, node.target, iteration.item(end.last), node.place.line)
        cx.block(end.prefix)
    frame.names = join_names(cx, frame.names, before, before, node.place.line)


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
        store(cx, node.target, item, node.place.line)
        if cx.block(node.body) and exit_.happened and not cx.frame.branch_depth:
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
    iteration = iterate(cx, RangeValue(zero, stop, one), line, "")

    def body(k: Expr) -> bool:
        _nested(cx, node, extents[1:], [*indices, iteration.item(k)])
        return False

    run_loop(cx, iteration, body, node.body, line, f"i{len(indices)}", tuple(target_names(node.target)))


def run_loop(
    cx: Context, iteration: Iteration, body: Callable[[Expr], bool], statements: tuple[Statement, ...], line: int,
    name: str, targets: tuple[str, ...] = (), period: int = 0,
) -> None:  # fmt: skip
    """Lower one loop. ``body`` binds the targets and lowers the statements for a given value of the loop variable. One
    pass covers ``period`` iterations; 0: as many as it takes until the same arrays are in place."""
    builder, state, names = cx.builder, cx.snapshot(), dict(cx.frame.names)
    before = {name: names.get(name) for name in targets}
    var = builder.loop_variable(name)
    rotations = 0 if period else 1
    period = period or alternation_period(cx, name, statements)
    loop = Loop(
        var, iteration.start, iteration.stop, iteration.step * period, (), line,
        parallel=iteration.parallel and cx.frame.parallel, total=iteration.total, total_over=iteration.total_over,
        source_name=name, end_line=max((s.place.end_line for s in statements[-1:]), default=line),
        over_items=iteration.over_items, breaks=iteration.breaks,
    )  # fmt: skip
    phases: list[dict[str, Value]] = []

    def lower_body() -> bool:
        ended = body(symbol(var))
        phases[:] = [dict(cx.frame.names)]
        for phase in range(1, period):
            value = symbol(var) + iteration.step * phase
            with builder.when((_before_stop(value, iteration),), ONE, line):
                body(value)
            phases.append(dict(cx.frame.names))
        return ended

    open_end = cx.builder.open_ends.setdefault((cx.frame.dotted, line), set())
    if var_is_data := name in open_end:
        cx.builder.data_placeholders.add(var)
    done = lower_loop_body(cx, loop, lower_body, statements, targets)
    if done.exit.happened and builder.loops and not var_is_data and _is_compared(done, var):
        open_end.add(name)
        builder.data_names[cx.frame.dotted, line] |= done.entries.keys()
        cx.restore(state)
        run_loop(cx, iteration, body, statements, line, name, targets, period)
        return
    done = done if period == 1 else replace(done, counters={})
    rotations = rotations and rotation_period(done, names, phases[-1])
    if rotations > 1 and rotations * period <= MAX_PERIOD:
        cx.restore(state)
        run_loop(cx, iteration, body, statements, line, name, targets, rotations * period)
        return
    if changes_shape(cx, names, statements) and not (done.exit.happened or done.exit.continued):
        trips = cx.builder.known_value(_trip_count(cx, iteration))
        if trips is not None and 0 < trips <= MAX_LEVELS:
            cx.restore(state)
            for k in range(int(trips)):
                body(iteration.start + iteration.step * k)
            return
    count: Expr | None = None  # unknown after a break: the last iteration changes less than the others
    if done.exit.happened and cx.builder.known_value(_trip_count(cx, iteration)) != 0:
        loop, done = _until_exit(cx, loop, done, iteration, period)
    elif not iteration.total_over:
        count = _trip_count(cx, iteration)
    inside, after = closed_forms(done, _iteration_number(iteration, var, period), count, var, phases)
    add_loop(cx, loop, done, inside, after, _last_value(iteration, count))
    if period > 1:
        end_rotation(cx, phases, count, line)
    if count is None or not never_negative(count - 1):
        _forget_targets(cx, iteration, before)


def _is_compared(done: LoweredBody, var: str) -> bool:
    """Whether conditions on the iteration hold: of a loop inside others that data end, only the mean trips are known,
    so that such a condition has a share as one on data has."""
    placeholders = {placeholder for placeholder, _ in done.entries.values()}
    conditions = (c for node in walk(done.nodes) if isinstance(node, When) for c in node.conditions)
    return any(c.relation == "ge" and not c.expr.symbols.isdisjoint({var, *placeholders}) for c in conditions)


def _until_exit(
    cx: Context, loop: Loop, done: LoweredBody, iteration: Iteration, period: int
) -> tuple[Loop, LoweredBody]:
    """The loop, which something in its body ends."""
    stop = iteration.start + iteration.step * _trips_until(cx, done.exit, loop.line)
    sooner = replace(iteration, stop=stop)
    later = [symbol(loop.var) + iteration.step * phase for phase in range(1, period)]
    ends = {_before_stop(value, iteration): _before_stop(value, sooner) for value in later}
    shorter = replace(loop, stop=stop, early_exit=True, most=_trip_count(cx, iteration))
    return shorter, replace(done, nodes=_ending(done.nodes, ends))


def _ending(nodes: tuple[Node, ...], ends: Mapping[Condition, Condition]) -> tuple[Node, ...]:
    """The later iterations of one pass, until another end."""
    return tuple(
        replace(node, conditions=tuple(ends.get(c, c) for c in node.conditions)) if isinstance(node, When) else node
        for node in nodes
    )


def _trips_until(cx: Context, exit_: LoopExit, line: int) -> Expr:
    """The symbol for the iterations until a break or a return."""
    cx.builder.reason(line, f"the {exit_.what} in line {exit_.line} may end the loop early", "parametric")
    meaning = f"iterations of the loop in line {line} until the {exit_.what} in line {exit_.line}"
    return trip_symbol(cx, line, f"trips_{line}", meaning)


def _forget_targets(cx: Context, iteration: Iteration, before: dict[str, Value | None]) -> None:
    """The targets of a loop that may not run keep what they were bound to before it."""
    for name, old in before.items():
        new = cx.frame.names.get(name)
        if not isinstance(old, Scalar) or not isinstance(new, Scalar):
            continue
        if old.expr not in (new.expr, iteration.start - iteration.step):
            why = "a loop that may not run"
            cx.frame.names[name] = replace(new, expr=None, number=None, loaded_from=None, moved=None, why_unknown=why)


def _before_stop(value: Expr, iteration: Iteration) -> Condition:
    backwards = iteration.step.constant is not None and iteration.step.constant < 0
    return Condition(value - iteration.stop - 1 if backwards else iteration.stop - value - 1, "ge")


def _iteration_number(iteration: Iteration, var: str, period: int) -> Expr | None:
    """How many iterations came before this one, in the loop variable."""
    step = iteration.step * period
    if len(step.terms) != 1 or (step.constant is None and iteration.start != ZERO):
        return None if step.constant is None else (symbol(var) - iteration.start) / step
    return (symbol(var) - iteration.start) / step


def _trip_count(cx: Context, iteration: Iteration) -> Expr:
    trips = range_length(iteration.start, iteration.stop, iteration.step)
    constant = trips.constant
    if constant is not None:
        return Expr.of(max(0, constant))
    simple = iteration.start == ZERO and len(trips.terms) == 1
    if simple or never_negative(extent(trips, cx.builder.loops, cx.builder.guards)[0]):
        return trips
    return maximum(0, trips)


def _last_value(iteration: Iteration, count: Expr | None) -> Expr | None:
    """The loop variable in the last iteration, if there is one."""
    if iteration.step == ONE and count is not None:
        return iteration.start + count - 1 if iteration.start.symbols else iteration.stop - 1
    return None if count is None else iteration.start + iteration.step * (count - 1)


def comprehension(cx: Context, node: Comprehension) -> Value:
    """``[f(x) for x in xs]``: a loop that stores one item an iteration in a list."""
    line = node.place.line
    value = iterable(cx.eval(node.iterable))
    saved = dict(cx.frame.names)
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED and not node.conditions:
        items: list[Value] = []
        for item in value.items:
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
        store(cx, node.target, iteration.item(k), line)
        _where_all_hold(cx, node.conditions, lambda: results.append(cx.eval(node.element)))
        return False

    run_loop(cx, iteration, body, (), line, target_name(node.target), tuple(target_names(node.target)))
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
