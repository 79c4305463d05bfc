"""The first caches: what the blocks of a multiprocessor read that is not there any more."""

from __future__ import annotations

from collections.abc import Sequence, Set
from fractions import Fraction
from functools import cached_property
from math import exp, inf

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.gpu.device import Device, resident_blocks
from roofscan.cost.memory.gpu.programs.activity import ActiveClasses
from roofscan.cost.memory.gpu.programs.program import Program
from roofscan.cost.memory.gpu.programs.spans import ActiveBlocks
from roofscan.cost.memory.gpu.random_addresses import at_places, readable, share
from roofscan.cost.memory.gpu.touched.boxes import EveryBlock
from roofscan.cost.memory.gpu.touched.first_reads import Fetched
from roofscan.cost.memory.gpu.touched.launch import LaunchFootprint
from roofscan.cost.memory.gpu.traffic.levels import INDEPENDENT, CacheContents, SharedCache, Walk
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.ir.kinds import BlockGroup
from roofscan.memo import kept

APART_AT_BARRIERS = Fraction(3, 4)  # of what resident blocks with barriers read alike, each again (measured on an H200)
SELDOM = Fraction(1, 20)  # of what blocks read, that is not looked for in what others left
FEW_TIMES = 4  # of what all blocks touch, that they read
OF_ONE: BlockGroup = "the blocks of a multiprocessor"


class FirstCaches:
    def __init__(
        self,
        program: Program,
        device: Device,
        active: ActiveClasses,
        resident: Sequence[Num],
        touched: LaunchFootprint,
        stored: Fetched,
    ) -> None:
        """``resident``: blocks a multiprocessor; ``stored``: what passes through."""
        self._program = program
        self._device = device
        self._active = active
        self._resident = resident
        self._touched = touched
        self._stored = stored
        self._every = EveryBlock(active, program)
        self._references = program.global_references

    @kept
    def missed(self, granule: int, room: int | None = None) -> Fetched:
        """The reads of all blocks that miss in the first caches."""
        device, launch = self._device, self._program.launch
        in_common = device.shared <= device.l1  # else it lies apart
        taken = resident_blocks(launch, device) * (launch.shared + device.shared_overhead)
        capacity = device.l1 - (taken if launch.shared and in_common else 0)
        cache = SharedCache(room or capacity, device.line, granule, INDEPENDENT, device.unroll, OF_ONE)
        held = [CacheContents(self._every, self._working, n) for n in self._resident]
        found = Walk(self._every, cache, held, self._working).fetched(self._program.through_l1)
        if capacity < device.l1:  # by what the resident blocks take
            found = {name: given(moved, Decision(self._resident[-1])) for name, moved in found.items()}
        found = {name: moved / self._in_step(name) for name, moved in found.items()}
        return {name: self._left_by_others(name, found, cache.capacity) for name in found}

    def _left_by_others(self, name: str, found: Fetched, capacity: int) -> Num:
        """What a block misses of an array that blocks all over the launch read: of what an earlier one on its
        multiprocessor fetched, the part that has not been pushed out since."""
        once, moved = self._touched.whole(self._device.sector, False)[name], found[name]
        first = once * self._device.multiprocessors  # by each multiprocessor
        if name in self._updated or value_of(moved) <= FEW_TIMES * value_of(once):
            return moved
        if moved <= first:
            return given(moved, Decision(first - moved))
        every = total((*found.values(), *self._stored.values()))
        seldom = every * once - moved * (capacity / SELDOM)
        if seldom >= 0:
            return given(moved, Decision(seldom))
        between = value_of(every) * value_of(once) / value_of(moved)
        hit = (1 - exp(-capacity / between)) * (1 - value_of(first) / value_of(moved))
        return given(moved * readable(share(1 - hit, 1.0), moved), *at_places(once, inf))

    @cached_property
    def _updated(self) -> Set[str]:
        return {r.name for r in self._references if r.write or r.scattered}

    @cached_property
    def _working(self) -> Num:
        """The blocks that have active threads."""
        alike = ActiveBlocks(self._program)
        found = [total(b.blocks for b in alike.of(r, self._active.of(r)[0])) for r in self._references]
        return max(found, key=value_of, default=self._program.launch.blocks) or 1

    def _in_step(self, name: str) -> Num:
        """How many blocks a multiprocessor reads an array for at once: all that are resident, where all blocks read the
        same. Barriers let some run ahead of the others: of what one more block reads, it finds a part."""
        walks = (r for r in self._references if any(value_of(stride) for _, stride in r.loops))
        reads = [r for r in walks if r.name == name and not r.write]
        same = reads and all(not any(map(value_of, r.block)) and not r.scattered for r in reads)
        together = self._resident[-1] if same else 1
        if together == 1 or not any(scope.barriers and scope.loop for scope in self._program.root.scopes):
            return together
        return together / (1 + (together - 1) * APART_AT_BARRIERS)
