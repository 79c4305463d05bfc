"""Blocks of one loop, run one after the other outside the loops around it: tiling of the loop that carries reuse."""

from __future__ import annotations

from dataclasses import replace

from roofscan.cost.transform.nest import Nest
from roofscan.ir.expr import Expr, minimum
from roofscan.ir.kernel import Loop


def tiled(nest: Nest, position: int, size: int) -> Nest:
    """The nest with the loop at ``position`` in blocks of ``size`` iterations; the loop over blocks is outermost.

    For loops that count upwards by a number; ValueError for others.
    """
    loop = nest.loops[position]
    step = loop.step.constant
    if step is None or step < 0:
        raise ValueError("a loop that does not count upwards by a number")
    blocks = replace(loop, var=loop.var + "_block", step=Expr.of(step * size), source_name=loop.source_name * 2, carried=())
    begin = Expr.of(blocks.var)
    within = replace(loop, start=begin, stop=minimum(begin + step * size, loop.stop))
    loops = (*nest.loops[:position], within, *nest.loops[position + 1 :])
    return Nest((blocks, *loops), nest.body)


def may_be_tiled(nest: Nest, position: int) -> bool:
    """Whether the loop at ``position`` has bounds that are known outside the nest, and counts upwards."""
    loop: Loop = nest.loops[position]
    step = loop.step.constant
    fixed = not (loop.start.symbols | loop.stop.symbols) & set(nest.variables)
    return position > 0 and fixed and step is not None and step > 0 and not loop.parallel and not nest.loops[0].parallel
