"""What a machine file says, as a :class:`Machine`: its keys, and what they are where they are left out.

The format is described in ``data/generic-x86-64.toml``. Whatever a file leaves out is derived here and says
so in its source; a number that nothing determines is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roofscan.machine.model import Level, Machine, Sourced
from roofscan.machine.rates import core_rates, scalar_rates, tensor_rates, times, whole_rates
from roofscan.machine.reader import TableReader

KINDS = ("cpu", "gpu")
TOP_KEYS = (
    "name", "description", "kind", "cores", "vector_bits", "write_allocate", "clock", "launch_overhead",
    "level", "network", "core", "scalar", "all", "tensor", "latency",
)  # fmt: skip
LEVEL_KEYS = ("name", "capacity", "line", "shared_by", "exclusive", "bandwidth_core", "bandwidth_all")
LATENCY_CYCLES = {"add": 4, "mul": 4, "fma": 4, "minmax": 4, "div": 14, "sqrt": 18, "special": 40}
"""Latencies that a file leaves out: those of the generic core."""

_CORE_HINT = "one core draws far less than the socket serves: give what a one-thread stream measures"


def machine_from_toml(document: Mapping[str, Any], file: str, default_name: str) -> Machine:
    """The machine of a parsed file; MachineError where a key is missing, unknown or out of range."""
    top = TableReader(document, file)
    top.only(*TOP_KEYS)
    kind = top.text("kind")
    if kind not in KINDS:
        top.fail("kind", f'expected "cpu" or "gpu", found {kind!r}')
    cores = top.whole("cores")
    vector_bits = top.whole("vector_bits", default=256)
    core = core_rates(top, kind)
    machine = Machine(
        name=top.text("name", default=default_name),
        description=top.text("description", default=""),
        kind=kind,
        cores=cores,
        clock=top.required("clock", "Hz, as sustained in vector code"),
        write_allocate=top.flag("write_allocate", default=kind == "cpu"),
        levels=_levels(top, kind, cores),
        core=core,
        whole=whole_rates(top, core, cores),
        tensor=tensor_rates(top),
        latency=_latency(top),
        launch_overhead=top.figure("launch_overhead"),
        registers_bandwidth_core=None,
        path=file,
        scalar=scalar_rates(top, core, vector_bits),
        network=_network(top),
        source=top.source,
    )
    return replace(machine, registers_bandwidth_core=machine.levels[0].bandwidth_core)


def _levels(top: TableReader, kind: str, cores: int) -> tuple[Level, ...]:
    levels = [_level(table, kind, cores) for table in top.tables("level")]
    if not levels:
        top.fail("level", "missing: one [[level]] table for each cache, nearest first, and one for memory")
    if any(level.capacity is None for level in levels[:-1]):
        top.fail("level", "only the last level, memory, goes without a capacity")
    if levels[-1].capacity is not None:
        top.fail("level", "the last level must be memory, without a capacity")
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        top.fail("level", f"two levels have one name: {', '.join(names)}")
    sizes = [level.capacity or 0 for level in levels[:-1]]
    if sizes != sorted(sizes):
        top.fail("level", "list the caches nearest first: a capacity is smaller than the one before")
    return tuple(levels)


def _level(table: TableReader, kind: str, cores: int) -> Level:
    table.only(*LEVEL_KEYS)
    capacity = table.whole("capacity") if "capacity" in table else None
    shared_by = table.whole("shared_by", default=1 if capacity else cores)
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
        line=table.whole("line", default=64),
        bandwidth_core=one,
        bandwidth_all=for_all,
        shared_by=shared_by,
        exclusive=table.flag("exclusive", default=False),
        source=table.source,
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
