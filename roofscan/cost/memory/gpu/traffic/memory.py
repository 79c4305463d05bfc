"""The second cache and memory: what waves of blocks fetch and write, and how much of it stays for the next ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Set
from fractions import Fraction
from functools import cached_property
from math import inf

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.programs.program import Program
from roofscan.cost.memory.gpu.random_addresses import at_places, distinct, drawn, fetched_again, readable, share
from roofscan.cost.memory.gpu.touched.first_reads import Fetched
from roofscan.cost.memory.gpu.touched.launch import LaunchFootprint
from roofscan.cost.memory.gpu.traffic.levels import CYCLIC, INDEPENDENT, CacheContents, SharedCache, Walk
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes
from roofscan.cost.memory.gpu.traffic.second_cache import BoxSweep, left_dirty
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.ir.kinds import BlockGroup

EARLY = Fraction(2, 5)  # of sectors filled element by element over time, that leave for memory and come back before
NEARLY_WHOLE = Fraction(15, 16)  # of the sectors that stores touch, from which on they fill most of them
RESIDENT: BlockGroup = "the resident blocks"


class Memory:
    def __init__(self, program: Program, device: Device, resident: Sequence[Num], touched: LaunchFootprint) -> None:
        self._program = program
        self._device = device
        self._resident = resident
        self._touched = touched
        self._references = program.global_references

    @cached_property
    def through_l2(self) -> tuple[Fetched, Fetched]:
        return self._over_launch(False, None), self._over_launch(True, None)

    @cached_property
    def usual(self) -> ArrayBytes:
        """With all of the second cache for data."""
        return self.moved()

    def moved(self, room: int | None = None) -> ArrayBytes:
        load, store = (self._over_launch(w, room) for w in (False, True)) if room else self.through_l2
        early = {name: store[name] * EARLY for name in self.in_pieces if name in store}
        if any(map(value_of, store.values())):
            store = left_dirty({**load, **self.filled}, store, self._held, self._device)
        return ArrayBytes(sums(load, self.filled, early), sums(store, early))

    @cached_property
    def filled(self) -> Fetched:
        """Of arrays that are only written: memory is read for the rest of sectors that are never written whole."""
        read, sector = {r.name for r in self._references if not r.write}, self._device.sector
        random = {r.name for r in self._references if r.write and r.scattered and r.size < sector and not r.tile}
        touched, filled = (self._touched.whole(granule, True) for granule in (sector, 1))
        return {
            name: stored
            for name, stored in self.through_l2[1].items()
            if name not in read and (name in random or filled[name] < NEARLY_WHOLE * touched[name])
        }

    @cached_property
    def in_pieces(self) -> Set[str]:
        """Arrays whose sectors threads fill by themselves, an element in each iteration."""
        sector = self._device.sector
        stored = [r for r in self._references if r.write and r.loops and not r.access.atomic and not r.scattered]
        apart = (r for r in stored if not r.loops[-1][0].is_gone and abs(value_of(r.thread[0])) >= sector)
        return {r.name for r in apart if 0 < abs(value_of(r.loops[-1][1])) < sector}

    @cached_property
    def _held(self) -> Num:
        """What one box of blocks after the other finds in the second cache again."""
        return max(
            (sweep.held(self._device) for sweep in self._sweeps(self._device.line, None)), key=value_of, default=0
        )

    def _sweeps(self, granule: int, writes: bool | None) -> Iterator[BoxSweep]:
        for box, larger in itertools.pairwise(self._touched.boxes):
            one, all_ = (self._touched.of(each, granule, writes) for each in (box, larger))
            yield BoxSweep(one, all_, larger.blocks / box.blocks)

    def _over_launch(self, writes: bool, room: int | None) -> Fetched:
        """Wave by wave, row of blocks by row, slab by slab: what one leaves serves the next, where it fits."""
        device, capacity = self._device, room or self._device.l2
        granule = device.sector if writes else device.granule
        cache = SharedCache(capacity, device.line, granule, INDEPENDENT, device.unroll, RESIDENT)
        boxes = self._touched.boxes
        resident = (n * device.multiprocessors for n in self._resident)
        held = [CacheContents(box) for box in (boxes[-1], *map(self._touched.box_of, resident))]
        fetched = Walk(boxes[0], cache, held, writes=writes).fetched(self._program.on_global)
        sweeps = zip(boxes, self._sweeps(device.line, None), self._sweeps(granule, writes))
        for box, touched, sweep in sweeps:
            curve = INDEPENDENT if touched.again else CYCLIC
            share, decisions = curve.at(touched.needed(device), capacity, box.what)
            fetched = {name: given(_swept(moved, sweep, name, share), *decisions) for name, moved in fetched.items()}
        return {name: self._drawn(name, granule, writes) or moved for name, moved in fetched.items()}

    def _drawn(self, name: str, granule: int, writes: bool) -> Num:
        """What is fetched of such an array; 0 of others."""
        found = self._touched.draws(name, writes)
        if found is None:
            return 0
        draws, within = found
        number, extent = value_of(draws), value_of(within)
        first = drawn(draws, within, granule)
        if extent <= self._device.l2:
            return given(first, Decision(self._device.l2 - within))
        missed = fetched_again(number, distinct(extent / granule, number), extent, self._device.l2)
        again = readable(share(missed, number), draws, within)
        return given(draws * granule * again, *at_places(within, inf), Decision(first))


def sums(*parts: Fetched) -> Fetched:
    return {
        name: total(part[name] for part in parts if name in part) for name in dict.fromkeys(n for p in parts for n in p)
    }


def _swept(moved: Num, sweep: BoxSweep, name: str, lost: float) -> Num:
    """By all boxes, of which each finds what the one before touched too, but for the share that is lost."""
    anew, one = moved * sweep.times, sweep.one[name]
    if lost >= 1 or not value_of(one):
        return anew
    kept = moved / one * sweep.all_[name]
    return kept + (anew - kept) * lost if lost else kept
