"""Induction variables: closed forms of what a loop changes, in its iterations and after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from roofscan.ir.tree import Loop
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.control.loop_body import LoweredBody
from roofscan.parse.lowering.elements import as_computed_here
from roofscan.parse.lowering.subscript_ranges import is_natural, is_placeholder, loop_variables
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.values import Scalar, Value
from roofscan.parse.passes.placeholders import NewSymbolKind, Values, substitute_value, without_placeholders
from roofscan.symbolic.atoms import has_function
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import floor_div, remainder
from roofscan.symbolic.powers import power_of

ClosedForms = dict[str, Expr | None]  # None where a value depends on data


def closed_forms(
    done: LoweredBody, number: Expr | None, count: Expr | None, var: str = "",
    phases: Sequence[Mapping[str, Value]] = (),
) -> tuple[ClosedForms, ClosedForms]:  # fmt: skip
    """For each placeholder its value in pass ``number``; for each name its value after ``count`` iterations. A pass is
    one iteration, or as many as there are ``phases``: the names after each."""
    inside: ClosedForms = {}
    after: ClosedForms = {}
    placeholders = {placeholder for placeholder, _ in done.entries.values()}
    for name, (placeholder, old) in done.entries.items():
        assert old.expr is not None
        ends = [symbol(placeholder), *(integer_value(names.get(name)) for names in phases[:-1]), done.exits[name]]
        changes = [b - a for a, b in pairwise(ends) if a is not None and b is not None]
        found: tuple[Expr | None, Expr | None] = None, None
        if len(changes) == len(ends) - 1:
            found = _wrapped_or_scaled(old.expr, placeholder, ends, number, count) or _accumulated(
                old.expr, placeholder, changes, placeholders, number, count, var
            )
        inside[placeholder], after[name] = found
    return inside, after


def _wrapped_or_scaled(
    first: Expr, placeholder: str, ends: Sequence[Expr | None], number: Expr | None, count: Expr | None
) -> tuple[Expr | None, Expr | None] | None:
    """The closed forms of a counter that wraps around, or doubles or halves; None for any other."""
    wrapping = _wrapping(first, placeholder, ends)
    if wrapping is not None:
        start, step, modulus = wrapping

        def value(times: Expr) -> Expr:
            return remainder(start + step * times, modulus)

        return _at(number, value), _at(count, value)
    scaled = None if number is None or len(ends) > 2 else _scaled(first, ends[-1], placeholder, number)
    if scaled is None:
        return None
    known = count is not None and (count.constant is not None or is_natural(count))
    return scaled, _scaled(first, ends[-1], placeholder, count) if known and count is not None else None


def _accumulated(
    first: Expr, placeholder: str, changes: Sequence[Expr], placeholders: set[str], number: Expr | None,
    count: Expr | None, var: str,
) -> tuple[Expr | None, Expr | None]:  # fmt: skip
    """The closed forms of an integer to which each iteration adds one of the changes, in order."""
    if not any(changes):
        return first, first
    change = sum(changes, ZERO)
    if len(changes) == 2 and not change:
        rest = _at(count, lambda n: (changes[0] * remainder(n, Expr.of(2))).subs({placeholder: first}))
        return first, _at(rest, lambda e: first + e)
    varying = set[str]().union(*(c.symbols & (placeholders | loop_variables(c)) for c in changes))
    if not varying:
        return _at(number, lambda n: first + change * n), _at(count, lambda n: first + _summed(changes, n))
    if not var or number is None:
        return None, None
    if varying == {var}:
        before = _over_iterations(changes, var, number)
        if before is None or count is None:
            return _at(before, lambda e: first + e), None
        last = _first(number, var) + count * Fraction(1, len(changes)) / number.coefficient(var)
        return first + before, first + before.subs({var: last})
    if len(changes) > 1 or count is None:
        return None, None
    return _of_iteration_before(first, changes[0] + symbol(placeholder), number, count, var), None


def _at(times: Expr | None, form: Callable[[Expr], Expr]) -> Expr | None:
    return None if times is None else form(times)


def _wrapping(first: Expr, placeholder: str, ends: Sequence[Expr | None]) -> tuple[Expr, Expr, Expr] | None:
    """The start, the step and the modulus of a counter that wraps around, ``k = (k + 1) % n``, and starts below n; one
    that an outer loop passes on, or has wrapped around, does."""
    end = ends[-1]
    for atom in end.atoms if len(ends) == 2 and end is not None else ():
        if atom.name != "floor" or end != remainder(*atom.args):
            continue
        step, modulus = atom.args[0] - symbol(placeholder), atom.args[1]
        starts_below = first == ZERO or (is_natural(first) and is_natural(modulus - 1 - first))
        wrapped = [a.args[0] for a in first.atoms if a.name == "floor" and first == remainder(a.args[0], modulus)]
        if (starts_below or wrapped or _is_passed_on(first)) and not loop_variables(step) | loop_variables(modulus):
            return (*wrapped, first)[0], step, modulus
    return None


def _is_passed_on(first: Expr) -> bool:
    return any(is_placeholder(name) and first == symbol(name) for name in first.symbols)


def _scaled(first: Expr, end: Expr | None, placeholder: str, times: Expr) -> Expr | None:
    """What doubling, or halving, so often makes of an integer: a stride beside the counter of a loop."""
    power = power_of(Expr.of(2), times)
    if end == 2 * symbol(placeholder):
        return first * power
    halves = end == floor_div(symbol(placeholder), Expr.of(2))
    return floor_div(first, power) if halves and is_part_of_size(first) else None


def is_part_of_size(expr: Expr) -> bool:
    """Whether a value is never negative: a size, or a part of one."""
    halves = [atom for atom in expr.atoms if expr == Expr.atom(atom) and atom.name == "floor"]
    return is_natural(halves[0].args[0] if halves else expr)


def _of_iteration_before(first: Expr, end: Expr, number: Expr, count: Expr, var: str) -> Expr | None:
    """What the iteration before this one left, ``end``, and in the first iteration ``first``: ``j = n - 1`` before a
    loop over i that ends with ``j = i`` is ``(i - 1) mod n``."""
    step = number.coefficient(var).constant
    if step != 1 or loop_variables(end) != {var} or not end.is_linear_in([var]) or end.atoms:
        return None
    left, start = end.subs({var: symbol(var) - 1}), _first(number, var)
    modulus = first - left.subs({var: start})
    if not modulus:
        return left
    second, last = left.subs({var: start + 1}), left.subs({var: start + count - 1})
    inside = all(is_natural(e) for e in (first, second, modulus - 1 - first, modulus - 1 - last))
    return remainder(left, modulus) if end.coefficient(var) == ONE and inside else None


def integer_value(value: Value | None) -> Expr | None:
    return value.expr if isinstance(value, Scalar) and value.is_integer else None


def _summed(changes: Sequence[Expr], count: Expr) -> Expr:
    """What ``count`` iterations change, which make these changes in turn."""
    if all(change == changes[0] for change in changes):
        return changes[0] * count
    period = Expr.of(len(changes))
    return sum((c * floor_div(count + len(changes) - 1 - n, period) for n, c in enumerate(changes)), ZERO)


def _first(number: Expr, var: str) -> Expr:
    """The loop variable in the first pass."""
    return -number.coefficient(var, 0) / number.coefficient(var)


def _over_iterations(changes: Sequence[Expr], var: str, number: Expr) -> Expr | None:
    """The sum of the changes in all passes before this one: of a multiple of the variable, and of differences such as
    ``floor(v/m) - floor((v - 1)/m)``, which cancel each other."""
    change = sum(changes, ZERO)
    if not change.atoms:
        if len(changes) > 1 or change.degree(var) != 1 or number != symbol(var):
            return None
        return change.coefficient(var, 0) * number + change.coefficient(var) * number * (number - 1) / 2
    if number.degree(var) != 1 or not number.coefficient(var).constant:
        return None
    total = -Expr({m: c for m, c in changes[0].terms.items() if c < 0})
    step = ONE / (number.coefficient(var) * len(changes))
    ends = [total.subs({var: symbol(var) + step * n}) for n in range(len(changes) + 1)]
    if any(after - before != part for before, after, part in zip(ends, ends[1:], changes, strict=False)):
        return None
    return total - total.subs({var: _first(number, var)})


def add_loop(
    cx: Context, loop: Loop, done: LoweredBody, inside: ClosedForms, after: ClosedForms, last: Expr | None
) -> None:
    """Add the loop to the kernel, and give names their values after it; ``last`` is the loop variable's."""
    why = "a subscript that the loop changes by data"
    body = without_placeholders(done.nodes, inside, why, _new_symbol(cx), done.counters, loop.var)
    for placeholder, old in done.entries.values():
        if old.expr is not None and _is_passed_on(old.expr) and has_function(inside[placeholder] or ZERO, "floor"):
            cx.builder.assume("a number that wraps around in a loop starts within its range")
    recurring = tuple(name for name in done.state if _is_recurring(done, name, inside))
    passed = replace(loop, carried=done.carried, state=done.state, recurring=recurring, integers=done.integers)
    cx.builder.add(replace(passed, body=body))
    frame = cx.frame
    final: Values = {**inside, loop.var: last}
    for name, value in list(frame.names.items()):
        if name in done.entries and isinstance(value, Scalar) and value.is_integer:
            old = done.entries[name][1]
            left: Value = replace(
                old, expr=after[name], number=None, literal=False, loaded_from=None, moved=None,
                why_unknown="a value that a loop changes",
            )  # fmt: skip
        else:
            left = substitute_value(value, final)
        if left is not value:
            frame.names[name] = as_computed_here(cx, left)
    ended = dict(frame.names)
    for names in done.exit.broken:
        broken = {name: substitute_value(substitute_value(v, inside), {loop.var: None}) for name, v in names.items()}
        frame.names = join_names(cx, frame.names, broken, ended, loop.line)


def _new_symbol(cx: Context) -> Callable[[NewSymbolKind, int], Expr]:
    """Makes symbols for what turns out to depend on data."""

    def make(kind: NewSymbolKind, line: int) -> Expr:
        if kind == "trips":
            cx.builder.reason(line, "the trip count depends on a value that a loop changes", "parametric")
            return trip_symbol(cx, line, f"trips_{line}", f"mean trips of the loop in line {line}")
        if kind == "work":
            cx.builder.reason(line, "the size of an operation depends on a value that a loop changes", "parametric")
            return cx.builder.symbol(f"work_{line}", "length", f"mean count of an operation in line {line}", line)
        cx.builder.reason(line, "a test depends on a value that a loop changes", "parametric")
        meaning = f"share of executions where the test in line {line} holds, from 0 to 1"
        return cx.builder.share(("share", cx.frame.dotted, line), meaning, line)

    return make


def _is_recurring(done: LoweredBody, name: str, inside: ClosedForms) -> bool:
    """Whether an integer is computed from itself in each iteration, and is not known in the next."""
    placeholder, end = done.entries[name][0] if name in done.entries else "", done.exits.get(name)
    if not placeholder or inside.get(placeholder) is not None:
        return False
    return name in done.recurring or (end is not None and end.coefficient(placeholder) not in (0, 1))
