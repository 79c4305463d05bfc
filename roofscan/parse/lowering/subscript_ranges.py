"""Ranges of subscripts over the open loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from roofscan.ir.conditions import Condition
from roofscan.ir.loop_names import is_loop_variable
from roofscan.ir.tree import Loop
from roofscan.symbolic.expr import ZERO, Expr, Func, NotEvaluable, Number, symbol
from roofscan.symbolic.extrema import minimum

Ranges = tuple[Sequence[Loop], Sequence[Condition]]

LARGE = 1009  # a size that is large beside constants


def has_loop_variable(expr: Expr) -> bool:
    """Whether an expression contains a loop variable (``i#1``)."""
    return any(map(is_loop_variable, expr.symbols))


def value_at_large_sizes(expr: Expr) -> float:
    """The value by which sizes are compared that hold symbols; 0 where it has none."""
    try:
        return float(expr.evaluate(dict.fromkeys(expr.symbols, LARGE)))
    except NotEvaluable:
        return 0.0


MARK = "~"  # in the names of placeholders


def is_placeholder(name: str) -> bool:
    return MARK in name


def number_of(placeholder: str) -> int:
    """The number in its name, which no other has."""
    return int(placeholder.rpartition(MARK)[2])


def loop_variables(expr: Expr) -> set[str]:
    """The loop variables (``i#1``) in an expression, and the placeholders (``k~2``) for what iterations pass on."""
    return {name for name in expr.symbols if is_loop_variable(name) or is_placeholder(name)}


def extent(expr: Expr, loops: Sequence[Loop], guards: Sequence[Condition]) -> tuple[Expr | None, Expr | None]:
    """The range [lo, hi] of ``expr`` over ``loops``; None for an end that is not known."""
    ranges = (loops, guards)
    exact_lo: Expr | None = expr  # where min, max and floor of sizes cancel, as they stand
    exact_hi: Expr | None = expr
    lo, hi = _plain_end(expr, -1, ranges), _plain_end(expr, 1, ranges)
    for loop in reversed(loops):
        first, last = loop_range(loop, guards)
        exact_lo, exact_hi = _end(exact_lo, loop.var, first, last), _end(exact_hi, loop.var, last, first)
        lo = _plain_end(_end(lo, loop.var, first, last), -1, ranges)
        hi = _plain_end(_end(hi, loop.var, last, first), 1, ranges)
    return (
        lo if exact_lo is None or exact_lo.atoms else exact_lo,
        hi if exact_hi is None or exact_hi.atoms else exact_hi,
    )


def _plain_end(expr: Expr | None, side: int, ranges: Ranges) -> Expr | None:
    """A bound of ``expr`` from below (side -1) or above (1), with min, max and floor replaced by plain bounds."""
    if expr is None or not expr.atoms:
        return expr
    expr = _without_remainders(expr, side)
    total = ZERO
    for monomial, coefficient in expr.terms.items():
        term = Expr({monomial: coefficient})
        if any(not isinstance(atom, str) for atom, _ in monomial):
            if len(monomial) > 1 or monomial[0][1] != 1:
                return None
            [(atom, _)] = monomial
            assert not isinstance(atom, str)
            bound = _atom_bound(atom, side if coefficient > 0 else -side, ranges)
            if bound is None:
                return None
            term = bound * coefficient
        total = total + term
    return total


def _without_remainders(expr: Expr, side: int) -> Expr:
    """``expr`` with each remainder (``x - m*floor(x/m)``, from 0 to m - 1) replaced by one of its ends."""
    for atom in sorted(expr.atoms, key=lambda a: a.key):
        divisor = atom.args[-1].constant
        if atom.name != "floor" or divisor is None or divisor <= 0:
            continue
        rest, share = _beside_remainder(expr, atom, divisor)
        if rest is not None:
            expr = rest + (share * (divisor - 1) if (share > 0) == (side > 0) else 0)
    return expr


def _beside_remainder(expr: Expr, atom: Func, divisor: Number) -> tuple[Expr | None, Fraction]:
    """What a sum holds beside a multiple of the remainder that ``atom`` makes, if it makes one, and how many times."""
    share = -expr.terms.get(((atom, 1),), 0) / Fraction(divisor)
    rest = expr - share * (atom.args[0] - divisor * Expr.atom(atom))
    return (rest if share and len(rest.terms) < len(expr.terms) - 1 else None), share


def _atom_bound(atom: Func, side: int, ranges: Ranges) -> Expr | None:
    """A plain form that is at most (side -1) or at least (1) the atom's value."""
    if (atom.name, side) in (("max", -1), ("min", 1)):
        plain = [arg for arg in atom.args if not arg.atoms]
        return min(plain, key=lambda arg: (arg.constant is None, has_loop_variable(arg), str(arg)), default=None)
    if atom.name == "min":
        return ZERO if all(never_negative(extent(arg, *ranges)[0]) for arg in atom.args) else None
    if atom.name == "floor" and atom.args[1].constant is not None and atom.args[1].constant > 0:
        lo, hi = extent(atom.args[0], *ranges)
        return _floor_bound(lo if side < 0 else hi, atom.args[1], side)
    return None


def _floor_bound(end: Expr | None, divisor: Expr, side: int) -> Expr | None:
    """A bound of floor(p/d) from an end of p."""
    if end is None or end.constant is not None:
        return None if end is None else end // divisor
    if side > 0:
        return end / divisor if (end // divisor).atoms else end // divisor
    return ZERO if never_negative(end) else None


def is_rounded(expr: Expr, loops: Sequence[Loop], guards: Sequence[Condition]) -> bool:
    """Whether the greatest value of ``expr`` may be less than :func:`extent` says, by a floor: ``i // 4 * 4 + 3``."""
    for atom in expr.atoms:
        divisor = atom.args[-1].constant
        if atom.name != "floor" or divisor is None or divisor <= 0:
            continue
        if (rest := _beside_remainder(expr, atom, divisor)[0]) is not None:
            return bool(rest.symbols & atom.args[0].symbols) or is_rounded(rest, loops, guards)
        factor = expr.terms.get(((atom, 1),), 1)
        end = extent(atom.args[0], loops, guards)[factor > 0]
        falls = factor < 0 and (expr - factor * Expr.atom(atom)).symbols & atom.args[0].symbols
        if falls or end is None or (end // divisor).atoms:
            return True
    return False


def _end(expr: Expr | None, var: str, up: Expr | None, down: Expr | None) -> Expr | None:
    """``expr`` with ``var`` at the end that makes it extreme: ``up`` where its coefficient is positive."""
    if expr is None or var not in expr.symbols:
        return expr
    factor = expr.coefficient(var).constant
    if not expr.is_linear_in([var]) or factor is None:
        return None
    value = up if factor > 0 else down
    return None if value is None else expr.subs({var: value})


def remainder(expr: Expr, modulus: int, loops: Sequence[Loop]) -> int | None:
    """``expr mod modulus`` where it is the same in all iterations: the step of a loop may be a multiple of it."""
    steps = {loop.var: loop.step.constant for loop in loops}
    starts = {loop.var: loop.start for loop in loops}
    total: Number = 0
    while expr.terms:
        [(monomial, coefficient), *_] = expr.terms.items()
        expr = expr - Expr({monomial: coefficient})
        if coefficient % 1 or any(not isinstance(atom, str) or power < 0 for atom, power in monomial):
            return None
        if not monomial:
            total += coefficient
        elif coefficient % modulus:
            name, step = str(monomial[0][0]), steps.get(str(monomial[0][0]))
            if monomial != ((name, 1),) or step is None or (coefficient * step) % modulus:
                return None
            expr = expr + starts[name] * coefficient
    return int(total) % modulus


def without_hole(condition: Condition, loops: Sequence[Loop], guards: Sequence[Condition]) -> Condition:
    """``i != 0`` is ``i >= 1`` where i is never negative: a range without a hole."""
    if condition.relation != "ne" or condition.modulus:
        return condition
    lo, hi = extent(condition.expr, loops, guards)
    if lo == ZERO:
        return replace(condition, expr=condition.expr - 1, relation="ge")
    return replace(condition, expr=-condition.expr - 1, relation="ge") if hi == ZERO else condition


def loop_range(loop: Loop, guards: Sequence[Condition]) -> tuple[Expr | None, Expr | None]:
    """The range of a loop variable; its greatest value may lie beyond the last one reached."""
    step = loop.step.constant
    if loop.total is not None:
        first, last = loop.start, loop.total - 1
    elif step is None and not has_loop_variable(loop.start):  # tiles are assumed to fit
        first, last = loop.start, loop.stop - loop.step
    elif step is None or step > 0:
        first, last = loop.start, loop.stop - 1
    else:
        first, last = loop.stop + 1, loop.start
    for guard in guards:
        bound = guard.expr - guard.expr.coefficient(loop.var) * Expr.of(loop.var)
        factor = guard.expr.coefficient(loop.var).constant
        if guard.modulus or loop.var in bound.symbols or factor not in (1, -1):
            continue
        if guard.relation == "eq":
            first = last = -bound if factor == 1 else bound
        elif guard.relation == "ne":  # i != 0 where i starts at 0
            place = -bound if factor == 1 else bound
            first, last = (first + 1 if place == first else first), (last - 1 if place == last else last)
        elif guard.relation == "ge" and factor == 1:
            first = _tighter(first, -bound, greater=True)
        elif guard.relation == "ge":
            last = _tighter(last, bound, greater=False)
    return first, last


def _tighter(old: Expr, new: Expr, *, greater: bool) -> Expr:
    difference = (new - old).constant
    if difference is None:
        return (new if never_negative(new - old) else old) if greater else minimum(old, new)
    return new if (difference > 0) == greater else old


def without_limits(expr: Expr, loops: Sequence[Loop], guards: Sequence[Condition]) -> Expr:
    """``max(0, i - r)`` is ``i - r`` under a guard ``i > r``: of a min or max, the argument that the ranges decide
    for."""
    for atom in expr.atoms if guards else ():
        if atom.name not in ("min", "max") or len(atom.args) != 2:
            continue
        for arg, other in (atom.args, atom.args[::-1]):
            ahead = arg - other if atom.name == "max" else other - arg
            if never_negative(extent(ahead, loops, guards)[0]):
                share = expr.terms.get(((atom, 1),), 0)
                return without_limits(expr + (arg - Expr.atom(atom)) * share, loops, guards) if share else expr
    return expr


def always_negative(expr: Expr | None) -> bool:
    """Whether ``expr`` is negative for all sizes of at least 1."""
    if expr is None:
        return False
    if any(not isinstance(a, str) or p < 0 for m in expr.terms for a, p in m):
        return False
    return bool(expr.terms) and all(c < 0 for c in expr.terms.values())


def can_be_negative(expr: Expr | None) -> bool:
    """Whether ``expr`` is a number below zero."""
    constant = None if expr is None else expr.constant
    return constant is not None and constant < 0


def never_negative(expr: Expr | None) -> bool:
    """Whether ``expr`` is at least 0 for all sizes of at least 0."""
    if expr is None or not all(p >= 0 and _is_never_negative(a) for m in expr.terms for a, p in m):
        return False
    return all(c >= 0 for c in expr.terms.values())


def _is_never_negative(atom: str | Func) -> bool:
    """A size, or one that is divided."""
    if isinstance(atom, str):
        return not is_loop_variable(atom)
    return atom.name == "floor" and all(map(never_negative, atom.args))


def is_natural(expr: Expr | None) -> bool:
    """Whether ``expr`` is at least 0 for all sizes of at least 1."""
    if expr is None or expr.atoms or loop_variables(expr):
        return False
    return never_negative(expr.subs({name: symbol(name) + 1 for name in expr.symbols}))
