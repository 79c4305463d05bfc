"""The statements of one program of a Triton kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.ir.loop_names import is_loop_variable
from roofscan.ir.tree import Loop
from roofscan.parse import syntax
from roofscan.parse.lowering.subscript_ranges import has_loop_variable
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.triton.tile_tests import TileTests
from roofscan.parse.lowering.triton.tiles import (
    BlockPointer,
    Item,
    NamedItem,
    Outside,
    Parts,
    TileValue,
    integer,
    is_place,
)  # fmt: skip
from roofscan.parse.syntax_walk import is_read_first, walk
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.extrema import maximum
from roofscan.symbolic.floors import ceil_div, floor_div


class ProgramBody(TileTests):
    """The statements of one function of a program, in their order."""

    def block(self, body: Sequence[syntax.Statement]) -> bool:
        """Whether it returned."""
        for k, statement in enumerate(body):
            if isinstance(statement, syntax.If) and _leaves(statement.body) and not statement.orelse:
                return self._leave(statement, body[k + 1 :])
            if self.statement(statement):
                return True
        return False

    def _leave(self, node: syntax.If, rest: Sequence[syntax.Statement]) -> bool:
        """``if …: return``: what follows is for the other programs."""
        test = self.arms(node.test)
        if isinstance(test, bool):
            return self.block(node.body if test else rest)
        before = dict(self.names)
        for (conditions, share), body in zip(test, (node.body[:-1], rest)):
            self.names = dict(before)
            with self.cx.builder.when(conditions, share, node.place.line):
                self.block(body)
        return True

    def statement(self, node: syntax.Statement) -> bool:
        line = node.place.line
        if isinstance(node, syntax.Assign) and node.value is not None:
            value = self.eval(node.value)
            for target in node.targets:
                self._store(target, value, line)
        elif isinstance(node, syntax.AugAssign):
            self._store(node.target, self.binary(node.op, self.tile(node.target), self.tile(node.value), line), line)
        elif isinstance(node, syntax.ExpressionStatement):
            if not isinstance(node.value, syntax.Literal):
                self.eval(node.value)
        elif isinstance(node, syntax.Return):
            self.returned.append(None if node.value is None else self.eval(node.value))
            return True
        elif isinstance(node, syntax.If):
            return self._if(node)
        elif isinstance(node, syntax.For):
            self._for(node)
        elif isinstance(node, syntax.While):
            self._while(node)
        elif not (isinstance(node, syntax.Assign) or (isinstance(node, syntax.Simple) and node.kind == "pass")):
            kind = node.kind if isinstance(node, (syntax.Other, syntax.Simple)) else type(node).__name__.lower()
            raise Outside(line, f"a {kind} statement in a Triton kernel")
        return False

    def _store(self, target: syntax.Expression, value: Item, line: int) -> None:
        if isinstance(target, syntax.Name):
            self.names[target.id] = value
        elif isinstance(target, syntax.Sequence) and isinstance(value, Parts) and len(value.items) == len(target.items):
            for item, part in zip(target.items, value.items):
                self._store(item, part, line)
        else:
            raise Outside(line, "an assignment to something that is not a name")

    def _if(self, node: syntax.If) -> bool:
        """Tests on parameters and places; of a test on data its share is a symbol."""
        arms = self.arms(node.test, alone=not node.orelse)
        if isinstance(arms, bool):
            return self.block(node.body if arms else node.orelse)
        before, after = dict(self.names), []
        for (conditions, share), body in zip(arms, (node.body, node.orelse)):
            self.names = dict(before)
            if body:
                with self.cx.builder.when(conditions, share, node.place.line):
                    if self.block(body):
                        raise Outside(node.place.line, "a return under a test of sizes")
            after.append(self.names)
        one, other = after
        self.names = {n: self.joined(one.get(n), other.get(n)) for n in {**one, **other}}
        return False

    def _for(self, node: syntax.For) -> None:
        line = node.place.line
        start, stop, step = self._range(node)
        if not isinstance(node.target, syntax.Name) or (step.constant is None and not step.symbols):
            raise Outside(line, "a loop over something that is not a range")
        var = self.cx.builder.loop_variable(node.target.id)
        loop = Loop(
            var, start, stop, step, (), self.cx.builder.line(line), source_name=node.target.id,
            end_line=node.place.end_line,
        )  # fmt: skip
        self._loop(loop, node.target.id, node.body, maximum(0, ceil_div(stop - start, step)))

    def _while(self, node: syntax.While) -> None:
        """``while i < n: …; i += step`` is a loop over i; of other tests the trips are a symbol."""
        line, var = node.place.line, self.cx.builder.loop_variable("iteration")
        before = dict(self.names)
        changes = self._changes(node.body, symbol(var), "", before, line)
        self.names = dict(before)
        tested = {part.id for part in walk(node.test) if isinstance(part, syntax.Name)} & changes.keys()
        target = next(iter(tested)) if len(tested) == 1 else ""
        stop = self._end(node.test, target, var) if target else None
        start, step = before.get(target), changes[target][0] if target else ONE
        if stop is None or not isinstance(start, TileValue) or start.expr is None:
            target, stop, step, start = "", self._unknown_trips(line), ONE, integer(ZERO)
        assert start.expr is not None
        trips = maximum(0, ceil_div(stop - start.expr, step))
        loop = Loop(var, start.expr, stop, step, (), self.cx.builder.line(line), source_name=target or "iteration",
                    end_line=node.place.end_line)  # fmt: skip
        self._loop(loop, target, node.body, trips, node.test)
        if target:
            self.names[target] = integer(start.expr + trips * step)
        self.test(node.test)  # once more, where it fails

    def _end(self, test: syntax.Expression, target: str, var: str) -> Expr | None:
        """Below which value of a name a test holds, where it is that of one place below another."""
        state, names = self.cx.snapshot(), dict(self.names)
        self.names[target] = integer(symbol(var))
        with self.cx.builder.inside():
            found = self.test(test)
        self.cx.restore(state)
        self.names = names
        if not isinstance(found, tuple) or len(found) != 1 or found[0].relation != "ge":
            return None
        [condition] = found
        falls = ZERO - condition.expr.coefficient(var)
        known = condition.expr.is_linear_in([var]) and not has_loop_variable(falls)
        if not known or not falls or any(number < 0 for number in falls.terms.values()):
            return None
        return floor_div(condition.expr.subs({var: 0}), falls) + 1

    def _unknown_trips(self, line: int) -> Expr:
        self.cx.builder.reason(line, "the trips of a loop depend on data", "parametric")
        return trip_symbol(self.cx, line, f"trips_{line}", f"mean trips of the loop in line {line}")

    def _loop(
        self, loop: Loop, target: str, body: Sequence[syntax.Statement], trips: Expr,
        test: syntax.Expression | None = None,
    ) -> None:  # fmt: skip
        before = dict(self.names)
        iteration = (symbol(loop.var) - loop.start) / loop.step
        changes = self._changes(body, symbol(loop.var), target, before, loop.line)
        known = dict(self.names)
        self._advance(before, changes, iteration)
        if target:
            self.names[target] = integer(symbol(loop.var))
        with self.cx.builder.in_loop(loop) as nodes:
            if test is not None:
                self.test(test)
            if self.block(body):
                raise Outside(loop.line, "a return in a loop")
        self.cx.builder.add(replace(loop, body=tuple(nodes)))
        after, self.names = self.names, {**self.names, **{n: known[n] for n in changes}}
        self._advance(before, changes, trips)
        self.names = {**after, **{name: self.names[name] for name in changes}}

    def _advance(self, before: Mapping[str, Item], changes: Mapping[str, tuple[Expr, ...]], trips: Expr) -> None:
        """Gives the names that change by as much in each iteration what they are after ``trips`` of them."""
        for name, change in changes.items():
            self.names[name] = _moved(before[name], tuple(each * trips for each in change))

    def _range(self, node: syntax.For) -> tuple[Expr, Expr, Expr]:
        call, line = node.iterable, node.place.line
        called = self.eval(call.function) if isinstance(call, syntax.Call) else None
        dotted = called.dotted if isinstance(called, NamedItem) else ""
        if not isinstance(call, syntax.Call) or dotted.rpartition(".")[2] not in ("range", "static_range"):
            raise Outside(line, "a loop over something that is not a range")
        ends = [self.tile(arg).expr for arg in call.args]
        known = [end for end in ends if end is not None]
        self.learned.integers.update(n for n in self.parameters for end in known if n in end.symbols)
        if len(known) < len(ends) or not known:
            return ZERO, self._unknown_trips(line), ONE
        start, stop = (ZERO, known[0]) if len(known) == 1 else (known[0], known[1])
        return start, stop, known[2] if len(known) > 2 else ONE

    def _changes(
        self, body: Sequence[syntax.Statement], iteration: Expr, target: str, before: Mapping[str, Item], line: int
    ) -> dict[str, tuple[Expr, ...]]:
        """By how much each place and integer changes in an iteration, found by running iterations aside: the first, and
        one later on, in which it must change as much. The others are not known in the loop."""
        passed = [name for name in before if name != target and is_read_first(name, body)]
        found: dict[str, tuple[Expr, ...]] = {}
        for later in (False, True):
            names = dict(self.names)
            self._advance(before, found, iteration)
            now = dict(self.names)
            after = self._aside(body, target, iteration)
            self.names = names
            for name in passed:
                self._learn(name, now[name], after.get(name), found, later)
        return found

    def _learn(
        self, name: str, old: Item, new: Item | None, found: dict[str, tuple[Expr, ...]], later: bool
    ) -> None:  # fmt: skip
        """What an iteration makes of a name."""
        if new is None or new == old:
            return
        change = _change(old, new)
        if change is not None and (change == found.get(name) if later else any(change)):
            found[name] = change
        elif change is None or any(change) or name in found:
            found.pop(name, None)
            self.names[name] = self._forgotten(old, new)

    def _aside(self, body: Sequence[syntax.Statement], target: str, iteration: Expr) -> dict[str, Item]:
        """The names after an iteration, of which nothing else is kept."""
        state, arrays = self.cx.snapshot(), dict(self.arrays)
        if target:
            self.names[target] = integer(iteration)
        with self.cx.builder.inside():
            self.block(body)
        self.cx.restore(state)
        self.arrays.clear()
        self.arrays.update(arrays)
        return self.names

    def _forgotten(self, old: Item, new: Item) -> Item:
        """What is known in every iteration of a name that changes: of accumulators their type."""
        if isinstance(old, BlockPointer):
            return self.joined(old, new)
        if not isinstance(old, TileValue) or not isinstance(new, TileValue):
            return new
        kept = replace(new, expr=None, number=None, holds=None, bases=self.bases(old) | self.bases(new))
        return kept if old.expr is None or old.is_float or new.is_float else replace(kept, along=old.steps, weak=False)


def _leaves(body: Sequence[syntax.Statement]) -> bool:
    return bool(body) and isinstance(body[-1], syntax.Return) and body[-1].value is None


def _change(old: Item, new: Item) -> tuple[Expr, ...] | None:
    """What an iteration adds to a place, or to each offset of a block; None for what it does not just add to."""
    pairs = list(zip(_offsets(old), _offsets(new)))
    changes = tuple(b - a for a, b in pairs if a is not None and b is not None)
    known = len(changes) == len(pairs) > 0 and len(_offsets(old)) == len(_offsets(new))
    varies = any(is_loop_variable(name) or is_place(name) for change in changes for name in change.symbols)
    return None if varies or not known else changes


def _offsets(item: Item) -> tuple[Expr | None, ...]:
    if isinstance(item, BlockPointer):
        return tuple(offset.expr for offset in item.offsets)
    return (item.expr,) if isinstance(item, TileValue) else ()


def _moved(item: Item, by: tuple[Expr, ...]) -> Item:
    if isinstance(item, BlockPointer):
        return item.at(tuple(integer((offset.expr or ZERO) + each) for offset, each in zip(item.offsets, by)))
    assert isinstance(item, TileValue) and item.expr is not None
    return replace(item, expr=item.expr + by[0], number=None, weak=False)
