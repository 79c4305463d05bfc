"""The least and the greatest value of a subscript over the open loops."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.ir.expr import Expr, minimum
from roofscan.ir.kernel import Condition, Loop


def extent(expr: Expr, loops: Sequence[Loop], guards: Sequence[Condition]) -> tuple[Expr | None, Expr | None]:
    """The range [lo, hi] of an affine ``expr`` over ``loops``; None for an end that is not known."""
    lo: Expr | None = expr
    hi: Expr | None = expr
    for loop in reversed(loops):
        first, last = loop_range(loop, guards)
        lo = _end(lo, loop.var, first, last)
        hi = _end(hi, loop.var, last, first)
    return lo, hi


def _end(expr: Expr | None, var: str, up: Expr | None, down: Expr | None) -> Expr | None:
    """``expr`` with ``var`` at the end that makes it extreme: ``up`` where its coefficient is positive."""
    if expr is None or var not in expr.symbols:
        return expr
    factor = expr.coefficient(var).constant
    if not expr.is_linear_in([var]) or factor is None:
        return None
    value = up if factor > 0 else down
    return None if value is None else expr.subs({var: value})


def loop_range(loop: Loop, guards: Sequence[Condition]) -> tuple[Expr | None, Expr | None]:
    """The least and greatest value of a loop variable (the greatest may be beyond the last one reached)."""
    step = loop.step.constant
    if loop.total is not None:
        first, last = loop.start, loop.total - 1
    elif step is None:  # tiles are taken to fit
        first, last = loop.start, loop.stop - loop.step
    elif step > 0:
        first, last = loop.start, _plain_bound(loop.stop) - 1
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


def _plain_bound(stop: Expr) -> Expr:
    """For ``min(ii + t, n)`` the argument that no loop variable is in: n."""
    atoms = stop.atoms
    if len(atoms) == 1 and stop == Expr.atom(next(iter(atoms))):
        [atom] = atoms
        if atom.name == "min":
            return next((a for a in atom.args if not any("#" in s for s in a.symbols)), stop)
    return stop


def _tighter(old: Expr, new: Expr, *, greater: bool) -> Expr:
    difference = (new - old).constant
    if difference is None:
        return old if greater else minimum(old, new)
    return new if (difference > 0) == greater else old


def surely_below_zero(expr: Expr | None) -> bool:
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
    if expr is None or any(not isinstance(a, str) or p < 0 or "#" in a for m in expr.terms for a, p in m):
        return False
    return all(c >= 0 for c in expr.terms.values())
