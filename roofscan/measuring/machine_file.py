"""A machine file of this computer: what the system says of it, and every figure that small Numba kernels can
measure."""

from __future__ import annotations

import mmap
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from math import isqrt
from time import perf_counter, thread_time
from types import MappingProxyType

from llvmlite.binding import get_host_cpu_features

from roofscan.machine.detect import USUAL_CACHES, growing, nameplate_of_this_computer, quoted
from roofscan.machine.model import MachineError
from roofscan.machine.nameplate import Cache, Nameplate
from roofscan.machine.schema import PRECISION_BITS
from roofscan.measuring import code_figures as code
from roofscan.measuring import memory_figures as memory
from roofscan.measuring.core_figures import Core
from roofscan.measuring.moments import Moments
from roofscan.measuring.sheet import Figure
from roofscan.measuring.timer import OWN_CORES

_HEADER = """\
# This computer, measured by `roofscan machine measure`. Each figure says how, and how far its runs were apart.
# The format is described in roofscan's own generic-x86-64.toml.
"""
PRECISIONS = ("fp64", "fp32")
STEPS = 9  # about so many things are measured
LEAST_OVER_CACHE = 4  # arrays so many times the last cache show memory alone
USUAL_FREE = 4 << 30
DISTURBED = 0.1  # of the time in which other programs run, what moves figures
BUSY = ", measured while other programs took {:.0%} of the time: measure again on an idle computer"

Step = Callable[[str], None]  # told what is being measured


def measured_machine(step: Step) -> str:
    """The file as TOML text."""
    for name, value in OWN_CORES.items():
        os.environ.setdefault(name, value)
    plate, begin, used = nameplate(), perf_counter(), thread_time()
    lines = [*_lines(plate, step)]
    others = 1 - (thread_time() - used) / (perf_counter() - begin)
    description = (plate.model or "this computer") + (BUSY.format(others) if others > DISTURBED else "")
    return "\n".join((_HEADER, f"description = {quoted(description)}", *lines)) + "\n"


def nameplate() -> Nameplate:
    """What the system says; where it says nothing, what Python and LLVM know of it."""
    try:
        found = nameplate_of_this_computer()
    except MachineError:
        flags = frozenset(name for name, has in get_host_cpu_features().items() if has)
        cores = os.cpu_count() or 1
        found = Nameplate(platform.processor(), cores, "Python's count", None, flags, "as LLVM detects them", ())
    return replace(found, caches=tuple(growing(found.caches or USUAL_CACHES)))


def _lines(plate: Nameplate, step: Step) -> Iterator[str]:
    core, found = Core(), Moments()
    _measure_core(core, found, step)
    levels = [*_levels(plate, core, step)]
    found.again()
    timing = _memory_timing(core, found, step)
    found.again()
    [clock], [near] = found["clock"].values(), found["L1"].values()
    yield 'kind = "cpu"'
    yield f"cores = {plate.cores}"
    yield f"vector_bits = {plate.vector_bits}"
    yield "write_allocate = true"
    yield f"source = {quoted(f'{plate.cores_source}; vectors: {plate.flags_source}')}"
    yield f"clock = {_figure(clock, plate.clock.value if plate.clock else None)}"
    yield from _cache(plate.caches[0], Figure(64 / near.value, near.spread, near.method), {})
    yield from levels
    for precision in PRECISIONS:
        yield from _table(f"core.{precision}", found[f"core.{precision}"].items(), _nameplate_rates(plate, precision))
        yield from _table(f"scalar.{precision}", found[f"scalar.{precision}"].items())
    yield from _table("latency", found["latency"].items())
    parts = (found["near"], found["pipeline"], found["starts"], timing, found["pages"], found["waits"])
    yield from _table("time", chain.from_iterable(part.items() for part in parts))
    yield from _table("functions", found["functions"].items())


def _measure_core(core: Core, found: Moments, step: Step) -> None:
    """What a core does with data in L1."""
    step("clock and latencies")
    found.add("clock", lambda: iter([("clock", core.clock)]))
    found.add("latency", core.latencies)
    step("nearest cache")
    found.add("near", core.near_lines)
    found.add("L1", lambda: iter([("load", core.loads())]))
    for precision in PRECISIONS:
        step(f"{precision} throughput")
        found.add(f"core.{precision}", partial(core.vector, precision))
        found.add(f"scalar.{precision}", partial(core.scalar, precision))
    step("window, starts")
    found.add("pipeline", lambda: core.pipeline(found["latency"]["add"].value))
    found.add("starts", core.starts)
    found.add("waits", lambda: code.waits(core))
    step("functions")
    found.add("functions", lambda: code.functions(core))


def _memory_timing(core: Core, found: Moments, step: Step) -> dict[str, Figure]:
    step("pages")
    base, page = memory.page_in_use()
    found.add("pages", lambda: chain(memory.translations(), memory.conflicts()))
    timing = {"page": page}
    if page.value == base:
        timing |= dict(memory.table_pages(base))
    far = memory_bytes() // 4
    return {**timing, "overlap": code.overlap(far, core), "exposed": code.exposed(far, core)}


def _levels(plate: Nameplate, core: Core, step: Step) -> Iterator[str]:
    """The levels beyond L1."""
    caches = list(plate.caches)
    step("memory")
    size = memory_bytes()
    far, memory_prices = memory.level_prices(size, memory.ROUNDS, core)
    for inner, cache in pairwise(caches):
        step(f"L{cache.level}")
        if cache is caches[-1]:
            cache = _measured_capacity(inner, cache, far.load.value, core)
        middle = max(2 * inner.capacity, isqrt(inner.capacity * cache.capacity))
        here, prices = memory.level_prices(middle, memory.ROUNDS, core)
        if cache.level == 2:
            prices = dict.fromkeys(prices, code.second_price(cache.capacity // 4, inner.capacity // 2, core))
        else:
            prices["line_apart"] = code.line_apart(middle, core)
        yield from _cache(cache, _bandwidth(here), prices)
    yield from ("", "[[level]]", 'name = "DRAM"')
    if size < LEAST_OVER_CACHE * caches[-1].capacity:
        little = f"free memory allowed arrays of {size >> 20} MiB, of which the last cache may hold some"
        yield f"source = {quoted(little)}"
    yield from _bandwidths(_bandwidth(far), size)
    memory_prices["line_apart"] = code.line_apart(size, core)
    yield from (f"{key} = {_figure(figure)}" for key, figure in memory_prices.items())


def _bandwidth(stream: memory.Stream) -> Figure:
    """Bytes per second of a sum over the data."""
    return Figure(memory.LINE / stream.load.value, stream.load.spread, "a sum over an array in this level")


def memory_bytes() -> int:
    """Bytes of the larger array; another has half its size. Together they take at most a quarter of the
    free memory."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * mmap.PAGESIZE
    except (AttributeError, ValueError, OSError):  # only Linux tells
        free = USUAL_FREE
    return min(memory.MEMORY_BYTES, free // 6) & -4096


def _measured_capacity(inner: Cache, cache: Cache, memory_load: float, core: Core) -> Cache:
    """The cache with the bytes that it was measured to hold, where that is less than its nameplate."""
    held = memory.last_capacity(inner.capacity, cache.capacity, memory_load, core)
    if held.value >= cache.capacity:
        return cache
    told = f"{cache.source} ({cache.capacity >> 10} KiB); {held.method}"
    return replace(cache, capacity=int(held.value), source=told)


def _nameplate_rates(plate: Nameplate, precision: str) -> dict[str, float]:
    """The peak of the nameplate, as ``machine detect`` writes it."""
    flop, lanes = (2 if plate.fused else 1), plate.vector_bits // PRECISION_BITS[precision]
    return {"fma": plate.units * lanes * flop * plate.clock.value} if plate.clock else {}


def _cache(cache: Cache, load: Figure, prices: dict[str, Figure]) -> Iterator[str]:
    yield from ("", "[[level]]", f'name = "L{cache.level}"', f"capacity = {cache.capacity}", f"line = {cache.line}")
    yield f"shared_by = {cache.shared_by}"
    yield f"source = {quoted(cache.source)}"
    yield from _bandwidths(load, cache.capacity // 2 & -4096 if cache.shared_by > 1 else 0)
    yield from (f"{key} = {_figure(figure)}" for key, figure in prices.items())


def _bandwidths(one: Figure, shared: int) -> Iterator[str]:
    """Of one core, and of all where they share so many bytes: together they reach what one of them does alone."""
    yield f"bandwidth_core = {_figure(one)}"
    if shared:
        every = memory.all_cores(shared, one.value)
        little = f"estimate: one core's, as all cores reached {every.value / one.value:.0%} of that: other programs ran"
        yield f"bandwidth_all = {_figure(every if every.value >= one.value else one.by(little))}"


def _table(
    name: str, figures: Iterable[tuple[str, Figure]], rated: Mapping[str, float] = MappingProxyType({})
) -> Iterator[str]:
    yield from ("", f"[{name}]")
    yield from (f"{key} = {_figure(figure, rated.get(key))}" for key, figure in figures)


def _figure(figure: Figure, rated: float | None = None) -> str:
    nameplate = f"nameplate = {_digits(rated)}, " if rated else ""
    source = figure.method if figure.method.startswith("estimate") else figure.source
    return f"{{ {nameplate}achieved = {_digits(figure.value)}, source = {quoted(source)} }}"


def _digits(number: float) -> str:
    return f"{number:.6g}".replace("e+", "e")
