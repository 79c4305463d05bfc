"""Measured times beside expected ones, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofscan import units
from roofscan.report.figures import bound_values, moved, value_of
from roofscan.report.time_text import shares_text
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import NoTime, TimePrediction

HEADER = (
    "sizes",
    "measured",
    "median",
    "expected",
    "at least",
    "measured/expected",
    "GFLOP/s",
    "apparent GB/s",
    "of the bound",
)


@dataclass(frozen=True)
class MeasuredRow:
    """One kernel at one binding: its report, and the seconds of a call, the least and the median."""

    binding: str
    report: KernelReport
    least: float
    median: float


def render_measured(rows: Sequence[MeasuredRow]) -> str:
    """A table of one row a binding, and what the time of the last goes to."""
    cells = [HEADER, *(_cells(row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADER))]
    lines = [_line(row, widths) for row in cells]
    return "\n".join([*lines, "", *_explained(rows)]) + "\n"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(row, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])


def _cells(row: MeasuredRow) -> tuple[str, ...]:
    time, cost = row.report.time, row.report.cost
    values = bound_values(cost)
    flops = value_of(cost.flops, values)
    memory = row.report.levels[-1] if row.report.levels else None
    bytes_ = value_of(moved(memory.fused or memory.traffic.total, row.report.machine), values) if memory else None
    speeds = (
        units.digits(float(flops) / row.least / 1e9) if flops else "–",
        units.digits(float(bytes_) / row.least / 1e9) if bytes_ else "–",
    )
    measured = (row.binding, units.duration(row.least), units.duration(row.median))
    if not isinstance(time, TimePrediction):
        return (*measured, "–", "–", "–", *speeds, "–")
    expected = (units.duration(time.expected), units.duration(time.at_least), f"{row.least / time.expected:.2f}")
    return (*measured, *expected, *speeds, f"{time.at_least / row.least:.0%}")


def _explained(rows: Sequence[MeasuredRow]) -> list[str]:
    """What the time of the last row with one goes to, and why others have none."""
    times = [row.report.time for row in rows]
    known = [time for time in times if isinstance(time, TimePrediction)]
    why = dict.fromkeys(f"No expected time: {time.why}." for time in times if isinstance(time, NoTime))
    last = [f"The expected time of the last row goes to {shares_text(known[-1].parts)}."] if known else []
    return [*last, *why]
