"""The bytes that a launch moves: from the second cache to the first ones, between its partitions, and from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import prod

from roofscan.cost.memory.gpu.decisions import Decision, given, least
from roofscan.cost.memory.gpu.device import Device, ceil_of, resident_blocks
from roofscan.cost.memory.gpu.programs.program import Program, Reference, expr_of
from roofscan.cost.memory.gpu.programs.spans import ActiveBlocks
from roofscan.cost.memory.gpu.touched.boxes import by_array
from roofscan.cost.memory.gpu.touched.first_reads import Fetched
from roofscan.cost.memory.gpu.touched.launch import LaunchFootprint
from roofscan.cost.memory.gpu.traffic.first_caches import FirstCaches
from roofscan.cost.memory.gpu.traffic.memory import EARLY, Memory, sums
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes, Movements
from roofscan.cost.memory.gpu.warps.counter import RequestCounter
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from roofscan.cost.memory.gpu.warps.store_groups import passed_on
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.symbolic.expr import ONE, Expr
from roofscan.symbolic.floors import ceil_div, floor_div

LOST_TO_FAR = 4  # of the bytes that blocks share, one in four is fetched into the other partition too
UPDATE = 27.0  # cycles of an atomic update at a random address, before the next one of its sector (measured on an H200)


class Mover:
    """``room``: bytes that a cache holds of data, where other than the device's are meant."""

    def __init__(self, program: Program, device: Device) -> None:
        self._program = program
        self._device = device
        self._counter = RequestCounter(program.launch, device, ActiveBlocks(program))
        self._resident = resident_in_sizes(program, device)
        self._references = program.global_references
        active = self._counter.active
        self._touched = LaunchFootprint(program, device, active)
        self._together = passed_on(program, self._counter)
        self._l1 = FirstCaches(program, device, active, self._resident, self._touched, self._stored)
        self.memory = Memory(program, device, self._resident, self._touched)

    def movements(self) -> Movements:
        shared = sum(self._requests("shared").values(), start=RequestCounts())
        sector = self._device.sector
        least = ArrayBytes(*(self._touched.at_least(sector, writes) for writes in (False, True)))
        surely = ArrayBytes(*(self._touched.surely(sector, writes) for writes in (False, True)))
        return Movements(
            self._program, round(value_of(self._resident[-1])), self._asked, shared, self.from_l2(), self.memory.usual,
            self.memory.through_l2[1], self._touched.together(least.load, least.store), least, surely,
            self._l1.missed(sector), self._stored_in_part(), self._doubtful(), self._issued(), self._queue(least),
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
        sectors run side by side, and a slice begins one per cycle."""
        updates = by_array(r for r in self._references if r.access.atomic and r.write)
        return sum(
            sum(value_of(self._counter.of(r).sectors) * self._counter.serialized_updates(r) for r in found)
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
        granules = self._l1.missed(device.granule, room)
        stored = self.memory.through_l2[1]
        load = dict(sums(self.memory.filled, {name: stored[name] * EARLY for name in self.memory.in_pieces}))
        for name, moved in self._l1.missed(device.sector, room).items():
            unique = self.memory.usual.load[name]
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


def _between_updates(updates: Sequence[Reference]) -> float:
    """Cycles from one atomic update of a sector to the next; those of one word by whole warps come united."""
    return UPDATE if any(r.scattered for r in updates) else 1.0


def _row(reference: Reference) -> object:
    """What stores to the elements of one row have in common: ``p[i, 0]``, ``p[i, 1]``."""
    *still, last = reference.access.index
    if last is None or last.constant is None or reference.scattered:
        return id(reference)
    return reference.name, tuple(still), reference.guards, tuple(loop.var for loop, _ in reference.loops)


# -- blocks on a multiprocessor ---------------------------------------------------------------------
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
