"""Loops whose iterations run different nests by a remainder (``if t % 2 == 0: … else: …``): one iteration for several,
with the nests of each in turn, so that what one leaves in a cache meets what the next one needs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from math import lcm

from roofscan.cost.memory.lru.tree.unroll import COPY
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Body, Loop, Node, When
from roofscan.ir.visitor import BLOCKS, loops, replace_nodes, substitute, walk, with_body
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, NotEvaluable, Number, symbol
from roofscan.symbolic.floors import remainder

MAX_REMAINDERS = 4
"""Iterations that become one, at the most: a nest that runs more seldom is counted by its share."""


def by_residues(body: Body, sample_point: Mapping[str, Number], fresh: Container[str]) -> Body:
    """The body with such loops over several iterations at once; ``fresh``: loops whose iterations have memory of their
    own stay as they are."""
    made: list[Node] = []
    for node in body:
        if isinstance(node, BLOCKS):
            node = with_body(node, by_residues(node.body, sample_point, fresh))
        count = _count(node) if isinstance(node, Loop) and node.var not in fresh else 1
        made += _together(node, count, sample_point) if isinstance(node, Loop) and count > 1 else (node,)
    return tuple(made)


def with_known_divisors(body: Body, sample_point: Mapping[str, Number]) -> Body:
    """The body with remainders by a size (``t % every == 0``) as those by its value."""

    def told(node: Node) -> Body | None:
        if not isinstance(node, When):
            return None
        conditions = tuple(_by_value(condition, sample_point) for condition in node.conditions)
        return (replace(node, conditions=conditions, body=with_known_divisors(node.body, sample_point)),)

    return replace_nodes(body, told)


def _by_value(condition: Condition, sample_point: Mapping[str, Number]) -> Condition:
    """``base - m*floor(base/m) == c`` as a condition on the remainder of base - c; any other as it is."""
    if condition.modulus or condition.relation == "ge" or len(condition.expr.atoms) != 1:
        return condition
    expr = condition.expr.subs({name: sample_point[name] for name in condition.expr.symbols & sample_point.keys()})
    floors = [(m[0][0], -c) for m, c in expr.terms.items() if len(m) == 1 and isinstance(m[0][0], Func)]
    if len(floors) != 1:
        return condition
    [(floor, divisor)] = floors
    base, by = floor.args if floor.name == "floor" else (ZERO, ZERO)
    if not isinstance(divisor, int) or divisor < 2 or by.constant != divisor:
        return condition
    wanted = (remainder(base, Expr.of(divisor)) - expr).constant
    if not isinstance(wanted, int) or not 0 <= wanted < divisor:
        return condition
    return replace(condition, expr=base - wanted, modulus=divisor)


def _count(loop: Loop) -> int:
    """How many iterations in turn differ; 1 where none do, and where too many would."""
    if loop.step != ONE or loop.total is not None or loop.parallel:
        return 1
    variables = {inner.var for inner in loops(loop.body)}
    moduli = [
        c.modulus for c in _remainders(loop.body) if loop.var in c.expr.symbols and not c.expr.symbols & variables
    ]
    return found if moduli and (found := lcm(*moduli)) <= MAX_REMAINDERS else 1


def _remainders(body: Body) -> Iterator[Condition]:
    """The conditions on remainders under which whole nests run."""
    for node in walk(body):
        if isinstance(node, When) and any(loops(node.body)):
            yield from (c for c in node.conditions if c.modulus)


def _together(loop: Loop, count: int, sample_point: Mapping[str, Number]) -> Body:
    trips = loop.stop - loop.start
    try:
        left = int(trips.evaluate(sample_point)) % count
        several = int(trips.evaluate(sample_point)) // count
        rounds = (trips - left) / count
        inside = [
            part
            for r in range(count)
            for part in _copy(loop, loop.start + symbol(loop.var) * count + r, r, sample_point)
        ]
        last = [
            part for r in range(left) for part in _copy(loop, loop.start + rounds * count + r, count + r, sample_point)
        ]
    except NotEvaluable:
        return (loop,)
    if several == 0:
        return tuple(last)
    return (replace(loop, start=ZERO, stop=rounds, body=tuple(inside)), *last)


def _copy(loop: Loop, value: Expr, number: int, sample_point: Mapping[str, Number]) -> Body:
    """The body in an iteration of this value; its loops get variables of their own."""
    names = {inner.var: Expr.of(f"{inner.var}{COPY}r{number}") for inner in loops(loop.body)}
    body = substitute(loop.body, {**names, loop.var: value})
    return _decided(body, {**sample_point, loop.var: 0})


def _decided(body: Body, values: Mapping[str, Number]) -> Body:
    """The body without what conditions on remainders leave out."""

    def left(node: Node) -> Body | None:
        if not isinstance(node, When):
            return None
        decided = [c for c in node.conditions if c.modulus and c.expr.symbols <= values.keys()]
        if not all(c.holds(c.expr.evaluate(values)) for c in decided):
            return ()
        open_ones = tuple(c for c in node.conditions if c not in decided)
        inner = _decided(node.body, values)
        return (replace(node, conditions=open_ones, body=inner),) if open_ones else inner

    return replace_nodes(body, left)
