"""``if``: each arm under its conditions, and what names stand for after them."""

from __future__ import annotations

from dataclasses import replace

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import Piece, sides
from roofscan.parse.lowering.control.join import either, reached
from roofscan.parse.lowering.values import Scalar, Value
from roofscan.parse.syntax import Boolean, Expression, If, Statement, Unary


def lower_if(cx: Context, node: If) -> bool:
    """An ``if``; whether control surely leaves the block in each of its arms."""
    yes, no = sides(cx, node.test)
    return _arms(cx, [(yes, node.body), (no, node.orelse)], node.place.line)


def if_with_exit(cx: Context, node: If, rest: tuple[Statement, ...]) -> bool:
    """An ``if`` with a way out: what follows it belongs to the arms that go on."""
    yes, no = sides(cx, node.test)
    return _arms(cx, [(yes, node.body + rest), (no, node.orelse + rest)], node.place.line)


def guard(cx: Context, statement: If) -> None:
    """``if bad: raise``: the test is evaluated, the exception is taken not to happen."""
    cx.builder.assume("no exception is raised")
    known = set(cx.builder.reasons)
    shares = set(cx.builder.shares)
    parts = _parts_that_run(statement.test, False)
    for part in parts:
        sides(cx, part)
    if any(isinstance(part, Boolean) for part in parts):  # its parts may stand under each other's shares
        return
    for reason in set(cx.builder.reasons) - known:
        del cx.builder.reasons[reason]
    for share in set(cx.builder.shares) - shares:
        for name in cx.builder.shares.pop(share).symbols:
            cx.builder.symbols.pop(name, None)


def _parts_that_run(test: Expression, outcome: bool) -> list[Expression]:
    """The tests that are evaluated where ``test`` comes out so: both of ``a and b`` where it is true."""
    if isinstance(test, Unary) and test.op == "not":
        return _parts_that_run(test.operand, not outcome)
    if isinstance(test, Boolean) and (test.op == "and") == outcome:
        return _parts_that_run(test.left, outcome) + _parts_that_run(test.right, outcome)
    return [test]


def _arms(cx: Context, arms: list[tuple[list[Piece], tuple[Statement, ...]]], line: int) -> bool:
    """Lower each arm once for each of its pieces, and merge what names stand for afterwards."""
    frame = cx.frame
    before = dict(frame.names)
    after: dict[str, Value] | None = None
    ended = True
    certain = False  # whether ``after`` is of an arm that may run
    for pieces, body in arms:
        for piece in pieces:
            frame.names = dict(before)
            with cx.builder.when(piece.conditions, piece.share, line):
                frame.branch_depth += bool(piece.share.symbols)
                left = cx.block(body)
                frame.branch_depth -= bool(piece.share.symbols)
            if left:
                continue
            ended, runs = False, reached(cx, piece.conditions)
            if after is None or (runs and not certain):
                after = frame.names
            elif runs:
                after = merge_names(cx, after, frame.names, before, line)
            certain |= runs
    frame.names = after if after is not None else before
    return ended


def merge_names(
    cx: Context, a: dict[str, Value], b: dict[str, Value], before: dict[str, Value], line: int
) -> dict[str, Value]:
    """Names after two arms; where an arm left a name alone, the other arm's change counts for its data flow."""
    merged: dict[str, Value] = {}
    for name in {**a, **b}:
        x, y = a.get(name), b.get(name)
        value = either(cx, x, y, line)
        if isinstance(value, Scalar) and isinstance(x, Scalar) and isinstance(y, Scalar):
            changed = y if x == before.get(name) else x
            value = replace(value, node=changed.node)
        if value is not None:
            merged[name] = value
    return merged
