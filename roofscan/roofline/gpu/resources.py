"""The seconds that each resource of a GPU needs for a launch, were it the only one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import ceil

from roofscan.cost.memory.gpu.device import Device, busy_multiprocessors
from roofscan.cost.memory.gpu.programs.program import Scope
from roofscan.cost.memory.gpu.touched.first_reads import Fetched
from roofscan.cost.memory.gpu.traffic.movements import Movements
from roofscan.cost.memory.lru.tree.sampled_expr import total, value_of
from roofscan.frozen import dataclass
from roofscan.machine.model import Machine, Sourced
from roofscan.roofline.gpu.device import device_of
from roofscan.roofline.gpu.instructions import Instructions
from roofscan.roofline.gpu.phases import phases_of
from roofscan.roofline.gpu.thread_time import ThreadTime
from roofscan.roofline.gpu.tiles import TileProduct, share_of_units
from roofscan.roofline.roof import matrix_rate

SHARE_READ, SHARE_WRITTEN = 0.92, 0.7  # of nameplate, that memory reaches in streams
PIPES = ("fp64", "fp32", "fp16")
MEASURED_GAP = 7 / 8  # of each sector, that the stores left out that the rate of partial stores was measured with
DRAM_AT_RANDOM, L2_AT_RANDOM = 0.55, 0.8  # of the rates of streams, that loads from random addresses reach
OVERLAP = 3.0  # the norm by which resources add up: 1, none hides another; infinite, the longest hides all
INTEGERS = 1.9  # instructions of warps that the integer units of a multiprocessor take a cycle: half of what is issued
FEW_BLOCKS = 2  # resident ones
NEXT_BLOCK = 500.0  # cycles from the end of a block to the start of the next in its place
"""From the counters of 120 kernels on an H200 (see ``benchmarks/README.md``)."""


@dataclass(frozen=True)
class Launched:
    """What a launch moves and issues, on a machine."""

    moved: Movements
    instructions: Instructions
    machine: Machine
    tiles: tuple[TileProduct, ...] = ()  # products of tiles
    held: bool | None = None  # whether the second cache holds all of its data; None: if they fit
    tuned: bool = False  # whether a library's code does it, which issues little beside its loads

    # -- expected -------------------------------------------------------------------------------------
    def expected(self) -> Mapping[str, float]:
        """By the names of ``limit``."""
        memory, second = self.machine.levels[-1], self.machine.levels[-2]
        served = second.bandwidth_all.value if second.bandwidth_all else 0.0
        dram, l2 = self.moved.dram, self.moved.l2
        written = 0.0 if self.is_held else self._in_order(dram.store, DRAM_AT_RANDOM)
        read = 0.0 if self.is_held else self._in_order(dram.load, DRAM_AT_RANDOM)
        partial = value_of(self.moved.partial) / MEASURED_GAP * self._far
        looked_up = self._in_order(l2.load, L2_AT_RANDOM) + value_of(total(l2.store.values())) - partial
        return {
            memory.name: read / self._rate("dram_read", SHARE_READ) + written / self._rate("dram_write", SHARE_WRITTEN),
            second.name: max(
                (looked_up / served if served else 0.0) + partial / (self._figure("partial_store") or served / 3),
                self.moved.queue / self._figure("boost"),
            ),
            "wavefronts": self._wavefronts() / self._cycles,
            "issue": self._issue() / self._cycles,
            "vector": max(self._pipes(), self.matrix_seconds),
            "function": self.instructions.special / (self._figure("special") * self._cycles),
            "latency": self._latency() / self._figure("boost"),
            "launch": self._figure("start"),
        }

    @property
    def seconds(self) -> float:
        """The launch comes before."""
        start, longest = self._figure("start"), self.work_seconds
        return longest + start if longest > start else start

    @property
    def work_seconds(self) -> float:
        """Without the launch. Resources that are asked for at the same time hide each other in part; few resident
        blocks of straight code wait together, and nothing hides that."""
        phases = phases_of(self.moved, self.instructions) if self._rounds == 1 and not self.tuned else []
        if len(phases) > 1:
            return sum(replace(self, moved=moved, instructions=own)._together for moved, own in phases)
        return self._together

    @property
    def _together(self) -> float:
        parts = {name: seconds for name, seconds in self.expected().items() if name != "launch"}
        if self.tuned:
            return max(parts.values())
        each, resident = self.machine.cores * self.moved.resident, self.moved.resident
        whole, left = divmod(self.moved.program.launch.blocks, each)
        full = whole * self._of_round(parts, each, resident, gap=whole > 1) if whole else 0.0
        return full + (self._of_round(parts, left, ceil(left / self.machine.cores), gap=whole > 0) if left else 0.0)

    def _of_round(self, parts: Mapping[str, float], blocks: int, together: int, *, gap: bool) -> float:
        """Of so many blocks that run at once, ``together`` on the busiest multiprocessor. ``gap``: after others."""
        every, launched = dict(parts), self.moved.program.launch.blocks
        waits = every.pop("latency") / self._rounds + (NEXT_BLOCK / self._figure("boost") if gap else 0.0)
        caches = {level.name for level in self.machine.levels}
        alone = together * self._busy / launched
        shares = [seconds * (blocks / launched if name in caches else alone) for name, seconds in every.items()]
        is_straight = not any(isinstance(item, Scope) for item in self.moved.program.root.items)
        if is_straight and self.moved.resident <= FEW_BLOCKS:
            return waits + _together(*shares)
        return _together(waits, *shares)

    @property
    def shares(self) -> Mapping[str, float]:
        parts = self.expected()
        whole = sum(parts.values())
        return {name: seconds / whole for name, seconds in parts.items() if seconds}

    def _in_order(self, loaded: Fetched, at_random: float) -> float:
        """The bytes that take as long in streams; those at random addresses come at a part of the rate, and stored ones
        take a whole granule for each sector."""
        known = {r.name: r for r in sorted(self.moved.program.references, key=lambda r: not r.write)}
        random = {name: r.write for name, r in known.items() if r.scattered}
        granules = self.device.granule / self.device.sector
        each = {name: (granules if write else 1.0) / at_random for name, write in random.items()}
        return sum(value_of(n) * each.get(name, 1.0) for name, n in loaded.items())

    def _wavefronts(self) -> float:
        global_ = sum(value_of(counts.wavefronts) for counts in self.moved.requests.values())
        return global_ + value_of(self.moved.shared.data)

    def _issue(self) -> float:
        """Cycles of the schedulers, or of the units of integers where these have more to do."""
        if self.tuned:
            return 0.0
        warp, schedulers = self._figure("warp"), self._figure("schedulers")
        return max(self.instructions.issued / schedulers, self.instructions.integer / INTEGERS) / warp

    def _pipes(self) -> float:
        return sum(slots / (self._pipe(p) * self._cycles) for p, slots in self.instructions.floating.items())

    def _pipe(self, precision: str) -> float:
        """Operations per cycle and multiprocessor."""
        return self._figure(precision if precision in PIPES else "fp16")

    @property
    def matrix_seconds(self) -> float:
        """Of the multiprocessors that have work, with the tiles that the source has."""
        seconds = self._matrix(fastest=False) * self.machine.cores / self._busy
        return seconds / self.share_of_tiles if seconds else 0.0

    @property
    def share_of_tiles(self) -> float:
        """Of the rate of matrix units, that the products of tiles reach."""
        return share_of_units(self.tiles, *self.units)

    @property
    def units(self) -> tuple[int, float, float]:
        """The warps of a block, multiplications per cycle and multiprocessor, and bytes per cycle of shared memory."""
        precision = max(self.instructions.matrix, key=lambda p: self.instructions.matrix[p], default=None)
        rate = matrix_rate(self.machine, precision) if precision is not None else None
        cycles = self.machine.cores * self._figure("boost")
        warps = max(1, round(self.moved.program.launch.threads / self._figure("warp")))
        return warps, (rate.value if rate is not None else cycles) / 2 / cycles, 4 * self._figure("banks")

    def _matrix(self, *, fastest: bool) -> float:
        """Of matrix units; where there are none for a precision, of plain ones."""
        found = 0.0
        for precision, flops in self.instructions.matrix.items():
            rate = matrix_rate(self.machine, precision)
            each = (rate.nameplate if fastest and rate.nameplate else rate.value) if rate is not None else 0.0
            found += flops / (each or 2 * self._pipe(precision) * self.machine.cores * self._figure("boost"))
        return found

    @property
    def is_held(self) -> bool:
        """Whether the second cache holds all data from one call to the next."""
        if self.held is not None:
            return self.held
        least = self.moved.least
        data = value_of(total((*least.load.values(), *least.store.values())))
        return not self.machine.cold and data <= self.device.l2

    # -- a bound --------------------------------------------------------------------------------------
    def least(self) -> float:
        """Seconds that no launch can beat: nameplate rates, and what must move or be done at least."""
        memory = self.machine.levels[-1]
        surely, leaves = self.moved.surely, self.moved.dram.store  # the second cache keeps what was written last
        written = (min(value_of(moved), value_of(leaves.get(name, 0))) for name, moved in surely.store.items())
        least = value_of(total(surely.load.values())) + sum(written)
        fastest = memory.bandwidth_all.nameplate or memory.bandwidth_all.value if memory.bandwidth_all else 0.0
        data = sum(value_of(c.data) for c in self.moved.requests.values()) + value_of(self.moved.shared.data)
        data = max(0.0, data - self.moved.doubtful)
        cycles = self.machine.cores * self._figure("boost")
        computed = max(self._pipes_at(cycles), self._matrix(fastest=True))
        return max(least / fastest if fastest and not self.is_held else 0.0, data / cycles, computed)

    def _pipes_at(self, cycles: float) -> float:
        sure = 1 - self.instructions.unsure
        slots = {precision: sure * number for precision, number in self.instructions.floating.items()}
        return max((slots[p] / (self._pipe(p) * cycles) for p in slots), default=0.0) / 2

    # -- latency --------------------------------------------------------------------------------------
    @property
    def _rounds(self) -> int:
        """Of resident blocks, one after the other."""
        return ceil(self.moved.program.launch.blocks / (self.machine.cores * self.moved.resident))

    def _latency(self) -> float:
        """Cycles of the rounds of resident blocks, each as long as a thread by itself."""
        thread = ThreadTime(self.moved, self.instructions, self.machine, self.device.sector, self.is_held)
        return self._rounds * ((0.0 if self.tuned else thread.steps) + thread.waits)

    # -- figures --------------------------------------------------------------------------------------
    @property
    def _cycles(self) -> float:
        """Cycles per second of the multiprocessors that have work."""
        return self._busy * self._figure("boost")

    @property
    def _busy(self) -> float:
        return busy_multiprocessors(self.moved.program.launch, self.device)

    @cached_property
    def device(self) -> Device:
        found = device_of(self.machine)
        assert found is not None
        return found

    @property
    def _far(self) -> float:
        return 2 - 1 / self._figure("partitions")

    def _rate(self, key: str, share: float) -> float:
        memory = self.machine.levels[-1].bandwidth_all
        return self._figure(key) or share * ((memory.nameplate or memory.value) if memory else 1.0)

    def _figure(self, key: str) -> float:
        assert self.machine.gpu is not None
        figure: Sourced = self.machine.gpu[key]
        return figure.value


def _together(*seconds: float) -> float:
    """Of resources that are asked for at the same time."""
    longest = max(seconds)
    return longest * sum((s / longest) ** OVERLAP for s in seconds) ** (1 / OVERLAP) if longest else 0.0
