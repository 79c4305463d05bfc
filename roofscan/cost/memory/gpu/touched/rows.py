"""Addresses of single threads as boxes: rows of equal steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from roofscan.cost.memory.gpu.footprint import Dim
from roofscan.cost.memory.gpu.threads.lanes import MOST_PLACES
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of

FEW_STARTS = 16  # of rows that other loops move

Rows = tuple[tuple[Num, ...], tuple[Dim, ...]]  # where equal boxes start, and those


def as_rows(addresses: Iterable[int], loops: Sequence[Dim]) -> Rows:
    """The same addresses, each once, as starts of equal boxes, with the loops that move them all. Where that leaves
    many starts, the iterations of the loops are looked at one by one."""
    found = sorted(set(addresses))
    starts, dims = _factored(found)
    sizes = [(round(value_of(dim.stride)), round(value_of(dim.extent))) for dim in loops]
    if len(starts) > FEW_STARTS and loops and len(found) * prod(extent for _, extent in sizes) <= MOST_PLACES:
        for stride, extent in sizes:
            found = sorted({address + stride * k for address in found for k in range(extent)})
        starts, dims, loops = *_factored(found), ()
    return starts, (*dims, *loops)


def _factored(found: Sequence[int]) -> tuple[tuple[int, ...], tuple[Dim, ...]]:
    dims: list[Dim] = []
    starts = list(found)
    while len(starts) > 1:
        step, length = starts[1] - starts[0], 2
        while length < len(starts) and starts[length] - starts[length - 1] == step:
            length += 1
        rows = [starts[first : first + length] for first in range(0, len(starts), length)]
        if any([at - row[0] for at in row] != [step * k for k in range(length)] for row in rows):
            return tuple(found), ()
        dims.append(Dim(step, length))
        starts = starts[::length]
    return tuple(starts), tuple(dims)
