"""One loop over an iteration: its body is lowered once, or again with what the first time has shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Loop, Node, When
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context, LoopExit
from roofscan.parse.lowering.control.alternations import MAX_PERIOD, alternation_period, end_rotation, rotation_period
from roofscan.parse.lowering.control.induction import add_loop, closed_forms
from roofscan.parse.lowering.control.iteration import Iteration, range_length
from roofscan.parse.lowering.control.loop_body import LoweredBody, is_compared, lower_loop_body
from roofscan.parse.lowering.control.loop_shapes import changes_shape
from roofscan.parse.lowering.subscript_ranges import extent, never_negative
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.values import Scalar, Value
from roofscan.parse.syntax import Statement
from roofscan.parse.syntax_walk import walk as walk_syntax
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.extrema import maximum

MAX_LEVELS = 16  # the most iterations that are written out because an array changes its shape between them


@dataclass(frozen=True)
class CountedLoop:
    """``body`` binds the targets and lowers the statements for a given value of the loop variable; it returns whether
    control always leaves the loop there."""

    cx: Context
    iteration: Iteration
    body: Callable[[Expr], bool]
    statements: tuple[Statement, ...]
    line: int
    name: str
    targets: tuple[str, ...] = ()

    def lower(self, period: int = 0) -> None:
        """One pass covers ``period`` iterations; 0: as many as it takes until the same arrays are in place."""
        cx = self.cx
        state, names = cx.snapshot(), dict(cx.frame.names)
        before = {name: names.get(name) for name in self.targets}
        passes = period or alternation_period(cx, self.name, self.statements)
        loop = self._loop(cx.builder.loop_variable(self.name), passes)
        phases: list[dict[str, Value]] = []
        is_open = self._is_open(loop.var)
        done = lower_loop_body(cx, loop, lambda: self._pass(loop, passes, phases), self.statements, self.targets)
        if not is_open and self._is_ended_by_data(loop, done):
            cx.restore(state)
            self.lower(passes)
            return
        done = done if passes == 1 else replace(done, counters={})
        rotations = 0 if period else rotation_period(done, names, phases[-1])
        if rotations > 1 and rotations * passes <= MAX_PERIOD:
            cx.restore(state)
            self.lower(rotations * passes)
        elif (trips := self._trips_to_write_out(done, names)) is not None:
            cx.restore(state)
            for k in range(trips):
                self.body(self.iteration.start + self.iteration.step * k)
        else:
            self._add(loop, done, passes, phases, before)
            if not cx.compiled and not self.iteration.total_over and self._is_never_entered():
                cx.frame.names = names  # a loop without iterations leaves an integer as it is

    def _is_never_entered(self) -> bool:
        trips = self.cx.builder.known_value(_trip_count(self.cx, self.iteration))
        return trips is not None and trips <= 0

    def _loop(self, var: str, period: int) -> Loop:
        iteration = self.iteration
        return Loop(
            var, iteration.start, iteration.stop, iteration.step * period, (), self.line,
            parallel=iteration.parallel and self.cx.frame.parallel, total=iteration.total,
            total_over=iteration.total_over, source_name=self.name,
            end_line=max((s.place.end_line for s in self.statements[-1:]), default=self.line),
            is_prange=iteration.parallel, over_items=iteration.over_items, breaks=iteration.breaks,
            mentions=self._mentions,
        )  # fmt: skip

    @cached_property
    def _mentions(self) -> frozenset[str]:
        return frozenset(node.id for node in walk_syntax(self.statements) if isinstance(node, syntax.Name))

    def _pass(self, loop: Loop, period: int, phases: list[dict[str, Value]]) -> bool:
        """Lowers the iterations of one pass; ``phases`` takes the names after each."""
        ended = self.body(symbol(loop.var))
        phases[:] = [dict(self.cx.frame.names)]
        for phase in range(1, period):
            value = symbol(loop.var) + self.iteration.step * phase
            with self.cx.builder.when((_before_stop(value, self.iteration),), ONE, self.line):
                self.body(value)
            phases.append(dict(self.cx.frame.names))
        return ended

    @property
    def _open_ends(self) -> set[str]:
        return self.cx.builder.open_ends.setdefault((self.cx.frame.dotted, self.line), set())

    def _is_open(self, var: str) -> bool:
        """Whether data end the loop, as its body has shown before; the loop variable then counts as data."""
        is_open = self.name in self._open_ends
        if is_open:
            self.cx.builder.data_placeholders.add(var)
        return is_open

    def _is_ended_by_data(self, loop: Loop, done: LoweredBody) -> bool:
        """Whether data end the loop inside another one, and conditions depend on its iteration: noted for the next
        time that it is lowered."""
        builder, iteration = self.cx.builder, self.iteration
        trips = _trip_count(self.cx, iteration)
        by_data = done.exit.happened or iteration.total_over or bool(builder.means_in(trips))
        first = symbol(loop.var) - iteration.start if done.exit.happened and never_negative(trips - 1) else None
        if not (by_data and builder.loops and is_compared(done, {loop.var}, first)):
            return False
        self._open_ends.add(self.name)
        builder.data_names[self.cx.frame.dotted, self.line] |= done.entries.keys()
        return True

    def _trips_to_write_out(self, done: LoweredBody, names: dict[str, Value]) -> int | None:
        """The few iterations of a loop in which an array changes its shape; None for any other loop."""
        if not changes_shape(self.cx, names, self.statements) or done.exit.happened or done.exit.continued:
            return None
        trips = self.cx.builder.known_value(_trip_count(self.cx, self.iteration))
        return int(trips) if trips is not None and 0 < trips <= MAX_LEVELS else None

    def _add(
        self, loop: Loop, done: LoweredBody, period: int, phases: list[dict[str, Value]],
        before: dict[str, Value | None],
    ) -> None:  # fmt: skip
        """Adds the loop to the kernel; names then have their values after it."""
        cx, iteration, var = self.cx, self.iteration, loop.var
        count: Expr | None = None  # unknown after a break: the last iteration changes less than the others
        if done.exit.happened and cx.builder.known_value(_trip_count(cx, iteration)) != 0:
            loop, done = _until_exit(cx, loop, done, iteration, period)
        elif not iteration.total_over:
            count = _trip_count(cx, iteration)
        inside, after = closed_forms(done, _iteration_number(iteration, var, period), count, var, phases)
        add_loop(cx, loop, done, inside, after, _last_value(iteration, count))
        if period > 1:
            end_rotation(cx, phases, count, self.line)
        if count is None or not never_negative(count - 1):
            _forget_targets(cx, iteration, before)


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
