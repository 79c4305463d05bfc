"""Which loops LLVM unrolls into the loop around them, so that they have no machine code of their own."""

from __future__ import annotations

from math import inf

from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop, Operation

FEW_TRIPS = 24
FEW_ITERATIONS = 64
"""Loops of at most so many constant trips, and together so many, are unrolled, whatever is in them."""

MANY_TRIPS, SMALL = 48, 300
"""Loops of more constant trips are unrolled where they make no more instructions than LLVM's ``UnrollThreshold``.
Compiled under Numba 0.68: products of two arrays up to 48 trips, updates of a row up to 40."""


def compiled_depth(kernel: Kernel, around: tuple[Loop, ...]) -> int | None:
    """The innermost loop that is not unrolled, by its depth; None where none is left."""
    iterations = 1
    for depth in reversed(range(len(around))):
        trips = constant_trips(kernel, around[depth])
        few = trips is not None and trips <= FEW_TRIPS and iterations * trips <= FEW_ITERATIONS
        if trips is None or not (few or _is_small(kernel, around[depth], trips)):
            return depth
        iterations *= max(1, trips)
    return None


def is_unrolled(kernel: Kernel, loop: Loop) -> bool:
    """Whether it may be, in a loop around it."""
    trips = constant_trips(kernel, loop)
    return trips is not None and (trips <= FEW_TRIPS or _is_small(kernel, loop, trips))


def constant_trips(kernel: Kernel, loop: Loop) -> int | None:
    span, step = (loop.stop - loop.start).constant, loop.step.constant
    return None if span is None or not step or loop.var in kernel.bound_loops else max(0, -int(-span // step))


def _is_small(kernel: Kernel, loop: Loop, trips: int) -> bool:
    return trips <= MANY_TRIPS and _instructions(kernel, loop) <= SMALL


def _instructions(kernel: Kernel, loop: Loop) -> float:
    """Of all iterations: loads, stores, arithmetic, and one for the loop; without limit where there is anything else,
    of which nothing was compiled."""
    trips = constant_trips(kernel, loop)
    if trips is None:
        return inf
    each = 1.0
    for node in loop.body:
        if isinstance(node, Loop):
            each += _instructions(kernel, node)
        elif isinstance(node, Access) or (isinstance(node, Operation) and node.kind != "special"):
            each += 1
        else:
            return inf
    return trips * each
