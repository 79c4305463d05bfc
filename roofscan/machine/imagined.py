"""A machine as other versions of a kernel see it: the time of such a version is that of the kernel there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.machine.model import Level, Machine, Sourced, Throughput

UNLIMITED = 1 << 100


def with_half_sizes(machine: Machine) -> Machine:
    """What takes float64 here takes float32 on the machine itself: its caches hold twice as many elements."""
    timing = machine.timing
    return replace(
        machine,
        levels=tuple(map(_doubled, machine.levels)),
        core=_narrower(machine.core),
        whole=_narrower(machine.whole),
        scalar=_narrower(machine.scalar),
        timing=replace(
            timing, load=_times(timing.load, 0.5), store=_times(timing.store, 0.5), page=_times(timing.page, 2)
        ),
    )


def with_room_from(machine: Machine, capacity: int) -> Machine:
    """Caches of this capacity and beyond load each line once in a call, as with blocks that make all reuse hit."""
    levels = (replace(x, capacity=UNLIMITED) if x.capacity and x.capacity >= capacity else x for x in machine.levels)
    return replace(machine, levels=tuple(levels), cold=True)


def _doubled(level: Level) -> Level:
    one, every = (x and _times(x, 2) for x in (level.bandwidth_core, level.bandwidth_all))
    prices = {name: _times(price, 0.5) for name, price in level.prices.items()}
    capacity = level.capacity and 2 * level.capacity
    return replace(level, capacity=capacity, bandwidth_core=one, bandwidth_all=every, prices=prices)


def _narrower(rates: Mapping[str, Throughput]) -> Mapping[str, Throughput]:
    return {**rates, "fp64": rates.get("fp32", rates["fp64"])} if "fp64" in rates else rates


def _times(figure: Sourced, factor: float) -> Sourced:
    return Sourced(None, figure.value * factor, f"derived: {figure.source}")
