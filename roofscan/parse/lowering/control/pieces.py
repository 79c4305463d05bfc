"""Integers that a condition chooses, as one expression: a ``max``, a ``min``, or a remainder where an index wraps."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import Case
from roofscan.parse.lowering.subscript_ranges import extent, is_natural, is_placeholder, loop_range, loop_variables
from roofscan.parse.lowering.values import Scalar, Value
from roofscan.symbolic.atoms import divides
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import floor_div, remainder


def chosen(
    cx: Context, joined: Value | None, then: Value | None, orelse: Value | None, cases: tuple[list[Case], list[Case]]
) -> Value | None:
    """The join of two arms, with its value where the condition between them gives one."""
    condition = _condition(cases)
    if condition is None or not isinstance(joined, Scalar) or joined.expr is not None:
        return joined
    if not isinstance(then, Scalar) or not isinstance(orelse, Scalar) or not (then.is_integer and orelse.is_integer):
        return joined
    if then.expr is None or orelse.expr is None:
        return joined
    expr = _one_expression(cx, condition, then.expr, orelse.expr)
    if expr is None:
        return joined
    divided = {atom for known in (then.expr, orelse.expr, condition.expr) for atom in known.atoms}
    cx.builder.selected.update(Expr.atom(a) for a in expr.atoms if a.name == "floor" and a not in divided)
    return replace(joined, expr=expr, why_unknown="")


def _condition(cases: tuple[list[Case], list[Case]]) -> Condition | None:
    """The one condition that tells the arms apart."""
    true, false = cases
    if len(true) != 1 or len(false) != 1 or true[0].share != ONE or len(true[0].conditions) != 1:
        return None
    [condition] = true[0].conditions
    return None if false[0] != Case((condition.negated,)) else condition


def _one_expression(cx: Context, condition: Condition, then: Expr, orelse: Expr) -> Expr | None:
    if condition.relation == "ne":
        condition, then, orelse = condition.negated, orelse, then
    multiple = _multiple(condition)
    if multiple is not None:
        return orelse + (then - orelse) * divides(*multiple) if not loop_variables(then - orelse) else None
    if condition.relation == "ge":
        test = condition.expr
        first, last = extent(_of_index_itself(test, orelse), cx.builder.loops, cx.builder.guards)
        if is_natural(first) or (last is not None and is_natural(-1 - last)):  # always, or never
            return then if is_natural(first) else orelse
        once = (then + test, then - test) if last == ZERO else ()  # at the one place where it holds, the test is 0
        for form in (then, *once):
            found = _extremum(test, form, orelse) or _around(cx, test, form, orelse)
            if found is not None:
                return found
    other = condition.negated
    for main, first, wrap, second in ((condition, then, other, orelse), (other, orelse, condition, then)):
        found = _wrapped(cx, main, first, wrap, second)
        if found is not None:
            return found
    return _counter(condition, then, orelse) or _counter(other, orelse, then)


def _counter(wrap: Condition, start: Expr, moved: Expr) -> Expr | None:
    """A counter that iterations move by one, and that starts again at one end where it reaches the other: a remainder,
    if it is one before the loop, which :func:`~roofscan.parse.lowering.control.induction.closed_forms` checks."""
    steps = {c for n in moved.symbols if is_placeholder(n) and (c := moved - symbol(n)) in (ONE, -ONE)}
    for test in {"ge": (wrap.expr,), "eq": (wrap.expr, -wrap.expr)}.get(wrap.relation, ()):
        if ONE in steps and start == ZERO and not loop_variables(moved - test):
            return remainder(moved, moved - test)
        if -ONE in steps and moved + test == -ONE and is_natural(start):
            return remainder(moved, start + 1)
    return None


def _multiple(condition: Condition) -> tuple[Expr, Expr] | None:
    """m and p of a condition that m divides p."""
    if condition.modulus:
        return Expr.of(condition.modulus), condition.expr
    for atom in condition.expr.atoms:
        if atom.name == "floor" and condition.expr == atom.args[0] - atom.args[1] * Expr.atom(atom):
            return atom.args[1], atom.args[0]
    return None


# -- max and min ------------------------------------------------------------------------------------
def _extremum(test: Expr, then: Expr, orelse: Expr) -> Expr | None:
    """``then`` where ``test >= 0``, else ``orelse``: their max or min where they differ by as much as the test says."""
    for sign, larger in ((1, maximum), (-1, minimum)):
        if _goes_with(test, (then - orelse) * sign):
            return larger(then, orelse)
        if _is_limited(orelse, then, test, sign):
            return larger(then, orelse)
    return None


def _goes_with(test: Expr, difference: Expr) -> bool:
    """Whether a difference of integers is at least 0 where the test is, and at most 0 elsewhere."""
    for times in (1, 2):  # twice: an index that is reflected at an end
        spare = (difference - test * times).constant
        if spare is not None and 0 <= spare <= times:
            return True
    return False


def _is_limited(orelse: Expr, then: Expr, test: Expr, sign: int) -> bool:
    """Whether ``orelse`` is the min (max) of a form that the test compares with ``then``, and of limits beyond it."""
    atom = next(iter(orelse.atoms), None) if len(orelse.atoms) == 1 else None
    if not isinstance(atom, Func) or atom.name != ("max" if sign < 0 else "min"):
        return False
    rest = orelse - Expr.atom(atom)
    forms = [form + rest for form in atom.args]
    compared = [form for form in forms if _goes_with(test, (then - form) * sign)]
    return len(compared) == 1 and all(form in compared or is_natural((form - then) * sign) for form in forms)


# -- indices that wrap around -----------------------------------------------------------------------
def _around(cx: Context, test: Expr, then: Expr, orelse: Expr) -> Expr | None:
    """``j + m`` where ``j < 0``, ``j - m`` where ``j >= m``, and where both are asked for: ``j mod m``."""
    for low in (True, False):
        other = _moved_once(orelse, not low)
        for j in (orelse,) if other is None else (orelse, other[0]):
            m = then - j if low else j - then
            if test != (-j - 1 if low else then) or loop_variables(m) or not is_natural(m - 1):
                continue
            if other is not None:
                return _assumed_remainder(cx, *other) if other[1] == m else None
            first, last = extent(j, cx.builder.loops, cx.builder.guards)
            if last is not None and is_natural(m - 1 - last) if low else is_natural(first):
                return _assumed_remainder(cx, j, m)
            periods = floor_div(j, m)
            return j - m * (minimum(ZERO, periods) if low else maximum(ZERO, periods))
    return None


def _of_index_itself(test: Expr, orelse: Expr) -> Expr:
    """The test whether an index that starts again at one end is beyond the other, which then no moved one is."""
    for low in (True, False):
        other = _moved_once(orelse, not low)
        if other is not None and not loop_variables(test + orelse if low else test - orelse):
            return test + (orelse - other[0]) * (1 if low else -1)
    return test


def _moved_once(expr: Expr, low: bool) -> tuple[Expr, Expr] | None:
    """The index and the modulus of one that starts again at one of its two ends only, or is known to."""
    for atom in expr.atoms:
        if atom.name == "floor" and expr == atom.args[0] - atom.args[1] * Expr.atom(atom):
            return atom.args[0], atom.args[1]
        inner = [a for arg in atom.args for a in arg.atoms if a.name == "floor" and arg == Expr.atom(a)]
        if atom.name == ("min" if low else "max") and len(atom.args) == 2 and ZERO in atom.args and inner:
            j, m = inner[0].args
            return (j, m) if expr == j - m * Expr.atom(atom) else None
    return None


def _assumed_remainder(cx: Context, j: Expr, m: Expr) -> Expr:
    first, last = extent(j, cx.builder.loops, cx.builder.guards)
    if last is None or first is None or not is_natural(first + m) or not is_natural(2 * m - 1 - last):
        cx.builder.assume(f"indices that wrap around are less than {m} beyond the ends")
    return remainder(j, m)


def _wrapped(cx: Context, main: Condition, usual: Expr, wrap: Condition, other: Expr) -> Expr | None:
    """``usual mod m`` where ``other`` is that remainder in the single iteration in which ``wrap`` holds."""
    place = _single_iteration(cx, wrap)
    if place is None:
        return None
    before, after = usual.subs(place), other.subs(place)
    modulus = before - after if is_natural(before - after - 1) else after - before
    guards = [*cx.builder.guards, main]
    low, high = extent(usual, cx.builder.loops, guards)
    inside = high is not None and is_natural(low) and is_natural(modulus - 1 - high)
    if not inside or loop_variables(modulus) or not is_natural(after) or not is_natural(modulus - 1 - after):
        return None
    return remainder(usual, modulus)


def _single_iteration(cx: Context, condition: Condition) -> dict[str, Expr] | None:
    """The loop variable and its value where a condition holds in one iteration only."""
    for loop in cx.builder.loops:
        factor = condition.expr.coefficient(loop.var).constant
        if loop.step != ONE or factor not in (1, -1) or not condition.expr.is_linear_in([loop.var]):
            continue
        if condition.relation == "eq":
            return {loop.var: symbol(loop.var) - condition.expr * factor}
        first, last = loop_range(loop, cx.builder.guards)
        end = last if factor == 1 else first
        places = _limits(end) if factor == 1 else (end,)
        for place in places if condition.relation == "ge" else ():
            if place is not None and condition.expr.subs({loop.var: place}) == ZERO:
                return {loop.var: place}
    return None


def _limits(end: Expr | None) -> tuple[Expr | None, ...]:
    """What no number up to this end is beyond: what it is the least of."""
    if end is None:
        return ()
    least = [atom.args for atom in end.atoms if atom.name == "min" and end == Expr.atom(atom)]
    return least[0] if least else (end,)
