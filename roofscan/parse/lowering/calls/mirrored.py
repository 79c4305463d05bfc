"""Functions that call themselves once, with their operands exchanged: ``if a > b: return f(b, a)``. The inner call does
not come back to that branch."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from roofscan.parse.syntax import Binary, Call, Compare, Expression, Function, If, Literal, Name, Statement, Unary
from roofscan.parse.syntax_walk import walk
from roofscan.symbolic.expr import Expr, symbol


def without_second_call(function: Function) -> Function | None:
    """The function as its inner call runs it; None where it may call itself again or elsewhere."""
    body = function.body
    for place, statement in enumerate(body):
        if isinstance(statement, If) and _self_calls(statement.body, function):
            rest = (*body[:place], *statement.orelse, *body[place + 1 :])
            if not _self_calls(rest, function) and _reverses_sign(statement, function):
                return replace(function, body=rest)
    return None


def _self_calls(body: tuple[Statement, ...], function: Function) -> list[Call]:
    calls = (node for node in walk(body) if isinstance(node, Call))
    return [c for c in calls if isinstance(c.function, Name) and c.function.id == function.name]


def _reverses_sign(guard: If, function: Function) -> bool:
    """Whether every call in the guarded body reverses the sign of the difference in the guard."""
    test = guard.test
    if not isinstance(test, Compare) or len(test.operators) != 1 or test.operators[0] not in ("<", ">", "<=", ">="):
        return False
    sides = [_sum(operand) for operand in test.operands]
    if sides[0] is None or sides[1] is None:
        return False
    difference = sides[0] - sides[1]
    names = [p.name for p in function.parameters]
    for call in _self_calls(guard.body, function):
        values = [_sum(arg) for arg in call.args]
        known = {name: value for name, value in zip(names, values, strict=False) if value is not None}
        if call.keywords or not difference.symbols <= known.keys() or difference.subs(known) + difference:
            return False
    return bool(difference.symbols)


def _sum(node: Expression) -> Expr | None:
    if isinstance(node, Name):
        return symbol(node.id)
    if isinstance(node, Literal) and isinstance(node.value, (int, float)) and abs(node.value) < 1e15:
        return Expr.of(Fraction(node.value))
    if isinstance(node, Unary) and node.op == "-":
        inner = _sum(node.operand)
        return None if inner is None else -inner
    if isinstance(node, Binary) and node.op in ("+", "-"):
        left, right = _sum(node.left), _sum(node.right)
        if left is not None and right is not None:
            return left + right if node.op == "+" else left - right
    return None
