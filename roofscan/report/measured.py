"""Measured calls beside the expected ones: numbers, and a table in words."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from functools import cached_property

from roofscan import units
from roofscan.errors import AnalysisError
from roofscan.frozen import dataclass
from roofscan.measurement import SAVED_SCHEMA, Measurement
from roofscan.report.figures import bound_values, moved, time_at_binding, value_of
from roofscan.report.footer import UNCALIBRATED
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
_OF_CALLS = ("kernel", "calls", "total")
_SHORT_CALL = 1e-5  # seconds below which counting a call is a notable part of it
_SHORT = "Calls below 10 µs are timed with the work of Python and of counting them: roofscan.measure times them alone."


@dataclass(frozen=True)
class MeasuredCall:
    """A kernel at the sizes of ``binding``: the least and the median seconds of ``runs`` calls, and what is predicted
    of one. FLOPs and bytes are the counted ones; bytes are those of memory."""

    name: str
    binding: str
    report: KernelReport | None  # None: its source cannot be read
    least: float
    median: float
    runs: int
    total: float = 0.0  # seconds of all calls
    notes: tuple[str, ...] = ()

    @property
    def expected(self) -> float | None:
        return self._time.expected if self._time else None

    @property
    def at_least(self) -> float | None:
        return self._time.at_least if self._time else None

    @property
    def limit(self) -> str | None:
        """What takes most of the expected time."""
        return self._time.limit if self._time else None

    @property
    def share(self) -> float:
        """The bound over the measured time: 1 is the roof. AnalysisError where the model has no bound."""
        if self._time is None:
            raise AnalysisError(f"{self.name} has no bound: {self._why}")
        return self._time.at_least / self.least

    @cached_property
    def flops(self) -> int | float | None:
        cost = self.report.cost if self.report else None
        return value_of(cost.flops, bound_values(cost)) if cost and cost.status != "unsupported" else None

    @cached_property
    def bytes(self) -> int | float | None:
        memory = self.report.levels[-1] if self.report and self.report.levels else None
        if self.report is None or memory is None or (memory.fused_status or memory.traffic.status) == "unknown":
            return None
        traffic = moved(memory.fused or memory.traffic.total, self.report.machine)
        return value_of(traffic, bound_values(self.report.cost))

    @property
    def gflops(self) -> float | None:
        return self.flops / self.least / 1e9 if self.flops is not None else None

    @property
    def gbytes(self) -> float | None:
        """Apparent GB/s: the bytes of a first call over the time."""
        return self.bytes / self.least / 1e9 if self.bytes is not None else None

    @property
    def measurement(self) -> Measurement:
        values = bound_values(self.report.cost) if self.report else {}
        sizes = {name: int(value) for name, value in values.items() if value == int(value)}
        return Measurement(self.name, "roofscan measure", "", self.least, sizes=sizes)

    @property
    def _time(self) -> TimePrediction | None:
        time = time_at_binding(self.report) if self.report else None
        return time if isinstance(time, TimePrediction) else None

    @property
    def _why(self) -> str:
        if self.report is None:
            return "its source cannot be read"
        time = time_at_binding(self.report)
        return time.why if isinstance(time, NoTime) else "it is outside the model"

    def __str__(self) -> str:
        return render_measured([self])

    def __repr__(self) -> str:
        share = f", {self.share:.0%} of the bound" if self._time else ""
        return f"<{self.name} {self.binding}: {units.duration(self.least)}{share}>"


def render_json(rows: Sequence[MeasuredCall]) -> str:
    measurements = [
        {
            "kernel": row.name, "bind": row.binding, "sizes": dict(row.measurement.sizes), "seconds": row.least,
            "median": row.median, "runs": row.runs, "expected": row.expected, "at_least": row.at_least,
            "limit": row.limit, "flops": row.flops, "bytes": row.bytes,
        }
        for row in rows
    ]  # fmt: skip
    document = {"schema": SAVED_SCHEMA, "measurements": measurements}
    return json.dumps(document, indent=2, sort_keys=True, allow_nan=False) + "\n"


def render_csv(rows: Sequence[MeasuredCall]) -> str:
    """The plain form that ``report --measured`` reads."""
    sizes = sorted({name for row in rows for name in row.measurement.sizes})
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["kernel", "tool", "seconds", "median", "runs", "expected", "at_least", *sizes])
    for row in rows:
        own = row.measurement
        figures = (row.least, row.median, row.runs, row.expected, row.at_least)
        writer.writerow([row.name, own.tool, *figures, *(own.sizes.get(name) for name in sizes)])
    return stream.getvalue()


def render_measured(rows: Sequence[MeasuredCall], watched: bool = False) -> str:
    """A row per call; what the time of the last goes to. ``watched``: with kernel, number of calls and their time."""
    if not rows:
        return "No call of a compiled function was seen.\n"
    cells = [(*_OF_CALLS, *HEADER) if watched else HEADER, *(_cells(row, watched) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = [_line(row, widths) for row in cells]
    return "\n".join([*lines, "", *_explained(rows, watched)]).rstrip() + "\n"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(row, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])


def _cells(row: MeasuredCall, watched: bool) -> tuple[str, ...]:
    of_calls = (row.name, str(row.runs), units.duration(row.total)) if watched else ()
    time = row._time
    expected = (units.duration(time.expected), units.duration(time.at_least)) if time else ("–", "–")
    ratio = f"{row.least / time.expected:.2f}" if time else "–"
    speeds = (units.digits(speed) if speed else "–" for speed in (row.gflops, row.gbytes))
    measured = (row.binding or "–", units.duration(row.least), units.duration(row.median))
    return (*of_calls, *measured, *expected, ratio, *speeds, f"{row.share:.0%}" if time else "–")


def _explained(rows: Sequence[MeasuredCall], watched: bool) -> list[str]:
    """What the time of the last row with one goes to, and why others have none."""
    known = [row._time for row in rows if row._time]
    last = [f"Of the expected time of the last row, {shares_text(known[-1].parts)}."] if known else []
    why = dict.fromkeys(f"No expected time: {row._why}." for row in rows if row._time is None)
    rough = [UNCALIBRATED] if any(not time.calibrated for time in known) else []
    short = [_SHORT] if watched and any(row.least < _SHORT_CALL for row in rows) else []
    return [*last, *rough, *why, *short, *dict.fromkeys(note for row in rows for note in row.notes)]
