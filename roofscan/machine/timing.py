"""What a core takes beyond throughput and bandwidth: ``[time]`` of a machine file, and the price of lines by level.
What a file leaves out follows from its rates and bandwidths, or is the figure of a core of 2018 to 2024; such figures
are estimates, and times that rest on them are said to be uncalibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.machine.model import Level, Sourced, Timing
from roofscan.machine.reader import TableReader

ESTIMATE = "estimate: x86-64 cores of 2018 to 2024"

_FIGURES = {
    "issue": 4.3, "window": 37, "forward": 5, "start_vector": 3, "start_scalar": 2,
    "call": 90e-9, "call_array": 40e-9, "call_result": 330e-9, "fork": 1.4e-6, "allocate": 50e-9,
    "mispredict": 20, "integer_division": 12, "integer_vector": 12, "integer_product": 4,
    "forward_integer": 5, "load_latency": 5, "convert": 0.6, "convert_short": 0.7, "convert_long": 0.13, "alone": 1.0,
    "overlap": 1.0, "exposed": 1.0, "fault": 0.25e-6,
    "apart": 0.05e-9, "conflict_load": 1.5e-9, "conflict_store": 4e-9,
    "conflict_far_load": 3e-9, "conflict_far_store": 5e-9,
    "page": 4096, "tlb1_pages": 96, "tlb1": 0.19e-9, "tlb2_pages": 1900, "walk": 4.7e-9,
}  # fmt: skip
KEYS = ("load", "store", "store_masked", *_FIGURES)
LINE_KEYS = ("line_load", "line_fill", "line_writeback", "line_apart")
APART_MEMORY, APART_CACHE = 3.5, 2.0
"""How many times as long a line takes that no prefetcher expects: 2.8 and 1.3 on Zen 5, 4.6 and 3.5 on Redwood Cove."""


@dataclass(frozen=True)
class LinePrice:
    """Seconds that a level takes to serve a line to the one above: for a read, for a write, and to take one back."""

    load: float
    fill: float
    writeback: float
    apart: float  # for either, of a line that no prefetcher expects


def estimated_timing(levels: Sequence[Level]) -> Timing:
    """What follows from the bandwidth of the nearest level, and else the figures of a usual core."""
    nearest = levels[0].bandwidth_core or levels[0].bandwidth_all
    seconds = 64 / nearest.value if nearest else 0.3e-9
    load = Sourced(None, seconds, f"derived: 64 B at the bandwidth of {levels[0].name}")
    store = Sourced(None, 2 * seconds, f"estimate: half as many stores as loads ({load.source})")
    masked = replace(store, source="estimate: as any store")
    return Timing(
        load, store, masked, **{k: Sourced(None, v, ESTIMATE) for k, v in _FIGURES.items()}, given=False, measured=False
    )


def timing_of(top: TableReader, levels: Sequence[Level]) -> Timing:
    """``[time]``: MachineError where a key is unknown or not a number above 0."""
    table = top.table("time")
    table.only(*KEYS)
    given = {key: figure for key in KEYS if (figure := table.figure(key)) is not None}
    measured = any(figure.source.startswith("measured") for figure in given.values())
    return replace(estimated_timing(levels), **given, given="time" in top, measured=measured)


def line_price(level: Level) -> LinePrice:
    """What the level's figures say, or else its bandwidth; a write-back rides along with the loads of a cache."""
    bandwidth = level.bandwidth_core or level.bandwidth_all
    own, usual = level.prices, level.line / bandwidth.value if bandwidth else 0.0
    load = own["line_load"].value if "line_load" in own else usual
    return LinePrice(
        load,
        own["line_fill"].value if "line_fill" in own else usual,
        own["line_writeback"].value if "line_writeback" in own else usual / 4,
        own["line_apart"].value if "line_apart" in own else load * (APART_CACHE if level.capacity else APART_MEMORY),
    )
