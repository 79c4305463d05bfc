"""``while``: counted, halving and doubling loops exactly; any other by a symbol for its trips."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Body, Branch, Loop, Node, When
from roofscan.ir.visitor import replace_nodes
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.alternations import end_rotation, rotation_period
from roofscan.parse.lowering.control.breaks import lower_loop_else
from roofscan.parse.lowering.control.cases import cases_of
from roofscan.parse.lowering.control.conditions import Case, Cases
from roofscan.parse.lowering.control.induction import (
    ClosedForms,
    add_loop,
    closed_forms,
    integer_value,
    is_part_of_size,
)  # fmt: skip
from roofscan.parse.lowering.control.loop_body import LoweredBody, is_compared, lower_loop_body
from roofscan.parse.lowering.subscript_ranges import is_natural, is_placeholder, loop_variables
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.values import Scalar, Value
from roofscan.parse.syntax import If, Literal, Simple, Unary, While
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, apply, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import floor_div

POSITIVE = frozenset(("size", "tile", "launch"))  # kinds of symbols that are at least 1
COUNTER = "iteration"
"""What the number of the iteration is called in reports: a ``while`` has no loop variable of its own."""


@dataclass(frozen=True)
class KnownTrips:
    """A loop whose trip count is known, where the ``guards`` hold; it does not run elsewhere."""

    count: Expr
    inside: ClosedForms
    after: ClosedForms
    guards: tuple[Condition, ...] = ()


def lower_while(cx: Context, node: While, period: int = 0) -> bool:
    """One pass covers ``period`` iterations; 0: as many as it takes until the same arrays are in place."""
    node = _with_its_test(node)
    line, state, names, searched = node.place.line, cx.snapshot(), dict(cx.frame.names), not period
    period = period or 1
    var, stop = cx.builder.loop_variable(COUNTER), symbol(cx.builder.loop_variable(COUNTER))
    loop = Loop(var, ZERO, ONE, Expr.of(period), (), line, source_name=COUNTER, is_while=True)
    passes = _lower_passes(cx, node, loop, stop, period)
    done, phases = passes.done, passes.phases
    known = None if done.exit.happened else _counted(cx, passes) or _geometric(passes)
    again = rotation_period(done, names, phases[-1]) if searched else 1
    if again > 1:
        if known is not None or not cx.builder.loops:  # a mean of trips is no multiple of the period
            cx.restore(state)
            return lower_while(cx, node, again)
        cx.builder.reason(line, "arrays that a while loop exchanges are where they were before it", "traffic")
    trips = ZERO
    if known is None:
        if cx.builder.loops and not _open(cx, line) and is_compared(done, ()):
            _open(cx, line).update(done.entries)
            cx.builder.data_names[cx.frame.dotted, line] |= done.entries.keys()
            cx.restore(state)
            return lower_while(cx, node, period)
        trips = trip_symbol(cx, line, f"trips_{line}", f"mean trips of the while loop in line {line}")
        cx.builder.reason(line, "the trips of a while loop depend on data", "parametric")
        for test in passes.tests:
            done = replace(done, nodes=_where_hold(done.nodes, test.true))
        known = KnownTrips(trips, *passes.closed_forms(None if done.exit.happened else trips))
    count = known.count
    done = replace(done, nodes=_ending(done.nodes, stop, count))
    with cx.builder.when(known.guards, ONE, line):
        most = _most(cx, passes) if trips.symbols else None
        whole = replace(loop, stop=count, early_exit=done.exit.happened, most=most)
        add_loop(cx, whole, done, known.inside, known.after, None)
    if not cx.compiled and cx.builder.known_value(count) == 0:
        cx.frame.names = names  # a loop without iterations leaves an integer as it is
    if period > 1:
        end_rotation(cx, phases, None if done.exit.happened else count, line)
    if not done.exit.happened:
        _last_test(cx, node, trips)
    return lower_loop_else(cx, node)


def _with_its_test(node: While) -> While:
    """``while True: if done: break; …`` is ``while not done: …``."""
    first = node.body[0] if node.body else None
    forever = isinstance(node.test, Literal) and bool(node.test.value) and not node.orelse
    if not forever or not isinstance(first, If) or first.orelse or len(first.body) != 1 or len(node.body) == 1:
        return node
    left = first.body[0]
    if not isinstance(left, Simple) or left.kind != "break":
        return node
    return replace(node, test=Unary(first.test.place, "not", first.test), body=node.body[1:])


@dataclass(frozen=True)
class LoweredPasses:
    """A lowered body of as many iterations as there are ``phases``: the names after each."""

    done: LoweredBody
    phases: list[dict[str, Value]]
    tests: list[Cases]  # before each of these iterations
    var: str

    def closed_forms(self, count: Expr | None) -> tuple[ClosedForms, ClosedForms]:
        """An iteration that breaks changes less than the others: ``count`` is None."""
        return closed_forms(self.done, symbol(self.var) / len(self.phases), count, phases=self.phases)

    def after_one(self, name: str) -> Expr | None:
        value = self.phases[0].get(name) if len(self.phases) > 1 else None
        return self.done.exits[name] if len(self.phases) == 1 else integer_value(value)


def _lower_passes(cx: Context, node: While, loop: Loop, stop: Expr, period: int) -> LoweredPasses:
    """The iterations after the first of a pass run where they come before the end."""
    tests: list[Cases] = []
    phases: list[dict[str, Value]] = []

    def lower_iteration() -> bool:
        tests.append(_test_of(cx, node))
        with cx.builder.turn(loop.line):
            ended = cx.block(node.body)
        phases.append(dict(cx.frame.names))
        return ended

    def lower_body() -> bool:
        del tests[:], phases[:]
        ended = lower_iteration()
        for phase in range(1, period):
            with cx.builder.when((Condition(stop - symbol(loop.var) - phase - 1, "ge"),), ONE, loop.line):
                lower_iteration()
        return ended

    done = lower_loop_body(cx, loop, lower_body, node.body)
    return LoweredPasses(done if period == 1 else replace(done, counters={}), phases, tests, loop.var)


def _open(cx: Context, line: int) -> set[str]:
    """The integers of a loop that data end inside another one, tests on which count as tests on data."""
    return cx.builder.open_ends.setdefault((cx.frame.dotted, line), set())


def _test_of(cx: Context, node: While) -> Cases:
    """The loop's own test, which is no share of its iterations."""
    values = (cx.frame.names.get(name) for name in _open(cx, node.place.line))
    own = {s for v in values if isinstance(v, Scalar) and v.expr is not None for s in v.expr.symbols}
    of_data = cx.builder.data_placeholders
    cx.builder.data_placeholders = of_data - own
    cases = cases_of(cx, node.test)
    cx.builder.data_placeholders = of_data | cx.builder.data_placeholders
    return cases


def _ending(body: Body, stop: Expr, count: Expr) -> Body:
    """The later iterations of one pass, until the end that is known now."""
    values = dict.fromkeys(stop.symbols, count)
    return replace_nodes(
        body,
        lambda node: (
            (replace(node, conditions=tuple(replace(c, expr=c.expr.subs(values)) for c in node.conditions)),)
            if isinstance(node, When) and any(stop.symbols & c.expr.symbols for c in node.conditions)
            else None
        ),
    )


def _last_test(cx: Context, node: While, trips: Expr) -> None:
    """The test runs once more, and fails: how much of it runs after ``trips`` that depend on data does so too."""
    line = node.place.line

    def changed(made: Node) -> Body | None:
        if not isinstance(made, When) or all(c.expr.symbols.isdisjoint(trips.symbols) for c in made.conditions):
            return None
        meaning = f"share of the ends of the loop in line {line} at which all of its test is evaluated, from 0 to 1"
        return (Branch(cx.builder.share(("last test", cx.frame.dotted, line), meaning, line), made.body, line),)

    with cx.builder.inside() as nodes:
        fails = cases_of(cx, node.test).false
    for made in replace_nodes(_where_hold(tuple(nodes), fails), changed):
        cx.builder.add(made)


def _where_hold(body: Body, cases: list[Case]) -> Body:
    """The body, which runs where one of these cases holds, without the conditions and branches that do there."""
    held = frozenset.intersection(*(frozenset(case.conditions) for case in cases)) if cases else frozenset()
    share = cases[0].share if len(cases) == 1 else ONE

    def changed(node: Node) -> Body | None:
        if isinstance(node, Branch) and _is_factor(node.share, share):
            return replace_nodes(node.body, changed)
        if not isinstance(node, When) or held.isdisjoint(node.conditions):
            return None
        left, inside = tuple(c for c in node.conditions if c not in held), replace_nodes(node.body, changed)
        return (replace(node, conditions=left, body=inside),) if left else inside

    return replace_nodes(body, changed)


def _is_factor(part: Expr, product: Expr) -> bool:
    """Whether one product of symbols is a factor of another."""
    if len(part.terms) != 1 or len(product.terms) != 1 or not part.symbols:
        return False
    [(inner, _)], [(outer, _)] = part.terms.items(), product.terms.items()
    return all(factor in outer for factor in inner)


def _single_condition(test: Cases) -> Condition | None:
    if len(test.true) == 1 and test.true[0].share == ONE and len(test.true[0].conditions) == 1:
        condition = test.true[0].conditions[0]
        return condition if condition.relation in ("ge", "ne") and not condition.modulus else None
    return None


def _is_positive(cx: Context, fall: Expr) -> bool:
    if fall.constant is not None:
        return fall.constant > 0
    kinds = {cx.builder.symbols[name].kind if name in cx.builder.symbols else "" for name in fall.symbols}
    return kinds <= POSITIVE and is_natural(fall - 1)


def _counted(cx: Context, passes: LoweredPasses) -> KnownTrips | None:
    """``while k < n: … k += c``: the condition falls by a constant or by a size in each iteration."""
    condition = _single_condition(passes.tests[0])
    count = None if condition is None else _trips_while(cx, passes, condition)
    return None if count is None else KnownTrips(count, *passes.closed_forms(maximum(0, count)))


def _most(cx: Context, passes: LoweredPasses) -> Expr | None:
    """The trips after which a condition of ``while k < n and x[k] > 0`` ends the loop, whatever the data are."""
    cases = passes.tests[0].true
    conditions = [c for c in cases[0].conditions if c.relation == "ge" and not c.modulus] if len(cases) == 1 else []
    counts = [count for c in conditions if (count := _trips_while(cx, passes, c)) is not None]
    scaled = (_scaled_until(passes, name, c, []) for name in passes.done.entries for c in conditions)
    counts += [found.count for found in scaled if found is not None]
    known = [count for count in counts if not any(map(is_placeholder, count.symbols))]
    return maximum(0, reduce(minimum, known)) if known else None


def _trips_while(cx: Context, passes: LoweredPasses, condition: Condition) -> Expr | None:
    """How often a condition holds that falls from iteration to iteration, but for what is below 0."""
    done, (inside, _) = passes.done, passes.closed_forms(ZERO)
    placeholders = {p: old.expr for p, old in done.entries.values() if old.expr is not None}
    exits = {p: passes.after_one(n) for n, (p, _) in done.entries.items()}
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
    if not _is_positive(cx, fall) or (condition.relation == "ne" and fall.constant != 1):
        return None
    count = first if condition.relation == "ne" else floor_div(first, fall) + 1
    constant = count.constant
    return Expr.of(max(0, constant)) if constant is not None else count


def _data_in(expr: Expr, placeholders: dict[str, Expr]) -> bool:
    return any(is_placeholder(s) and s not in placeholders for s in expr.symbols)


def _geometric(passes: LoweredPasses) -> KnownTrips | None:
    """``while k < n: … k *= 2`` and ``while k >= 1: … k //= 2``: powers of two in the number of the iteration. Other
    conditions, as the first of ``2 <= k <= n``, hold in every iteration where they do in the first."""
    cases = passes.tests[0].true
    if len(cases) != 1 or cases[0].share != ONE or any(c.modulus for c in cases[0].conditions):
        return None
    for name in passes.done.entries:
        for condition in cases[0].conditions:
            others = [c for c in cases[0].conditions if c is not condition]
            known = _scaled_until(passes, name, condition, others)
            if known is not None:
                return known
    return None


def _scaled_until(
    passes: LoweredPasses, name: str, condition: Condition, others: list[Condition]
) -> KnownTrips | None:  # fmt: skip
    """The trips until a condition on one integer that doubles, or halves, ends the loop."""
    placeholder, old = passes.done.entries[name]
    exit_, k = passes.after_one(name), symbol(placeholder)
    passed_on = {p for p, _ in passes.done.entries.values()}
    if exit_ is None or old.expr is None or loop_variables(condition.expr) & passed_on != {placeholder}:
        return None
    power = Expr.atom(Func("pow2", (symbol(passes.var),)))
    found = _doubling(condition, k, exit_, old.expr, power) or _halving(condition, k, exit_, old.expr, power)
    if found is None or not all(_still_holds(other, placeholder, rises=exit_ == 2 * k) for other in others):
        return None
    count, now, guards = found
    guards = (*guards, *(replace(other, expr=other.expr.subs({placeholder: old.expr})) for other in others))
    inside, after = passes.closed_forms(count)
    inside[placeholder], after[name] = now, None
    needed = tuple(g for g in guards if g.expr.constant is None or g.expr.constant < 0)
    return KnownTrips(count, inside, after, needed)


Geometric = tuple[Expr, Expr, tuple[Condition, ...]]  # the trips, the value in an iteration, and where both hold


def _doubling(condition: Condition, k: Expr, after: Expr, old: Expr, power: Expr) -> Geometric | None:
    limit = condition.expr + k  # the loop goes on while k <= limit
    if condition.relation != "ge" or after != 2 * k or limit.symbols & k.symbols:
        return None
    return _rounds(floor_div(limit, old)), old * power, (Condition(limit - old, "ge"), Condition(old - 1, "ge"))


def _halving(condition: Condition, k: Expr, after: Expr, old: Expr, power: Expr) -> Geometric | None:
    """Halves are rounded down, or up: ceil(k/2**t) is floor((k - 1)/2**t) + 1."""
    least = (k - condition.expr).constant  # the loop goes on while k >= least
    if least is None:
        return None
    if condition.relation == "ne" and least in (0, 1) and is_part_of_size(old):
        least += 1  # it falls to 0, or to 1, and no further
    elif condition.relation != "ge":
        return None
    up = after == floor_div(k + 1, Expr.of(2))
    if not (up or after == floor_div(k, Expr.of(2))) or least < 1 + up:
        return None
    return (
        _rounds(floor_div(old - up, Expr.of(least - up))),
        floor_div(old - up, power) + up,
        (Condition(old - least, "ge"),),
    )


def _rounds(quotient: Expr) -> Expr:
    """How many powers of two are at most a number."""
    none = quotient.constant is not None and quotient.constant < 1
    return ZERO if none else apply("ilog2", [quotient]) + 1


def _still_holds(condition: Condition, placeholder: str, rises: bool) -> bool:
    """Whether what holds of an integer still does when that has risen, or fallen."""
    slope = condition.expr.coefficient(placeholder)
    if condition.relation != "ge" or loop_variables(condition.expr) != {placeholder}:
        return False
    return not condition.expr.atoms and slope in ((ONE,) if rises else (-ONE,))
