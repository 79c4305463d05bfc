"""What warps ask of the first cache: requests, sectors and wavefronts of every reference, block class by block class.
Addresses are affine, so that warps differ only in where they begin in a line: those residues are counted, not warps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, gcd, prod

from roofscan.cost.memory.gpu.decisions import Decision, given, least, most
from roofscan.cost.memory.gpu.device import Device, LaunchSizes
from roofscan.cost.memory.gpu.domain import Activity, BlockClass, active_threads, narrowed, whole
from roofscan.cost.memory.gpu.footprint import Dim, ReferenceGroup, footprint
from roofscan.cost.memory.gpu.lanes import active_of, offsets_of
from roofscan.cost.memory.gpu.program import Reference
from roofscan.cost.memory.gpu.random_addresses import FEW, at_places, conflicts, distinct
from roofscan.cost.memory.gpu.requests import (
    LINES_BEFORE,
    MAX_LINES_AT_ONCE,
    WORD,
    Residues,
    data_wavefronts,
    granules,
    residues,
    tag_wavefronts,
)
from roofscan.cost.memory.gpu.spans import ActiveBlocks
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of
from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F4, F8, DType

LIKELY_DENOMINATOR = 1 << 12
WIDEST = 16  # bytes of one load of a thread

Warp = tuple[int, ...]  # the addresses of its active lanes, from that of the first on
Warps = Mapping[tuple[Warp, int], int]  # by what they ask for, and the residue of the first address


@dataclass(frozen=True)
class RequestCounts:
    """Over the whole launch. ``tags``: wavefronts, by the tags alone."""

    requests: Num = 0
    sectors: Num = 0
    data: Num = 0
    tags: Num = 0

    def __add__(self, other: RequestCounts) -> RequestCounts:
        return RequestCounts(
            self.requests + other.requests, self.sectors + other.sectors, self.data + other.data, self.tags + other.tags
        )

    def __mul__(self, factor: Num) -> RequestCounts:
        return RequestCounts(self.requests * factor, self.sectors * factor, self.data * factor, self.tags * factor)

    @property
    def wavefronts(self) -> Num:
        return self.data if self.data >= self.tags else self.tags


Classes = Mapping[tuple[BlockClass, ...], RequestCounts]


class RequestCounter:
    def __init__(self, launch: LaunchSizes, device: Device, blocks: ActiveBlocks | None = None) -> None:
        self._launch = launch
        self._blocks = blocks
        self._device = device
        self._warps: dict[object, Warps] = {}
        self._activities: dict[object, Activity | None] = {}
        self._whole: dict[tuple[int, ...], Activity] = {}
        self._known: dict[object, Classes] = {}
        self._asked: dict[tuple[Warp, int, int, int], tuple[int, float, int]] = {}

    def of(self, reference: Reference) -> RequestCounts:
        """Exact where the active threads and the addresses are known; else by the share of threads that execute it."""
        if reference.tile:
            return self._of_tile(reference)
        if reference.array.dtype.kind == "complex":  # its two parts are asked for one after the other
            return sum(map(self.of, _parts(reference)), start=RequestCounts())
        activity, _ = self.activity(reference)
        serial = [(loop, stride) for loop, stride in reference.loops if loop.var not in reference.guards.strided]
        times = prod(max(1, round(value_of(loop.trips))) for loop, _ in serial)
        by_lane = reference.lanes.loops if reference.lanes else ()
        shifts = [(_int(s), round(value_of(loop.trips))) for loop, s in serial if loop.var not in by_lane]
        found = self._counted(reference, activity, shifts)
        points = self.active_threads(reference) * times
        executions = reference.executions
        if isinstance(executions, SampledExpr) and value_of(executions) == points and not reference.scattered:
            return self._in_sizes(reference, found, [loop.trips for loop, _ in serial])
        counted = sum(found.values(), start=RequestCounts())
        if reference.lanes is not None and reference.array.record is None:  # steps of blocks may be parts of elements
            counted = replace(counted, sectors=least(counted.sectors, points))
        if reference.access.atomic and reference.array.space == "shared" and not reference.scattered:
            in_turn = counted.requests * Fraction(self.turns(reference)).limit_denominator(LIKELY_DENOMINATOR)
            counted = replace(counted, data=most(counted.data, in_turn))
        if reference.scattered and counted.requests:
            counted = self._at_random(reference, counted)
        if isinstance(executions, SampledExpr):
            many = at_places(reference.extent, self._device.warp * self._device.line / FEW)
            return _where(_scaled(counted, executions, points), many if reference.scattered else ())
        share = Fraction(executions) / points if points else Fraction(0)
        return counted if share == 1 else counted * share

    def compiled(self, reference: Reference) -> RequestCounts:
        """As compiled code asks. A loop unrolled away reads neighbours of shared memory together, 16 bytes a load: if
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

    def turns(self, reference: Reference) -> float:
        """The lanes of a warp that update one word: they follow one another. The mean over warps, of the word that most
        update."""
        every = [
            (warp, count * prod(c.count for c in classes))
            for classes in product(*self.activity(reference)[0])
            for (warp, _), count in self._patterns(reference, narrowed(classes)).items()
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
        for classes in product(*self.activity(first)[0]):
            blocks = [(_int(stride), c) for stride, c in zip(first.block, classes)]
            base = first.base + sum(stride * c.first for stride, c in blocks)
            around = residues([*((stride, c.count) for stride, c in blocks), *serial], base, width)
            for ((warp, start), count), (residue, times) in product(
                self._patterns(first, narrowed(classes)).items(), around.items()
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
        for alike in self._blocks.of(reference, self.activity(reference)[0]):
            each = alike.scale
            for number in trips:
                each = each * (number / round(value_of(number)))
            counted = counted + found[alike.classes] * each
        alike_warps = self._blocks.with_rows_of_warps(self._device.warp)
        return _where(counted, alike_warps)

    def _of_tile(self, reference: Reference) -> RequestCounts:
        """Neighbouring threads take neighbouring elements, each of them 16 bytes at once where those are contiguous."""
        device, size, elements = self._device, reference.size, max(1.0, reference.elements)
        wide, near = together(reference), nearest(reference)
        requests = elements / (device.warp * wide)
        around = (*(Dim(b, g) for b, g in zip(reference.block, self._launch.grid)), *_still(reference))
        group = ReferenceGroup(size, (reference.base,), tuple(tile_dims(reference)), around)
        sectors, lines = (value_of(footprint((group,), g)) / g for g in (device.sector, device.line))
        if not near:
            extent = value_of(reference.extent)
            sectors, lines = (distinct(extent / granule, elements) for granule in (device.sector, device.line))
        ways = 1 if wide > 1 or not near else max(1, gcd(near // WORD, device.banks))
        data = max(elements * size / (device.banks * WORD), requests * ways * (size / WORD if size > WORD else 1))
        tags = max(requests, (lines + 2.5 * requests) / device.tag_lines) if lines > 2 * requests else requests
        counted = RequestCounts(requests, sectors, data, tags)
        return _scaled(counted, reference.executions, round(elements))

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

    def active_threads(self, reference: Reference) -> int:
        activity, mask = self.activity(reference)[0], reference.guards.mask
        if mask is None:
            return active_threads(activity)
        return sum(
            len(active_of(self._launch.block, narrowed(classes), mask)) * prod(c.count for c in classes)
            for classes in product(*activity)
        )

    def activity(self, reference: Reference) -> tuple[Activity, bool]:
        """The classes of blocks, and whether they are exact."""
        blocks, threads = self.extents(reference), self._launch.block
        guards = reference.guards
        found = guards.activity(blocks, threads, self._activities) if guards.separable else None
        if found is not None:
            return found, True
        return self._whole.setdefault(blocks, whole(blocks, threads)), False

    def extents(self, reference: Reference) -> tuple[int, ...]:
        """The blocks along each direction, with the iterations of a loop that strides over the grid."""
        trips = {loop.var: max(1, ceil(value_of(loop.trips))) for loop, _ in reference.loops}
        return tuple(g * trips.get(var, 1) for g, var in zip(self._launch.grid, reference.guards.strided))

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
                warps = self._patterns(reference, narrowed(classes))
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

    def _ask(self, warp: Warp, residue: int, size: int, banks: int) -> tuple[int, float, int]:
        key = (warp, residue, size, banks)
        if key not in self._asked:
            addresses = [residue + lane for lane in warp]
            device = self._device
            lines = granules(addresses, size, device.line)
            tags = tag_wavefronts(lines, device.tag_lines)
            self._asked[key] = (
                granules(addresses, size, device.sector), tags, data_wavefronts(addresses, size, banks)
            )  # fmt: skip
        return self._asked[key]

    def _patterns(self, reference: Reference, classes: Sequence[BlockClass]) -> Warps:
        mask, scattered = reference.guards.mask, reference.scattered
        lanes = tuple(c.threads for c in classes)
        key = (lanes, tuple(map(_int, reference.thread)), scattered, mask, reference.lanes)
        if key not in self._warps:
            found: Counter[tuple[Warp, int]] = Counter()
            active = frozenset(active_of(self._launch.block, classes, mask))
            for table in self._tables(reference):
                for addresses in self._active(active, table):
                    first = addresses[0]
                    found[tuple(a - first for a in addresses), first % self._device.line] += 1
            self._warps[key] = found
        return self._warps[key]

    def _tables(self, reference: Reference) -> Sequence[Sequence[int]]:
        """The addresses by thread, in each iteration of loops in which they differ by more than a shift."""
        x, y, z = self._launch.block
        if reference.scattered:
            return ([t % self._device.warp * self._device.line for t in range(x * y * z)],)
        return reference.lanes.tables if reference.lanes else (offsets_of(self._launch.block, reference.thread),)

    def _active(self, active: Collection[int], table: Sequence[int]) -> Iterator[Sequence[int]]:
        """The addresses of the active lanes of each warp that has any."""
        whole, warp = len(active) == len(table), self._device.warp
        for first in range(0, len(table), warp):
            lanes = table[first : first + warp]
            if addresses := lanes if whole else [a for t, a in enumerate(lanes, first) if t in active]:
                yield addresses


def real_of(dtype: DType) -> DType:
    """Of one part of a complex number."""
    return F4 if dtype.size == 2 * F4.size else F8


def _parts(reference: Reference) -> Iterator[Reference]:
    part = real_of(reference.array.dtype)
    for shift in (0, part.size):
        yield replace(reference, array=replace(reference.array, dtype=part), base=reference.base + shift)


def together(reference: Reference) -> int:
    """The elements of a tile that a thread takes at once."""
    contiguous = nearest(reference) == reference.size
    return max(1, WIDEST // reference.size) if contiguous else 1


def nearest(reference: Reference) -> int:
    """The bytes from an element of a tile to the next; 0 where they lie at random."""
    strides = [abs(_int(stride)) for stride, extent in reference.tile if value_of(extent) > 1]
    if reference.scattered and not any(strides):
        return 0
    return min((stride for stride in strides if stride), default=reference.size)


def tile_dims(reference: Reference) -> Iterator[Dim]:
    """A tile is touched at once."""
    return (Dim(stride, extent) for stride, extent in reference.tile)


def _still(reference: Reference) -> Iterator[Dim]:
    return (Dim(stride, loop.trips) for loop, stride in reference.loops)


def _scaled(found: RequestCounts, executions: Num, points: int) -> RequestCounts:
    """The counts for each execution, as simple fractions, times the executions."""

    def rate(count: Num) -> Num:
        share = Fraction(value_of(count)) / max(1, points)
        return executions * share.limit_denominator(LIKELY_DENOMINATOR)

    return RequestCounts(rate(found.requests), rate(found.sectors), rate(found.data), rate(found.tags))


def _where(found: RequestCounts, decisions: Sequence[Decision]) -> RequestCounts:
    counts = (found.requests, found.sectors, found.data, found.tags)
    return RequestCounts(*(given(count, *decisions) for count in counts))


def _int(stride: Num) -> int:
    return round(value_of(stride))
