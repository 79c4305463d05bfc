"""Units of a file that the cache does not know: analyzed, as records to keep."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from roofscan.cache.records import (
    AnalysisResult,
    CachedFinding,
    Coverage,
    ExternalDependency,
    KernelRecord,
    Kernels,
    Source,
    UnitRecord,
    outside,
)
from roofscan.config.options import Options
from roofscan.config.run_config import RunConfig, load_run_config
from roofscan.finding import Finding, comment_findings
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.find import Candidate, find_candidates
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.pragma import pragma_problems
from roofscan.parse.reader.resolver import Lookups, ModuleFinder
from roofscan.parse.reader.units import Unit
from roofscan.pipeline.driver import FileAnalysis, KernelResult
from roofscan.pipeline.failures import INTERNAL_ERROR
from roofscan.rules.codes import is_default

OUTSIDE_THE_MODEL = "RFL001"


def analyze_units(
    source: Source,
    options: Options,
    new: Sequence[Unit],
    units: Sequence[Unit],
    pieces: tuple[Definition, ...] | None,
    enough: Callable[[], bool] | None = None,
) -> AnalysisResult:
    """Analyzes the kernels of the units ``new`` until it is ``enough``, and those of none of the ``units``; ``pieces``
    are the source's, where known."""
    config = replace(load_run_config(options), only_findings=True)
    started = time.time()
    finder = ModuleFinder(source.follow)
    with finder.recorded() as asked:
        pieces = outline(source.text, source.path, source.tree) if pieces is None else pieces
        module = Module(source.path, source.text, pieces, finder)
        candidates = find_candidates(module, plain=options.kernels == "all").candidates
    records, analysis = {}, FileAnalysis(module, config)
    for unit in new:
        results, answers = _results(analysis, [c for c in candidates if _holds(unit, c)])
        depends = outside({**asked, **answers}, source.path, started)
        records[unit.digest] = replace(_record(unit, results, depends), kernels=_kernels(results, options))
        if enough is not None and enough():
            break
    stray = [c for c in candidates if not any(_holds(unit, c) for unit in units)]
    results, _ = _results(analysis, stray)
    return AnalysisResult(records, tuple(_noted(_findings(results))), not stray, _kernels(results, options))


def pragma_notes(text: str, path: str, pieces: tuple[Definition, ...]) -> tuple[CachedFinding, ...]:
    problems = pragma_problems(Module(path, text, pieces))
    return tuple(_noted(comment_findings(problems, path, text.split("\n"))))


def _holds(unit: Unit, candidate: Candidate) -> bool:
    return unit.first_line <= candidate.function.place.line <= unit.end_line


def _results(analysis: FileAnalysis, candidates: Iterable[Candidate]) -> tuple[list[KernelResult], Lookups]:
    with analysis.module.finder.recorded() as answers:
        results = [analysis.of(each) for each in candidates if _is_judged(each, analysis.config)]
    return results, answers


def _kernels(results: Iterable[KernelResult], options: Options) -> Kernels:
    inside = (r for r in results if not any(f.code == OUTSIDE_THE_MODEL for f in r.findings))
    return {r.kernel.name: KernelRecord(tuple(sorted(r.names)) if options.bind else (), _coverage(r)) for r in inside}


def _coverage(result: KernelResult) -> Coverage:
    return "undecided" if not result.is_counted else "accepted" if result.accepted else "decided"


def _findings(results: Iterable[KernelResult]) -> list[Finding]:
    return list(dict.fromkeys(f for result in results for f in result.findings))


def _is_judged(candidate: Candidate, config: RunConfig) -> bool:
    """Whether a kernel may have findings: one for a GPU is judged on a machine with a GPU only, but its pragma always
    is."""
    on_gpu = any(machine is not None and machine.kind == "gpu" for machine in config.targets)
    return on_gpu or not candidate.decorator.on_gpu or candidate.pragma is not None


def _record(unit: Unit, results: Sequence[KernelResult], depends: tuple[ExternalDependency, ...] | None) -> UnitRecord:
    """The findings as if the unit began in line 0."""
    findings = _findings(results)
    lines = unit.lines if any(_names_lines(finding, unit) for finding in findings) else None
    failed = any(r.cut_short for r in results) or any(f.code == INTERNAL_ERROR for f in findings)
    notes = tuple(note.at("", -unit.first_line) for note in _noted(findings))
    return UnitRecord(notes, lines, depends or (), may_be_kept=depends is not None and not failed)


def _names_lines(finding: Finding, unit: Unit) -> bool:
    """Whether the finding is out of date where something outside of the unit moves."""
    named = finding.transformation.lines if finding.transformation else ()
    return bool(finding.lines) or any(not unit.first_line <= line <= unit.end_line for line in named)


def _noted(findings: Iterable[Finding]) -> list[CachedFinding]:
    return [CachedFinding(finding, is_default(finding.code)) for finding in findings]
