"""What a machine file (``data/generic-x86-64.toml`` describes it) says, as a :class:`Machine`. Whatever a file leaves
out is derived here and says so in its source; a number that nothing determines is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roofscan.machine.functions import functions_of
from roofscan.machine.gpu import gpu_figures
from roofscan.machine.model import RATES, Level, Machine, Sourced, Throughput
from roofscan.machine.reader import TableReader
from roofscan.machine.timing import LINE_KEYS, timing_of

PRECISION_BITS = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16}
"""Precisions of vector units, and the bits of one lane."""
TENSOR_PRECISIONS = ("fp64", "tf32", "bf16", "fp16")
REQUIRED_PRECISIONS = ("fp64", "fp32")

SHARE_OF_FMA = {"plain": 1 / 2, "div": 1 / 32, "sqrt": 1 / 40, "special": 1 / 400}
"""Rates that a file leaves out, as shares of ``fma``: about those of the generic core in fp64."""

_PEAK_HINT = "FLOP/s of fused multiply-adds (cores x clock x FLOP per cycle)"


def core_rates(top: TableReader, kind: str) -> dict[str, Throughput]:
    """``[core.fp64]`` …: the vector code of one core."""
    tables = top.table("core")
    if kind == "gpu" and tables.keys:
        top.fail("core", "a gpu is described as a whole: use [all.fp64], [all.fp32] …")
    rates = {p: _throughput(tables.table(p), p, None, 1) for p in _precisions(tables)}
    for precision in REQUIRED_PRECISIONS if kind == "cpu" else ():
        if precision not in rates:
            top.fail(f"core.{precision}.fma", f"missing: one core's {_PEAK_HINT}")
    return rates


def all_core_rates(top: TableReader, core: Mapping[str, Throughput], cores: int) -> dict[str, Throughput]:
    """``[all.fp64]`` …: all cores together. One core gives the rates that the file omits."""
    tables = top.table("all")
    rates = {p: _scaled(one, cores, f"{cores} x one core", cores) for p, one in core.items()}
    for precision in _precisions(tables):
        table = tables.table(precision)
        rates[precision] = _throughput(table, precision, core.get(precision), cores)
    for precision in REQUIRED_PRECISIONS:
        if precision not in rates:
            top.fail(f"all.{precision}.fma", f"missing: the device's {_PEAK_HINT}")
    return rates


def scalar_rates(top: TableReader, core: Mapping[str, Throughput], vector_bits: int) -> dict[str, Throughput]:
    """``[scalar.fp64]`` …: code of one core that works on one element at a time. What is left out is one lane's
    share of the vector rate. ``special`` stays: such functions are library calls for single elements in most
    compiled loops."""
    tables = top.table("scalar")
    rates = {}
    for precision, vector in core.items():
        lanes = max(1, vector_bits // PRECISION_BITS[precision])
        lane = _scaled(vector, 1 / lanes, f"one of {lanes} lanes", 1)
        lane = replace(lane, special=vector.special)
        rates[precision] = _overridden(tables.table(precision), lane) if precision in tables else lane
    for precision in _precisions(tables):
        if precision not in core:
            tables.fail(precision, f"has no vector rates beside it: add [core.{precision}]")
    return rates


def _precisions(tables: TableReader) -> tuple[str, ...]:
    tables.only(*PRECISION_BITS)
    return tables.keys


def _throughput(table: TableReader, precision: str, one: Throughput | None, cores: int) -> Throughput:
    """A table of rates; what it leaves out is a share of ``fma``: ``one`` core's share, or the usual one."""
    table.only(*RATES)
    fma = table.required("fma", _PEAK_HINT)
    shares, why = SHARE_OF_FMA, "estimate"
    if one is not None:
        why = "derived as in one core"
        shares = {rate: one.rate(rate).value / one.fma.value for rate in SHARE_OF_FMA}
    rates = {rate: times(fma, share, f"{why}: {share:.3g} x fma") for rate, share in shares.items()}
    return _overridden(table, Throughput(precision, "vector", fma, **rates, cores=cores))


def _overridden(table: TableReader, default: Throughput) -> Throughput:
    """The rates of a table over those that follow without it."""
    table.only(*RATES)
    rates = {rate: table.figure(rate) or default.rate(rate) for rate in RATES}
    return Throughput(default.precision, default.unit, **rates, cores=default.cores)


def _scaled(rates: Throughput, factor: float, why: str, cores: int) -> Throughput:
    figures = {rate: times(rates.rate(rate), factor, f"derived: {why}") for rate in RATES}
    return Throughput(rates.precision, rates.unit, **figures, cores=cores)


def times(figure: Sourced, factor: float, why: str) -> Sourced:
    """A figure that follows from another one."""
    nameplate, achieved = figure.nameplate, figure.achieved
    return Sourced(
        None if nameplate is None else nameplate * factor,
        None if achieved is None else achieved * factor,
        f"{why} ({figure.source})",
    )


def tensor_rates(top: TableReader) -> dict[str, Sourced]:
    """``[tensor]``: dense FLOP/s of matrix units, a precision a key."""
    table = top.table("tensor")
    table.only(*TENSOR_PRECISIONS)
    return {p: figure for p in TENSOR_PRECISIONS if (figure := table.figure(p)) is not None}


KINDS = ("cpu", "gpu")
TOP_KEYS = (
    "name", "description", "kind", "cores", "vector_bits", "write_allocate", "clock", "launch_overhead",
    "level", "network", "core", "scalar", "all", "tensor", "latency", "time", "functions", "gpu",
)  # fmt: skip
LEVEL_KEYS = ("name", "capacity", "line", "shared_by", "exclusive", "bandwidth_core", "bandwidth_all", *LINE_KEYS)
LATENCY_CYCLES = {"add": 4, "mul": 4, "fma": 4, "minmax": 4, "div": 14, "sqrt": 18, "special": 40}
"""Latencies that a file leaves out: those of the generic core."""

_CORE_HINT = "one core reaches far less bandwidth than the socket: give the figure of a one-thread stream"


def machine_from_toml(document: Mapping[str, Any], file: str, default_name: str) -> Machine:
    """The machine of a parsed file; MachineError where a key is missing, unknown or out of range."""
    top = TableReader(document, file)
    top.only(*TOP_KEYS)
    kind = top.text("kind")
    if kind not in KINDS:
        top.fail("kind", f'expected "cpu" or "gpu", found {kind!r}')
    cores = top.integer("cores")
    vector_bits = top.integer("vector_bits", default=256)
    core, levels = core_rates(top, kind), _levels(top, kind, cores)
    return Machine(
        name=top.text("name", default=default_name),
        description=top.text("description", default=""),
        kind=kind,
        cores=cores,
        clock=top.required("clock", "Hz, as sustained in vector code"),
        write_allocate=top.flag("write_allocate", default=kind == "cpu"),
        levels=levels,
        core=core,
        whole=all_core_rates(top, core, cores),
        tensor=tensor_rates(top),
        latency=_latency(top),
        launch_overhead=top.figure("launch_overhead"),
        path=file,
        timing=timing_of(top, levels),
        scalar=scalar_rates(top, core, vector_bits),
        functions=functions_of(top),
        network=_network(top),
        gpu=gpu_figures(top),
        vector_bits=vector_bits,
        source=top.source,
    )


def _levels(top: TableReader, kind: str, cores: int) -> tuple[Level, ...]:
    levels = [_level(table, kind, cores) for table in top.tables("level")]
    if not levels:
        top.fail("level", "missing: one [[level]] table for each cache, nearest first, and one for memory")
    if any(level.capacity is None for level in levels[:-1]):
        top.fail("level", "only the last level, memory, has no capacity")
    if levels[-1].capacity is not None:
        top.fail("level", "the last level must be memory, without a capacity")
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        top.fail("level", f"two levels have the same name: {', '.join(names)}")
    sizes = [level.capacity or 0 for level in levels[:-1]]
    if sizes != sorted(sizes):
        top.fail("level", "list the caches nearest first: a capacity is smaller than the one before")
    return tuple(levels)


def _level(table: TableReader, kind: str, cores: int) -> Level:
    table.only(*LEVEL_KEYS)
    capacity = table.integer("capacity") if "capacity" in table else None
    shared_by = table.integer("shared_by", default=1 if capacity else cores)
    for_all = table.figure("bandwidth_all")
    one = table.figure("bandwidth_core")
    if kind == "cpu" and one is None:
        table.fail("bandwidth_core", f"missing: {_CORE_HINT}")
    if for_all is None:
        if one is None or shared_by > 1:
            table.fail("bandwidth_all", "missing: bytes/s that this level serves to all cores together")
        for_all = times(one, cores, f"{cores} x the bandwidth of one core")
    return Level(
        name=table.text("name"),
        capacity=capacity,
        line=table.integer("line", default=64),
        bandwidth_core=one,
        bandwidth_all=for_all,
        shared_by=shared_by,
        exclusive=table.flag("exclusive", default=False),
        source=table.source,
        prices={key: figure for key in LINE_KEYS if (figure := table.figure(key)) is not None},
    )


def _network(top: TableReader) -> Level | None:
    if "network" not in top:
        return None
    table = top.table("network")
    table.only("bandwidth_all")
    hint = "bytes/s that one node exchanges with the others"
    return Level("network", None, 1, None, table.required("bandwidth_all", hint), source=table.source)


def _latency(top: TableReader) -> dict[str, Sourced]:
    """``[latency]``: cycles from operand to result."""
    table = top.table("latency")
    table.only(*LATENCY_CYCLES)
    return {
        kind: table.figure(kind) or Sourced(cycles, None, "estimate: the generic core's latency")
        for kind, cycles in LATENCY_CYCLES.items()
    }
