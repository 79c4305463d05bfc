"""A machine file of this computer: its nameplate, and every figure that small Numba kernels can measure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from roofscan.machine.detect import nameplate_of_this_computer, quoted
from roofscan.machine.nameplate import Cache, Nameplate
from roofscan.measuring import memory_figures as memory
from roofscan.measuring.core_figures import Core
from roofscan.measuring.sheet import Figure

_HEADER = """\
# This computer, measured by `roofscan machine measure`. Each figure says how, and how far its runs were apart.
# The format is described in roofscan's own generic-x86-64.toml.
"""
PRECISIONS = ("fp64", "fp32")

Step = Callable[[str], None]  # told what is being measured


def measured_machine(step: Step) -> str:
    """The file as TOML text."""
    plate = nameplate_of_this_computer()
    return _HEADER + "\n" + "\n".join(_lines(plate, step)) + "\n"


def _lines(plate: Nameplate, step: Step) -> Iterator[str]:
    core = Core()
    step("clock and latencies")
    clock, latencies = core.clock, dict(core.latencies())
    yield f"description = {quoted(plate.model or 'this computer')}"
    yield 'kind = "cpu"'
    yield f"cores = {plate.cores}"
    yield f"vector_bits = {plate.vector_bits}"
    yield "write_allocate = true"
    yield f"source = {quoted(f'{plate.cores_source}; vectors: {plate.flags_source}')}"
    yield f"clock = {_figure(clock)}"
    step("caches and memory")
    near = dict(core.near_lines())
    yield from _levels(plate, core, near["load"], step)
    for precision in PRECISIONS:
        step(f"{precision} throughput")
        yield from _table(f"core.{precision}", core.vector(precision))
        yield from _table(f"scalar.{precision}", core.scalar(precision))
    yield from _table("latency", latencies.items())
    step("window, starts, pages")
    timing = {**near, **dict(core.pipeline(latencies["add"].value)), **dict(core.starts())}
    timing |= {**dict(memory.table_pages()), **dict(memory.translations())}
    yield from _table("time", timing.items())


def _levels(plate: Nameplate, core: Core, near: Figure, step: Step) -> Iterator[str]:
    caches = list(plate.caches)
    step("memory")
    size = memory_bytes(caches)
    far, memory_prices = memory.level_prices(size, None, core)
    yield from _cache(caches[0], Figure(64 / near.value, near.spread, near.method), {})
    nearer: memory.Stream | None = memory.stream(caches[0].capacity // 2, core)
    for inner, cache in pairwise(caches):
        step(f"L{cache.level}")
        base = nearer if cache.level == 2 else None
        nearer, prices = memory.level_prices(max(2 * inner.capacity, cache.capacity // 2), base, core)
        held = memory.last_capacity(cache.capacity, far.load.value, core) if cache is caches[-1] else None
        yield from _cache(cache, _bandwidth(nearer), prices, held)
    yield from ("", "[[level]]", 'name = "DRAM"')
    yield f"bandwidth_core = {_figure(_bandwidth(far))}"
    yield f"bandwidth_all = {_figure(memory.all_cores(size))}"
    yield from (f"{key} = {_figure(figure)}" for key, figure in memory_prices.items())


def _bandwidth(stream: memory.Stream) -> Figure:
    """Bytes a second of a sum."""
    return Figure(memory.LINE / stream.load.value, stream.load.spread, "a sum of what lies there")


def memory_bytes(caches: Sequence[Cache]) -> int:
    """As many as no cache holds, and at most a quarter of the free memory."""
    pages = os.sysconf("SC_AVPHYS_PAGES") if hasattr(os, "sysconf") else 1 << 18
    free = pages * (os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096)
    return int(min(memory.MEMORY_BYTES, free // 4))


def _cache(cache: Cache, load: Figure, prices: dict[str, Figure], held: Figure | None = None) -> Iterator[str]:
    """``held``: the bytes that it was measured to hold, where that is less than its nameplate."""
    capacity, source = cache.capacity, cache.source
    if held is not None and held.value < capacity:
        capacity, source = int(held.value), f"{source}; {held.method}"
    yield from ("", "[[level]]", f'name = "L{cache.level}"', f"capacity = {capacity}", f"line = {cache.line}")
    yield f"shared_by = {cache.shared_by}"
    yield f"source = {quoted(source)}"
    yield f"bandwidth_core = {_figure(load)}"
    if cache.shared_by > 1:
        every = Figure(load.value * cache.shared_by * 2 / 3, load.spread, "estimate: two thirds of all cores")
        yield f"bandwidth_all = {_figure(every)}"
    yield from (f"{key} = {_figure(figure)}" for key, figure in prices.items())


def _table(name: str, figures: Iterable[tuple[str, Figure]]) -> Iterator[str]:
    yield from ("", f"[{name}]")
    yield from (f"{key} = {_figure(figure)}" for key, figure in figures)


def _figure(figure: Figure) -> str:
    digits = f"{figure.value:.6g}".replace("e+", "e")
    source = figure.method if figure.method.startswith("estimate") else figure.source
    return f"{{ achieved = {digits}, source = {quoted(source)} }}"
