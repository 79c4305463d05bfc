"""Blocks of one loop, run one after the other outside the loops around it: tiling of the loop that carries reuse."""

from __future__ import annotations

from dataclasses import replace

from roofscan.cost.transform.nest import Nest, accesses
from roofscan.ir.kernel import Loop
from roofscan.symbolic.expr import Expr, Operand, minimum


def tiled(nest: Nest, position: int, size: Operand, outside: int = 0, exact: bool = False) -> Nest:
    """The nest with the loop at ``position`` in blocks of ``size`` iterations; the loop over blocks goes ``outside``.

    ``exact`` leaves out the shorter last block, as if the size divided the trips (for costs: a block more or less).
    For loops that count upwards by a number; ValueError for others.
    """
    loop = nest.loops[position]
    step = loop.step.constant
    if step is None or step < 0:
        raise ValueError("a loop that does not count upwards by a number")
    width = Expr.of(size) * step
    name = loop.source_name or loop.var
    blocks = replace(loop, var=loop.var + "_block", step=width, source_name=name * 2, carried=())
    end = Expr.of(blocks.var) + width
    within = replace(loop, start=Expr.of(blocks.var), stop=end if exact else minimum(end, loop.stop))
    before, between = nest.loops[:outside], nest.loops[outside:position]
    return Nest((*before, blocks, *between, within, *nest.loops[position + 1 :]), nest.body)


def carrier(nest: Nest, position: int) -> int | None:
    """The outermost loop with which something that moves with this one does not move, or only by a constant."""
    var = nest.loops[position].var
    for outside, around in enumerate(nest.variables[:position]):
        places: dict[str, set[object]] = {}
        for access in accesses(nest.body):
            subscripts = [e for e in access.index if e is not None]
            if any(var in e.symbols for e in subscripts):
                moving = tuple(e for e in subscripts if around in e.symbols)
                places.setdefault(access.array, set()).add(moving)
        if any(() in found or len(found) > 1 for found in places.values()):
            return outside
    return None


def may_be_tiled(nest: Nest, position: int) -> bool:
    """Whether the loop at ``position`` has bounds that are known outside the nest, and counts upwards."""
    loop: Loop = nest.loops[position]
    step = loop.step.constant
    fixed = not (loop.start.symbols | loop.stop.symbols) & set(nest.variables)
    return position > 0 and fixed and step is not None and step > 0 and not loop.parallel and not nest.loops[0].parallel
