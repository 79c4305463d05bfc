"""Which accesses of a parallel loop all threads have in common: those whose elements do not move with the loop. An
inner loop moves with the parallel one if both of its ends do (the rows of a chunk); ``range(i)`` starts at one place
for all. What a thread writes where others would is its own: a buffer that each thread allocates."""

from __future__ import annotations

from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.nodes import LoopNode, Ref, loops_below


def find_common(root: LoopNode) -> None:
    """Marks the references in parallel loops whose elements each thread has for itself."""
    for loop in loops_below(root):
        if loop.parallel:
            still = [ref for ref in loop.refs if not _moves(ref, loop)]
            written = {id(ref.buffer) for ref in still if ref.write}
            for ref in loop.refs:
                ref.common = ref in still and id(ref.buffer) not in written


def _moves(ref: Ref, parallel: LoopNode) -> bool:
    if ref.irregular:
        return True
    moving = {parallel.var}
    for loop in ref.loops[ref.loops.index(parallel) + 1 :]:
        if _mentions(loop.lows, moving) and _mentions(loop.highs, moving):
            moving.add(loop.var)
    return _mentions(ref.subscripts, moving)


def _mentions(forms: tuple[Affine, ...], names: set[str]) -> bool:
    return any(not names.isdisjoint(form.names) for form in forms)
