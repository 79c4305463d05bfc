"""A machine of which threads on some of its cores run a kernel."""

from __future__ import annotations

from dataclasses import replace

from roofscan.machine.model import RATES, Level, Machine, Sourced, Throughput


def on_threads(machine: Machine, threads: int) -> Machine:
    """All cores are so many. What each has of its own grows with them; what they share does so up to its bandwidth."""
    whole = {name: _part(rates, threads / machine.cores, threads) for name, rates in machine.whole.items()}
    levels = tuple(replace(level, bandwidth_all=_together(level, threads, machine.cores)) for level in machine.levels)
    return replace(machine, cores=threads, whole=whole, levels=levels)


def _part(rates: Throughput, share: float, threads: int) -> Throughput:
    figures = {name: _scaled(rates.rate(name), share, threads) for name in RATES}
    return Throughput(rates.precision, rates.unit, **figures, cores=threads)


def _scaled(figure: Sourced, share: float, threads: int) -> Sourced:
    return Sourced(None, figure.value * share, f"derived: {threads} threads ({figure.source})")


def _together(level: Level, threads: int, cores: int) -> Sourced | None:
    """A level that cores share is saturated by fewer than all (Hofmann et al., arXiv:1509.03118)."""
    one, every = level.bandwidth_core, level.bandwidth_all
    if one is None or every is None:
        return every
    if level.capacity is not None and level.shared_by == 1:
        return _scaled(every, threads / cores, threads)
    return Sourced(None, min(threads * one.value, every.value), f"derived: {threads} threads ({every.source})")
