"""How the references of a loop walk over a space."""

from __future__ import annotations

from roofscan.cost.reuse.quantity import value_of
from roofscan.cost.reuse.tree import Loop, Space, loops_below


def along_rows(loop: Loop, space: Space) -> bool:
    """Whether the loop moves references along rows, perhaps through the bounds of a loop inside."""
    moving = {loop.var}
    for inner in loops_below(loop):
        if any(moving & f.names for f in (*inner.lows, *inner.highs)):
            moving.add(inner.var)
    refs = (r for r in loop.refs if r.space is space and not r.irregular)
    return any(moving & r.subscripts[-1].coefs.keys() for r in refs)


def crossing(loop: Loop, space: Space) -> bool:
    """Whether references to a space walk at different speeds, or towards each other."""
    refs = [r for r in loop.refs if r.space is space and not r.irregular]
    for dim in range(len(space.strides)):
        speeds = {value_of(r.subscripts[dim].coefs.get(loop.var, 0)) for r in refs}
        if len(speeds - {0.0}) > 1:
            return True
    return False
