"""The time of transfers: lines by the level that serves them, and address translations. Repeated calls find warm
caches: data that fit a cache as a whole are not loaded into it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.machine.model import Level, Machine
from roofscan.machine.timing import LinePrice, line_price


@dataclass(frozen=True)
class LineCounts:
    """Lines that cross an interface: loads, fills, write-backs; ``apart``: those of the first two that no prefetcher
    expects."""

    load: float
    fill: float
    writeback: float
    apart: float = 0.0

    def beyond(self, other: LineCounts) -> LineCounts:
        """What does not cross the next interface too: the level between the two serves it."""
        here = (self.load, self.fill, self.writeback, self.apart)
        further = (other.load, other.fill, other.writeback, other.apart)
        return LineCounts(*(max(0.0, a - b) for a, b in zip(here, further, strict=True)))

    def seconds(self, price: LinePrice) -> float:
        fetched = self.load * price.load + self.fill * price.fill
        usual = fetched / (self.load + self.fill) if fetched else 0.0
        return fetched + self.apart * max(0.0, price.apart - usual) + self.writeback * price.writeback


NOTHING = LineCounts(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MovedBytes:
    """The bytes across an interface, and what share loads, fills and write-backs have, in proportion."""

    total: float
    load: float
    fill: float
    writeback: float

    def lines(self, total: float) -> LineCounts:
        """So many lines, in the same proportion."""
        every = (self.load + self.fill + self.writeback) or 1.0
        return LineCounts(*(total * part / every for part in (self.load, self.fill, self.writeback)))


def transfer_times(machine: Machine, crossing: Sequence[LineCounts], cores: int) -> Mapping[str, float]:
    """Seconds by level, nearest first, from the lines that cross into each cache (nearest first). On several cores each
    moves its part, and no level serves more than its bandwidth to all."""
    servers = machine.levels[1:]
    served = (here.beyond(further) for here, further in zip(crossing, (*crossing[1:], NOTHING), strict=True))
    prices = [line_price(level) for level in servers]
    prices[0] = replace(prices[0], apart=prices[0].load + machine.timing.apart.value)
    each = zip(servers, served, prices, strict=True)
    return {level.name: _seconds(level, lines, price, cores) for level, lines, price in each}


def _seconds(level: Level, lines: LineCounts, price: LinePrice, cores: int) -> float:
    if cores == 1:
        return lines.seconds(price)
    one, every = level.bandwidth_core, level.bandwidth_all
    together = every.value / one.value if one and every else float(cores)
    return lines.seconds(price) / min(float(cores), together)


def walk_times(machine: Machine, pages: Sequence[float]) -> tuple[float, float]:
    """Seconds of translations that miss the first table, and of walks: from the pages that miss in each."""
    first, second = pages
    timing = machine.timing
    return max(0.0, first - second) * timing.tlb1.value, second * timing.walk.value


def table_pages(machine: Machine) -> Iterator[int]:
    """The bytes that each table of translations covers."""
    timing = machine.timing
    for entries in (timing.tlb1_pages, timing.tlb2_pages):
        yield int(entries.value * timing.page.value)
