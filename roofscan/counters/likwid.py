"""LIKWID: ``likwid-perfctr -O``, with or without regions of its marker interface."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import field

from roofscan.counters.table import MeasuredText, scale, sum_of_all
from roofscan.frozen import dataclass
from roofscan.measurement import MEMORY, Measurement

TOOL = "LIKWID"
_TABLE = re.compile(r"TABLE,(?:Region (?P<region>[^,]+),)?Group \d+ (?P<kind>Raw|Metric)(?P<stat> STAT)?,")
_QUANTITY = re.compile(r"(?P<name>.*?) \[?(?P<unit>s|[KMGT]?Bytes|[KMGT]?FLOP)(?:/s)?\]?")
_RUNTIMES = ("RDTSC Runtime", "Runtime (RDTSC)")
_RATES = ("DP", "SP")  # [MFLOP/s]

_BYTES: Mapping[str, tuple[Mapping[str, float], ...]] = {
    MEMORY: ({"Memory data volume": 1.0}, {"Memory read data volume": 1.0, "Memory write data volume": 1.0}),
    "L3": ({"L3 data volume": 1.0},),
    "L2": ({"L2 data volume": 1.0},),
}


@dataclass
class _Region:
    """The figures of all threads by quantity, the longest time in seconds, and the calls of one thread."""

    line: int
    seconds: float = 0.0
    calls: int = 1
    sums: dict[str, float] = field(default_factory=dict)


def is_likwid(file: MeasuredText) -> bool:
    return any(_TABLE.match(line) for line in file.lines)


def read(file: MeasuredText) -> list[Measurement]:
    """One measurement per region; without regions one of the whole run, which has no name."""
    regions: dict[str, _Region] = {}
    region, has_threads = _Region(0), False
    for line, row in enumerate(csv.reader(file.lines), start=1):
        head = _TABLE.match(",".join(row))
        if head:
            region = regions.setdefault(head["region"] or "", _Region(line))
            has_threads = not head["stat"]
        elif row and has_threads:
            _add(file, region, line, row)
    return [_measurement(file, name, region) for name, region in regions.items()]


def _add(file: MeasuredText, region: _Region, line: int, row: list[str]) -> None:
    """Adds a quantity with a figure per thread. LIKWID's own sums repeat these."""
    if row[0] == "call count":
        region.calls = max(1, int(max(_figures(file, line, row), default=1)))
        return
    found = _QUANTITY.fullmatch(row[0])
    if found is None:
        return
    figures = [figure * scale(found["unit"].replace("FLOP", "")) for figure in _figures(file, line, row)]
    if found["name"] in _RUNTIMES:
        region.seconds = max(region.seconds, *figures, 0.0)
    elif figures:
        region.sums[found["name"]] = sum(figures)


def _figures(file: MeasuredText, line: int, row: list[str]) -> list[float]:
    return [number for cell in row[1:] if (number := file.number(cell, line)) is not None]


def _measurement(file: MeasuredText, name: str, region: _Region) -> Measurement:
    volumes = {level: sum_of_all(region.sums, ways) for level, ways in _BYTES.items()}
    moved = {level: volume / region.calls for level, volume in volumes.items() if volume is not None}
    rates = [region.sums[rate] for rate in _RATES if rate in region.sums]
    flops = sum(rates) * region.seconds / region.calls if rates and region.seconds else None
    seconds = region.seconds / region.calls if region.seconds else None
    return Measurement(name, TOOL, f"{file.path}:{region.line}", seconds, flops, moved, calls=region.calls)
