"""Accesses at numbers that data choose once in an iteration of a loop, for all loops inside it: a row ``x[best, :]``
that several loops go through is one row."""

from __future__ import annotations

from roofscan.cost.memory.lru.tree.nodes import Ref
from roofscan.ir.arrays import Array
from roofscan.ir.tree import Access
from roofscan.symbolic.expr import symbol


def place_by_numbers(ref: Ref, node: Access, array: Array) -> None:
    """Gives a reference the numbers that it is at, and the loop of which every iteration has its own."""
    rests = [rest for e, rest in zip(node.index, node.rests) if e is None]
    depth = {loop.var: n for n, loop in enumerate(ref.loops)}
    found: list[int] = []
    for rest in rests:
        if rest is None or not rest.origin or rest.loop is None or len(rest.loop.symbols & depth.keys()) != 1:
            return
        found.append(depth[next(iter(rest.loop.symbols & depth.keys()))])
    if not found:
        return
    known = [e for e in node.index if e is not None] + [rest.expr for rest in rests if rest is not None]
    moved = frozenset(array.fresh_in).union(*(e.symbols for e in known))
    inside = [loop for loop in ref.loops[max(found) + 1 :] if loop.var in moved]
    if any(loop.mean for loop in inside):
        return  # some iterations go further than the mean
    places = {loop.var: symbol(f"@{n}") for n, loop in enumerate(inside)}
    numbers = tuple((rest.origin, rest.loop) for rest in rests if rest is not None)
    axes = tuple(e is None for e in node.index)
    ref.number = (node.array, axes, numbers, *(e.subs(places) for e in known))
    ref.computed_in = ref.loops[max(found)].uid
    ref.moving = frozenset(places)
