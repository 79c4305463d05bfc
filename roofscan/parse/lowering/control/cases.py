"""Tests, split into disjoint cases: conditions on loop variables and sizes stay exact, those on data become shares. The
body of an ``if`` is lowered once for each case in which its test holds."""

from __future__ import annotations

from dataclasses import replace

from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import (
    ALWAYS,
    NEVER,
    Case,
    Cases,
    exact,
    exact_comparison,
    exact_remainder,
    modulus_of,
    without_multiples,
)
from roofscan.parse.lowering.control.domain_guards import note_guard
from roofscan.parse.lowering.control.join import join, may_run
from roofscan.parse.lowering.control.named_tests import are_truth_values, named_test
from roofscan.parse.lowering.control.parameter_tests import decided, outcome, parameter_test, parameters_tested
from roofscan.parse.lowering.control.pieces import chosen
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.values import NONE, NoneValue, Scalar, Text, Unknown, Value, View, may_be_none
from roofscan.parse.syntax import Boolean, Compare, Conditional, Expression, Unary
from roofscan.parse.syntax_walk import named_inside
from roofscan.parse.unparse import unparse
from roofscan.symbolic.atoms import has_function
from roofscan.symbolic.expr import ONE

MAX_CASES = 8

MAX_COMPLEMENTS = 4  # open data branches from which on ``1 - p`` is a symbol: a product of n such sums has 2**n terms


def cases_of(cx: Context, test: Expression) -> Cases:
    """The cases in which ``test`` holds and those in which it does not. Its reads and operations join the kernel."""
    if isinstance(test, Boolean):
        return _boolean(cx, test)
    if isinstance(test, Unary) and test.op == "not":
        yes, no = cases_of(cx, test.operand)
        return Cases(no, yes)
    if isinstance(test, Compare):
        return _compare(cx, test)
    value = cx.eval(test)
    if (named := named_test(cx, value)) is not None:
        return cases_of(cx, named)
    if may_be_none(value):
        return _by_data(cx, test)
    if isinstance(value, (NoneValue, Text)):
        return ALWAYS if isinstance(value, Text) and value.value else NEVER
    if isinstance(value, Scalar) and not _is_of_data(cx, value):
        if value.number is not None:
            return ALWAYS if value.number else NEVER
        tested = cx.builder.with_facts(value.expr) if value.is_integer and value.expr is not None else None
        if tested is not None and not has_function(tested, "and"):
            modulus = modulus_of(test)
            return _by_facts(cx, exact(without_multiples(tested, modulus) if modulus else tested, "ne", modulus))
    return _by_data(cx, test)


def _is_of_data(cx: Context, value: Value) -> bool:
    """Whether an integer is one that a loop changes by data, and that is tested beside data, or a mean of several."""
    if not isinstance(value, Scalar) or value.expr is None:
        return False
    known = cx.builder.data_placeholders
    return not known.isdisjoint(value.expr.symbols) or bool(cx.builder.means_in(value.expr))


def _by_facts(cx: Context, cases: Cases) -> Cases:
    """The cases of one condition, or its outcome where it is on integer parameters that facts give."""
    conditions = [condition for case in cases.true for condition in case.conditions]
    if len(conditions) != 1 or not cx.builder.are_choices(conditions[0].expr.symbols):
        return cases
    return ALWAYS if may_run(cx, (conditions[0],)) else NEVER


def choose(cx: Context, node: Conditional) -> Value:
    """A conditional expression: each arm is evaluated under its cases; the join of the arms."""
    cases = cases_of(cx, node.test)
    note_guard(cx, node.test, cases, (node.then,), (node.orelse,))
    result: Value | None = None
    line = node.place.line
    for arm_cases, arm in ((cases.true, node.then), (cases.false, node.orelse)):
        for case in arm_cases:
            with cx.builder.when(case.conditions, case.share, line):
                value = cx.eval(arm)
            if may_run(cx, case.conditions):
                result = value if result is None else chosen(cx, join(cx, result, value, line), result, value, cases)
    return result if result is not None else Unknown("an empty conditional")


def forget_named(cx: Context, *parts: Expression) -> None:
    """Names that ``:=`` binds in parts that are not always evaluated are unknown afterwards."""
    cx.frame.names.update(dict.fromkeys(named_inside(*parts), Unknown("a value that depends on a condition")))


def _boolean(cx: Context, test: Boolean) -> Cases:
    """``and``/``or``; the right side is evaluated only where the left side leaves it open."""
    yes, no = cases_of(cx, test.left)
    undecided = yes if test.op == "and" else no
    if not undecided:
        return Cases(yes, no)
    right = Cases([], [])
    for position, case in enumerate(undecided):
        with cx.builder.when(case.conditions, case.share, test.place.line):
            inner = cases_of(cx, test.right)
        right = inner if position == 0 else right
    forget_named(cx, test.right)
    both = [p.and_also(q) for p in undecided for q in right.true]
    neither = [p.and_also(q) for p in undecided for q in right.false]
    result = Cases(both, no + neither) if test.op == "and" else Cases(yes + both, neither)
    if max(len(result.true), len(result.false)) > (1 if cx.builder.is_large else MAX_CASES):
        return _by_data(cx, test)
    return _as_one_share(cx, test, result)


def _as_one_share(cx: Context, test: Expression, result: Cases) -> Cases:
    """A test all of whose parts depend on data gets one share of its own."""
    cases = result.true + result.false
    if all(not case.conditions for case in cases) and len(cases) > 2:
        return _by_data(cx, test)
    if any(cx.builder.symbols[name].kind == "share" for case in cases for name in case.share.symbols):
        tested = (condition.expr.symbols for case in cases for condition in case.conditions)
        cx.builder.tested_beside_data.update(*tested)
    return result


def _equal_tests(cx: Context, test: Compare) -> Cases:
    """Two tests that have one outcome, or not: of known integers, which cost nothing."""
    left, right = (cases_of(cx, operand) for operand in test.operands)
    same = [p.and_also(q) for ps, qs in zip(left, right) for p in ps for q in qs]
    others = [p.and_also(q) for ps, qs in zip(left, right[::-1]) for p in ps for q in qs]
    return Cases(same, others) if test.operators == ("==",) else Cases(others, same)


def _compare(cx: Context, test: Compare) -> Cases:
    if are_truth_values(cx, test):
        return _equal_tests(cx, test)
    known = decided(cx, test)
    if known is not None:
        return ALWAYS if known else NEVER
    values = [cx.eval(o) for o in test.operands[:2]]
    if len(test.operands) == 2 and any(_is_of_data(cx, value) for value in values):
        return _by_data(cx, test)
    if len(values) == len(test.operands) and any(map(may_be_none, values)) and NONE in values:
        return _by_data(cx, test)
    result = _pair(cx, test, 0, values[0], values[1])
    for position in range(1, len(test.operators)):  # a < b < c is a < b and b < c, with c last
        values.append(_evaluated_in(cx, result.true, test.operands[position + 1]))
        yes, no = _pair(cx, test, position, values[position], values[position + 1])
        result = Cases(
            [p.and_also(q) for p in result.true for q in yes],
            result.false + [p.and_also(q) for p in result.true for q in no],
        )
    forget_named(cx, *test.operands[2:])
    return result if len(test.operators) == 1 else _as_one_share(cx, test, result)


def _evaluated_in(cx: Context, cases: list[Case], operand: Expression) -> Value:
    """The value of an operand that is evaluated in these cases only."""
    value: Value = Unknown("an operand that may not be evaluated")
    for case in cases:
        with cx.builder.when(case.conditions, case.share, operand.place.line):
            value = cx.eval(operand)
    return value


def _pair(cx: Context, test: Compare, position: int, left: Value, right: Value) -> Cases:
    """The cases of one comparison of a chain whose operands are evaluated."""
    op, line = test.operators[position], test.place.line
    if len(test.operators) > 1:
        test, position = Compare(test.place, test.operands[position : position + 2], (op,)), 0
        if _is_of_data(cx, left) or _is_of_data(cx, right):
            return _by_data(cx, test)
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        if left.is_integer and right.is_integer and left.expr is not None and right.expr is not None:
            difference = cx.builder.with_facts(left.expr - right.expr)
            modulus = modulus_of(test.operands[position])
            if modulus and right.expr.constant is not None and op in ("==", "!="):
                return _by_facts(cx, exact_remainder(left.expr, right.expr, op, modulus))
            comparison = None if has_function(difference, "and") else exact_comparison(op, difference)
            if comparison is not None:
                return _by_facts(cx, comparison)
        arithmetic.compare(cx, left, right, line)
    elif isinstance(left, View) or isinstance(right, View):
        arithmetic.compare(cx, as_scalar(cx, left, line), as_scalar(cx, right, line), line)
    return _by_data(cx, test)


def _by_data(cx: Context, test: Expression) -> Cases:
    """A test on data holds in a share of the executions. A test on parameters alone has one outcome in a call."""
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
    of_parameters = None if names is None else parameter_test(cx, test, text, names)
    share = cx.builder.share(key, meaning, line, of_parameters)
    cause = "data" if names is None else "parameters"
    cx.builder.reason(line, f"whether `{text}` holds depends on {cause}", "parametric", about=share)
    if len(cx.builder.branches) < MAX_COMPLEMENTS:
        return Cases([Case((), share)], [Case((), ONE - share)])
    meaning = f"1 - {share}: the share where `{text}` (line {line}) does not hold"
    negated = of_parameters and replace(of_parameters, negated=True)
    return Cases([Case((), share)], [Case((), cx.builder.share((*key, "not"), meaning, line, negated))])
