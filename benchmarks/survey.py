"""One file of the corpus through roofscan, and the figures of many files added up."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import independent_count
from benchmarks.runtime import peak_memory
from roofscan.api import enabled, load_run_config
from roofscan.config.options import Options
from roofscan.config.selection import in_order
from roofscan.config.test_modules import is_test_module
from roofscan.parse.reader.find import Candidate, find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.resolver import ModuleFinder
from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source
from roofscan.pipeline.driver import FileAnalysis, KernelResult
from roofscan.symbolic.expr import NotEvaluable

OPTIONS = Options()
SETTING = load_run_config(OPTIONS)
COUNTED = ("exact", "parametric", "bounded")
SLOW_KERNEL = 2.0  # CPU, of one kernel
LARGE_SIZE = 1000  # the size at which every expression must have a finite value


@dataclass(frozen=True)
class KernelRow:
    """One kernel: what roofscan says of it. ``reasons`` are (effect, message, line)."""

    path: str
    name: str
    line: int
    status: str
    counts: bool  # it does floating-point work, by roofscan or (where roofscan has no figure) by the text
    finite: bool
    codes: tuple[str, ...]
    reasons: tuple[tuple[str, str, int], ...]
    kind: str  # of its decorator
    seconds: float  # CPU


@dataclass(frozen=True)
class FileRow:
    """One file: its kernels, the functions that the independent count has (missed: roofscan has them not)."""

    path: str
    lines: int
    seconds: float  # CPU
    error: str = ""
    crashes: tuple[str, ...] = ()
    kernels: tuple[KernelRow, ...] = ()
    expected: int = 0
    missed: tuple[int, ...] = ()
    findings: tuple[tuple[str, int, str], ...] = ()  # of the codes that are on by default
    memory: int = 0  # the process's peak so far, bytes


@dataclass
class Totals:
    """Sums over files."""

    files: int = 0
    lines: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    counting: Counter[str] = field(default_factory=Counter)  # statuses of kernels with floating-point work
    slow: list[KernelRow] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)  # kernels by what keeps them from exact
    codes: Counter[str] = field(default_factory=Counter)


def survey(path: str) -> FileRow:
    """What roofscan says of one file. Every failure is a figure, never an exception."""
    try:
        text = read_source(path)
    except SourceError as error:
        return FileRow(path, 0, 0.0, str(error))
    if not may_hold_kernels(text):
        return FileRow(path, text.count("\n"), 0.0, expected=len(independent_count.compiled_lines(text)))
    started = time.process_time()
    try:
        module = read_module(text, path, finder=ModuleFinder())
        analysis = FileAnalysis(module, SETTING)
        timed = [_timed(analysis, each) for each in find_candidates(module, plain=False).candidates]
        results = [result for result, _ in timed]
    except SourceError as error:
        return FileRow(path, text.count("\n"), time.process_time() - started, str(error))
    except Exception as error:
        return FileRow(path, text.count("\n"), time.process_time() - started, crashes=(repr(error),))
    seconds = time.process_time() - started
    expected, arithmetic = independent_count.compiled_lines(text), independent_count.float_lines(text)
    kernels = tuple(_row(path, result, arithmetic, seconds) for result, seconds in timed)
    in_tests = is_test_module(path, text)
    found = (f for result in results for f in result.findings if enabled(f.code, OPTIONS, in_tests))
    findings = in_order(set(found))
    return FileRow(
        path,
        text.count("\n"),
        seconds,
        "",
        tuple(f.message for f in findings if f.code == "RFL999"),
        kernels,
        len(expected),
        tuple(sorted(expected - {k.line for k in kernels})),
        tuple((f.code, f.line, f.message) for f in findings),
        peak_memory(),
    )


def _timed(analysis: FileAnalysis, candidate: Candidate) -> tuple[KernelResult, float]:
    """A kernel, and the CPU time that it took."""
    started = time.process_time()
    return analysis.of(candidate), time.process_time() - started


def _row(path: str, result: KernelResult, arithmetic: set[int], seconds: float) -> KernelRow:
    kernel, cost = result.kernel, result.reports[0].cost
    unsupported = cost.status == "unsupported"
    return KernelRow(
        path,
        kernel.name,
        kernel.line,
        cost.status,
        kernel.line in arithmetic if unsupported else bool(cost.flops),
        not unsupported and _is_finite(result),
        tuple(f.code for f in result.findings),
        tuple((r.effect, r.message, r.line) for r in cost.kernel.reasons),
        kernel.decorator.kind,
        seconds,
    )


def _is_finite(result: KernelResult) -> bool:
    flops = result.reports[0].cost.flops
    try:
        flops.evaluate(dict.fromkeys(flops.symbols, LARGE_SIZE))
    except NotEvaluable:
        return False
    return True


def add_up(rows: list[FileRow]) -> Totals:
    totals = Totals()
    for row in rows:
        totals.files += 1
        totals.lines += row.lines
        totals.seconds += row.seconds
        totals.codes.update(code for code, _, _ in row.findings)
        for kernel in row.kernels:
            totals.statuses[kernel.status] += 1
            if kernel.seconds > SLOW_KERNEL:
                totals.slow.append(kernel)
            if kernel.counts:
                totals.counting[_counted_status(kernel)] += 1
                totals.reasons.update({f"{effect}: {family(message)}" for effect, message, _ in kernel.reasons})
    return totals


def _counted_status(kernel: KernelRow) -> str:
    """The status of a kernel; "infinite" where its expression has no value."""
    return kernel.status if kernel.finite or kernel.status == "unsupported" else "infinite"


def family(message: str) -> str:
    """A reason without the names in it."""
    message = re.sub(r" \(line \d+ of [^)]*\)$", "", message)
    message = re.sub(r"`[^`]*`", "`…`", message)
    message = re.sub(r"(gather from|scatter to) [^:]*", r"\1 …", message)
    message = re.sub(r"^[\w.<>]+ (is not known|calls itself|is passed in)", r"… \1", message)
    message = re.sub(r"the method \w+", "the method …", message)
    return re.sub(r"\d+", "N", message)[:90]


def package_files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*.py"))
