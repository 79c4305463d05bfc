"""``for`` loops and comprehensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from roofscan.ir.kernel import Condition, Loop
from roofscan.parse.lowering.assignments import store
from roofscan.parse.lowering.context import Context, Exit
from roofscan.parse.lowering.control.branches import merge_names
from roofscan.parse.lowering.control.breaks import Cut, cut_of
from roofscan.parse.lowering.control.conditions import sides
from roofscan.parse.lowering.control.induction import closed_forms, finish, lower_iteration
from roofscan.parse.lowering.control.iteration import Iteration, iteration, range_length, walked
from roofscan.parse.lowering.control.loop_exits import lower_loop_else
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.subscript_ranges import extent, never_negative
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.values import Bound, RangeValue, Scalar, TupleValue, Unknown, Value, View
from roofscan.parse.syntax import Assign, Comprehension, Expression, For, Name, Sequence, Statement
from roofscan.parse.syntax_walk import target_names
from roofscan.symbolic.expr import ONE, ZERO, Expr, maximum, symbol

MAX_UNROLLED = 64


# -- for ------------------------------------------------------------------------------------------


def lower_for(cx: Context, node: For) -> bool:
    value = walked(cx.eval(node.iterable))
    line = node.place.line
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED:
        return _unrolled(cx, node, value)
    if isinstance(value, Bound) and value.name == "ndindex":
        assert isinstance(value.owner, TupleValue)
        _nested(cx, node, list(value.owner.items), [])
        return lower_loop_else(cx, node)
    walk = iteration(cx, value, line, _stop_name(node.iterable))
    cut = cut_of(cx, node, walk)
    if cut is not None:
        _plain_loop(cx, node, cut.full, cut.shortened(walk))
        _last_turn(cx, node, cut, walk)
        return False
    _plain_loop(cx, node, node.body, walk)
    walk.finish()
    return lower_loop_else(cx, node)


def _plain_loop(cx: Context, node: For, statements: tuple[Statement, ...], walk: Iteration) -> None:
    line = node.place.line

    def body(k: Expr) -> bool:
        store(cx, node.target, walk.item(k), line)
        return cx.block(statements)

    run_loop(cx, walk, body, statements, line, _target_name(node.target), tuple(target_names(node.target)))


def _last_turn(cx: Context, node: For, cut: Cut, walk: Iteration) -> None:
    """What runs of the body in the turn that breaks."""
    frame = cx.frame
    before = dict(frame.names)
    with cx.builder.when((cut.reached(walk),), ONE, node.place.line):
        store(cx, node.target, walk.item(cut.last), node.place.line)
        cx.block(cut.prefix)
    frame.names = merge_names(cx, frame.names, before, before, node.place.line)


def _target_name(target: Expression) -> str:
    return next(iter(target_names(target)), "i")


def _stop_name(iterable: Expression) -> str:
    """The name of a plain stop (``range(k)``): what its trip count would be called."""
    args: tuple[Expression, ...] = getattr(iterable, "args", ())
    stop = args[1] if len(args) > 1 else args[0] if args else None
    return stop.id if isinstance(stop, Name) else ""


def _unrolled(cx: Context, node: For, value: TupleValue) -> bool:
    """A loop over a tuple that is written out: one copy of the body an item."""
    exit_ = Exit()
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
    walk = iteration(cx, RangeValue(zero, stop, one), line, "")

    def body(k: Expr) -> bool:
        _nested(cx, node, extents[1:], [*indices, walk.item(k)])
        return False

    run_loop(cx, walk, body, node.body, line, f"i{len(indices)}", tuple(target_names(node.target)))


def run_loop(
    cx: Context,
    walk: Iteration,
    body: Callable[[Expr], bool],
    statements: tuple[Statement, ...],
    line: int,
    name: str,
    targets: tuple[str, ...] = (),
) -> None:
    """Lower one loop. ``body`` binds the targets and lowers the statements for a given value of the variable."""
    builder = cx.builder
    before = {name: cx.frame.names.get(name) for name in targets}
    var = builder.loop_variable(name)
    phases = _rotation(cx, statements)
    loop = Loop(
        var, walk.start, walk.stop, walk.step * phases, (), line,
        parallel=walk.parallel and cx.parallel, total=walk.total, total_over=walk.total_over, source_name=name,
        end_line=max((s.place.end_line for s in statements[-1:]), default=line),
    )  # fmt: skip

    phase_names: list[dict[str, Value]] = []

    def turn() -> bool:
        ended = body(symbol(var))
        phase_names[:] = [dict(cx.frame.names)]
        for phase in range(1, phases):
            value = symbol(var) + walk.step * phase
            inside = _before_stop(value, walk)
            with builder.when((inside,), ONE, line):
                body(value)
            phase_names.append(dict(cx.frame.names))
        return ended

    done = lower_iteration(cx, loop, turn, statements, targets)
    step = _turn_number(walk, var, phases)
    last: Expr | None = None
    count: Expr | None = None  # unknown behind a break: its turn changes less than the others
    if done.exit.happened:
        trips = trip_symbol(cx, line, f"trips_{line}", _exit_meaning(done.exit, line))
        builder.reason(line, f"the {done.exit.what} in line {done.exit.line} may end the loop early", "parametric")
        loop = replace(loop, stop=walk.start + walk.step * trips, early_exit=True)
    else:
        count = _trip_count(cx, walk) if not walk.total_over else None
        last = _last_value(walk, count)
    values = closed_forms(done, step, count, var)
    finish(cx, loop, done, values[0], values[1], last)
    if phases > 1:
        _end_of_rotation(cx, phase_names, count, line)
    if count is None or not never_negative(count - 1):
        _may_be_as_before(cx, walk, before)


def _end_of_rotation(cx: Context, phases: list[dict[str, Value]], count: Expr | None, line: int) -> None:
    """Arrays of unlike shapes that turns exchange: which one a name is behind the loop depends on the turns."""
    turns = None if count is None else cx.builder.known_value(count)
    for name in list(cx.frame.names):
        held = [view for view in (names.get(name) for names in phases) if isinstance(view, View)]
        shapes = {tuple(map(cx.builder.resolve, view.shape)) for view in held}
        if len(held) < len(phases) or len(shapes) == 1 or len({len(shape) for shape in shapes}) > 1:
            continue
        if turns is not None:
            cx.frame.names[name] = held[int(turns) % len(held) - 1]
            continue
        shape = tuple(_either_extent(cx, name, d, [v.shape[d] for v in held], line) for d in range(held[-1].ndim))
        cx.frame.names[name] = replace(held[-1], shape=shape)


def _either_extent(cx: Context, name: str, dimension: int, extents: list[Expr], line: int) -> Expr:
    """The extent that all have, or a symbol; its meaning tells where it comes from, if anything uses it."""
    found = list(dict.fromkeys(map(cx.builder.resolve, extents)))
    key = ("rotation", cx.frame.dotted, line, name, dimension)
    if len(found) > 1 and key not in cx.builder.shares:
        meaning = f"{' or '.join(map(str, found))}, by the turns of the loop in line {line}"
        cx.builder.shares[key] = cx.builder.symbol(f"len_{line}", "length", meaning, line)
    return found[0] if len(found) == 1 else cx.builder.shares[key]


def _may_be_as_before(cx: Context, walk: Iteration, before: dict[str, Value | None]) -> None:
    """The targets of a loop that may not run at all keep what they were bound to before it."""
    for name, old in before.items():
        new = cx.frame.names.get(name)
        if isinstance(old, Scalar) and isinstance(new, Scalar) and old.expr not in (new.expr, walk.start - walk.step):
            why = "a loop that may not run"
            cx.frame.names[name] = replace(new, expr=None, number=None, loaded_from=None, why_unknown=why)


def _exit_meaning(exit_: Exit, line: int) -> str:
    return f"iterations of the loop in line {line} until the {exit_.what} in line {exit_.line}"


def _before_stop(value: Expr, walk: Iteration) -> Condition:
    backwards = walk.step.constant is not None and walk.step.constant < 0
    return Condition(value - walk.stop - 1 if backwards else walk.stop - value - 1, "ge")


def _turn_number(walk: Iteration, var: str, phases: int) -> Expr | None:
    """How many turns were made before this one, in the loop's variable."""
    step = walk.step * phases
    if len(step.terms) != 1 or (step.constant is None and walk.start != ZERO):
        return None if step.constant is None else (symbol(var) - walk.start) / step
    return (symbol(var) - walk.start) / step


def _trip_count(cx: Context, walk: Iteration) -> Expr:
    trips = range_length(walk.start, walk.stop, walk.step)
    constant = trips.constant
    if constant is not None:
        return Expr.of(max(0, constant))
    simple = walk.start == ZERO and len(trips.terms) == 1
    return (
        trips if simple or never_negative(extent(trips, cx.builder.loops, cx.builder.guards)[0]) else maximum(0, trips)
    )


def _last_value(walk: Iteration, count: Expr | None) -> Expr | None:
    """The variable's value in the last turn (if there is one)."""
    if walk.step == ONE and count is not None:
        return walk.start + count - 1 if walk.start.symbols else walk.stop - 1
    return None if count is None else walk.start + walk.step * (count - 1)


def _rotation(cx: Context, statements: tuple[Statement, ...]) -> int:
    """How many turns it takes until swapped arrays (``u, v = v, u``) are back in place; 1 where none are."""
    for statement in statements:
        if not isinstance(statement, Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        if not isinstance(target, Sequence) or not isinstance(value, Sequence):
            continue
        names = [t.id for t in target.items if isinstance(t, Name)]
        sources = [v.id for v in value.items if isinstance(v, Name)]
        if sorted(names) == sorted(sources) and len(names) == len(target.items) == len(value.items):
            if all(isinstance(cx.frame.names.get(n), View) for n in names):
                return _period(dict(zip(names, sources, strict=True)))
    return _three_step_swap(cx, statements)


def _three_step_swap(cx: Context, statements: tuple[Statement, ...]) -> int:
    """``tmp = u; u = v; v = tmp``."""
    moves = [
        (s.targets[0].id, s.value.id)
        for s in statements
        if isinstance(s, Assign)
        and len(s.targets) == 1
        and isinstance(s.targets[0], Name)
        and isinstance(s.value, Name)
    ]
    for (t, u), (u2, v), (v2, t2) in zip(moves, moves[1:], moves[2:]):
        if (t, u, v) == (t2, u2, v2) and isinstance(cx.frame.names.get(u), View):
            return 2
    return 1


def _period(moves: dict[str, str]) -> int:
    period = 1
    for start in moves:
        length, name = 1, moves[start]
        while name != start:
            length, name = length + 1, moves[name]
        period = math.lcm(period, length)
    return period if period <= 6 else 1


# -- comprehensions -------------------------------------------------------------------------------


def _where_all_hold(cx: Context, conditions: tuple[Expression, ...], work: Callable[[], None]) -> None:
    """Does ``work`` where all conditions hold, each evaluated where those before it do."""
    if not conditions:
        work()
        return
    for piece in sides(cx, conditions[0])[0]:
        with cx.builder.when(piece.conditions, piece.share, conditions[0].place.line):
            _where_all_hold(cx, conditions[1:], work)


def comprehension(cx: Context, node: Comprehension) -> Value:
    """``[f(x) for x in xs]``: a loop; the list that it makes is not an array."""
    line = node.place.line
    value = walked(cx.eval(node.iterable))
    saved = dict(cx.frame.names)
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED and not node.conditions:
        items: list[Value] = []
        for item in value.items:
            store(cx, node.target, item, line)
            items.append(cx.eval(node.element))
        cx.frame.names = saved
        return TupleValue(tuple(items), "list")
    walk = iteration(cx, value, line, "")
    results: list[Value] = []

    def body(k: Expr) -> bool:
        store(cx, node.target, walk.item(k), line)
        _where_all_hold(cx, node.conditions, lambda: results.append(cx.eval(node.element)))
        return False

    run_loop(cx, walk, body, (), line, _target_name(node.target), tuple(target_names(node.target)))
    cx.frame.names = saved
    element = results[-1] if results else Unknown("an item of an empty list")
    length = None if node.conditions else range_length(walk.start, walk.stop, walk.step)
    if isinstance(element, Scalar) and length is not None:
        kind = "generated" if node.kind == "list" else "generator"
        return Bound(TupleValue((element, Scalar(element.dtype, length))), kind)
    return Unknown("a list made by a comprehension")
