"""``while``: counted, halving and doubling loops exactly; any other by a symbol for its trips."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.kernel import Condition, Loop
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import Sides, sides
from roofscan.parse.lowering.control.induction import LoweredIteration, closed_forms, finish, lower_iteration
from roofscan.parse.lowering.control.loop_exits import lower_loop_else
from roofscan.parse.lowering.control.loop_variables import loop_variables
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.syntax import While
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, apply, floor_div, maximum, symbol


def lower_while(cx: Context, node: While) -> bool:
    """Counted, halving and doubling loops exactly; any other by a symbol for its trips."""
    line = node.place.line
    var = cx.builder.loop_variable("turn")
    loop = Loop(var, ZERO, ONE, ONE, (), line, source_name="turn")
    holds: list[Sides] = []

    def turn() -> bool:
        holds.append(sides(cx, node.test))
        return cx.block(node.body)

    done = lower_iteration(cx, loop, turn, node.body)
    form = None if done.exit.happened else _counted(done, holds[-1], var) or _geometric(done, holds[-1], var)
    if form is None:
        trips = trip_symbol(cx, line, f"trips_{line}", f"mean trips of the while loop in line {line}")
        cx.builder.reason(line, "the trips of a while loop depend on data", "parametric")
        count = None if done.exit.happened else trips  # the turn that breaks changes less than the others
        finish(cx, replace(loop, stop=trips, early_exit=done.exit.happened), done,
                *closed_forms(done, symbol(var), count), None)  # fmt: skip
    else:
        count, inside, after, guard = form
        loop = replace(loop, stop=count)
        with cx.builder.when(guard, ONE, line):
            finish(cx, loop, done, inside, after, None)
    if not done.exit.happened:
        sides(cx, node.test)  # once more, where it fails
    return lower_loop_else(cx, node)


Form = tuple[Expr, dict[str, Expr | None], dict[str, Expr | None], tuple[Condition, ...]]


def _single_condition(holds: Sides) -> Condition | None:
    """The one exact condition under which the loop goes on."""
    yes, _ = holds
    if len(yes) == 1 and yes[0].share == ONE and len(yes[0].conditions) == 1:
        condition = yes[0].conditions[0]
        return condition if condition.relation in ("ge", "ne") and not condition.modulus else None
    return None


def _counted(done: LoweredIteration, holds: Sides, var: str) -> Form | None:
    """``while k < n: … k += c``: the condition falls by a constant each turn."""
    condition = _single_condition(holds)
    if condition is None:
        return None
    inside, _ = closed_forms(done, ZERO, ZERO)
    placeholders = {p: old.expr for p, old in done.entries.values() if old.expr is not None}
    exits = {p: done.exits[n] for n, (p, _) in done.entries.items()}
    used = condition.expr.symbols & placeholders.keys()
    if (
        not used
        or any(exits[p] is None or inside.get(p) is None for p in used)
        or _data_in(condition.expr, placeholders)
    ):
        return None
    known = {p: e for p, e in exits.items() if e is not None}
    fall = condition.expr - condition.expr.subs(known)
    first = condition.expr.subs(placeholders)
    if fall.constant is None or fall.constant <= 0:
        return None
    if condition.relation == "ne":
        if fall.constant != 1:
            return None
        count = first
    else:
        count = floor_div(first, fall) + 1
    constant = count.constant
    count = Expr.of(max(0, constant)) if constant is not None else count
    return (count, *closed_forms(done, symbol(var), maximum(0, count)), ())


def _data_in(expr: Expr, placeholders: dict[str, Expr]) -> bool:
    return any("~" in s and s not in placeholders for s in expr.symbols)


def _geometric(done: LoweredIteration, holds: Sides, var: str) -> Form | None:
    """``while k < n: … k *= 2`` and ``while k >= 1: … k //= 2``: powers of two of the turn."""
    condition = _single_condition(holds)
    if condition is None or condition.relation != "ge":
        return None
    power = Expr.atom(Func("pow2", (symbol(var),)))
    for name, (placeholder, old) in done.entries.items():
        exit_, k = done.exits[name], symbol(placeholder)
        if exit_ is None or old.expr is None or placeholder not in condition.expr.symbols:
            continue
        if exit_ == 2 * k and condition.expr.coefficient(placeholder) == Expr.of(-1):
            limit = condition.expr + k  # the loop goes on while k <= limit
            count = apply("ilog2", [floor_div(limit, old.expr)]) + 1
            guards = [Condition(limit - old.expr, "ge"), Condition(old.expr - 1, "ge")]
            now = old.expr * power
        elif exit_ == floor_div(k, Expr.of(2)) and condition.expr.coefficient(placeholder) == ONE:
            least = -(condition.expr - k).constant_term  # the loop goes on while k >= least
            if (condition.expr - k).constant is None or least < 1:
                continue
            count = apply("ilog2", [floor_div(old.expr, Expr.of(least))]) + 1
            guards = [Condition(old.expr - least, "ge")]
            now = floor_div(old.expr, power)
        else:
            continue
        if loop_variables(condition.expr) - {placeholder} & {p for p, _ in done.entries.values()}:
            continue
        inside, after = closed_forms(done, symbol(var), count)
        inside[placeholder], after[name] = now, None
        needed = tuple(g for g in guards if g.expr.constant is None or g.expr.constant < 0)
        return count, inside, after, needed
    return None
