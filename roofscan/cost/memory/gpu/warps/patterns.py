"""The addresses that warps ask for, of one reference by the threads of one block: few patterns, each made by many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from roofscan.cost.memory.gpu.device import Device, Triple
from roofscan.cost.memory.gpu.programs.program import Reference
from roofscan.cost.memory.gpu.threads.domain import BlockClass
from roofscan.cost.memory.gpu.threads.lanes import active_of, offsets_of
from roofscan.cost.memory.lru.tree.sampled_expr import value_of

Warp = tuple[int, ...]  # the addresses of its active lanes, from that of the first on
Warps = Mapping[tuple[Warp, int], int]  # by what they ask for, and the residue of the first address


class WarpPatterns:
    def __init__(self, block: Triple, device: Device) -> None:
        self._block = block
        self._warp = device.warp
        self._line = device.line
        self._known: dict[object, Warps] = {}

    def of(self, reference: Reference, classes: Sequence[BlockClass]) -> Warps:
        mask, scattered = reference.guards.mask, reference.scattered
        lanes = tuple(c.threads for c in classes)
        key = (lanes, tuple(round(value_of(stride)) for stride in reference.thread), scattered, mask, reference.lanes)
        if key not in self._known:
            found: Counter[tuple[Warp, int]] = Counter()
            active = frozenset(active_of(self._block, classes, mask))
            for table in self._tables(reference):
                for addresses in self._active_lanes(active, table):
                    first = addresses[0]
                    found[tuple(a - first for a in addresses), first % self._line] += 1
            self._known[key] = found
        return self._known[key]

    def _tables(self, reference: Reference) -> Sequence[Sequence[int]]:
        """The addresses by thread, in each iteration of loops in which they differ by more than a shift."""
        x, y, z = self._block
        if reference.scattered:
            return ([t % self._warp * self._line for t in range(x * y * z)],)
        return reference.lanes.tables if reference.lanes else (offsets_of(self._block, reference.thread),)

    def _active_lanes(self, active: Collection[int], table: Sequence[int]) -> Iterator[Sequence[int]]:
        """The addresses of the active lanes of each warp that has any."""
        whole, warp = len(active) == len(table), self._warp
        for first in range(0, len(table), warp):
            lanes = table[first : first + warp]
            if addresses := lanes if whole else [a for t, a in enumerate(lanes, first) if t in active]:
                yield addresses
