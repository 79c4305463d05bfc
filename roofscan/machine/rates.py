"""The rates of a machine file: ``[core.…]``, ``[scalar.…]``, ``[all.…]`` and ``[tensor]``.

A file need only say ``fma`` for one core in fp64 and fp32. What it leaves out follows from what it says, and
the source of such a number tells how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.machine.model import RATES, Sourced, Throughput
from roofscan.machine.reader import TableReader

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


def whole_rates(top: TableReader, core: Mapping[str, Throughput], cores: int) -> dict[str, Throughput]:
    """``[all.fp64]`` …: all cores together; what is left out follows from one core."""
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
    """``[scalar.fp64]`` …: code of one core that works on one element at a time.

    What is left out is one lane's share of the vector rate. ``special`` stays: such functions are library
    calls for single elements in most compiled loops.
    """
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
