"""What warps ask of the first cache: requests, sectors and wavefronts of every reference, block class by block class.
Addresses are affine, so that warps differ only in where they begin in a line: those residues are counted, not warps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

from roofscan.cost.memory.gpu.decisions import given, least, most
from roofscan.cost.memory.gpu.device import Device, LaunchSizes, Triple
from roofscan.cost.memory.gpu.programs.activity import ActiveClasses
from roofscan.cost.memory.gpu.programs.program import Reference
from roofscan.cost.memory.gpu.programs.spans import ActiveBlocks
from roofscan.cost.memory.gpu.random_addresses import MAX_SPARSE_DRAWS, at_places, conflicts, distinct
from roofscan.cost.memory.gpu.residues import Residues, residues
from roofscan.cost.memory.gpu.threads.domain import Activity, BlockClass, narrowed
from roofscan.cost.memory.gpu.threads.lanes import active_of, offsets_of
from roofscan.cost.memory.gpu.warps.counts import LIKELY_DENOMINATOR, RequestCounts
from roofscan.cost.memory.gpu.warps.requests import (
    LINES_BEFORE,
    MAX_LINES_AT_ONCE,
    WORD,
    data_wavefronts,
    granules,
    tag_wavefronts,
)
from roofscan.cost.memory.gpu.warps.tiles import WIDEST, requests_of_tile
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of
from roofscan.ir.dtypes import F4, F8, DType
from roofscan.memo import kept

Classes = Mapping[tuple[BlockClass, ...], RequestCounts]


class RequestCounter:
    def __init__(self, launch: LaunchSizes, device: Device, blocks: ActiveBlocks | None = None) -> None:
        self._launch = launch
        self._blocks = blocks
        self._device = device
        self._warps = WarpPatterns(launch.block, device)
        self.active = ActiveClasses(launch)
        self._known: dict[object, Classes] = {}

    def of(self, reference: Reference) -> RequestCounts:
        """Exact where the active threads and the addresses are known; else by the share of threads that execute it."""
        if reference.tile:
            return requests_of_tile(reference, self._launch.grid, self._device)
        if reference.array.dtype.kind == "complex":  # its two parts are asked for one after the other
            return sum(map(self.of, _parts(reference)), start=RequestCounts())
        activity, _ = self.active.of(reference)
        serial = [(loop, stride) for loop, stride in reference.loops if loop.var not in reference.guards.strided]
        times = prod(max(1, round(value_of(loop.trips))) for loop, _ in serial)
        by_lane = reference.lanes.loops if reference.lanes else ()
        shifts = [(_int(s), round(value_of(loop.trips))) for loop, s in serial if loop.var not in by_lane]
        found = self._counted(reference, activity, shifts)
        points = self.active.threads(reference) * times
        executions = reference.executions
        if isinstance(executions, SampledExpr) and value_of(executions) == points and not reference.scattered:
            return self._in_sizes(reference, found, [loop.trips for loop, _ in serial])
        counted = sum(found.values(), start=RequestCounts())
        if reference.lanes is not None and reference.array.record is None:  # steps of blocks may be parts of elements
            counted = replace(counted, sectors=least(counted.sectors, points))
        if reference.access.atomic and reference.array.space == "shared" and not reference.scattered:
            in_turn = counted.requests * Fraction(self.serialized_updates(reference)).limit_denominator(
                LIKELY_DENOMINATOR
            )
            counted = replace(counted, data=most(counted.data, in_turn))
        if reference.scattered and counted.requests:
            counted = self._at_random(reference, counted)
        if isinstance(executions, SampledExpr):
            many = at_places(reference.extent, self._device.warp * self._device.line / MAX_SPARSE_DRAWS)
            scaled = counted.for_each(executions, points)
            return scaled.mapped(lambda count: given(count, *many)) if reference.scattered else scaled
        share = Fraction(executions) / points if points else Fraction(0)
        return counted if share == 1 else counted * share

    def compiled(self, reference: Reference) -> RequestCounts:
        """As compiled code asks. A loop unrolled away reads neighbours of shared memory together, 16 bytes per load: if
        half a warp wants the same, two wavefronts bring what takes four by parts (counted on an H200)."""
        counted = self.of(reference)
        if self._loads_wide(reference):
            return replace(counted, data=counted.data * Fraction(1, 2))
        return counted

    def _loads_wide(self, reference: Reference) -> bool:
        if reference.write or reference.array.space != "shared" or reference.scattered or not reference.loops:
            return False
        loop, step = reference.loops[-1]
        trips, others = value_of(loop.trips), [s for _, s in reference.loops[:-1]]
        whole = loop.is_gone and trips * reference.size % WIDEST == 0
        aligned = all(value_of(s) % WIDEST == 0 for s in (*reference.thread[1:], *others, reference.base))
        half = self._device.warp // 2
        same = not value_of(reference.thread[0]) and value_of(self._launch.block[0]) % half == 0
        return value_of(step) == reference.size and whole and aligned and same

    def lines_of(self, reference: Reference) -> float:
        """That a request touches, in the mean: 2 at least."""
        counted = self.of(reference)
        tags = value_of(counted.tags) / (value_of(counted.requests) or 1.0)
        return max(float(MAX_LINES_AT_ONCE), tags * self._device.tag_lines - LINES_BEFORE)

    def serialized_updates(self, reference: Reference) -> float:
        """How many lanes of a warp update one word, one after the other: the mean over warps, of the word with most
        updates."""
        every = [
            (warp, count * prod(c.count for c in classes))
            for classes in product(*self.active.of(reference)[0])
            for (warp, _), count in self._warps.of(reference, narrowed(classes)).items()
        ]
        warps = sum(count for _, count in every)
        if not warps:
            return 1.0
        if reference.scattered:
            lanes = sum(len(warp) * count for warp, count in every) / warps
            return lanes / distinct(value_of(reference.extent) / reference.size, lanes)
        return sum(max(Counter(warp).values()) * count for warp, count in every) / warps

    def united(self, references: Sequence[Reference]) -> Fraction:
        """The sectors that accesses which differ by constants touch together, of those that each touches."""
        first, width = references[0], self._device.line
        offsets = [reference.base - first.base for reference in references]
        serial = [(_int(stride), round(value_of(loop.trips))) for loop, stride in first.loops]
        together = apart = 0
        for classes in product(*self.active.of(first)[0]):
            blocks = [(_int(stride), c) for stride, c in zip(first.block, classes)]
            base = first.base + sum(stride * c.first for stride, c in blocks)
            around = residues([*((stride, c.count) for stride, c in blocks), *serial], base, width)
            for ((warp, start), count), (residue, times) in product(
                self._warps.of(first, narrowed(classes)).items(), around.items()
            ):
                at = (start + residue) % width
                lanes = [[at + lane + offset for lane in warp] for offset in offsets]
                apart += count * times * sum(granules(each, first.size, self._device.sector) for each in lanes)
                together += (
                    count * times * granules([a for each in lanes for a in each], first.size, self._device.sector)
                )
        return Fraction(together, apart) if apart else Fraction(1)

    def _in_sizes(self, reference: Reference, found: Classes, trips: Sequence[Num]) -> RequestCounts:
        """The counts of each class, for as many blocks, threads and iterations as the sizes say."""
        assert self._blocks is not None
        counted = RequestCounts()
        for alike in self._blocks.of(reference, self.active.of(reference)[0]):
            each = alike.scale
            for number in trips:
                each = each * (number / round(value_of(number)))
            counted = counted + found[alike.classes] * each
        alike_warps = self._blocks.with_rows_of_warps(self._device.warp)
        return counted.mapped(lambda count: given(count, *alike_warps))

    def _at_random(self, reference: Reference, found: RequestCounts) -> RequestCounts:
        """The same requests, whose lanes are counted as sectors, at random addresses."""
        device, extent, size = self._device, value_of(reference.extent), reference.size
        lanes = value_of(found.sectors) / value_of(found.requests)
        sectors, lines, words = (
            distinct(extent / granule, lanes) for granule in (device.sector, device.line, max(WORD, size))
        )
        waves = conflicts(words, lanes, reference.access.atomic) if reference.array.space == "shared" else 1.0
        requests = found.requests
        counts = (sectors, max(1, size // WORD) * waves, tag_wavefronts(lines, device.tag_lines))
        return RequestCounts(requests, *(requests * Fraction(n).limit_denominator(LIKELY_DENOMINATOR) for n in counts))

    def _counted(self, reference: Reference, activity: Activity, serial: list[tuple[int, int]]) -> Classes:
        width = self._device.line
        thread, block = (tuple(map(_int, strides)) for strides in (reference.thread, reference.block))
        banks = self._device.banks if reference.array.space == "shared" else self._device.l1_banks
        key = (
            id(activity), thread, block, tuple(serial), reference.base % width, reference.size, reference.scattered,
            banks, reference.guards.mask, reference.lanes,
        )  # fmt: skip
        if key not in self._known:
            found: dict[tuple[BlockClass, ...], RequestCounts] = {}
            for classes in product(*activity):
                base = reference.base + sum(b * c.first for b, c in zip(block, classes))
                around = residues([*((b, c.count) for b, c in zip(block, classes)), *serial], base, width)
                warps = self._warps.of(reference, narrowed(classes))
                found[classes] = self._class(warps, around, reference.size, banks)
            self._known[key] = found
        return self._known[key]

    def _class(self, warps: Warps, around: Residues, size: int, banks: int) -> RequestCounts:
        requests = sectors = data = 0
        tags = Fraction(0)
        width = self._device.line
        for (warp, start), count in warps.items():
            for residue, times in around.items():
                asked = self._ask(warp, (start + residue) % width, size, banks)
                requests += count * times
                sectors += asked[0] * count * times
                tags += Fraction(asked[1]) * count * times
                data += asked[2] * count * times
        return RequestCounts(requests, sectors, data, tags)

    @kept
    def _ask(self, warp: Warp, residue: int, size: int, banks: int) -> tuple[int, float, int]:
        addresses, device = [residue + lane for lane in warp], self._device
        tags = tag_wavefronts(granules(addresses, size, device.line), device.tag_lines)
        return granules(addresses, size, device.sector), tags, data_wavefronts(addresses, size, banks)


def real_of(dtype: DType) -> DType:
    """Of one part of a complex number."""
    return F4 if dtype.size == 2 * F4.size else F8


def _parts(reference: Reference) -> Iterator[Reference]:
    part = real_of(reference.array.dtype)
    for shift in (0, part.size):
        yield replace(reference, array=replace(reference.array, dtype=part), base=reference.base + shift)


def _int(stride: Num) -> int:
    return round(value_of(stride))


Warp = tuple[int, ...]  # the addresses of its active lanes, from that of the first on
Warps = Mapping[tuple[Warp, int], int]  # by what they ask for, and the residue of the first address


class WarpPatterns:
    """The addresses that warps request, of one reference by the threads of one block: few patterns, each of many
    warps."""

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
