"""Tests that guard the domain of what runs behind them: ``if x > 0: log(x)``, ``if d == 0: continue`` before ``y / d``.
They nearly always hold, as whoever writes them wants the result. A test before a root is none: about as many
discriminants lie on either side."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import Cases
from roofscan.parse.syntax import Attribute, Binary, Boolean, Call, Compare, Expression, Literal, Name, Statement, Unary
from roofscan.parse.syntax_walk import walk_all
from roofscan.parse.unparse import unparse

USUAL = Fraction(15, 16)  # of the executions in which a guard holds
TINY = 1e-3  # numbers up to which a divisor counts as 0
Arm = tuple[Statement | Expression, ...]

_DIVISIONS = ("/", "//", "%")
_LOGARITHMS = ("log", "log2", "log10", "log1p")
_HOLDS, _FAILS = (">", ">=", "!="), ("<", "<=", "==")  # of a value beside 0: inside the domain, outside
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}


def note_guard(cx: Context, test: Expression, cases: Cases, then: Arm, orelse: Arm) -> None:
    """The usual share of a test on data that guards one of its arms."""
    holds = _guards(test, True, then)
    if not (holds or _guards(test, False, orelse)) or len(cases.true) != 1 or cases.true[0].conditions:
        return
    usual = USUAL if holds else 1 - USUAL
    for case, share in ((cases.true[0], usual), *((case, 1 - usual) for case in cases.false)):
        cx.builder.usual_share(case.share, share)


def _guards(test: Expression, inside: bool, arm: Arm) -> bool:
    """Whether the arm divides by what is tested, or takes its logarithm. ``inside``: it runs where the test holds."""
    parts = list(_parts(test, "and" if inside else "or"))
    subjects = [_subject(part, inside) for part in parts]
    return bool(parts) and all(subject is not None and _needs(arm, subject) for subject in subjects)


def _parts(test: Expression, op: str) -> Iterable[Expression]:
    if isinstance(test, Boolean) and test.op == op:
        return (*_parts(test.left, op), *_parts(test.right, op))
    return (test,)


def _subject(test: Expression, inside: bool) -> str | None:
    """What is compared with 0, or with a number that is nearly 0, so that its domain is on the side asked."""
    if not isinstance(test, Compare) or len(test.operators) != 1:
        return None
    left, right, op = *test.operands, test.operators[0]
    if _is_tiny(left):
        left, right, op = right, left, _TURNED.get(op, op)
    if not _is_tiny(right) or op not in (_HOLDS if inside else _FAILS):
        return None
    if isinstance(left, Call) and len(left.args) == 1 and _called(left) in ("abs", "fabs"):
        left = left.args[0]
    return unparse(left)


def _is_tiny(node: Expression) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, (int, float)) and abs(node.value) <= TINY


def _needs(arm: Arm, subject: str) -> bool:
    """Whether the arm is undefined where the subject is 0."""
    for node in walk_all(arm):
        if isinstance(node, Binary) and node.op in _DIVISIONS and _factors(node.right, subject):
            return True
        if isinstance(node, Call) and _called(node) in _LOGARITHMS and any(_factors(a, subject) for a in node.args):
            return True
    return False


def _factors(node: Expression, subject: str) -> bool:
    """Whether an expression is the subject, or a product or a quotient with it."""
    if unparse(node) == subject:
        return True
    if isinstance(node, Binary) and node.op in ("*", "/", "**"):
        return _factors(node.left, subject) or _factors(node.right, subject)
    return isinstance(node, Unary) and _factors(node.operand, subject)


def _called(node: Call) -> str:
    called = node.function
    return called.name if isinstance(called, Attribute) else called.id if isinstance(called, Name) else ""
