"""``if``: each arm under its cases, and the join of names after the arms."""

from __future__ import annotations

from roofscan.ir.visitor import loops
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.cases import cases_of
from roofscan.parse.lowering.control.conditions import Case
from roofscan.parse.lowering.control.domain_guards import note_guard
from roofscan.parse.lowering.control.join import join_names, may_run
from roofscan.parse.lowering.control.pieces import chosen
from roofscan.parse.lowering.values import Value
from roofscan.parse.syntax import Boolean, Expression, If, Literal, Name, Return, Statement, Unary
from roofscan.symbolic.expr import ONE

Arms = list[tuple[list[Case], tuple[Statement, ...]]]


def lower_if(cx: Context, node: If, rest: tuple[Statement, ...] = ()) -> bool:
    """Lower an ``if``; whether control leaves the block in each of its arms. Where one arm may leave the block, the
    statements after it (``rest``) join the arms that go on."""
    cases = cases_of(cx, node.test)
    note_guard(cx, node.test, cases, node.body, node.orelse + rest)
    if (
        rest
        and not node.orelse
        and len(cx.frames) == 1
        and not any(loops(tuple(cx.builder.body)))
        and _only_returns(node.body)
    ):
        _require(cx, cases.false)
    return _arms(cx, [(cases.true, node.body + rest), (cases.false, node.orelse + rest)], node.place.line)


def guard(cx: Context, statement: If) -> None:
    """``if bad: raise``: the test is evaluated, and the exception is assumed not to happen."""
    cx.builder.assume("no exception is raised")
    reasons = set(cx.builder.reasons)
    shares = set(cx.builder.shares)
    parts = _evaluated_parts(statement.test, False)
    for part, outcome in parts:
        cases = cases_of(cx, part)
        _require(cx, cases.true if outcome else cases.false)
    if any(isinstance(part, Boolean) for part, _ in parts):  # the work of its parts may depend on their shares
        return
    for reason in set(cx.builder.reasons) - reasons:
        del cx.builder.reasons[reason]
    for share in set(cx.builder.shares) - shares:
        for name in cx.builder.shares.pop(share).symbols:
            cx.builder.symbols.pop(name, None)


def _require(cx: Context, cases: list[Case]) -> None:
    """A call does its work in these cases."""
    if len(cases) == 1 and cases[0].share == ONE:
        cx.builder.require(cases[0].conditions)


def _only_returns(body: tuple[Statement, ...]) -> bool:
    """Whether a body ends the call, with nothing that takes work."""
    return len(body) == 1 and isinstance(body[0], Return) and isinstance(body[0].value, (Name, Literal, type(None)))


def _evaluated_parts(test: Expression, outcome: bool) -> list[tuple[Expression, bool]]:
    """The tests that are evaluated where ``test`` has this outcome, with theirs: both parts of ``a and b`` where it is
    true."""
    if isinstance(test, Unary) and test.op == "not":
        return _evaluated_parts(test.operand, not outcome)
    if isinstance(test, Boolean) and (test.op == "and") == outcome:
        return _evaluated_parts(test.left, outcome) + _evaluated_parts(test.right, outcome)
    return [(test, outcome)]


def _chosen_names(
    cx: Context, joined: dict[str, Value], pairs: dict[str, tuple[Value | None, Value]], arms: Arms
) -> dict[str, Value]:
    """The names whose value after two arms is one expression (``if lo < 0: lo = 0``)."""
    (true, _), (false, _) = arms
    found = {name: chosen(cx, joined.get(name), *pair, (true, false)) for name, pair in pairs.items()}
    return {name: value for name, value in found.items() if value is not None and value is not joined.get(name)}


def _arms(cx: Context, arms: Arms, line: int) -> bool:
    """Lower each arm once in each of its cases, and join the names afterwards."""
    frame = cx.frame
    before = dict(frame.names)
    after: dict[str, Value] | None = None
    ended = True
    certain = False  # whether ``after`` belongs to an arm that may run
    for cases, body in arms:
        for case in cases:
            frame.names = dict(before)
            with cx.builder.when(case.conditions, case.share, line):
                frame.branch_depth += bool(case.share.symbols)
                left = cx.block(body)
                frame.branch_depth -= bool(case.share.symbols)
            if left:
                continue
            ended, runs = False, may_run(cx, case.conditions)
            if after is None or (runs and not certain):
                after = frame.names
            elif runs:
                arms_of = {name: (after.get(name), value) for name, value in frame.names.items()}
                after = join_names(cx, after, frame.names, before, line, case.share)
                after |= _chosen_names(cx, after, arms_of, arms)
            certain |= runs
    frame.names = after if after is not None else before
    return ended
