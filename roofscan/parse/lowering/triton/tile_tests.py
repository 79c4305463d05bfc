"""The tests of a Triton program, and what names are after the two arms of one."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import I8
from roofscan.ir.symbols import ParameterTest
from roofscan.parse import syntax
from roofscan.parse.lowering.subscript_ranges import has_loop_variable
from roofscan.parse.lowering.triton.tile_expressions import TileExpressions
from roofscan.parse.lowering.triton.tiles import BlockPointer, Item, TileValue, common_type
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import remainder

Arm = tuple[tuple[Condition, ...], Expr]


class TileTests(TileExpressions):
    """Expressions with the tests in them."""

    def conditional(self, node: syntax.Conditional) -> Item:
        test, values = self.arms(node.test), []
        if isinstance(test, bool):
            return self.eval(node.then if test else node.orelse)
        for (conditions, share), value in zip(test, (node.then, node.orelse)):
            with self.cx.builder.when(conditions, share, node.place.line):
                values.append(self.eval(value))
        return self.joined(*values)

    def arms(self, node: syntax.Expression, alone: bool = False) -> bool | tuple[Arm, Arm]:
        """A test that is decided, else the conditions and the share of either arm; ``alone``: there is but one."""
        test = self.test(node)
        if isinstance(test, tuple) and len(test) == 1:
            return (test, ONE), ((test[0].negated,), ONE)
        if isinstance(test, tuple) and alone:
            return (test, ONE), ((), ZERO)
        if isinstance(test, tuple):
            test = self._share_of_data(node)
        return test if isinstance(test, bool) else (((), test), ((), ONE - test))

    def joined(self, one: Item, other: Item) -> Item:
        """What a name is after two arms: of the type of either, and known where they agree."""
        if isinstance(one, BlockPointer) and isinstance(other, BlockPointer) and one != other:
            unknown = (TileValue(I8),) * len(one.offsets)
            return replace(one.at(unknown), base=self._joined(one.base, other.base))
        if one == other or not isinstance(one, TileValue) or not isinstance(other, TileValue):
            return other if one is None else one
        return self._joined(one, other)

    def _joined(self, one: TileValue, other: TileValue) -> TileValue:
        if one == other:
            return one
        return TileValue(
            common_type(one, other), max(one.shape, other.shape, key=len), one.expr if one.expr == other.expr else None,
            one.node or other.node, loaded=one.loaded | other.loaded, bases=self.bases(one) | self.bases(other),
            weak=one.weak and other.weak,
        )  # fmt: skip

    def test(self, node: syntax.Expression) -> bool | Expr | tuple[Condition, ...]:
        """A test: decided, a flag, or conditions."""
        if isinstance(node, syntax.Unary) and node.op == "not":
            inner = self.test(node.operand)
            if isinstance(inner, tuple):
                return (inner[0].negated,) if len(inner) == 1 else self._share_of_data(node)
            return ONE - inner if isinstance(inner, Expr) else not inner
        value = self.eval(node)
        if value is None or isinstance(value, str):
            return bool(value)
        if isinstance(value, TileValue) and value.number is not None:
            return bool(value.number)
        conditions = _conditions(value)
        if conditions is None:
            return self._share_of_data(node)
        known = {name: fact.value for name, fact in self.cx.facts.scalars.items() if isinstance(fact.value, int)}
        found = [(c, c.expr.subs(known).constant) for c in conditions]
        if any(number is not None and not c.holds(number) for c, number in found):
            return False
        left = tuple(c for c, number in found if number is None)
        choices = [c for c in left if c.relation != "ge" and not has_loop_variable(c.expr)]
        if not choices:
            return left or True
        if len(choices) < len(left):
            return self._share_of_data(node)
        return prod((self._flag(choice, node.place.line) for choice in choices), start=ONE)

    def _flag(self, choice: Condition, line: int) -> Expr:
        """1 where parameters have the value that is tested for, else 0."""
        expr, name = choice.expr, min(choice.expr.symbols)
        factor = expr.coefficient(name).constant if expr.is_linear_in([name]) else None
        value = (symbol(name) - expr / factor).constant if factor else None
        rest = next((f"{p} % {q}" for p, q in _quotients(expr) if expr == remainder(p, q)), str(expr))
        text = f"{rest} == 0" if value is None else f"{name} == {value}" if value else f"{name} != 0"
        test = ParameterTest(text, tuple(sorted(expr.symbols)), float(value) if value else None)
        flag = self.cx.builder.share(("flag", text), f"1 where {text}, else 0", line, test)
        return flag if (choice.relation == "eq") == (value != 0) else ONE - flag

    def _share_of_data(self, node: syntax.Expression) -> Expr:
        line = node.place.line
        meaning = f"share of the programs for which the test in line {line} holds, from 0 to 1"
        return self.cx.builder.share(("test", self.cx.frame.dotted, line, node.place.column), meaning, line)


def _conditions(value: Item) -> tuple[Condition, ...] | None:
    """Where a value that is tested holds."""
    if not isinstance(value, TileValue) or value.shape:
        return None
    return value.holds or (None if value.expr is None else (Condition(value.expr, "ne"),))


def _quotients(expr: Expr) -> list[tuple[Expr, ...]]:
    return [atom.args for atom in expr.atoms if atom.name == "floor"]


def negated(condition: Condition) -> Condition:
    if condition.relation == "ge":
        return Condition(-condition.expr - 1, "ge")
    return replace(condition, relation="ne" if condition.relation == "eq" else "eq")
