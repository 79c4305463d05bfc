"""A machine as rows of text, for people: levels, roofs, ridges, latencies, and the source of each number."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan import units
from roofscan.frozen import dataclass
from roofscan.machine.gpu import FIGURES
from roofscan.machine.model import RATES, Level, Machine, Sourced
from roofscan.machine.ridge import bandwidth, peak, ridge, scopes_of

_SI = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_BINARY = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_RATE_NAMES = {
    "fma": "fused multiply-adds",
    "plain": "additions, multiplications",
    "div": "divisions",
    "sqrt": "square roots",
    "special": "special functions",
}
_TIMES = {
    "load": ("64 bytes loaded from L1", "s"),
    "store": ("64 bytes stored to L1", "s"),
    "store_masked": ("64 bytes stored by vector code under a mask", "s"),
    "issue": ("operations of scalar code per cycle", ""),
    "window": ("operations that may wait for older ones (scheduler)", ""),
    "forward": ("store-to-load forwarding", "cycles"),
    "start_vector": ("start of a vector loop", "cycles"),
    "start_scalar": ("start of a scalar loop", "cycles"),
    "call": ("call from Python", "s"),
    "call_array": ("argument that is an array", "s"),
    "call_result": ("result that is an array", "s"),
    "fork": ("parallel region", "s"),
    "page": ("bytes of a page", ""),
    "tlb1_pages": ("pages that the first-level TLB holds", ""),
    "tlb1": ("miss in the first-level TLB", "s"),
    "tlb2_pages": ("pages that the second-level TLB holds", ""),
    "walk": ("miss in both levels of the TLB", "s"),
    "apart": ("line from L2, the only one read on its page", "s"),
    "conflict_load": ("load from a set that overflows", "s"),
    "conflict_store": ("store to a set that overflows", "s"),
    "conflict_far_load": ("load, where L2's set overflows too", "s"),
    "conflict_far_store": ("store, where L2's set overflows too", "s"),
    "mispredict": ("branch misprediction", "cycles"),
    "integer_division": ("integer division", "cycles"),
    "integer_vector": ("operations on 64-bit integers per cycle, in vector code", ""),
    "integer_product": ("products of 64-bit integers per cycle, in vector code", ""),
    "forward_integer": ("store-to-load forwarding of an integer", "cycles"),
    "load_latency": ("load-to-use latency of L1", "cycles"),
    "convert": ("conversion to floating point, in scalar code", "cycles"),
    "convert_short": ("conversion of an 8-bit integer, in scalar code", "cycles"),
    "convert_long": ("conversion of a 64-bit integer, in vector code", "cycles"),
    "alone": ("share of the vector rate that additions alone reach", ""),
    "overlap": ("share of load time that overlaps with transfers", ""),
    "exposed": ("share of memory time that slower code does not hide", ""),
    "allocate": ("allocation of an array", "s"),
    "fault": ("first touch of a page", "s"),
}
_PRICES = {
    "line_load": "line loaded from",
    "line_fill": "line filled for a store from",
    "line_writeback": "line written back to",
    "line_apart": "line that is not prefetched from",
}


@dataclass(frozen=True)
class FigureRow:
    """One figure of a machine. Figures are text with their unit, "" where there is none."""

    section: str  # "machine", "levels", "roofs", "ridges", "latencies", "times", "multiprocessors"
    name: str
    scope: str  # "core", "socket", "device", "scalar" (one core without vectors), or ""
    nameplate: str
    achieved: str
    source: str
    share: str = ""  # of the nameplate that is achieved


def describe(machine: Machine) -> list[FigureRow]:
    parts = (_machine, _levels, _roofs, _ridges, _latencies, _times, _multiprocessors)
    return [row for part in parts for row in part(machine)]


def quantity(number: float, unit: str) -> str:
    """A number with an SI prefix: ``quantity(1.6e10, "B/s")`` is ``16 GB/s``."""
    if unit == "s":
        return units.duration(number)
    if unit in ("", "cycles"):
        return f"{number:g} {unit}".rstrip()
    for factor, prefix in _SI:
        if number >= factor:
            return f"{number / factor:.4g} {prefix}{unit}"
    return f"{number:.4g} {unit}"


def capacity(size: int) -> str:
    """A size in bytes with a binary prefix: ``capacity(32768)`` is ``32 KiB``."""
    for factor, unit in _BINARY:
        if size >= factor:
            return f"{size / factor:.5g} {unit}"
    return f"{size} B"


def _machine(machine: Machine) -> Iterator[FigureRow]:
    units = "cores" if machine.kind == "cpu" else "multiprocessors"
    allocates = "yes" if machine.write_allocate else "no"
    yield FigureRow("machine", units, "", str(machine.cores), "", machine.source)
    yield _row("machine", "clock", "", machine.clock, "Hz")
    yield FigureRow("machine", "a store that misses fetches its line", "", allocates, "", machine.source)
    if machine.launch_overhead is not None:
        overhead = f"{machine.launch_overhead.value * 1e6:.3g} µs"
        yield FigureRow("machine", "launch overhead", "", "", overhead, machine.launch_overhead.source)


def _levels(machine: Machine) -> Iterator[FigureRow]:
    for level in machine.levels:
        if level.capacity is not None:
            yield FigureRow("levels", f"{level.name} capacity", "", _cache(level), "", level.source)
        for scope in scopes_of(machine):
            figure = bandwidth(level, scope)
            if figure is not None:
                yield _row("levels", f"{level.name} bandwidth", scope, figure, "B/s")
    if machine.network is not None and machine.network.bandwidth_all is not None:
        yield _row("levels", "network bandwidth", "", machine.network.bandwidth_all, "B/s")


def _cache(level: Level) -> str:
    shared = f", shared by {level.shared_by}" if level.shared_by > 1 else ""
    victim = ", victim cache" if level.exclusive else ""
    return f"{capacity(level.capacity or 0)}, {level.line}-byte lines{shared}{victim}"


def _roofs(machine: Machine) -> Iterator[FigureRow]:
    tables = {"scalar": machine.scalar, "core": machine.core}
    tables["device" if machine.kind == "gpu" else "socket"] = machine.whole
    for scope, table in tables.items():
        for precision, throughput in table.items():
            for rate in RATES:
                unit = "FLOP/s" if rate in ("fma", "plain") else "op/s"
                yield _row("roofs", f"{precision} {_RATE_NAMES[rate]}", scope, throughput.rate(rate), unit)
    for precision, figure in machine.tensor.items():
        yield _row("roofs", f"{precision} matrix units", scopes_of(machine)[-1], figure, "FLOP/s")


def _ridges(machine: Machine) -> Iterator[FigureRow]:
    """Ridges at memory, matrix units and plain ones apart."""
    memory = machine.levels[-1]
    for scope in scopes_of(machine):
        for unit, precisions in (("vector", machine.whole), ("tensor", machine.tensor)):
            for precision in precisions:
                figures = (peak(machine, precision, scope, unit), bandwidth(memory, scope))
                rated, used = (
                    _ridge(ridge(machine, memory, precision, scope, unit=unit, nameplate=nameplate))
                    for nameplate in (True, False)
                )
                achieved = any(figure is not None and figure.achieved is not None for figure in figures)
                if rated:
                    name = f"{precision}{' matrix units' * (unit == 'tensor')} at {memory.name}"
                    yield FigureRow("ridges", name, scope, rated, used if achieved else "", "peak / bandwidth")


def _ridge(value: float | None) -> str:
    return "" if value is None else f"{value:.4g} FLOP/B"


def _latencies(machine: Machine) -> Iterator[FigureRow]:
    for kind, figure in machine.latency.items():
        yield _row("latencies", f"dependent {kind}", "", figure, "cycles")


def _times(machine: Machine) -> Iterator[FigureRow]:
    if machine.kind == "gpu":
        return
    for name, (what, unit) in _TIMES.items():
        yield _row("times", what, "", getattr(machine.timing, name), unit)
    for level in machine.levels[1:]:
        for name, what in _PRICES.items():
            if name in level.prices:
                yield _row("times", f"{what} {level.name}", "", level.prices[name], "s")


def _multiprocessors(machine: Machine) -> Iterator[FigureRow]:
    """What the model of warps, blocks and waves takes of ``[gpu]``."""
    for key, figure in (machine.gpu or {}).items():
        if figure.value:
            yield _row("multiprocessors", FIGURES[key].what, "", figure, FIGURES[key].unit)


def _row(section: str, name: str, scope: str, figure: Sourced, unit: str) -> FigureRow:
    rated, achieved = figure.nameplate, figure.achieved
    shown = ["" if number is None else quantity(number, unit) for number in (rated, achieved)]
    share = f"{achieved / rated * 100:.0f} %" if rated and achieved is not None else ""
    return FigureRow(section, name, scope, shown[0], shown[1], figure.source, share)
