"""Whether `roofscan fix` keeps its promises: kernels with findings, fixed by it, timed as written and fixed.

    python -m benchmarks.advice [--select RFL5] [--no-fastmath] [--machine NAME|FILE.toml] [--csv FILE]
                                [--kernels COUNT] [PATH ...]

Reads the kernels of the fixtures and of `tests/everyday`, or of the files and folders given. Nothing is typed by hand:
`fix --unsafe` writes each change, arguments are made from the report, at three sizes (data of 128 KiB, 2 MiB, 32 MiB,
or less where a call would take long), in one thread. With `--kernels`, files are taken in an order drawn once.
Promised is the ratio of the expected times of both sources at that size. Exits with 1 where a result differs, a kernel
is slower than 0.95 outside the spread of the original timed against itself, fewer than 80 % reach half of the promise,
or more than 10 % exceed twice the promise. Needs Numba.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from roofscan.api import KernelResult, Options, analyze_source, report_at
from roofscan.cost.fitted_sizes import Fitting
from roofscan.errors import AnalysisError
from roofscan.fix.offers import Choice, FixedFile, fixed
from roofscan.ir.facts import Facts
from roofscan.measuring.arguments import arguments_of
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.expr import Expr

ROOT = Path(__file__).parents[2]
DATA = (128 << 10, 2 << 20, 32 << 20)  # bytes of all arguments
SECONDS = 0.15  # of a call, by the model
MAX_SIZE = 1 << 26
ALONG = {
    "RFL505": ("RFL501",),
    "RFL506": ("RFL501",),
    "RFL525": ("RFL520",),
}  # codes whose remedy takes another one's along
SLOWER, HALF, TWICE = 0.95, 0.8, 0.1


@dataclass(frozen=True)
class Job:
    """One kernel, and what `fix` makes of it for the findings of one code."""

    path: str
    kernel: str
    code: str
    what: str
    safe: bool
    before: KernelReport
    after: KernelReport
    texts: tuple[str, str]


@dataclass(frozen=True)
class Row:
    kernel: str
    code: str
    sizes: str
    promised: float
    measured: float
    itself: float  # the original timed against itself, the slower over the faster
    same: bool  # the results
    what: str

    @property
    def slower(self) -> bool:
        return self.measured < SLOWER / self.itself

    @property
    def reached(self) -> bool:
        """At least half of what is promised, or no promise (0)."""
        return self.measured >= self.promised / 2 or self.promised < 1.05

    @property
    def exceeded(self) -> bool:
        return 0 < 2 * self.promised < self.measured

    def __str__(self) -> str:
        marks = {"slower": self.slower, "wrong": not self.same, "below half": not self.reached, "twice": self.exceeded}
        said = ", ".join(mark for mark, holds in marks.items() if holds)
        figures = f"promised {self.promised:6.2f} measured {self.measured:6.2f} (itself {self.itself:.2f})"
        return f"{self.code} {self.kernel:28.28} {self.sizes:34.34} {figures} {said}".rstrip()


# -- what is timed --------------------------------------------------------------------------------------
def files_of(paths: Sequence[Path], drawn: bool) -> list[Path]:
    found = sorted(file for p in paths for file in (p.rglob("*.py") if p.is_dir() else [p]))
    if drawn:
        Random(1).shuffle(found)
    return found


def jobs(paths: Sequence[Path], options: Options, choice: Choice) -> Iterator[Job]:
    for path in paths:
        text = path.read_bytes().decode()
        for result in analyze_source(text, str(path), options, follow=True).kernels:
            codes = dict.fromkeys(f.code for f in result.findings)
            for code in (c for c in codes if "." not in result.kernel.name):
                job = _job(path, text, result, code, options, choice)
                if job is not None:
                    yield job


def _job(path: Path, text: str, result: KernelResult, code: str, options: Options, choice: Choice) -> Job | None:
    if not any(map(code.startswith, options.select or ("",))):
        return None
    chosen, name = replace(options, select=(code, *ALONG.get(code, ()))), result.kernel.name
    made = fix_kernel(text, path, name, chosen, choice)
    if not made.fixes:
        return None
    after = analyze_source(made.after.decode(), str(path), options, functions=(name,), follow=True).kernels
    what, safe = "; ".join(f.split(": ", 2)[-1] for f in made.fixes), not any("(unsafe" in f for f in made.fixes)
    return Job(str(path), name, code, what, safe, result.reports[0], after[0].reports[0], (text, made.after.decode()))


def fix_kernel(text: str, path: Path, name: str, options: Options, choice: Choice) -> FixedFile:
    return fixed(str(path), text.encode(), options, choice, lambda found, _: found, (name,))


# -- sizes ----------------------------------------------------------------------------------------------
def sizes_of(report: KernelReport, data: int) -> dict[str, int]:
    """All sizes equal but those of arrays that must hold more, so that the arguments take so many bytes, or a call
    ``SECONDS``."""
    low, high = 1, MAX_SIZE
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _bytes(report, _bound(report, middle)) <= data else (low, middle - 1)
    for _ in range(6):
        time = report_at(report, _bound(report, low)).time
        if not isinstance(time, TimePrediction) or time.expected <= SECONDS:
            break
        low = max(1, int(low * max(0.3, (SECONDS / time.expected) ** (1 / 3))))
    return _bound(report, low)


def _bound(report: KernelReport, size: int) -> dict[str, int]:
    """The sizes of a call: what a user would hold is what the verdict takes for typical."""
    cost, found = report.cost, {}
    for symbol in (s for s in cost.kernel.symbols if s.name in cost.free):
        if symbol.kind == "size" and symbol.name not in cost.kernel.guesses:
            found[symbol.name] = size
        elif symbol.kind in ("size", "tile", "int", "flag"):
            found[symbol.name] = cost.kernel.guesses.get(symbol.name, int(cost.sample_point.get(symbol.name, 1)))
    point = {**cost.sample_point, **found}
    Fitting(cost.kernel, point, {s.name: s.kind for s in cost.kernel.symbols if s.name in found}).fit()
    return {name: int(point[name]) for name in found}


def _bytes(report: KernelReport, sizes: dict[str, int]) -> int:
    arrays = [a for a in report.cost.kernel.arrays if a.role == "parameter"]
    values = {**report.cost.sample_point, **sizes}
    total = 0
    for array in arrays:
        elements = 1
        for extent in array.shape:
            elements *= int(extent.evaluate(values))
        total += elements * array.dtype.size
    return total


# -- times ----------------------------------------------------------------------------------------------
def rows(job: Job) -> Iterator[Row]:
    points = []
    for data in DATA:
        sizes = sizes_of(job.before, data)
        if sizes not in points and _bytes(job.before, sizes):
            points.append(sizes)
    reports = [(report_at(job.before, s), report_at(job.after, _renamed(job, s))) for s in points]
    times = [(b.time, a.time) for b, a in reports]
    try:
        calls = [[a.data for a in arguments_of(b.cost, Facts())] for b, _ in reports]
        found = _timed(job, calls)
    except AnalysisError as error:
        print(f"{job.kernel}: left out: {error}", file=sys.stderr)
        return
    for sizes, (before, after), measured in zip(points, times, found, strict=True):
        promised = 0.0
        if isinstance(before, TimePrediction) and isinstance(after, TimePrediction):
            promised = float(before.expected) / float(after.expected)
        if promised or not job.before.cost.kernel.decorator.compiled:
            said = " ".join(f"{name}={value}" for name, value in sizes.items())
            yield Row(job.kernel, job.code, said, promised, **measured, what=job.what)


def _renamed(job: Job, sizes: dict[str, int]) -> dict[str, int]:
    """The sizes by the names that the analysis of the fixed source has for them: it may know more of an array."""
    values = {**job.before.cost.sample_point, **sizes}
    before, after = ([a for a in r.cost.kernel.arrays if a.role == "parameter"] for r in (job.before, job.after))
    extents = {a.name: [int(e.evaluate(values)) for e in a.shape] for a in before}
    found = dict(sizes)
    for array in after:
        known = extents.get(array.name, [])
        known = known if len(known) == len(array.shape) else [prod(known)] * (len(array.shape) == 1)
        for extent, value in zip(array.shape, known, strict=False):
            if len(extent.symbols) == 1 and (name := next(iter(extent.symbols))) not in found:
                found |= {name: value} if extent == Expr.of(name) else {}
    return found


def _timed(job: Job, calls: list[list[dict[str, object]]]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.py" for name in ("as_written", "fixed")]
        for file, text in zip(files, job.texts, strict=True):
            file.write_text(text, encoding="utf-8")
        task = {"files": [str(f) for f in files], "function": job.kernel, "calls": calls, "safe": job.safe}
        command = [sys.executable, "-m", "benchmarks.advice.child"]
        try:
            done = subprocess.run(
                command,
                input=json.dumps(task),
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
                env={**os.environ, "NUMBA_NUM_THREADS": "1"},
            )
        except subprocess.TimeoutExpired:
            raise AnalysisError("it takes too long") from None
    if done.returncode:
        raise AnalysisError((done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1])
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


# -- the verdict ------------------------------------------------------------------------------------------
def summary(found: Sequence[Row]) -> tuple[str, bool]:
    lines = [
        f"{'code':8} {'rows':>5} {'promised':>9} {'measured':>9} {'half':>6} {'twice':>6} {'slower':>7} {'wrong':>6}"
    ]
    for code in (*sorted({row.code for row in found}), ""):
        lines.append(_line(code or "all", [row for row in found if row.code.startswith(code)]))
    kernels = len({row.kernel for row in found})
    lines.append(f"{kernels} kernels")
    count = len(found) or 1
    holds = all(row.same and not row.slower for row in found)
    holds &= sum(row.reached for row in found) >= HALF * count and sum(row.exceeded for row in found) <= TWICE * count
    return "\n".join(lines), holds


def _line(code: str, found: Sequence[Row]) -> str:
    count = len(found) or 1
    promised, measured = (median(values) for values in ([r.promised for r in found], [r.measured for r in found]))
    half, twice = (100 * sum(v) / count for v in ([r.reached for r in found], [r.exceeded for r in found]))
    slower, wrong = sum(r.slower for r in found), sum(not r.same for r in found)
    return f"{code:8} {len(found):5} {promised:9.2f} {measured:9.2f} {half:5.0f}% {twice:5.0f}% {slower:7} {wrong:6}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "fixtures", ROOT / "tests" / "everyday"])
    parser.add_argument("--select", default="")
    parser.add_argument("--no-fastmath", action="store_true")
    parser.add_argument("--machine", default="generic-x86-64")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--kernels", type=int)
    arguments = parser.parse_args()
    select = tuple(filter(None, arguments.select.split(",")))
    options = Options(machines=(arguments.machine,), select=select, kernels="all", threads=1)
    found: list[Row] = []
    files, kernels = files_of(arguments.paths, arguments.kernels is not None), set[str]()
    for job in jobs(files, options, Choice(unsafe=True, fastmath=not arguments.no_fastmath)):
        if job.kernel not in kernels and len(kernels) == arguments.kernels:
            break
        for row in rows(job):
            kernels.add(row.kernel)
            found.append(row)
            print(row, flush=True)
    if arguments.csv and found:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(asdict(found[0])))
            writer.writeheader()
            writer.writerows(map(asdict, found))
    text, holds = summary(found) if found else ("no fix was timed", True)
    print(text)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
