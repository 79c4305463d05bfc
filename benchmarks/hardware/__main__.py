"""``python -m benchmarks.hardware [--machine FILE] [--part K/N] [FILES ...]``: predicts and times kernels here.

Needs Numba. Measures the machine first, unless a file of it is given. Each kernel's rows are in the comment above it:
``# bind: WORDS | WORDS | …``, the first words common to all. Prints a row a binding, and how many rows are within
0.8 to 1.5 of the expected time.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from benchmarks.hardware.calm import least_seconds
from benchmarks.runtime import progress_bar
from roofscan.api import Options, analyze_file
from roofscan.config.run_config import load_run_config
from roofscan.errors import AnalysisError
from roofscan.measuring.arguments import arguments_of
from roofscan.measuring.machine_file import measured_machine
from roofscan.report.time_text import shares_text
from roofscan.roofline.time.prediction import TimePrediction

KERNELS = [
    str(Path(__file__).with_name(name))
    for name in (
        "kernels.py",
        "more_kernels.py",
        "later_kernels.py",
        "further_kernels.py",
        "latest_kernels.py",
        "habit_kernels.py",
        "statement_kernels.py",
        "unseen_kernels.py",
        "fresh_kernels.py",
        "recent_kernels.py",
        "first_kernels.py",
        "mixed_kernels.py",
        "column_kernels.py",
        "daily_kernels.py",
        "plain_kernels.py",
        "usual_kernels.py",
        "textbook_kernels.py",
        "lecture_kernels.py",
        "everyday_kernels.py",
        "routine_kernels.py",
        "ordinary_kernels.py",
        "familiar_kernels.py",
        "parting_kernels.py",
    )
]
_ROW = re.compile(r"# bind: (?P<words>[^\n]+)\n@njit[^\n]*\ndef (?P<name>\w+)")


@dataclass(frozen=True)
class Row:
    """One kernel at one binding: seconds measured, expected, and the bound; FLOPs over the roof as ``attainable``."""

    name: str
    binding: str
    measured: float
    time: TimePrediction | None
    attainable: float | None

    @property
    def ratio(self) -> float:
        assert self.time is not None
        return self.measured / self.time.expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", default=KERNELS)
    parser.add_argument("--machine", help="a machine file of this computer; none: measure it now")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts of the rows")
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        machine = arguments.machine or measured_here(folder)
        wanted = [(file, name, binding) for file in arguments.files for name, binding in rows_of(file)]
        wanted = wanted[len(wanted) * (part - 1) // parts : len(wanted) * part // parts]
        found = []
        with progress_bar() as bar:
            for file, name, binding in bar.track(wanted):
                made = row(file, name, binding, machine)
                found += [made] if made else []
    for one in sorted(found, key=lambda r: r.ratio if r.time else 0.0):
        print(_line(one))
    for line in summary(found):
        print(line)


def rows_of(file: str) -> Iterator[tuple[str, str]]:
    """Function and binding of each row of a file."""
    for found in _ROW.finditer(Path(file).read_text(encoding="utf-8")):
        first, *sizes = (part.strip() for part in found["words"].split("|"))
        yield from ((found["name"], f"{first} {size}") for size in sizes)


def measured_here(folder: str) -> str:
    file = Path(folder) / "here.toml"
    file.write_text(measured_machine(lambda what: print(f"measuring {what}", file=sys.stderr)), encoding="utf-8")
    return str(file)


def row(file: str, name: str, binding: str, machine: str) -> Row | None:
    options = Options(kernels="all", machines=(machine,), bind=binding)
    report = analyze_file(file, options, [name]).kernels[0].reports[0]
    try:
        made = arguments_of(report.cost, load_run_config(options).facts)
        measured = least_seconds(file, name, made, 120.0, report.cost.kernel.decorator.parallel)
    except AnalysisError as error:
        print(f"{name} {binding}: {error}", file=sys.stderr)
        return None
    flops = float(report.cost.flops.evaluate(report.cost.sample_point))
    attainable = flops / report.verdict.attainable if report.verdict.attainable else None
    time = report.time if isinstance(report.time, TimePrediction) else None
    return Row(name, binding, measured, time, attainable)


def _line(row: Row) -> str:
    start = f"{row.name:26} {row.binding[-34:]:34} {row.measured * 1e6:12.2f} µs"
    return f"{start}  {row.ratio:5.2f}  {shares_text(row.time.parts)}" if row.time else f"{start}      –"


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The ladder: rows within ranges of the expected time, the roofline's time before, bounds beaten, declined."""
    known = [row for row in rows if row.time]
    yield f"{len(rows)} rows, {len(rows) - len(known)} without an expected time"
    yield f"expected  {_spread([row.ratio for row in known])}"
    yield f"roofline  {_spread([row.measured / row.attainable for row in rows if row.attainable])}"
    beaten = sum(row.measured < 0.9 * row.time.at_least for row in known if row.time)
    yield f"{beaten} rows beat the bound by more than 10 %"


def _spread(ratios: Sequence[float]) -> str:
    def share(low: float, high: float) -> str:
        return f"{sum(low <= r <= high for r in ratios) / len(ratios):.0%}"

    if not ratios:
        return "no rows"
    mean = exp(sum(abs(log(r)) for r in ratios) / len(ratios))
    far = sum(not 0.25 <= r <= 4 for r in ratios)
    return f"0.8-1.5: {share(0.8, 1.5)}, 0.9-2: {share(0.9, 2)}, mean factor {mean:.2f}, over 4: {far}"


if __name__ == "__main__":
    main()
