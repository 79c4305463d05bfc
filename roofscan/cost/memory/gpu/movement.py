"""The bytes that a launch moves: from the second cache to the first ones, between its partitions, and from memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from math import exp, inf, prod

from roofscan.cost.memory.gpu.decisions import Decision, given, least
from roofscan.cost.memory.gpu.device import Device, ceil_of, resident_blocks
from roofscan.cost.memory.gpu.l1 import RequestCounter, RequestCounts
from roofscan.cost.memory.gpu.levels import CYCLIC, CacheContents, Fetched, MissCurve, SharedCache, Walk
from roofscan.cost.memory.gpu.program import Program, Reference, expr_of
from roofscan.cost.memory.gpu.random_addresses import at_places, distinct, drawn, fetched_again, readable, share
from roofscan.cost.memory.gpu.second_cache import BoxSweep, left_dirty
from roofscan.cost.memory.gpu.spans import ActiveBlocks
from roofscan.cost.memory.gpu.stores import passed_on
from roofscan.cost.memory.gpu.touched.boxes import EveryBlock, by_array
from roofscan.cost.memory.gpu.touched.launch import LaunchFootprint
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import BlockGroup
from roofscan.symbolic.expr import ONE, Expr
from roofscan.symbolic.floors import ceil_div, floor_div

APART_AT_BARRIERS = Fraction(3, 4)  # of what resident blocks with barriers read alike, each again (measured on an H200)
LOST_TO_FAR = 4  # of the bytes that blocks share, one in four is fetched into the other partition too
UPDATE = 27.0  # cycles of an atomic update at a random address, before the next one of its sector (measured on an H200)
SELDOM = Fraction(1, 20)  # of what blocks read, that is not looked for in what others left
FEW_TURNS = 4  # of what all blocks touch, that they read
EARLY = Fraction(2, 5)  # of sectors filled element by element over time, that leave for memory and come back before
NEARLY_WHOLE = Fraction(15, 16)  # of the sectors that stores touch, from which on they fill most of them
RESIDENT: BlockGroup = "the resident blocks"
OF_ONE: BlockGroup = "the blocks of a multiprocessor"


def set_misses(occupancy: float) -> float:
    """Of lines of many independent threads, by the working set over the capacity: the published curve of an H200's
    second cache (4 % at 0.73, 50 % at 0.92, 88 % at 1.17)."""
    return exp(-553 * exp(-7.26 * occupancy)) if occupancy < 4 else 1.0


INDEPENDENT = MissCurve(set_misses, Fraction(3, 5), Fraction(17, 10))


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


def resident_in_sizes(program: Program, device: Device) -> tuple[Num, Num, Num]:
    """No more blocks than so many are on a multiprocessor: for the number of its threads, for what a block takes of it,
    and for the blocks of this launch."""
    launch, threads = program.launch, prod(program.block, start=program.launch.sharers)
    full = resident_blocks(replace(launch, grid=(device.blocks * device.multiprocessors, 1, 1)), device)
    here = resident_blocks(launch, device)
    if program.number is None:
        return full, full, here
    size, blocks = (prod(map(expr_of, n), start=ONE) for n in ((*program.block, launch.sharers), program.grid))
    registers = size * ceil_of(launch.registers, device.register_unit)
    limits = [
        program.in_sizes(floor_div(Expr.of(device.threads), size)),
        program.in_sizes(floor_div(Expr.of(device.registers), registers)),
    ]
    shared = resident_blocks(replace(launch, block=(1, 1, 1), sharers=1, registers=1, grid=(1 << 30, 1, 1)), device)
    most_held = least(least(*limits), shared)
    return (
        device.threads / threads,
        most_held,
        least(most_held, program.in_sizes(ceil_div(blocks, device.multiprocessors))),
    )


class Mover:
    """``room``: bytes that a cache holds of data, where other than the device's are meant."""

    def __init__(self, program: Program, device: Device) -> None:
        self._program = program
        self._device = device
        self._counter = RequestCounter(program.launch, device, ActiveBlocks(program))
        self._resident = resident_in_sizes(program, device)
        self._every = EveryBlock(self._counter, program)
        self._references = [r for r in program.references if r.array.space == "global"]
        self._touched = LaunchFootprint(program, device, self._counter)
        self._misses: dict[tuple[int, int | None], Fetched] = {}
        self._together = passed_on(program, self._counter)

    def movements(self) -> Movements:
        shared = sum(self._requests("shared").values(), start=RequestCounts())
        sector = self._device.sector
        least = ArrayBytes(*(self._touched.at_least(sector, writes) for writes in (False, True)))
        surely = ArrayBytes(*(self._touched.surely(sector, writes) for writes in (False, True)))
        return Movements(
            self._program, round(value_of(self._resident[-1])), self._asked, shared, self.from_l2(), self._dram,
            self._through_l2[1], self._touched.together(least.load, least.store), least, surely, self._missed(sector),
            self._stored_in_part(),
            self._doubtful(), self._issued(), self._queue(least),
        )  # fmt: skip

    def _issued(self) -> Mapping[int, float]:
        """A warp makes an access with all of its threads, if one of them does."""
        asked = ((id(r), self._counter.of(r).requests) for r in self._program.references)
        return {reference: value_of(requests) * self._device.warp for reference, requests in asked}

    def _doubtful(self) -> float:
        """Assemblers unite atomic updates of one word by the lanes of a warp where they can."""
        return sum(
            value_of(self._counter.of(r).data) for r in self._program.references if not r.sure or r.access.atomic
        )

    def _queue(self, least: ArrayBytes) -> float:
        """Updates of one sector follow one another, and so do those of one word by the lanes of a warp; those of other
        sectors run side by side, and a slice begins one a cycle."""
        updates = by_array(r for r in self._references if r.access.atomic and r.write)
        return sum(
            sum(value_of(self._counter.of(r).sectors) * self._counter.turns(r) for r in found)
            * max(
                1 / self._device.slices,
                _between_updates(found) / max(1.0, value_of(least.store[name]) / self._device.sector),
            )
            for name, found in updates.items()
        )

    def _stored_in_part(self) -> Num:
        """Stores that follow one another, and iterations that are merged into one, fill neighbouring elements."""
        stored = [r for r in self._references if r.write]
        rows: dict[object, set[Expr | None]] = {}
        for r in stored:
            rows.setdefault(_row(r), set()).add(r.access.index[-1])
        return total(self._left_out(r, len(rows[_row(r)])) for r in stored)

    def _left_out(self, reference: Reference, neighbours: int) -> Num:
        sectors = self._passed(reference)
        merged = [
            min(value_of(loop.trips), self._device.unroll)
            for loop, stride in reference.loops[-1:]
            if abs(value_of(stride)) == reference.size
        ]
        together = max(1.0, *merged, 1.0) * neighbours
        filled = value_of(reference.executions) * reference.size * together / max(1.0, value_of(sectors))
        return sectors * Fraction(max(0.0, 1 - filled))

    # -- the first cache ------------------------------------------------------------------------------
    @cached_property
    def _asked(self) -> Mapping[tuple[str, bool], RequestCounts]:
        return self._requests("global")

    def _requests(self, space: str) -> Mapping[tuple[str, bool], RequestCounts]:
        found: dict[tuple[str, bool], RequestCounts] = {}
        for reference in self._program.references:
            if reference.array.space == space and not (reference.access.atomic and not reference.write):
                key = reference.name, reference.write
                found[key] = found.get(key, RequestCounts()) + self._counter.compiled(reference)
        return found

    # -- the second -----------------------------------------------------------------------------------
    def from_l2(self, room: int | None = None) -> ArrayBytes:
        """Look-ups in a far partition count again: one for half of the bytes that the near one holds."""
        device, far = self._device, 1 - 1 / self._device.partitions
        granules = self._missed(device.granule, room)
        stored = self._through_l2[1]
        load = dict(_sums(self._filled, {name: stored[name] * EARLY for name in self._in_pieces}))
        for name, moved in self._missed(device.sector, room).items():
            unique = self._dram.load[name]
            common = granules[name] - unique
            near = unique
            if common > 0:
                near = least(unique + common / LOST_TO_FAR, unique * device.partitions)
            near = given(near, Decision(common if common > 0 else -common))
            load[name] = load.get(name, 0) + moved + near * far
        return ArrayBytes(load, {name: stored * (1 + far) for name, stored in self._stored.items()})

    @cached_property
    def _stored(self) -> Fetched:
        """What passes through the first caches."""
        stores = by_array(r for r in self._references if r.write)
        return {name: total(map(self._passed, found)) for name, found in stores.items()}

    def _passed(self, store: Reference) -> Num:
        return self._counter.of(store).sectors * self._device.sector * self._together.get(store.access.id, 1)

    def _missed(self, granule: int, room: int | None = None) -> Fetched:
        """The reads of all blocks that miss in the first caches."""
        if (granule, room) not in self._misses:
            self._misses[granule, room] = self._through_l1(granule, room)
        return self._misses[granule, room]

    def _through_l1(self, granule: int, room: int | None) -> Fetched:
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
        if name in self._updated or value_of(moved) <= FEW_TURNS * value_of(once):
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
        found = [total(b.blocks for b in alike.of(r, self._counter.activity(r)[0])) for r in self._references]
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

    # -- memory ---------------------------------------------------------------------------------------
    @cached_property
    def _dram(self) -> ArrayBytes:
        return self.from_memory()

    @cached_property
    def _through_l2(self) -> tuple[Fetched, Fetched]:
        return self._over_launch(False, None), self._over_launch(True, None)

    def from_memory(self, room: int | None = None) -> ArrayBytes:
        load, store = (self._over_launch(w, room) for w in (False, True)) if room else self._through_l2
        early = {name: store[name] * EARLY for name in self._in_pieces if name in store}
        if any(map(value_of, store.values())):
            store = left_dirty({**load, **self._filled}, store, self._held, self._device)
        return ArrayBytes(_sums(load, self._filled, early), _sums(store, early))

    @cached_property
    def _filled(self) -> Fetched:
        """Of arrays that are only written: memory hands out the rest of sectors that are never written whole."""
        read, sector = {r.name for r in self._references if not r.write}, self._device.sector
        random = {r.name for r in self._references if r.write and r.scattered and r.size < sector and not r.tile}
        touched, filled = (self._touched.whole(granule, True) for granule in (sector, 1))
        return {
            name: stored
            for name, stored in self._through_l2[1].items()
            if name not in read and (name in random or filled[name] < NEARLY_WHOLE * touched[name])
        }

    @cached_property
    def _in_pieces(self) -> Set[str]:
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


def _sums(*parts: Fetched) -> Fetched:
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


def _between_updates(updates: Sequence[Reference]) -> float:
    """Cycles from one atomic update of a sector to the next; those of one word by whole warps come united."""
    return UPDATE if any(r.scattered for r in updates) else 1.0


def _row(reference: Reference) -> object:
    """What stores to the elements of one row have in common: ``p[i, 0]``, ``p[i, 1]``."""
    *still, last = reference.access.index
    if last is None or last.constant is None or reference.scattered:
        return id(reference)
    return reference.name, tuple(still), reference.guards, tuple(loop.var for loop, _ in reference.loops)
