"""Units of a file that the cache does not know: analyzed, as records to keep."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from roofscan.api import RunConfig, analyze_kernel, load_run_config
from roofscan.cache.records import (
    AnalysisResult,
    CachedFinding,
    ExternalDependency,
    Source,
    UnitRecord,
    outside,
)
from roofscan.config.options import Options
from roofscan.finding import Finding, Subject, comment_findings
from roofscan.parse.reader.find import Candidate, find_candidates
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.outline import Definition, outline
from roofscan.parse.reader.pragma import pragma_problems
from roofscan.parse.reader.resolver import Lookups, ModuleFinder
from roofscan.parse.reader.units import Unit
from roofscan.pipeline.budget import describe_failure
from roofscan.pipeline.driver import FAILURE, seconds_in_file, within
from roofscan.rules.codes import is_default

OWN_FAULT = "RFL999"


def analyze_units(
    source: Source, options: Options, new: Sequence[Unit], units: Sequence[Unit], pieces: tuple[Definition, ...] | None
) -> AnalysisResult:
    """The kernels of the units ``new``, and those of none of the ``units``. Raises OptionError only.

    ``pieces`` are those of the source, where they are known.
    """
    setting = replace(load_run_config(options), only_findings=True)
    started, began = time.time(), time.process_time()
    try:
        finder = ModuleFinder(source.follow)
        with finder.recorded() as asked:
            pieces = outline(source.text, source.path, source.tree) if pieces is None else pieces
            module = Module(source.path, source.text, pieces, finder)
            candidates = find_candidates(module, plain=options.kernels == "all").candidates
    except Exception as error:
        return AnalysisResult({}, (own_fault(error, source.path),), False)
    records, may_be_kept = {}, True
    for unit in new:
        inside = [c for c in candidates if _holds(unit, c)]
        findings, answers = _findings(module, inside, setting, began)
        depends = outside({**asked, **answers}, source.path, started)
        records[unit.digest] = _record(unit, findings, depends or ())
        may_be_kept = may_be_kept and depends is not None and all(f.code != OWN_FAULT for f in findings)
    stray = [c for c in candidates if not any(_holds(unit, c) for unit in units)]
    findings, _ = _findings(module, stray, setting, began)
    return AnalysisResult(records, tuple(_noted(findings)), may_be_kept and not stray)


def pragma_notes(text: str, path: str, pieces: tuple[Definition, ...]) -> tuple[CachedFinding, ...]:
    """The pragmas of a file that cannot be read, or that belong to no function."""
    problems = pragma_problems(Module(path, text, pieces))
    return tuple(_noted(comment_findings(problems, path, text.split("\n"))))


def own_fault(error: Exception, path: str) -> CachedFinding:
    """What is said of a file in which roofscan failed."""
    message = FAILURE.format(describe_failure(error))
    return CachedFinding(Finding(OWN_FAULT, path, 1, 0, message, subject=Subject("file")), is_default(OWN_FAULT))


def _holds(unit: Unit, candidate: Candidate) -> bool:
    return unit.first_line <= candidate.function.place.line <= unit.end_line


def _findings(
    module: Module, candidates: Iterable[Candidate], setting: RunConfig, began: float
) -> tuple[list[Finding], Lookups]:
    """The findings of some kernels, each once, and what was asked about other files; ``began``: the process's CPU
    time when the file's reading began."""
    with module.finder.recorded() as answers:
        results = [
            analyze_kernel(module, each, within(setting, seconds_in_file(setting, began, 2)))
            for each in candidates
            if _is_judged(each, setting)
        ]
    return list(dict.fromkeys(f for result in results for f in result.findings)), answers


def _is_judged(candidate: Candidate, setting: RunConfig) -> bool:
    """Whether there may be something to say of it: a GPU's kernel is judged on a GPU alone, but for its pragma."""
    on_gpu = any(machine is not None and machine.kind == "gpu" for machine in setting.targets)
    return on_gpu or candidate.decorator.kind != "cuda" or candidate.pragma is not None


def _record(unit: Unit, findings: list[Finding], depends: tuple[ExternalDependency, ...]) -> UnitRecord:
    """The findings as if the unit began in line 0."""
    lines = unit.lines if any(finding.lines for finding in findings) else None
    return UnitRecord(tuple(note.at("", -unit.first_line) for note in _noted(findings)), lines, depends)


def _noted(findings: Iterable[Finding]) -> list[CachedFinding]:
    return [CachedFinding(finding, is_default(finding.code)) for finding in findings]
