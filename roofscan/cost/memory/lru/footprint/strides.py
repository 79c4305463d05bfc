"""How the references of a loop walk over a buffer."""

from __future__ import annotations

from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, loops_below, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import value_of


def walked(loop: LoopNode, buffer: Buffer) -> int:
    """The last dimension in which the loop moves references, perhaps through the bounds of a loop inside; 0 also
    where it moves none."""
    moving = {loop.var}
    for inner in loops_below(loop):
        if any(moving & f.names for f in (*inner.lows, *inner.highs)):
            moving.add(inner.var)
    refs = [r for r in refs_to(loop, buffer) if not r.irregular]
    dims = (n for r in refs for n, s in enumerate(r.subscripts) if moving & s.coefs.keys())
    return max(dims, default=0)


def crossing(loop: LoopNode, buffer: Buffer) -> bool:
    """Whether references to a buffer walk at different speeds, or towards each other."""
    refs = [r for r in refs_to(loop, buffer) if not r.irregular]
    for dim in range(len(buffer.strides)):
        speeds = {value_of(r.subscripts[dim].coefs.get(loop.var, 0)) for r in refs}
        if len(speeds - {0.0}) > 1:
            return True
    return False
