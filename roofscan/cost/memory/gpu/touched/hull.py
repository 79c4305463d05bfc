"""Accesses of other strides to one part of an array: together they touch no more than all that lies between the ends of
that part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.cost.memory.gpu.programs.program import Reference, SerialLoop
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of

WHOLE = "all between"  # the variable of a loop from one end to the other: no name of a source has a space


def hull_of(references: Sequence[Reference], loops: Mapping[str, Num]) -> Reference | None:
    """One access in a loop over all that a thread touches, where each thread has a part of its own and the loops of
    accesses to it differ; None where they are alike, or not known in numbers."""
    first = references[0]
    steps = (first.thread, first.block)
    if len({_inside(r, loops) for r in references}) < 2 or not all(_is_plain(r, steps) for r in references):
        return None
    ends = [end for reference in references for end in _ends(reference, loops)]
    if any(isinstance(end, SampledExpr) for end in ends):
        return None
    low, high = round(value_of(min(ends))), round(value_of(max(ends))) + first.size
    most = max(references, key=lambda r: r.executions)
    elements = -(-(high - low) // first.size)
    around = SerialLoop(WHOLE, elements, False)
    return replace(most, base=low, origin=low, loops=((around, first.size),), executions=most.executions * elements)


def _inside(reference: Reference, loops: Mapping[str, Num]) -> tuple[tuple[str, Num], ...]:
    return tuple((loop.var, stride) for loop, stride in reference.loops if loop.var in loops and stride)


def _is_plain(reference: Reference, steps: tuple[object, object]) -> bool:
    odd = reference.scattered or reference.lanes or reference.tile or any(reference.guards.strided)
    return not odd and reference.guards.mask is None and (reference.thread, reference.block) == steps


def _ends(reference: Reference, loops: Mapping[str, Num]) -> tuple[Num, Num]:
    """The least and the greatest address of the first thread, in the first iterations of loops that stand still."""
    reaches = [stride * (loops[loop.var] - 1) for loop, stride in reference.loops if loop.var in loops]
    return reference.base + sum(min(0, r) for r in reaches), reference.base + sum(max(0, r) for r in reaches)
