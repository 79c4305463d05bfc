"""Figures of the memory: seconds per line of each level, measured capacities, page walks, the bandwidth of all
cores."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import fields
from math import log2
from pathlib import Path

import numpy as np

from roofscan.frozen import dataclass
from roofscan.measuring import probes
from roofscan.measuring.core_figures import Core
from roofscan.measuring.quiet_timer import Timed, timed
from roofscan.measuring.sheet import Figure

LINE = 64
MEMORY_BYTES = 768 << 20  # data that no cache holds; less where memory is scarce
RUNS = 6
STEPS = 3  # sizes an octave that are tried for the capacity of the last cache
COLUMNS = 1001
NARROW = 121  # columns of an array whose rows share pages
WALKED = 8  # columns that are walked: their lines fit the second cache, whose neighbours change nothing then
FAR_PAGES = 4096  # more than tables of translations hold; their lines fit the second cache
SLOWER = 1.3
ROUNDS, MOST_ROUNDS = 3, 9  # of what cores share: neighbours come and go
PLACES, PLACED = 5, 32 << 20  # arrays of up to so many bytes are tried at so many places


@dataclass(frozen=True)
class Stream:
    """Seconds per line of the data, by what is done with it."""

    load: Figure
    update: Figure
    store: Figure
    scale: Figure

    @property
    def writeback(self) -> float:
        return max(0.0, self.update.value - self.load.value)

    @property
    def fill(self) -> float:
        """Seconds per line to load a line that is stored to: what is left of a store without its write-back."""
        dearer = min(self.store.value, self.scale.value - self.load.value) - self.writeback
        return max(self.load.value / 2, dearer)


def stream(size: int, core: Core) -> Stream:
    """The four streams over ``size`` bytes, from whatever level holds them."""
    placed = [_stream(x, y, core) for x, y in places(size)]
    return Stream(*(median([getattr(one, field.name) for one in placed]) for field in fields(Stream)))


def _stream(x: np.ndarray, y: np.ndarray, core: Core) -> Stream:
    half = x[: y.size]
    repeats, lines = _repeats(x.nbytes)
    return Stream(
        loads(x, core),
        core.seconds(lambda: probes.update(x, 1.0, repeats, 1.0), lines),
        core.seconds(lambda: probes.store(x, 1.0, repeats, 1.0), lines),
        core.seconds(lambda: probes.scale(half, y, 1.0, repeats, 1.0), lines / 2),
    )


def places(size: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Arrays of ``size`` bytes and of half of them. Where pages lie decides how well they fit a cache: several."""
    number = PLACES if size <= PLACED else 1
    return [(probes.filled(size // 8), probes.filled(size // 16)) for _ in range(number)]


def median(figures: Sequence[Figure]) -> Figure:
    return sorted(figures, key=_value)[len(figures) // 2]


def _value(figure: Figure) -> float:
    return figure.value


def loads(x: np.ndarray, core: Core) -> Figure:
    """Seconds per line of a sum over ``x``."""
    repeats, lines = _repeats(x.nbytes)

    def every_time() -> None:
        for _ in range(repeats):
            probes.load(x)

    return core.seconds(every_time, lines)


def _repeats(size: int) -> tuple[int, float]:
    repeats = max(1, (4 << 20) // size)
    return repeats, size / LINE * repeats


def level_prices(size: int, rounds: int, core: Core) -> tuple[Stream, dict[str, Figure]]:
    """Seconds per line of a level that holds ``size`` bytes of data."""
    found = [stream(size, core) for _ in range(rounds)]
    here = Stream(*(min((getattr(one, f.name) for one in found), key=_value) for f in fields(Stream)))
    how = f"load, update, store and scale over {size >> 10} KiB"
    figures = {
        "line_load": Figure(here.load.value, here.load.spread, how),
        "line_fill": Figure(here.fill, here.store.spread, how),
        "line_writeback": Figure(max(1e-12, here.writeback), here.update.spread, how),
    }
    return here, figures


def translations() -> Iterator[tuple[str, Figure]]:
    """Seconds of an L1 TLB miss, of a line that then comes from L2 without prefetching, and of a page walk."""
    yield "tlb1", _columns((500, NARROW), (500, COLUMNS))
    yield "apart", _columns((500, NARROW), (1000, NARROW), NARROW)
    yield "walk", _columns((4000, NARROW), (4000, COLUMNS))


def conflicts() -> Iterator[tuple[str, Figure]]:
    """Seconds per element by which sums and updates down columns in one set of L1 (elements 64 lines apart) take longer
    than down columns whose elements are 65 lines apart. Then the same for columns in few sets of L2, in an array for
    which NumPy asks for huge pages and whose translations fit the TLB, because page walks would hide the conflicts."""
    for far, rows, columns in (("", 512, 512), ("far_", 1024, 1024)):
        runs = ([_down(rows, c, c) for _ in range(ROUNDS)] for c in (columns + 8, columns))
        found = [tuple(map(min, zip(*each, strict=True))) for each in runs]
        for name, apart, together in zip(("load", "store"), *found, strict=True):
            how = f"columns of {rows} elements that are {columns // 8} and {columns // 8 + 1} lines apart"
            yield f"conflict_{far}{name}", Figure(max(1e-12, together - apart), 0.0, how)


def _columns(near: tuple[int, int], far: tuple[int, int], walked: int = WALKED) -> Figure:
    """Seconds per element that sums and updates down columns of the second array take more: their mean."""
    found = [zip(*(_down(*shape, walked) for _ in range(ROUNDS)), strict=True) for shape in (near, far)]
    before, after = ([min(runs) for runs in kinds] for kinds in found)
    extra = [max(0.0, a - b) for a, b in zip(after, before, strict=True)]
    how = f"sums and updates down {far[0]} rows of {far[1]} and {near[0]} rows of {near[1]}"
    mean = max(1e-11, sum(extra) / 2)
    return Figure(mean, (max(extra) - min(extra)) / mean, how)


def _down(rows: int, columns: int, walked: int) -> tuple[float, float]:
    """Seconds per element of sums and of updates down the first columns of a fresh array."""
    x, out = np.ones((rows, columns))[:, :walked], np.zeros(walked)
    sums, updates = timed(lambda: probes.columns(x, out), RUNS), timed(lambda: probes.column_updates(x, 1.0), RUNS)
    return sums.seconds / x.size, updates.seconds / x.size


def page_in_use() -> tuple[int, Figure]:
    """The bytes that one translation covers in large arrays: the base page, or a huge one where a chase over one line a
    page is no slower than over as many lines side by side. NumPy asks for huge pages, and a host may not have them."""
    base = mmap.PAGESIZE
    ratio = _chase(FAR_PAGES, base) / _chase(FAR_PAGES, 0)
    page = base if ratio > SLOWER or not huge_page() else huge_page()
    how = f"a chase over one line in each of {FAR_PAGES} pages of {base} B takes {ratio:.1f} times that over lines"
    return base, Figure(page, 0.0, how)


def huge_page() -> int:
    """Bytes; 0 where the system names none."""
    try:
        return int(Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").read_text())
    except (OSError, ValueError):
        return 0


def table_pages(page: int) -> Iterator[tuple[str, Figure]]:
    """The pages that each TLB holds: where a chase over one line per page slows down."""
    sizes = [32, 48, 64, 96, 128, 192, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144]
    times = [_chase(n, page) for n in sizes]
    for name, first, last in (("tlb1_pages", 32, 512), ("tlb2_pages", 768, 6144)):
        inside = [(n, t) for n, t in zip(sizes, times, strict=True) if first <= n <= last]
        half = (inside[0][1] + inside[-1][1]) / 2
        entries = crossing([n for n, _ in inside], [t for _, t in inside], half) or last
        yield name, Figure(round(entries), 0.0, "half-way up to where a chase over one line per page is slow")


def crossing(sizes: Sequence[int], times: Sequence[float], half: float) -> float | None:
    """The size at which the times cross ``half`` for good, between two that were measured; None where they do not."""
    above = [time > half for time in times]
    first = next((k for k in range(1, len(times)) if all(above[k : k + 2])), None)
    if first is None:
        return None
    low, high = times[first - 1], times[first]
    share = min(1.0, max(0.0, (half - low) / (high - low))) if high > low else 1.0
    return float(sizes[first - 1] * (sizes[first] / sizes[first - 1]) ** share)


def _chase(pages: int, page: int) -> float:
    step = (page + LINE) // 8  # one line further in each page: the sets of the caches are used alike
    following = probes.ring(pages, step)
    return timed(lambda: probes.chase(following, 20_000), RUNS).seconds / 20_000


def all_cores(size: int, one: float) -> Figure:
    """Bytes per second that all cores load together; tried again where it is less than one core reaches."""
    x = probes.filled(size // 8)
    found: list[Timed] = []
    while len(found) < ROUNDS or (len(found) < MOST_ROUNDS and size / min(found).seconds < one):
        found.append(timed(lambda: probes.load_on_all(x), RUNS))
    best = min(found)
    return Figure(size / best.seconds, best.spread, f"a sum over {size >> 20} MiB on all cores")


def last_capacity(inner: int, named: int, memory: float, core: Core) -> Figure:
    """Bytes that the last cache holds: the size at which the time of a line is half-way between that of the cache and
    that of memory. Virtual machines name the cache of the whole host."""
    steps = max(1, round(STEPS * log2(named / (2 * inner))))
    sizes = [int(2 * inner * (named / (2 * inner)) ** (k / steps)) for k in range(steps + 1)]
    rounds = [[loads(probes.filled(size // 8), core).value for size in sizes] for _ in range(ROUNDS)]
    times = [min(each) for each in zip(*rounds, strict=True)]  # neighbours take a part of it that comes and goes
    held = crossing(sizes, times, (min(times[: len(times) // 2 + 1]) + memory) / 2)
    if held is None:
        return Figure(named, 0.0, "measured: it holds all of that")
    return Figure(held, 0.0, f"measured: a line takes half-way to memory at {held / named:.0%} of that")
