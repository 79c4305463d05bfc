"""``for``, ``while`` and comprehensions: loops of the kernel, and what their bodies carry from one turn to the next."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from roofscan.ir.expr import ONE, ZERO, Expr, Func, apply, floor_div, maximum, symbol
from roofscan.ir.kernel import Carried, Condition, Loop, Node
from roofscan.parse.lower.conditions import Sides, sides
from roofscan.parse.lower.context import Context, Exit
from roofscan.parse.lower.expressions import as_scalar
from roofscan.parse.lower.intervals import extent, never_negative
from roofscan.parse.lower.iteration import Iteration, iteration, range_length, trip_symbol
from roofscan.parse.lower.rewrite import rewrite, rewrite_value
from roofscan.parse.lower.statements import store
from roofscan.parse.lower.values import Bound, RangeValue, Scalar, TupleValue, Value, View
from roofscan.parse.lower.walk import assigned_names, target_names
from roofscan.parse.syntax import (
    Assign,
    Comprehension,
    Expression,
    For,
    Name,
    Sequence,
    Statement,
    While,
)

MAX_UNROLLED = 64


@dataclass
class Turn:
    """One lowered body: its nodes, and how the whole numbers that it changes change in one turn."""

    nodes: tuple[Node, ...]
    carried: tuple[Carried, ...]
    entries: dict[str, tuple[str, Scalar]]  # name -> (placeholder, value before the loop)
    exits: dict[str, Expr | None]  # name -> its value after a turn, in placeholders
    exit: Exit


# -- for ------------------------------------------------------------------------------------------


def lower_for(cx: Context, node: For) -> bool:
    value = cx.eval(node.iterable)
    line = node.place.line
    if isinstance(value, TupleValue) and 0 < len(value.items) <= MAX_UNROLLED:
        return _unrolled(cx, node, value)
    if isinstance(value, Bound) and value.name == "ndindex":
        assert isinstance(value.owner, TupleValue)
        _nested(cx, node, list(value.owner.items), [])
        return False
    walk = iteration(cx, value, line, _stop_name(node.iterable))

    def body(k: Expr) -> bool:
        store(cx, node.target, walk.item(k), line)
        return cx.block(node.body)

    run_loop(cx, walk, body, node.body, line, _target_name(node.target), tuple(target_names(node.target)))
    return cx.block(node.orelse) if node.orelse else False


def _target_name(target: Expression) -> str:
    return next(iter(target_names(target)), "i")


def _stop_name(iterable: Expression) -> str:
    """The name of a plain stop (``range(k)``): what its trip count would be called."""
    args = getattr(iterable, "args", ())
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
    return False


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
    """Lower one loop. ``body`` binds the target and lowers the statements for a given value of the variable."""
    builder = cx.builder
    var = builder.loop_variable(name)
    phases = _rotation(cx, statements)
    loop = Loop(
        var, walk.start, walk.stop, walk.step * phases, (), line,
        parallel=walk.parallel and cx.parallel, total=walk.total, total_over=walk.total_over, source_name=name,
    )  # fmt: skip

    def turn() -> bool:
        ended = body(symbol(var))
        for phase in range(1, phases):
            value = symbol(var) + walk.step * phase
            inside = _before_stop(value, walk)
            with builder.when((inside,), ONE, line):
                body(value)
        return ended

    done = _lower_turn(cx, loop, turn, statements)
    step = _turn_number(walk, var, phases)
    if done.exit.happened:
        trips = trip_symbol(cx, line, f"trips_{line}", _exit_meaning(done.exit, line))
        builder.reason(line, f"the {done.exit.what} in line {done.exit.line} may end the loop early", "parametric")
        loop = replace(loop, stop=walk.start + walk.step * trips, early_exit=True)
        count: Expr | None = trips
    else:
        count = _trip_count(cx, walk) if not walk.total_over else None
    values = _closed_forms(done, step, count, var)
    _finish(cx, loop, done, values[0], values[1], _last_value(walk, count))


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
    return trips if simple or never_negative(extent(trips, cx.builder.loops, cx.builder.guards)[0]) else maximum(0, trips)


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
    for (t, u), (u2, v), (v2, t2) in zip(moves, moves[1:], moves[2:]):  # noqa: B905 - neighbours
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


# -- the body -------------------------------------------------------------------------------------


def _lower_turn(
    cx: Context, loop: Loop, turn: Callable[[], bool], statements: tuple[Statement, ...]
) -> Turn:
    """Lower a body with placeholders for what it carries; again where a whole number turns out to be a float."""
    builder, frame = cx.builder, cx.frame
    carried = [n for n in assigned_names(statements) if isinstance(frame.names.get(n), Scalar)]
    before = dict(frame.names)
    floats = cx.builder.float_names.setdefault((frame.dotted, loop.line), set())
    for _ in range(len(carried) + 1):
        state = builder.snapshot()
        done = _one_turn(cx, loop, turn, carried, floats, before)
        widened = {
            n for n in carried
            if isinstance(frame.names.get(n), Scalar)
            and not frame.names[n].is_whole  # type: ignore[union-attr]
            and before[n].is_whole  # type: ignore[union-attr]
            and n not in floats
        }  # fmt: skip
        if not widened:
            return done
        floats |= widened
        builder.restore(state)
        frame.names = dict(before)
    return done


def _one_turn(
    cx: Context, loop: Loop, turn: Callable[[], bool], carried: list[str], floats: set[str], before: dict[str, Value]
) -> Turn:
    from roofscan.ir.dtypes import F8

    builder, frame = cx.builder, cx.frame
    entries: dict[str, tuple[str, Scalar]] = {}
    ids: dict[str, int] = {}
    for name in carried:
        old = before[name]
        assert isinstance(old, Scalar)
        ids[name] = builder.new_id()
        if old.is_whole and name not in floats and old.expr is not None:
            placeholder = f"{name}~{ids[name]}"
            entries[name] = (placeholder, old)
            frame.names[name] = replace(old, expr=symbol(placeholder), node=ids[name], number=None, literal=False, loaded_from=None)
        else:
            dtype = F8 if name in floats else old.dtype
            why = old.why_unknown or "a value that the loop changes"
            frame.names[name] = Scalar(dtype, node=ids[name], weak=old.weak, why_unknown=why)
    exit_ = Exit()
    frame.loops.append(exit_)
    with builder.in_loop(loop) as nodes:
        turn()
    frame.loops.pop()
    exits: dict[str, Expr | None] = {}
    flows: list[Carried] = []
    for name in carried:
        new, old = frame.names.get(name), before[name]
        assert isinstance(old, Scalar)
        exits[name] = new.expr if isinstance(new, Scalar) and new.is_whole else None
        if isinstance(new, Scalar) and not new.is_whole and new.node is not None and new.node != ids[name]:
            flows.append(Carried(name, ids[name], new.node, old.node))
    return Turn(tuple(nodes), tuple(flows), entries, exits, exit_)


def _closed_forms(
    done: Turn, turns: Expr | None, count: Expr | None, var: str = ""
) -> tuple[dict[str, Expr | None], dict[str, Expr | None]]:
    """For each placeholder its value in a turn; for each name its value after the loop."""
    inside: dict[str, Expr | None] = {}
    after: dict[str, Expr | None] = {}
    for name, (placeholder, old) in done.entries.items():
        assert old.expr is not None
        exit_ = done.exits[name]
        inside[placeholder] = after[name] = None
        if exit_ is None:
            continue
        change = exit_ - symbol(placeholder)
        moving = change.symbols & ({p for p, _ in done.entries.values()} | _loop_variables(change))
        if change == ZERO:
            inside[placeholder] = after[name] = old.expr
        elif var and moving == {var} and change.degree(var) == 1 and turns == symbol(var) and not change.atoms:
            first, growth = change.coefficient(var, 0), change.coefficient(var)
            inside[placeholder] = old.expr + first * turns + growth * turns * (turns - 1) / 2
            if count is not None:
                after[name] = old.expr + first * count + growth * count * (count - 1) / 2
        elif not moving:
            inside[placeholder] = None if turns is None else old.expr + change * turns
            after[name] = None if count is None else old.expr + change * count
        elif placeholder not in exit_.symbols and not moving:
            after[name] = exit_
    return inside, after


def _loop_variables(expr: Expr) -> set[str]:
    return {s for s in expr.symbols if "#" in s or "~" in s}


def _finish(
    cx: Context,
    loop: Loop,
    done: Turn,
    inside: dict[str, Expr | None],
    after: dict[str, Expr | None],
    last: Expr | None,
) -> None:
    """Put the loop into the kernel, and say what the names stand for behind it."""
    body = rewrite(done.nodes, inside, "a subscript that the loop changes by data", _fresh(cx))
    cx.builder.add(replace(loop, body=body, carried=done.carried))
    frame = cx.frame
    behind: dict[str, Expr | None] = {**inside, loop.var: last}
    for name, value in list(frame.names.items()):
        if name in done.entries and isinstance(value, Scalar) and value.is_whole:
            old = done.entries[name][1]
            frame.names[name] = replace(old, expr=after[name], number=None, literal=False, loaded_from=None,
                                        why_unknown="a value that a loop changes")  # fmt: skip
        else:
            frame.names[name] = rewrite_value(value, behind)


def _fresh(cx: Context) -> Callable[[str, int], Expr]:
    """New symbols for what turned out to depend on data."""

    def make(kind: str, line: int) -> Expr:
        if kind == "trips":
            cx.builder.reason(line, "the trip count depends on a value that a loop changes", "parametric")
            return trip_symbol(cx, line, f"trips_{line}", f"mean trips of the loop in line {line}")
        cx.builder.reason(line, "a test depends on a value that a loop changes", "parametric")
        meaning = f"share of executions where the test in line {line} holds, from 0 to 1"
        return cx.builder.share(("share", cx.frame.dotted, line), meaning, line)

    return make


# -- while ----------------------------------------------------------------------------------------


def lower_while(cx: Context, node: While) -> bool:
    """Counted, halving and doubling loops exactly; any other by a symbol for its trips."""
    line = node.place.line
    var = cx.builder.loop_variable("turn")
    loop = Loop(var, ZERO, ONE, ONE, (), line, source_name="turn")
    holds: list[Sides] = []

    def turn() -> bool:
        holds.append(sides(cx, node.test))
        return cx.block(node.body)

    done = _lower_turn(cx, loop, turn, node.body)
    form = None if done.exit.happened else _counted(done, holds[-1], var) or _geometric(done, holds[-1], var)
    if form is None:
        trips = trip_symbol(cx, line, f"trips_{line}", f"mean trips of the while loop in line {line}")
        cx.builder.reason(line, "the trips of a while loop depend on data", "parametric")
        _finish(cx, replace(loop, stop=trips, early_exit=done.exit.happened), done,
                *_closed_forms(done, symbol(var), trips), None)  # fmt: skip
        if not done.exit.happened:
            sides(cx, node.test)  # once more, where it fails
    else:
        count, inside, after, guard = form
        loop = replace(loop, stop=count)
        with cx.builder.when(guard, ONE, line):
            _finish(cx, loop, done, inside, after, None)
    return cx.block(node.orelse) if node.orelse else False


Form = tuple[Expr, dict[str, Expr | None], dict[str, Expr | None], tuple[Condition, ...]]


def _single_condition(holds: Sides) -> Condition | None:
    """The one exact condition under which the loop goes on."""
    yes, _ = holds
    if len(yes) == 1 and yes[0].share == ONE and len(yes[0].conditions) == 1:
        condition = yes[0].conditions[0]
        return condition if condition.relation in ("ge", "ne") and not condition.modulus else None
    return None


def _counted(done: Turn, holds: Sides, var: str) -> Form | None:
    """``while k < n: … k += c``: the condition falls by a constant each turn."""
    condition = _single_condition(holds)
    if condition is None:
        return None
    inside, _ = _closed_forms(done, ZERO, ZERO)
    placeholders = {p: old.expr for p, old in done.entries.values() if old.expr is not None}
    exits = {p: done.exits[n] for n, (p, _) in done.entries.items()}
    used = condition.expr.symbols & placeholders.keys()
    if not used or any(exits[p] is None or inside.get(p) is None for p in used) or _data_in(condition.expr, placeholders):
        return None
    known = {p: e for p, e in exits.items() if e is not None}
    fall = condition.expr - condition.expr.subs(known)
    first = condition.expr.subs(placeholders)
    if fall.constant is None or fall.constant <= 0:
        return None
    if condition.relation == "ne":
        if fall.constant != 1:
            return None
        count = first
    else:
        count = floor_div(first, fall) + 1
    constant = count.constant
    count = Expr.of(max(0, constant)) if constant is not None else count
    return (count, *_closed_forms(done, symbol(var), maximum(0, count)), ())


def _data_in(expr: Expr, placeholders: dict[str, Expr]) -> bool:
    return any("~" in s and s not in placeholders for s in expr.symbols)


def _geometric(done: Turn, holds: Sides, var: str) -> Form | None:
    """``while k < n: … k *= 2`` and ``while k >= 1: … k //= 2``: powers of two of the turn."""
    condition = _single_condition(holds)
    if condition is None or condition.relation != "ge":
        return None
    power = Expr.atom(Func("pow2", (symbol(var),)))
    for name, (placeholder, old) in done.entries.items():
        exit_, k = done.exits[name], symbol(placeholder)
        if exit_ is None or old.expr is None or placeholder not in condition.expr.symbols:
            continue
        if exit_ == 2 * k and condition.expr.coefficient(placeholder) == Expr.of(-1):
            limit = condition.expr + k  # the loop goes on while k <= limit
            count = apply("ilog2", [floor_div(limit, old.expr)]) + 1
            guard = (Condition(limit - old.expr, "ge"), Condition(old.expr - 1, "ge"))
            now = old.expr * power
        elif exit_ == floor_div(k, Expr.of(2)) and condition.expr.coefficient(placeholder) == ONE:
            least = -(condition.expr - k).constant_term  # the loop goes on while k >= least
            if (condition.expr - k).constant is None or least < 1:
                continue
            count = apply("ilog2", [floor_div(old.expr, Expr.of(least))]) + 1
            guard = (Condition(old.expr - least, "ge"),)
            now = floor_div(old.expr, power)
        else:
            continue
        if _loop_variables(condition.expr) - {placeholder} & {p for p, _ in done.entries.values()}:
            continue
        inside, after = _closed_forms(done, symbol(var), count)
        inside[placeholder], after[name] = now, None
        guard = tuple(g for g in guard if g.expr.constant is None or g.expr.constant < 0)
        return count, inside, after, guard
    return None


# -- comprehensions -------------------------------------------------------------------------------


def comprehension(cx: Context, node: Comprehension) -> Value:
    """``[f(x) for x in xs]``: a loop; the list that it makes is not an array."""
    line = node.place.line
    value = cx.eval(node.iterable)
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
        for condition in node.conditions:
            sides(cx, condition)
        results.append(cx.eval(node.element))
        return False

    run_loop(cx, walk, body, (), line, _target_name(node.target), tuple(target_names(node.target)))
    cx.frame.names = saved
    element = results[-1] if results else Scalar(cx.scalar(node.element).dtype)
    length = None if node.conditions else range_length(walk.start, walk.stop, walk.step)
    from roofscan.parse.lower.values import Unknown

    if isinstance(element, Scalar) and length is not None:
        return Bound(TupleValue((element, Scalar(element.dtype, length))), "generated")
    return Unknown("a list made by a comprehension")

