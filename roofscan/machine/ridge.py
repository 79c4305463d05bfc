"""Ridges: the intensity at which a machine's compute roof and the bandwidth of a level meet, FLOP/s over bytes/s
(Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009), for one precision, unit and part of the machine."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.machine.model import RATES, Level, Machine, MachineError, Sourced, Throughput

_WIDER = {"bf16": "fp32", "fp16": "fp32", "fp32": "fp64"}


def scopes_of(machine: Machine) -> tuple[str, ...]:
    """The parts of a machine that have a roof of their own."""
    return ("device",) if machine.kind == "gpu" else ("core", "socket")


def rates_for(machine: Machine, precision: str, scope: str, *, scalar: bool = False) -> Throughput:
    """The rates of the precision, or of the next wider one that the machine has; MachineError without any. ``scalar``
    asks for code without vectors. A GPU has one scope, the device, and no such code."""
    table = machine.core if scope == "core" and machine.core else machine.whole
    wanted: str | None = precision
    while wanted is not None and wanted not in table:
        wanted = _WIDER.get(wanted)
    if wanted is None:
        raise MachineError(f"{machine.path}: no throughput for {precision}: add [core.{precision}]")
    if not scalar or wanted not in machine.scalar:
        return table[wanted]
    one = machine.scalar[wanted]
    if scope == "core":
        return one
    return _grown(one, table[wanted].fma.value / machine.core[wanted].fma.value, table[wanted].cores)


def peak(machine: Machine, precision: str, scope: str, unit: str = "vector") -> Sourced | None:
    """FLOP/s of fused multiply-adds, or of matrix units (of the whole machine); None where there are none."""
    if unit == "tensor":
        return None if scope == "core" else machine.tensor.get(precision)
    table = machine.core if scope == "core" else machine.whole
    return table[precision].fma if precision in table else None


def bandwidth(level: Level, scope: str) -> Sourced | None:
    """Bytes/s that a level serves to one core, or to all."""
    if scope == "core":
        return level.bandwidth_core or level.bandwidth_all
    return level.bandwidth_all or level.bandwidth_core


def ridge(
    machine: Machine, level: Level, precision: str, scope: str, *, unit: str = "vector", nameplate: bool = False
) -> float | None:
    """FLOP/B where the peak of ``unit`` meets the bandwidth of ``level``; None where one of them is unknown. With
    ``nameplate`` the nameplate figures are divided; where one has none (the memory bandwidth of one core), its achieved
    one stands in. Otherwise achieved figures are used where they are given."""
    flops, bytes_ = peak(machine, precision, scope, unit), bandwidth(level, scope)
    if flops is None or bytes_ is None:
        return None
    return _figure(flops, nameplate) / _figure(bytes_, nameplate)


def _figure(sourced: Sourced, nameplate: bool) -> float:
    return sourced.nameplate if nameplate and sourced.nameplate is not None else sourced.value


def _grown(rates: Throughput, factor: float, cores: int) -> Throughput:
    figures: Mapping[str, Sourced] = {
        name: Sourced(None, rates.rate(name).value * factor, f"derived: {cores} cores") for name in RATES
    }
    return Throughput(rates.precision, rates.unit, **figures, cores=cores)
