"""Loops that halve or double, unrolled: each of their few iterations becomes a nest of its own, since their subscripts
and bounds (``x[i * 2**t]``, a step of ``n >> t``) are affine only at each value. Where the number of iterations depends
on outer loops, each has its condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Body, Branch, Loop, Node, When
from roofscan.ir.visitor import is_doubling, loops, substitute
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

MAX_UNROLLED = 64  # at most so many iterations are unrolled


COPY = "~"  # separates the name of a loop variable from the number of its copy


Chosen = Callable[[Loop], Sequence[int]]  # the values of the variable of a loop to unroll; none of another


def unrolled(body: Body, sample_point: Mapping[str, Number], others: Chosen | None = None) -> Body:
    """The body with doubling loops unrolled, at the sample point's trip counts, and ``others``."""
    return _body(body, dict(sample_point), frozenset(), others or (lambda _: ()))


def _body(body: Body, values: Mapping[str, Number], outer: frozenset[str], others: Chosen) -> Body:
    return tuple(made for node in body for made in _node(node, values, outer, others))


def _node(node: Node, values: Mapping[str, Number], outer: frozenset[str], others: Chosen) -> Body:
    if isinstance(node, (When, Branch)):
        return (replace(node, body=_body(node.body, values, outer, others)),)
    if not isinstance(node, Loop):
        return (node,)
    iterations = _iterations(node, values, outer) if is_doubling(node) else None
    if iterations is None:
        iterations = [(value, ()) for value in others(node)] or None
    if iterations is None:
        inside = {**values, node.var: _first(node, values)}
        return (replace(node, body=_body(node.body, inside, outer | {node.var}, others)),)
    made: list[Node] = []
    for iteration, conditions in iterations:
        body = _body(_copied(node, iteration), values, outer, others)
        made += [When(conditions, body, node.line)] if conditions else body
    return tuple(made)


def sampled_rounds(body: Body, sample_point: Mapping[str, Number]) -> Iterator[tuple[Loop, tuple[Expr, ...]]]:
    """The loops that are unrolled at a number of rounds that sizes decide, each with what sizes must be to give that
    number: expressions that are at least 0."""
    variables = {loop.var for loop in loops(body)}
    for loop in loops(body):
        if loop.stop.symbols and variables.isdisjoint(loop.stop.symbols) and is_doubling(loop):
            found = _iterations(loop, sample_point, frozenset())
            if found is not None:
                yield loop, tuple(_as_many(loop.stop, int(loop.stop.evaluate(sample_point))))


def _as_many(stop: Expr, rounds: int) -> Iterator[Expr]:
    quotient = _logarithm(stop)
    if quotient is None:
        yield from (stop - rounds, rounds - stop)
        return
    top, bottom, extra = quotient
    power = 2 ** max(0, rounds - extra)
    yield from (top - bottom * power, bottom * (2 * power) - 1 - top)


def known_values(loop: Loop, values: Mapping[str, Number]) -> range:
    """The values of the variable, where its ends are numbers; none else."""
    known = (
        e.subs({n: Expr.of(values[n]) for n in e.symbols if n in values}) for e in (loop.start, loop.stop, loop.step)
    )
    start, stop, step = (e.constant for e in known)
    if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)):
        return range(0)
    return range(start, stop, step)


def _first(loop: Loop, values: Mapping[str, Number]) -> Number:
    """A value of the loop's variable at which inner loops run longest: the first one beyond zero."""
    try:
        return loop.start.evaluate(values) or 1
    except NotEvaluable:
        return 1


# -- how often --------------------------------------------------------------------------------------
def _iterations(
    loop: Loop, values: Mapping[str, Number], outer: frozenset[str]
) -> list[tuple[int, tuple[Condition, ...]]] | None:
    """The values of the variable, each with the conditions under which it happens; None where that is not known."""
    step, start = loop.step.constant, loop.start.constant
    if not isinstance(start, int) or start < 0 or not isinstance(step, int) or step < 1:
        return None
    try:
        trips = min(MAX_UNROLLED, int(loop.stop.evaluate(values)))
    except NotEvaluable:
        return None
    if not loop.stop.symbols & outer:
        return [(t, ()) for t in range(start, trips, step)]
    quotient = _logarithm(loop.stop)
    if quotient is None or start:
        return None
    top, bottom, extra = quotient
    return [(t, (Condition(top - bottom * 2 ** max(0, t + 1 - extra), "ge"),)) for t in range(0, trips, step)]


def _logarithm(stop: Expr) -> tuple[Expr, Expr, int] | None:
    """p, q and c of ``ilog2(floor(p/q)) + c``."""
    [atom] = stop.atoms if len(stop.atoms) == 1 else [None]
    if atom is None or atom.name != "ilog2":
        return None
    extra = (stop - Expr.atom(atom)).constant
    inner = atom.args[0]
    [floor_atom] = inner.atoms if len(inner.atoms) == 1 else [None]
    if extra is None or extra != int(extra):
        return None
    if floor_atom is None:
        return inner, Expr.of(1), int(extra)
    if floor_atom.name != "floor" or inner != Expr.atom(floor_atom):
        return None
    return floor_atom.args[0], floor_atom.args[1], int(extra)


# -- unrolling --------------------------------------------------------------------------------------
def _copied(loop: Loop, iteration: int) -> Body:
    """The body of one iteration; its loops get variables of their own."""
    names = {inner.var: Expr.of(f"{inner.var}{COPY}{iteration}") for inner in loops(loop.body)}
    return substitute(loop.body, {**names, loop.var: Expr.of(iteration)})
