"""Figures of the memory: what each level is paid for a line, capacities that can be trusted, page walks, all cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from roofscan.measuring import probes
from roofscan.measuring.core_figures import Core
from roofscan.measuring.sheet import Figure
from roofscan.measuring.timer import timed

LINE = 64
MEMORY_BYTES = 768 << 20  # data that no cache holds; less where memory is scarce
RUNS = 6
STEPS = 12  # sizes that are tried for the capacity of the last cache


@dataclass(frozen=True)
class Stream:
    """Seconds a line of the data, by what is done with it."""

    load: Figure
    update: Figure
    store: Figure
    scale: Figure

    @property
    def writeback(self) -> float:
        return max(0.0, self.update.value - self.load.value)

    @property
    def fill(self) -> float:
        """The dearer part of a store: what is left without its write-back."""
        return max(self.load.value, min(self.store.value, self.scale.value - self.load.value) - self.writeback)


def stream(size: int, core: Core) -> Stream:
    """The four streams over ``size`` bytes, read from wherever they lie."""
    x, y = np.ones(size // 8), np.ones(size // 16)
    half = x[: size // 16]
    turns = max(1, (4 << 20) // size)
    lines = size / LINE * turns

    def loads() -> None:
        for _ in range(turns):
            probes.load(x)

    return Stream(
        core.seconds(loads, lines),
        core.seconds(lambda: probes.update(x, 1.0, turns, 1.0), lines),
        core.seconds(lambda: probes.store(x, 1.0, turns, 1.0), lines),
        core.seconds(lambda: probes.scale(half, y, 1.0, turns, 1.0), lines / 2),
    )


def level_prices(size: int, nearer: Stream | None, core: Core) -> tuple[Stream, dict[str, Figure]]:
    """Seconds a line of a level that holds ``size`` bytes of data, over what the nearer level takes for it."""
    here = stream(size, core)
    load = max(1e-11, one_a_line(size, core) - one_a_line(core.near_bytes, core)) if nearer else here.load.value
    how = f"load, update, store and scale over {size >> 10} KiB"
    writeback = max(1e-12, here.writeback - (nearer.writeback if nearer else 0.0))
    figures = {
        "line_load": Figure(load, here.load.spread, how),
        "line_fill": Figure(max(load, here.fill), here.store.spread, how),
        "line_writeback": Figure(writeback, here.update.spread, how),
    }
    return here, figures


def one_a_line(size: int, core: Core) -> float:
    """Seconds a line where one element of each is loaded: the line's way to L1 is then the slowest part."""
    x = np.ones(size // 8)
    turns = max(1, (4 << 20) // size)
    return core.seconds(lambda: probes.load_lines(x, turns), size / LINE * turns).value


def translations() -> Iterator[tuple[str, Figure]]:
    """Seconds of a miss in the first table of translations, and of a walk."""
    yield "tlb1", _columns(64, 500)
    yield "walk", _columns(500, 4000)


def _columns(near_rows: int, far_rows: int) -> Figure:
    """Seconds an element that sums and updates down longer columns of 1,001 take more: their geometric mean."""
    found = []
    for rows in (near_rows, far_rows):
        x, out = np.ones((rows, 1001)), np.zeros(1001)
        sums, updates = (
            timed(lambda: probes.columns(x, out), RUNS),  # noqa: B023
            timed(lambda: probes.column_updates(x, 1.0), RUNS),  # noqa: B023
        )
        found.append([run.seconds / x.size for run in (sums, updates)])
    extra = [max(1e-11, far - near) for near, far in zip(*found, strict=True)]
    how = f"sums and updates down {far_rows} and {near_rows} rows"
    return Figure(prod(extra) ** 0.5, max(extra) / min(extra) - 1, how)


def table_pages(page: int = 4096) -> Iterator[tuple[str, Figure]]:
    """The pages that each table of translations holds: where a chase over one line a page slows down."""
    sizes = [32, 48, 64, 96, 128, 192, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144]
    times = [_chase(n, page) for n in sizes]
    for name, first, last in (("tlb1_pages", 32, 512), ("tlb2_pages", 768, 6144)):
        inside = [(n, t) for n, t in zip(sizes, times, strict=True) if first <= n <= last]
        low, high = inside[0][1], inside[-1][1]
        knee = next((n for n, t in inside if t > (low + high) / 2), last)
        before = max((n for n, _ in inside if n < knee), default=knee)
        yield name, Figure(before, knee / before - 1, "the last size before a chase over one line a page slows down")


def _chase(pages: int, page: int) -> float:
    step = (page + LINE) // 8  # one line further in each page: the sets of the caches are used alike
    following = probes.ring(pages, step)
    return timed(lambda: probes.chase(following, 20_000), RUNS).seconds / 20_000


def all_cores(size: int) -> Figure:
    """Bytes a second that all cores load from memory together."""
    x = np.ones(size // 8)
    run = timed(lambda: probes.load_on_all(x), RUNS)
    return Figure(size / run.seconds, run.spread, f"a sum over {size >> 20} MiB on all cores")


def last_capacity(named: int, memory: float, core: Core) -> Figure:
    """Bytes that the last cache holds: where the time of a line is half-way between its own and memory's. Virtual
    machines name the cache of the whole host."""
    half = (stream(named // STEPS, core).load.value + memory) / 2
    for step in range(2, STEPS + 1):
        if stream(named * step // STEPS, core).load.value > half:
            share = f"{step}/{STEPS}"
            return Figure(named * step / STEPS, 0.0, f"measured: a line takes half-way to memory at {share} of that")
    return Figure(named, 0.0, "measured: it holds all of that")
