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
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable, Number, symbol

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
