"""From source text to kernel reports and findings. The flake8 plugin runs this: it imports no SymPy, networkx or
rich."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from roofscan.config.options import DEFAULTS, Options
from roofscan.config.run_config import RunConfig, load_run_config
from roofscan.config.selection import chosen, in_order
from roofscan.config.test_modules import is_on, is_test_module
from roofscan.errors import OptionError
from roofscan.files import CELL, NOTEBOOK
from roofscan.finding import Finding, comment_findings
from roofscan.frozen import dataclass
from roofscan.parse.reader.find import Candidate, FoundKernels, callers_of, candidates_named, find_candidates
from roofscan.parse.reader.module import Module, read_module
from roofscan.parse.reader.notebook import notebook_at
from roofscan.parse.reader.resolver import ModuleFinder
from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source
from roofscan.pipeline.assess import with_time_pieces
from roofscan.pipeline.driver import FileAnalysis, KernelResult, analyze_kernel, report_at
from roofscan.pipeline.failures import guarded
from roofscan.rules.codes import is_default


@dataclass(frozen=True)
class FileReport:
    """One file: its kernels in source order, findings of comments, and what kept it from being read."""

    path: str
    kernels: tuple[KernelResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: SourceError | None = None
    functions: tuple[str, ...] = ()
    callers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of its kernels, those that call them
    missing: tuple[str, ...] = ()  # functions that were asked for and are not there
    is_of_tests: bool = False


def analyze_file(path: str, options: Options = DEFAULTS, functions: Collection[str] = ()) -> FileReport:
    """The report of one file; with ``functions``, of those alone (dotted names, or unique last parts)."""
    try:
        if path.endswith(NOTEBOOK):
            return _analyze_notebook(path, options, functions)
        text = read_source(path, options.max_bytes)
    except SourceError as error:
        return FileReport(path, error=error)
    return analyze_source(text, path, options, functions=functions, follow=True)


def _analyze_notebook(path: str, options: Options, functions: Collection[str]) -> FileReport:
    """The reports of its cells, whose paths are ``path:cell 3`` and whose lines are those of the cell."""
    notebook = notebook_at(path, options.max_bytes)
    try:
        read_module(notebook.text, path)
    except SourceError as error:
        return FileReport(path, error=notebook.in_cell(error))
    cells = []
    for number, first, count in notebook.cells_first():
        place = f"{path}{CELL}{number}"
        cells.append(analyze_source(first, place, options, functions=functions, follow=True, until=count))
    return FileReport(
        path,
        tuple(kernel for cell in cells for kernel in cell.kernels),
        tuple(finding for cell in cells for finding in cell.findings),
        functions=cells[0].functions if cells else (),
        callers={name: by for cell in cells for name, by in cell.callers.items()},
        missing=cells[0].missing if cells else tuple(functions),
    )


def analyze_source(
    text: str,
    filename: str = "<text>",
    options: Options = DEFAULTS,
    tree: ast.Module | None = None,
    functions: Collection[str] = (),
    follow: bool = False,
    until: int | None = None,
) -> FileReport:
    """The report of a source text; with ``follow``, helpers from other files of its package are read there; with
    ``until``, of the kernels up to that line. Raises OptionError only; what fails in a kernel stays in that kernel."""
    config = load_run_config(options)

    def read() -> tuple[Module, FoundKernels]:
        module = read_module(text, filename, tree, ModuleFinder(follow))
        return module, find_candidates(module, options.kernels == "all" or bool(functions), functions)

    try:
        outcome = guarded(read, filename)
    except SourceError as error:
        return FileReport(filename, error=error)
    if isinstance(outcome, Finding):
        return FileReport(filename, findings=(outcome,))
    module, found = outcome
    candidates, missing = _chosen(module, found.candidates, functions)
    comments = tuple(comment_findings(found.problems, filename, module.lines))
    if until is not None:
        candidates = [candidate for candidate in candidates if candidate.function.place.line <= until]
        comments = tuple(finding for finding in comments if finding.line <= until)
    analysis = FileAnalysis(module, config)
    results = tuple(analysis.of(candidate) for candidate in candidates)
    callers = callers_of(candidates) if not config.only_findings else {}
    of_tests = is_test_module(filename, text)
    return FileReport(filename, results, comments, None, tuple(module.functions), callers, missing, of_tests)


def check_source(
    text: str, filename: str = "<text>", options: Options = DEFAULTS, tree: ast.Module | None = None
) -> list[Finding]:
    """The findings that the options enable, by place. A file that cannot be parsed has none."""
    if options.kernels != "all" and not may_hold_kernels(text):
        return []
    return findings_of(analyze_source(text, filename, options, tree), options)


def findings_of(report: FileReport, options: Options) -> list[Finding]:
    every = {*report.findings, *(f for result in report.kernels for f in result.findings)}
    shown = (f for f in every if enabled(f.code, options, report.is_of_tests))
    return in_order(f for f in shown if f.promises(options.min_gain))


def enabled(code: str, options: Options, in_tests: bool = False) -> bool:
    on = is_on(code, is_default(code), in_tests)
    return chosen(code, on, options.select, options.ignore, options.extend_select)


def _chosen(
    module: Module, candidates: Sequence[Candidate], functions: Collection[str]
) -> tuple[list[Candidate], tuple[str, ...]]:
    """The candidates asked for, in source order, and the names that no function (or more than one) has."""
    if not functions:
        return list(candidates), ()
    chosen: list[Candidate] = []
    missing: list[str] = []
    for name in functions:
        same_end = [dotted for dotted in module.functions if dotted.rpartition(".")[2] == name]
        dotted = name if name in module.functions else same_end[0] if len(same_end) == 1 else ""
        if dotted:
            chosen += [c for c in candidates if c.name == dotted] or candidates_named(module, dotted)
        else:
            missing.append(name)
    by_place = {(c.function.place.line, c.name): c for c in chosen}
    return [by_place[place] for place in sorted(by_place)], tuple(missing)


__all__ = [
    "FileReport", "KernelResult", "OptionError", "Options", "RunConfig", "analyze_file", "analyze_kernel",
    "analyze_source", "check_source", "findings_of", "load_run_config", "report_at", "with_time_pieces",
]  # fmt: skip
