"""The statements of one program of a Triton kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.ir.kernel import Condition, Loop
from roofscan.parse import syntax
from roofscan.parse.lowering.triton.tile_expressions import TileExpressions
from roofscan.parse.lowering.triton.tiles import (
    Item,
    NamedItem,
    Outside,
    Parts,
    TileValue,
    integer,
)  # fmt: skip
from roofscan.parse.syntax_walk import is_read_first
from roofscan.symbolic.expr import ONE, ZERO, Expr, ceil_div, maximum, symbol


class ProgramBody(TileExpressions):
    """The statements of one function of a program, in their order."""

    def block(self, body: Sequence[syntax.Statement]) -> bool:
        """Whether it returned."""
        for statement in body:
            if self.statement(statement):
                return True
        return False

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
        """Tests on parameters and places; of a test on data nothing is known."""
        line, test = node.place.line, self.test(node.test)
        if isinstance(test, bool):
            return self.block(node.body if test else node.orelse)
        before = dict(self.names)
        arms: list[tuple[tuple[Condition, ...], Expr, tuple[syntax.Statement, ...]]]
        if isinstance(test, Expr):
            arms = [((), test, node.body), ((), ONE - test, node.orelse)]
        else:
            if len(test) != 1:
                raise Outside(line, "a test of several conditions")
            no = Condition(-test[0].expr - 1, "ge") if test[0].relation == "ge" else replace(test[0], relation="ne")
            arms = [(test, ONE, node.body), ((no,), ONE, node.orelse)]
        after, left = dict(before), []
        for conditions, share, body in arms:
            self.names = dict(before)
            with self.cx.builder.when(conditions, share, line):
                left.append(self.block(body))
            if not left[-1]:
                after = {**self.names, **{n: v for n, v in after.items() if v != before.get(n)}}
        self.names = after
        if any(left):
            raise Outside(line, "a return under a test of sizes")
        return False

    def _for(self, node: syntax.For) -> None:
        line = node.place.line
        start, stop, step = self._range(node)
        if not isinstance(node.target, syntax.Name) or (step.constant is None and not step.symbols):
            raise Outside(line, "a loop over something that is not a range")
        builder = self.cx.builder
        var = builder.loop_variable(node.target.id)
        turn = (symbol(var) - start) / step
        before = dict(self.names)
        changes = self._changes(node, var, before)
        for name, change in changes.items():
            old = before[name]
            assert isinstance(old, TileValue) and old.expr is not None
            self.names[name] = replace(old, expr=old.expr + change * turn, number=None, weak=False)
        self.names[node.target.id] = integer(symbol(var))
        loop = Loop(
            var, start, stop, step, (), builder.line(line), source_name=node.target.id, end_line=node.place.end_line
        )
        with builder.in_loop(loop) as body:
            self.block(node.body)
        builder.add(replace(loop, body=tuple(body)))
        trips = maximum(0, ceil_div(stop - start, step))
        for name, change in changes.items():
            old = before[name]
            assert isinstance(old, TileValue) and old.expr is not None
            self.names[name] = replace(old, expr=old.expr + change * trips, number=None, weak=False)

    def _range(self, node: syntax.For) -> tuple[Expr, Expr, Expr]:
        call = node.iterable
        called = self.eval(call.function) if isinstance(call, syntax.Call) else None
        dotted = called.dotted if isinstance(called, NamedItem) else ""
        if not isinstance(call, syntax.Call) or dotted.rpartition(".")[2] not in ("range", "static_range"):
            raise Outside(node.place.line, "a loop over something that is not a range")
        ends = [self.tile(arg).expr for arg in call.args]
        known = [end for end in ends if end is not None]
        self.learned.whole.update(n for n in self.parameters for end in known if n in end.symbols)
        if len(known) < len(ends) or not known:
            raise Outside(node.place.line, "a loop whose trips depend on data")
        start, stop = (ZERO, known[0]) if len(known) == 1 else (known[0], known[1])
        return start, stop, known[2] if len(known) > 2 else ONE

    def _changes(self, node: syntax.For, var: str, before: Mapping[str, Item]) -> dict[str, Expr]:
        """By how much each place and integer changes in an iteration, found by running one aside."""
        state, names, arrays = self.cx.snapshot(), dict(self.names), dict(self.arrays)
        assert isinstance(node.target, syntax.Name)
        self.names[node.target.id] = integer(symbol(var))
        with self.cx.builder.inside():
            self.block(node.body)
        after, self.names = self.names, names
        self.cx.restore(state)
        self.arrays.clear()
        self.arrays.update(arrays)
        found: dict[str, Expr] = {}
        passed = [name for name in before if name != node.target.id and is_read_first(name, node.body)]
        for name in passed:
            old, new = before[name], after.get(name)
            if not isinstance(old, TileValue) or not isinstance(new, TileValue) or old.expr is None or new == old:
                continue
            change = None if new.expr is None else new.expr - old.expr
            if change is None or any("#" in s or s.startswith("@") for s in change.symbols):
                if old.is_float or new.is_float:
                    self.names[name] = replace(new, expr=None, number=None)
                    continue
                raise Outside(node.place.line, f"{name} changes in a way that the model does not follow")
            found[name] = change
        for name in passed:  # accumulators: of their type after an iteration
            old, new = before[name], after.get(name)
            if isinstance(old, TileValue) and isinstance(new, TileValue) and old.expr is None and new != old:
                self.names[name] = replace(new, number=None, holds=None)
        return found
