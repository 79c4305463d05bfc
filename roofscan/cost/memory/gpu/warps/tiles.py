"""Requests of a tile: neighbouring threads take neighbouring elements."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from roofscan.cost.memory.gpu.device import Device, Triple
from roofscan.cost.memory.gpu.footprint import Dim, ReferenceGroup, footprint
from roofscan.cost.memory.gpu.programs.program import Reference
from roofscan.cost.memory.gpu.random_addresses import distinct
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from roofscan.cost.memory.gpu.warps.requests import WORD
from roofscan.cost.memory.lru.tree.sampled_expr import value_of

WIDEST = 16  # bytes of one load of a thread


def requests_of_tile(reference: Reference, grid: Triple, device: Device) -> RequestCounts:
    """Neighbouring threads take neighbouring elements, each of them 16 bytes at once where those are contiguous."""
    size, elements = reference.size, max(1.0, reference.elements)
    wide, near = together(reference), nearest(reference)
    requests = elements / (device.warp * wide)
    around = (
        *(Dim(b, g) for b, g in zip(reference.block, grid)),
        *(Dim(stride, loop.trips) for loop, stride in reference.loops),
    )
    group = ReferenceGroup(size, (reference.base,), tuple(tile_dims(reference)), around)
    sectors, lines = (value_of(footprint((group,), g)) / g for g in (device.sector, device.line))
    if not near:
        extent = value_of(reference.extent)
        sectors, lines = (distinct(extent / granule, elements) for granule in (device.sector, device.line))
    ways = 1 if wide > 1 or not near else max(1, gcd(near // WORD, device.banks))
    data = max(elements * size / (device.banks * WORD), requests * ways * (size / WORD if size > WORD else 1))
    tags = max(requests, (lines + 2.5 * requests) / device.tag_lines) if lines > 2 * requests else requests
    counted = RequestCounts(requests, sectors, data, tags)
    return counted.for_each(reference.executions, round(elements))


def together(reference: Reference) -> int:
    """The elements of a tile that a thread takes at once."""
    contiguous = nearest(reference) == reference.size
    return max(1, WIDEST // reference.size) if contiguous else 1


def nearest(reference: Reference) -> int:
    """The bytes from an element of a tile to the next; 0 where they lie at random."""
    strides = [abs(round(value_of(stride))) for stride, extent in reference.tile if value_of(extent) > 1]
    if reference.scattered and not any(strides):
        return 0
    return min((stride for stride in strides if stride), default=reference.size)


def tile_dims(reference: Reference) -> Iterator[Dim]:
    """A tile is touched at once."""
    return (Dim(stride, extent) for stride, extent in reference.tile)
