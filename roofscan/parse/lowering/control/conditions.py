"""Tests: conditions on loop variables and sizes are kept exactly, those on data become shares.

A test is worked into disjoint *pieces*, each a conjunction of exact conditions with a share of what is left to
data; the body of an ``if`` is lowered once for each piece of its true side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from roofscan.ir.kernel import Condition
from roofscan.ir.kinds import Relation, SymbolKind
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import either, reached
from roofscan.parse.lowering.control.parameter_tests import outcome, parameters_tested
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.values import (
    FunctionRef,
    NoneValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    may_be_none,
)
from roofscan.parse.syntax import Binary, Boolean, Compare, Expression, Literal, Unary
from roofscan.parse.syntax_walk import named_inside
from roofscan.parse.unparse import unparse
from roofscan.symbolic.expr import ONE, Expr, Func

MAX_PIECES = 8

MAX_COMPLEMENTS = 4
"""Open data branches from which on ``1 - p`` is a symbol: a product of n such sums has 2**n terms."""


@dataclass(frozen=True)
class Piece:
    """Where all ``conditions`` hold, in ``share`` of the executions."""

    conditions: tuple[Condition, ...] = ()
    share: Expr = ONE


Sides = tuple[list[Piece], list[Piece]]  # where the test is true, where it is false; together everything
ALWAYS: Sides = ([Piece()], [])
NEVER: Sides = ([], [Piece()])


def sides(cx: Context, test: Expression) -> Sides:
    """The pieces where ``test`` holds and where it does not; its reads and operations are added to the kernel."""
    if isinstance(test, Boolean):
        return _boolean(cx, test)
    if isinstance(test, Unary) and test.op == "not":
        yes, no = sides(cx, test.operand)
        return no, yes
    if isinstance(test, Compare):
        return _compare(cx, test)
    value = cx.eval(test)
    if may_be_none(value):
        return _by_data(cx, test)
    if isinstance(value, (NoneValue, Text)):
        return ALWAYS if isinstance(value, Text) and value.value else NEVER
    if isinstance(value, Scalar):
        if value.number is not None:
            return ALWAYS if value.number else NEVER
        if value.is_integer and value.expr is not None:
            modulus = _modulus(test, cx)
            return _exact(without_multiples(value.expr, modulus) if modulus else value.expr, "ne", modulus)
    return _by_data(cx, test)


def _boolean(cx: Context, test: Boolean) -> Sides:
    """``and``/``or``; the right side is evaluated only where the left side leaves it open."""
    yes, no = sides(cx, test.left)
    open_side = yes if test.op == "and" else no
    if not open_side:
        return yes, no
    right: Sides = ([], [])
    for position, piece in enumerate(open_side):
        with cx.builder.when(piece.conditions, piece.share, test.place.line):
            inner = sides(cx, test.right)
        right = inner if position == 0 else right
    maybe_bound(cx, test.right)
    both = [_join(p, q) for p in open_side for q in right[0]]
    neither = [_join(p, q) for p in open_side for q in right[1]]
    result = (both, no + neither) if test.op == "and" else (yes + both, neither)
    if max(len(result[0]), len(result[1])) > (1 if cx.builder.is_large else MAX_PIECES):
        return _by_data(cx, test)
    return _merge_data(cx, test, result)


def maybe_bound(cx: Context, *parts: Expression) -> None:
    """What ``:=`` binds in parts that are not always evaluated is not known behind them."""
    cx.frame.names.update(dict.fromkeys(named_inside(*parts), Unknown("a value that depends on a condition")))


def _join(a: Piece, b: Piece) -> Piece:
    return Piece(a.conditions + b.conditions, a.share * b.share)


def _merge_data(cx: Context, test: Expression, result: Sides) -> Sides:
    """A test whose parts are all data is one unknown, with one share."""
    pieces = result[0] + result[1]
    if all(not p.conditions for p in pieces) and len(pieces) > 2:
        return _by_data(cx, test)
    return result


def _compare(cx: Context, test: Compare) -> Sides:
    known = known_text_test(cx, test)
    if known is not None:
        return ALWAYS if known else NEVER
    values = [cx.eval(o) for o in test.operands[:2]]
    result = _pair(cx, test, 0, values[0], values[1])
    for position in range(1, len(test.operators)):  # a < b < c is a < b and b < c, with c last
        values.append(_where(cx, result[0], test.operands[position + 1]))
        yes, no = _pair(cx, test, position, values[position], values[position + 1])
        result = (
            [_join(p, q) for p in result[0] for q in yes],
            result[1] + [_join(p, q) for p in result[0] for q in no],
        )
    maybe_bound(cx, *test.operands[2:])
    return result if len(test.operators) == 1 else _merge_data(cx, test, result)


def _where(cx: Context, pieces: list[Piece], operand: Expression) -> Value:
    """The value of an operand that is evaluated in these pieces only."""
    value: Value = Unknown("an operand that is not evaluated")
    for piece in pieces:
        with cx.builder.when(piece.conditions, piece.share, operand.place.line):
            value = cx.eval(operand)
    return value


def _pair(cx: Context, test: Compare, position: int, left: Value, right: Value) -> Sides:
    """The sides of one comparison of a test, whose operands are evaluated."""
    op, line = test.operators[position], test.place.line
    if len(test.operators) > 1:
        test, position = Compare(test.place, test.operands[position : position + 2], (op,)), 0
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        if left.is_integer and right.is_integer and left.expr is not None and right.expr is not None:
            modulus = _modulus(test.operands[position], cx)
            if modulus and right.expr.constant is not None and op in ("==", "!="):
                return _modular(cx, test, left.expr, right.expr, op, modulus)
            exact = _exact_comparison(op, left.expr - right.expr)
            if exact is not None:
                return exact
        arithmetic.compare(cx, left, right, line)
    elif isinstance(left, View) or isinstance(right, View):
        arithmetic.compare(cx, as_scalar(cx, left, line), as_scalar(cx, right, line), line)
    return _by_data(cx, test)


def _exact_comparison(op: str, difference: Expr) -> Sides | None:
    """The sides of ``difference op 0``."""
    forms: dict[str, tuple[Expr, Relation]] = {
        "<": (-difference - 1, "ge"),
        "<=": (-difference, "ge"),
        ">": (difference - 1, "ge"),
        ">=": (difference, "ge"),
        "==": (difference, "eq"),
        "!=": (difference, "ne"),
        "is": (difference, "eq"),
    }
    return _exact(*forms[op]) if op in forms else None


def _exact(expr: Expr, relation: Relation, modulus: int = 0) -> Sides:
    constant = expr.constant
    if constant is not None:
        value = constant % modulus if modulus else constant
        holds = value >= 0 if relation == "ge" else (value == 0) == (relation == "eq")
        return ALWAYS if holds else NEVER
    positive = Condition(expr, relation, modulus)
    return [Piece((positive,))], [Piece((negated(positive),))]


def negated(condition: Condition) -> Condition:
    """The condition that holds exactly where this one does not."""
    if condition.relation == "ge":
        return Condition(-condition.expr - 1, "ge")
    return Condition(condition.expr, "ne" if condition.relation == "eq" else "eq", condition.modulus)


def _modulus(test: Expression, cx: Context) -> int:
    """m where ``test`` is ``something % m`` (or ``something & 1``) for a constant m, else 0."""
    if isinstance(test, Binary) and test.op in ("%", "&"):
        divisor = test.right
        if isinstance(divisor, Literal) and isinstance(divisor.value, int) and divisor.value > 0:
            if test.op == "%":
                return divisor.value
            return 2 if divisor.value == 1 else 0
    return 0


def _modular(cx: Context, test: Compare, remainder: Expr, wanted: Expr, op: str, modulus: int) -> Sides:
    """``base % m == c`` as a condition on base - c; the remainder is base - m*floor(base/m)."""
    constant = wanted.constant
    if constant is not None and not 0 <= constant < modulus:
        return ALWAYS if op == "!=" else NEVER
    return _exact(without_multiples(remainder, modulus) - wanted, "eq" if op == "==" else "ne", modulus)


def without_multiples(remainder: Expr, modulus: int) -> Expr:
    """What decides a remainder (``base - m*floor(base/m)``): terms that are multiples of m fall out."""
    return Expr({m: c for m, c in remainder.terms.items() if c % modulus or not any(isinstance(a, Func) for a, _ in m)})


def known_text_test(cx: Context, test: Compare) -> bool | None:
    """Tests that facts decide: ``x is None``, ``mode == "full"`` for a known text, ``A.ndim == 2``.

    One that they leave open has not been evaluated.
    """
    if len(test.operators) != 1:
        return None
    [op] = test.operators
    of_none = op in ("is", "is not") and isinstance(test.operands[1], Literal) and test.operands[1].value is None
    texts = (isinstance(o, Literal) and isinstance(o.value, str) for o in test.operands)
    if not of_none and not (op in ("==", "!=") and any(texts)):
        return None
    state = cx.snapshot()
    with cx.builder.inside() as work:
        known = _is_none(cx, test) if of_none else _are_equal_texts(cx, test)
    if known is None:
        cx.restore(state)
        return None
    cx.builder.body.extend(work)
    return known == (op in ("is", "=="))


def _is_none(cx: Context, test: Compare) -> bool | None:
    value = cx.eval(test.operands[0])
    if may_be_none(value):
        return None
    if isinstance(value, NoneValue):
        return True
    made = isinstance(value, Scalar) and (value.made or value.number is not None)
    if made or isinstance(value, (View, TupleValue, Text, FunctionRef)):
        _given(cx, value, test.place.line)
        return False
    return None


def _are_equal_texts(cx: Context, test: Compare) -> bool | None:
    left, right = (cx.eval(o) for o in test.operands)
    return left.value == right.value if isinstance(left, Text) and isinstance(right, Text) else None


def _given(cx: Context, value: Value, line: int) -> None:
    """An array parameter that is asked whether it is None is meant to be there, unless facts say that it is."""
    array = cx.builder.arrays[value.array] if isinstance(value, View) else None
    if array is not None and array.role == "parameter" and array.name not in cx.facts.arrays:
        cx.builder.assume(f"{array.name} is not None (line {line} asks)")


def _by_data(cx: Context, test: Expression) -> Sides:
    """A test on data, by the share of executions where it holds; one on parameters alone always comes out alike."""
    known = outcome(cx, test)
    if known is not None:
        return ALWAYS if known else NEVER
    line = test.place.line
    names = parameters_tested(cx, test)
    text = unparse(test, names or {})
    key: tuple[object, ...] = ("flag", text)
    if names is None:
        key = ("share", text, (test.place.line, test.place.column))
        meaning = f"share of executions where `{text}` holds (line {line}), from 0 to 1"
    else:
        meaning = f"1 if `{text}` holds (line {line}), else 0"
    what = "data" if names is None else "parameters"
    cx.builder.reason(line, f"whether `{text}` holds depends on {what}", "parametric")
    kind: SymbolKind = "flag" if names is not None else "share"
    share = cx.builder.share(key, meaning, line, kind)
    if len(cx.builder.branches) < MAX_COMPLEMENTS:
        return [Piece((), share)], [Piece((), ONE - share)]
    what = f"1 - {share}: the share where `{text}` (line {line}) does not hold"
    return [Piece((), share)], [Piece((), cx.builder.share((*key, "not"), what, line, kind))]


def choose(cx: Context, test: Expression, then: Callable[[], Value], orelse: Callable[[], Value], line: int) -> Value:
    """A conditional expression: each arm under its pieces, and what the whole stands for."""
    yes, no = sides(cx, test)
    result: Value | None = None
    for pieces, arm in ((yes, then), (no, orelse)):
        for piece in pieces:
            with cx.builder.when(piece.conditions, piece.share, line):
                value = arm()
            if reached(cx, piece.conditions):
                result = value if result is None else either(cx, result, value, line)
    return result if result is not None else Unknown("an empty conditional")
