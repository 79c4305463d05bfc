"""roofscan over packages that people have written: ``python -m benchmarks.corpus``.

Downloads the wheels of ``corpus.txt`` (read as files; nothing is installed or imported), analyses every file in
parallel processes, and prints what was found, how well, and how fast. CPU seconds, so that other work on the
machine changes the figures little.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from rich.progress import Progress

from benchmarks import wheels
from benchmarks.runtime import progress_bar
from benchmarks.survey import COUNTED, SLOW_KERNEL, FileRow, add_up, package_files, survey

FOLDER = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "roofscan-corpus"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", help="name==version, or folders (default: those of corpus.txt)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where wheels are kept (default: {FOLDER})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    parser.add_argument("--rows", type=Path, help="write every file's and kernel's figures here, as JSON lines")
    parser.add_argument("--top", type=int, default=25, help="how many reasons and slow files to list")
    options = parser.parse_args()
    with progress_bar() as bar:
        folders = list(_fetched(options.packages or wheels.listed(), options.folder, bar))
        files = [path for folder in folders for path in package_files(folder)]
        started = time.monotonic()
        rows = list(_written(_surveyed(files, options.jobs, bar), options.rows))
        wall = time.monotonic() - started
    for line in table(rows, len(folders), wall, options.jobs, options.top):
        print(line)
    return int(any(row.crashes for row in rows))


def _fetched(packages: list[str], folder: Path, bar: Progress) -> Iterator[Path]:
    task = bar.add_task("download", total=len(packages))
    for package in packages:
        bar.update(task, description=package)
        found = Path(package) if Path(package).is_dir() else wheels.fetch(package, folder)
        if found is None:
            print(f"{package}: no wheel", file=sys.stderr)
        else:
            yield found
        bar.advance(task)


def _surveyed(files: list[str], jobs: int, bar: Progress) -> Iterator[FileRow]:
    task = bar.add_task("analyse", total=len(files))
    with ProcessPoolExecutor(jobs) as pool:
        for row in pool.map(survey, files, chunksize=4):
            bar.update(task, advance=1, description=Path(row.path).name)
            yield row


def _written(rows: Iterator[FileRow], path: Path | None) -> Iterator[FileRow]:
    """The rows, each written to ``path`` as it comes."""
    with open(path or os.devnull, "w", encoding="utf-8") as file:
        for row in rows:
            print(json.dumps(asdict(row)), file=file, flush=True)
            yield row


def table(rows: list[FileRow], packages: int, wall: float, jobs: int, top: int) -> Iterator[str]:
    """The lines of the report, in Markdown."""
    totals = add_up(rows)
    expected, missed = sum(r.expected for r in rows), sum(len(r.missed) for r in rows)
    kernels = sum(totals.statuses.values())
    yield f"- {packages} packages, {totals.files:,} files, {totals.lines:,} lines"
    found = expected - missed
    yield f"- {kernels:,} kernels; of {expected:,} functions that look compiled {_share(found, expected)} are found"
    yield f"- all kernels: {_shares(totals.statuses)}"
    yield f"- kernels with floating-point work ({totals.counting.total():,}): {_shares(totals.counting)}"
    good = sum(totals.counting[status] for status in COUNTED)
    yield f"- of these counted with finite expressions: {_share(good, totals.counting.total())}"
    crashes, unread = sum(len(r.crashes) for r in rows), sum(bool(r.error) for r in rows)
    yield f"- crashes: {crashes}; files that cannot be read: {unread}"
    speed = f"{totals.files / wall:.0f} files/s with {jobs} processes ({wall:.1f} s)"
    yield f"- {speed}; {totals.seconds:.1f} s CPU in files that may hold kernels"
    slowest = max((k.seconds for r in rows for k in r.kernels), default=0.0)
    yield f"- kernels over {SLOW_KERNEL:g} s CPU: {len(totals.slow)}; the slowest took {slowest:.2f} s"
    yield f"- peak memory of a process: {max((r.memory for r in rows), default=0) / 1e6:.0f} MB"
    findings = totals.codes.total()
    density = f"{1000 * findings / max(1, totals.lines):.2f} per 1,000 lines"
    yield f"- findings: {findings:,}, {density}: {_counts(totals.codes)}"
    yield ""
    yield "| kernels with floating-point work | reason |"
    yield "|--:|---|"
    for reason, count in totals.reasons.most_common(top):
        yield f"| {count} | {reason} |"
    yield ""
    yield "| CPU s | slowest files |"
    yield "|--:|---|"
    for row in sorted(rows, key=lambda r: -r.seconds)[: min(10, top)]:
        yield f"| {row.seconds:.2f} | {Path(row.path).name} ({len(row.kernels)} kernels) |"
    yield ""
    yield "| CPU s | slowest kernels |"
    yield "|--:|---|"
    every = (kernel for row in rows for kernel in row.kernels)
    for kernel in sorted(every, key=lambda k: -k.seconds)[: min(10, top)]:
        yield f"| {kernel.seconds:.2f} | {Path(kernel.path).name}::{kernel.name} ({kernel.status}) |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"


def _shares(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,} ({_share(count, counts.total())})" for name, count in counts.most_common())


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(main())
