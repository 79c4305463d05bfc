"""What neighbouring threads make of sectors and banks: accesses that ask for more than they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from roofscan.cost.memory.gpu.device import LaunchSizes
from roofscan.cost.memory.gpu.place_expressions import WARP
from roofscan.cost.memory.gpu.programs.program import Reference
from roofscan.cost.memory.gpu.touched.first_reads import Fetched
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes
from roofscan.cost.memory.gpu.warps.counter import RequestCounter
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from roofscan.cost.memory.gpu.warps.requests import WORD
from roofscan.cost.memory.gpu.warps.tiles import nearest
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
from roofscan.frozen import dataclass
from roofscan.roofline.gpu.resources import Launched

WASTE = 2.0  # times the least, that a request must ask for
EXTRA_SECTORS = 2.0  # sectors more than the least, likewise: one is where it begins within a sector
MOST_FIELDS = 32  # of a record that is a row of an array
SHARE = 0.05  # of all sectors or wavefronts, below which an access does not matter


@dataclass(frozen=True)
class Wasteful:
    """One access: what a request asks for, and what it might; in sectors, or in wavefronts of shared memory."""

    reference: Reference
    asked: float
    least: float
    gain: float
    narrow: int = 0  # threads of a block along x, where those are too few for a warp and lie side by side in memory
    step: int = 0  # bytes from the last of them to the next lane, there
    row: int = 0  # elements of a row of shared memory that would be padded; 0: another walk helps

    @property
    def apart(self) -> int:
        """Bytes from a lane's address to the next one's."""
        tile = self.reference.tile
        if self.narrow:
            return self.step
        if self.reference.lanes is not None:
            first, second, *_ = (*self.reference.lanes.tables[0], 0, 0)
            return abs(second - first)
        return nearest(self.reference) if tile else abs(round(value_of(self.reference.thread[0])))

    @property
    def of_records(self) -> bool:
        """Whether the threads go from record to record: of a structured type, or of rows of a few elements."""
        array, fields = self.reference.array, self.apart / self.reference.size
        if array.record is not None:
            return self.apart == array.record.size
        return len(array.shape) > 1 and 1 < fields <= MOST_FIELDS


def uncoalesced(launched: Launched) -> Iterator[Wasteful]:
    """Accesses whose lanes are spread over more sectors than they fill."""
    moved, device = launched.moved, launched.device
    counter = RequestCounter(moved.program.launch, device)
    whole = sum(value_of(counts.sectors) for counts in moved.requests.values())
    for reference in moved.program.references:
        known = reference.access.regular and not reference.scattered
        counted = (reference.name, reference.write) in moved.requests  # an atomic update is a write
        if reference.array.space != "global" or not known or not counted or _side_by_side(reference):
            continue
        counts = counter.of(reference)
        requests, sectors = value_of(counts.requests), value_of(counts.sectors)
        if not requests:
            continue
        least = max(1.0, value_of(reference.executions) * reference.size / device.sector / requests)
        if sectors >= max(WASTE * least, least + EXTRA_SECTORS) * requests and sectors >= SHARE * whole:
            gain = _gain(launched, reference, counts, least)
            narrow, step = _narrow(reference, moved.program.launch)
            yield Wasteful(reference, sectors / requests, least, gain, narrow, step)


def _narrow(reference: Reference, launch: LaunchSizes) -> tuple[int, int]:
    """The width of blocks whose threads along x are neighbours in memory, but too few, and the step along y."""
    x, y, _ = (abs(round(value_of(stride))) for stride in reference.thread)
    width = round(value_of(launch.block[0]))
    fills = width >= min(WARP, launch.threads) or reference.tile
    return (0, 0) if fills or x > reference.size else (width, y)


def _side_by_side(reference: Reference) -> bool:
    """Whether neighbouring elements of a tile are neighbours in memory, or it has but one."""
    return bool(reference.tile) and nearest(reference) == reference.size


def bank_conflicts(launched: Launched) -> Iterator[Wasteful]:
    """Accesses to shared memory that rows of one element more, or a walk by neighbouring lanes, would speed up."""
    moved, device = launched.moved, launched.device
    counter = RequestCounter(moved.program.launch, device)
    whole = value_of(moved.shared.data) + sum(value_of(c.wavefronts) for c in moved.requests.values())
    for reference in moved.program.references:
        if reference.array.space != "shared":
            continue
        row = _row_bytes(reference, moved.program.references)
        counts, padded = counter.of(reference), counter.of(_padded(reference, row) if row else _packed(reference))
        data, after, requests = value_of(counts.data), value_of(padded.data), value_of(counts.requests)
        if requests and data >= WASTE * max(after, requests * reference.size / WORD) and data >= SHARE * whole:
            shared = replace(moved.shared, data=value_of(moved.shared.data) - data + after)
            gain = launched.seconds / replace(launched, moved=replace(moved, shared=shared)).seconds
            yield Wasteful(reference, data / requests, after / requests, gain, row=row // reference.size)


def _gain(launched: Launched, reference: Reference, counts: RequestCounts, least: float) -> float:
    """Of the same accesses by neighbouring lanes."""
    moved, key = launched.moved, (reference.name, reference.write)
    share = Fraction(least * value_of(counts.requests) / value_of(counts.sectors))
    before = moved.requests[key]
    requests = {**moved.requests, key: RequestCounts(before.requests, *(n * share for n in _all(before)))}
    same = (r for r in moved.program.references if (r.name, r.write) == key)
    useful = sum(value_of(r.executions) * r.size for r in same)
    closer = replace(moved, requests=requests, l2=_at_most(moved.l2, key, 2 * useful), partial=0)
    closer = replace(closer, dram=_at_most(moved.dram, key, useful))
    return launched.seconds / replace(launched, moved=closer).seconds


def _all(counts: RequestCounts) -> tuple[float, float, float]:
    return value_of(counts.sectors), value_of(counts.data), value_of(counts.tags)


def _at_most(moved: ArrayBytes, key: tuple[str, bool], limit: float) -> ArrayBytes:
    name, write = key

    def kept(bytes_: Fetched) -> Fetched:
        return {n: min(value_of(b), limit) if n == name else value_of(b) for n, b in bytes_.items()}

    return ArrayBytes(moved.load, kept(moved.store)) if write else ArrayBytes(kept(moved.load), moved.store)


def _row_bytes(reference: Reference, references: Iterable[Reference]) -> int:
    """Of an array of one dimension: from lane to lane, where the array is also walked in such steps otherwise."""
    strides = reference.array.strides
    if len(strides) == 1:
        apart = value_of(reference.thread[0])
        same = (r for r in references if r.name == reference.name)
        steps = {value_of(step) for r in same for step in (*r.thread[1:], *(by for _, by in r.loops))}
        return round(apart) if apart in steps and apart > reference.size else 0
    row = strides[-2].constant if len(strides) > 1 else None
    return int(row) * reference.size if row else 0


def _packed(reference: Reference) -> Reference:
    """By neighbouring lanes."""
    return replace(reference, thread=(reference.size, *reference.thread[1:]))


def _padded(reference: Reference, row: int) -> Reference:
    """With rows that are one element longer."""

    def longer(stride: Num) -> int:
        bytes_ = round(value_of(stride))
        return bytes_ + round(bytes_ / row) * reference.size

    x, y, z = map(longer, reference.thread)
    loops = tuple((loop, longer(stride)) for loop, stride in reference.loops)
    return replace(reference, thread=(x, y, z), loops=loops)
