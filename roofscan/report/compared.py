"""What was measured of a kernel beside what is predicted: numbers, a table, JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan import units
from roofscan.measurement import MEMORY, Compared, Measurement, Pair
from roofscan.report.figures import bound_values, moved, time_at_binding, value_of
from roofscan.report.kernel_view.caches import Grid
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import TimePrediction

_HEAD = ("measured by", "at", "figure", "measured", "predicted", "measured/predicted")


def compared(measurement: Measurement, report: KernelReport) -> Compared:
    """``report`` is of the sizes that were measured."""
    memory = report.levels[-1].name if report.levels else MEMORY
    time = time_at_binding(report)
    at_least = time.at_least if isinstance(time, TimePrediction) else None
    return Compared(measurement, tuple(_pairs(measurement, report, memory)), at_least, memory)


def _pairs(measurement: Measurement, report: KernelReport, memory: str) -> Iterator[Pair]:
    values = bound_values(report.cost)
    time = time_at_binding(report)
    expected = time.expected if isinstance(time, TimePrediction) else None
    if measurement.seconds is not None:
        yield Pair("time", measurement.seconds, expected, "s")
    known = report.cost.status != "unsupported"
    yield Pair("FLOPs", measurement.flops, value_of(report.cost.flops, values) if known else None, "")
    predicted: dict[str, float | None] = {}
    for level in report.levels:
        status = level.fused_status or level.traffic.status
        total = moved(level.fused or level.traffic.total, report.machine)
        predicted[level.name] = None if status == "unknown" else value_of(total, values)
    by_level = {memory if name == MEMORY else name: number for name, number in measurement.bytes.items()}
    for name in dict.fromkeys((*predicted, *by_level)):
        yield Pair(name, by_level.get(name), predicted.get(name))


def measured_grid(report: KernelReport, machine: str = "") -> Grid | None:
    """A row a measured figure."""
    rows = [row for each in report.measured for row in _rows(each)]
    if not rows:
        return None
    with_sizes = any(row[1] for row in rows)
    head = (f"measured by{f' ({machine})' * bool(machine)}", *_HEAD[1:])
    if with_sizes:
        return Grid(head, tuple(rows), 3)
    return Grid((head[0], *head[2:]), tuple((row[0], *row[2:]) for row in rows), 2)


def _rows(each: Compared) -> Iterator[tuple[str, ...]]:
    tool, sizes = each.measurement.tool, ", ".join(f"{n} = {v}" for n, v in sorted(each.measurement.sizes.items()))
    for pair in each.pairs:
        if pair.measured is not None:
            ratio = f"{pair.measured / pair.predicted:.2f}" if pair.predicted else "–"
            yield tool, sizes, pair.name, _shown(pair.measured, pair.unit), _shown(pair.predicted, pair.unit), ratio
            tool = sizes = ""


def _shown(number: float | None, unit: str) -> str:
    if number is None:
        return "–"
    return units.duration(number) if unit == "s" else units.si(number, unit)


def measured_json(report: KernelReport) -> dict[str, Any]:
    """``measured``; absent where nothing was."""
    return {"measured": [_json(each) for each in report.measured]} if report.measured else {}


def _json(each: Compared) -> dict[str, Any]:
    pairs = {p.name: {"measured": p.measured, "predicted": p.predicted} for p in each.pairs}
    own = each.measurement
    nothing = {"measured": None, "predicted": None}
    return {
        "tool": own.tool,
        "name": own.kernel,
        "place": own.place,
        "calls": own.calls,
        "sizes": dict(own.sizes),
        "seconds": {**pairs.pop("time", nothing), "at_least": each.at_least},
        "flops": pairs.pop("FLOPs"),
        "bytes": pairs,
    }
