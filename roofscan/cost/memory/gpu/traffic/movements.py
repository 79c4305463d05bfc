"""What crosses the interfaces of one launch, in bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from roofscan.cost.memory.gpu.programs.program import Program
from roofscan.cost.memory.gpu.touched.first_reads import Fetched
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.frozen import dataclass


@dataclass(frozen=True)
class ArrayBytes:
    """Bytes by array."""

    load: Fetched
    store: Fetched


@dataclass(frozen=True)
class Movements:
    """What crosses the interfaces of one launch, as counters see it."""

    program: Program
    resident: int  # blocks a multiprocessor
    requests: Mapping[tuple[str, bool], RequestCounts]  # global ones, by array and whether they write
    shared: RequestCounts
    l2: ArrayBytes
    dram: ArrayBytes
    written: Fetched  # to memory, with what stays in the second cache when the launch ends
    touched: Fetched  # each array's sectors, once
    least: ArrayBytes  # what the whole program touches, in sectors
    surely: ArrayBytes  # of that, what moves whatever the data are, and what the model does not know
    misses: Fetched  # the reads that miss in the first caches, in sectors
    partial: Num  # bytes of stored sectors, by the share of each that is left out
    doubtful: float = 0.0  # wavefronts of data that branches on data, or compilers, may leave out
    issued: Mapping[int, float] = field(default_factory=dict)  # by the id of a reference: threads of warps that make it
    queue: float = 0.0  # cycles in which the second cache updates the sectors of atomic operations

    @property
    def arrays(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.requests))

    def of(self, name: str, write: bool) -> RequestCounts:
        return self.requests.get((name, write), RequestCounts())
