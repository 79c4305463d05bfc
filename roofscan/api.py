"""From source text to kernel reports: the stages in order, and the one place that catches their failures.

Nothing here imports SymPy, networkx or rich: the flake8 plugin runs this code.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.result import KernelCost, Movement, Traffic
from roofscan.cost.witness import resolve_values
from roofscan.ir.expr import ZERO, Number
from roofscan.ir.facts import Facts, ScalarFact
from roofscan.ir.kernel import Decorator, Kernel, Reason
from roofscan.limits import OverTime, describe_failure, time_limit
from roofscan.machine.files import MachineError, load_machine
from roofscan.machine.model import Machine
from roofscan.options import DEFAULT_LINE, DEFAULT_MACHINE, DEFAULTS, Options
from roofscan.parse.decorators import CompileOptions
from roofscan.parse.facts import FactError, parse_facts
from roofscan.parse.find import Candidate, find_candidates
from roofscan.parse.lower import lower
from roofscan.parse.module import Module, read_module
from roofscan.parse.source import SourceError, may_hold_kernels, read_source
from roofscan.report.assess import assess, assess_caches
from roofscan.report.codes import enabled
from roofscan.report.model import Finding, KernelReport, Verdict


class OptionError(ValueError):
    """An option that names something that does not exist or cannot be read. The message is for the user."""


@dataclass(frozen=True)
class Setting:
    """What the options name, loaded. No machine: the caches of the options stand in its place."""

    options: Options
    machines: tuple[Machine, ...]
    facts: Facts
    defaults: Facts

    @property
    def targets(self) -> tuple[Machine | None, ...]:
        return self.machines or (None,)


@dataclass(frozen=True)
class KernelResult:
    """One kernel on every machine asked for (``reports`` has one entry each; with ``caches`` exactly one)."""

    kernel: Kernel
    reports: tuple[KernelReport, ...]
    findings: tuple[Finding, ...] = ()
    conflicts: tuple[str, ...] = ()  # what the user's facts contradict

    @property
    def names(self) -> frozenset[str]:
        """Every name that a fact about this kernel may use."""
        kernel = self.kernel
        return frozenset(
            (*kernel.parameters, *(a.name for a in kernel.arrays), *(s.name for s in kernel.symbols))
        )


@dataclass(frozen=True)
class FileReport:
    """One file: its kernels in source order, findings of comments, and what kept it from being read."""

    path: str
    kernels: tuple[KernelResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: SourceError | None = None
    functions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # functions that were asked for and are not there


@lru_cache(maxsize=16)
def load_setting(options: Options) -> Setting:
    """The machines and facts that the options name; OptionError for one that cannot be read."""
    try:
        facts, defaults = parse_facts(options.bind), parse_facts(options.default_bind)
    except FactError as error:
        raise OptionError(f"--bind: {error}") from None
    if options.caches:
        return Setting(options, (), facts, defaults)
    try:
        machines = tuple(load_machine(name) for name in options.machines or (DEFAULT_MACHINE,))
    except MachineError as error:
        raise OptionError(str(error)) from None
    return Setting(options, machines, facts, defaults)


def analyze_file(path: str, options: Options = DEFAULTS, functions: Collection[str] = ()) -> FileReport:
    """The report of one file; with ``functions``, of those alone (dotted names, or unique last parts)."""
    try:
        text = read_source(path, options.max_bytes)
    except SourceError as error:
        return FileReport(path, error=error)
    return analyze_source(text, path, options, functions=functions)


def analyze_source(
    text: str,
    filename: str = "<text>",
    options: Options = DEFAULTS,
    tree: ast.Module | None = None,
    functions: Collection[str] = (),
) -> FileReport:
    """The report of a source text. Raises OptionError only; what fails in a kernel stays in that kernel."""
    setting = load_setting(options)
    try:
        module = read_module(text, filename, tree)
        found = find_candidates(module, plain=options.kernels == "all" or bool(functions))
    except SourceError as error:
        return FileReport(filename, error=error)
    except Exception as error:
        return FileReport(filename, findings=(_failed(filename, 1, describe_failure(error)),))
    candidates, missing = _chosen(module, found.candidates, functions)
    comments = tuple(Finding("RFL901", filename, p.line, p.column, p.message) for p in found.problems)
    results = tuple(analyze_kernel(module, candidate, setting) for candidate in candidates)
    return FileReport(filename, results, comments, None, tuple(module.functions), missing)


def check_source(
    text: str, filename: str = "<text>", options: Options = DEFAULTS, tree: ast.Module | None = None
) -> list[Finding]:
    """The findings that the options enable, by place. A file that cannot be parsed has none."""
    if options.kernels != "all" and not may_hold_kernels(text):
        return []
    return findings_of(analyze_source(text, filename, options, tree), options)


def findings_of(report: FileReport, options: Options) -> list[Finding]:
    """All findings of a file that the options enable, sorted, each once."""
    every = {*report.findings, *(f for result in report.kernels for f in result.findings)}
    chosen = (f for f in every if enabled(f.code, options.select, options.ignore, options.extend_select))
    return sorted(chosen, key=lambda f: (f.line, f.column, f.code, f.message))


def analyze_kernel(module: Module, candidate: Candidate, setting: Setting) -> KernelResult:
    """One kernel from source to verdicts. A failure or an overrun becomes its reason, never an exception."""
    try:
        with time_limit(setting.options.seconds):
            return _analyze_kernel(module, candidate, setting)
    except OverTime:
        message = f"the analysis took more than {setting.options.seconds:g} s (budget); split the function"
        return _unsupported(module, candidate, setting, message, ())
    except Exception as error:
        what = describe_failure(error)
        finding = _failed(module.path, candidate.function.place.line, f"{candidate.name}: {what}")
        return _unsupported(module, candidate, setting, f"internal error: {what}", (finding,))


def report_at(kernel: Kernel, machine: Machine, values: Mapping[str, int]) -> KernelReport:
    """The kernel on the machine at these sizes."""
    facts = Facts(scalars={name: ScalarFact(value, False) for name, value in values.items()})
    return assess(cost_kernel(kernel, facts, line=_line(None, machine)), machine)


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
        chosen += [c for c in candidates if c.name == dotted] or _as_asked(module, dotted)
        missing += [] if dotted else [name]
    by_place = {(c.function.place.line, c.name): c for c in chosen}
    return [by_place[place] for place in sorted(by_place)], tuple(missing)


def _as_asked(module: Module, dotted: str) -> list[Candidate]:
    """A function that is no kernel by itself, but was asked for by name."""
    function = module.function(dotted) if dotted else None
    if function is None:
        return []
    parts = dotted.split(".")[:-1]
    around = [".".join(parts[: i + 1]) for i in range(len(parts))]
    enclosing = tuple(f for outer in around if (f := module.function(outer)) is not None)
    in_class = bool(around) and around[-1] not in module.functions
    class_name = parts[-1] if in_class else None
    return [Candidate(function, dotted, Decorator("none"), CompileOptions(), enclosing, class_name, None, "plain")]


def _analyze_kernel(module: Module, candidate: Candidate, setting: Setting) -> KernelResult:
    own = candidate.pragma or Facts()
    facts = setting.defaults.merged(own).merged(setting.facts)
    kernel = lower(module, candidate, facts)
    _, conflicts = resolve_values(kernel, facts)
    costs: dict[int, KernelCost] = {}
    reports = []
    for machine in setting.targets:
        line = _line(setting.options.line, machine)
        if line not in costs:
            costs[line] = cost_kernel(kernel, facts, line=line)
        reports.append(_assess(costs[line], machine, setting.options.caches, line))
    return KernelResult(kernel, tuple(reports), reports[0].findings, tuple(conflicts))


def _assess(cost: KernelCost, machine: Machine | None, caches: tuple[int, ...], line: int) -> KernelReport:
    return assess_caches(cost, caches, line) if machine is None else assess(cost, machine)


def _line(asked: int | None, machine: Machine | None) -> int:
    """The cache line to count in: the one asked for, or that of the machine's outermost cache."""
    if asked is not None or machine is None:
        return asked or DEFAULT_LINE
    return next((level.line for level in reversed(machine.levels) if level.capacity), DEFAULT_LINE)


def _failed(path: str, line: int, what: str) -> Finding:
    return Finding(
        "RFL999", path, line, 0, f"roofscan failed here, by its own fault: {what}; please report it"
    )


def _unsupported(
    module: Module, candidate: Candidate, setting: Setting, message: str, findings: tuple[Finding, ...]
) -> KernelResult:
    place = candidate.function.place
    kernel = Kernel(
        name=candidate.name,
        path=module.path,
        line=place.line,
        end_line=place.end_line,
        decorator=candidate.decorator,
        parameters=tuple(p.name for p in candidate.function.parameters),
        arrays=(),
        symbols=(),
        body=(),
        reasons=(Reason(place.line, message, "unsupported"),),
    )
    nothing = Traffic(0, Movement(ZERO, ZERO, ZERO), {}, "unknown", why=message)
    witness: dict[str, Number] = {}
    cost = KernelCost(kernel, "unsupported", witness, frozenset(), (), ZERO, {}, (), nothing, None)
    verdict = Verdict(None, None, None, None, None, None, "", message)
    report = KernelReport(cost, None, "core", None, (), None, None, verdict, (), findings)
    return KernelResult(kernel, tuple(replace(report, machine=m) for m in setting.targets), findings)


__all__ = [
    "FileReport", "KernelResult", "OptionError", "Options", "Setting", "analyze_file", "analyze_kernel",
    "analyze_source", "check_source", "findings_of", "load_setting", "report_at",
]  # fmt: skip
