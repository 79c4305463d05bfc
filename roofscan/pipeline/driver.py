"""One kernel through the stages: lowering, counting, verdicts. The one place that catches their failures."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from roofscan.budget import Budget, BudgetExceeded
from roofscan.config.defaults import DEFAULT_LINE
from roofscan.config.options import Options
from roofscan.config.run_config import RunConfig
from roofscan.config.selection import ONE_VERDICT
from roofscan.cost.analyze import count_kernel
from roofscan.cost.memory.base import NOTHING, Traffic
from roofscan.cost.memory.models import without_working_state
from roofscan.cost.result import KernelCost
from roofscan.finding import Finding, Subject
from roofscan.frozen import dataclass
from roofscan.ir.facts import Facts, ScalarFact
from roofscan.ir.kernel import Kernel, Reason
from roofscan.machine.model import Machine
from roofscan.parse.reader.find import Candidate
from roofscan.parse.reader.module import Module
from roofscan.pipeline.assess import assess, assess_caches, pieces_of, report_of, with_findings
from roofscan.pipeline.facts import finding_at, lower_with_facts, names_of
from roofscan.pipeline.failures import FAILURE, INTERNAL_ERROR, describe_failure
from roofscan.pipeline.spans import with_span
from roofscan.pipeline.stages import KernelCosts, KernelInCaches, KernelOnMachine
from roofscan.report.figures import bound_values
from roofscan.roofline.model import KernelReport, Verdict
from roofscan.roofline.translations import with_conditions
from roofscan.symbolic.expr import ZERO, Number

FILE_STEPS = 12_000_000  # steps that the kernels of one file may take together, about
COUNTED = ("parametric", "uncounted")  # effects of reasons that hide no finding
LEAST_STEPS = 100_000  # steps that a kernel may take in any case
COLLECT_EVERY = 500  # kernels, after which a process looks for cycles among all that it holds
REST_STEPS = 200_000  # steps for the report of a kernel without its traffic, where the traffic exceeds the budget

_analyses = count(1)  # of this process

LEFT_OUT = "layer conditions are left out: they take more steps than the analysis may (budget)"


@dataclass(frozen=True)
class KernelResult:
    """One kernel on every machine asked for (``reports`` has one entry each; with ``caches`` exactly one; none where
    only findings are asked for)."""

    kernel: Kernel
    reports: tuple[KernelReport, ...]
    findings: tuple[Finding, ...] = ()
    conflicts: tuple[str, ...] = ()  # what the user's facts contradict
    accepted: bool = False  # its verdict, by a pragma
    cut_short: bool = False  # a larger budget might tell more: not to be kept
    steps: int = 0  # of the budget, that it took

    @property
    def names(self) -> frozenset[str]:
        return names_of(self.kernel)

    @property
    def contradiction(self) -> str:
        """The first of the conflicts, with the kernel and its line; "" where there is none."""
        return f"{self.conflicts[0]} (kernel {self.kernel.name}, line {self.kernel.line})" if self.conflicts else ""

    @property
    def is_counted(self) -> bool:
        """Whether nothing was left out that a finding could be about."""
        return not self.cut_short and all(reason.effect in COUNTED for reason in self.kernel.reasons)


class FileAnalysis:
    """The kernels of one file, which share its budget: each may take half of the steps that those before it left."""

    def __init__(self, module: Module, config: RunConfig) -> None:
        self.config = config
        self.module = module
        self._left = FILE_STEPS

    def of(self, candidate: Candidate) -> KernelResult:
        steps = min(self.config.options.steps, max(LEAST_STEPS, self._left // 2))
        result = analyze_kernel(self.module, candidate, self.config, steps)
        self._left -= result.steps
        return result


def analyze_kernel(module: Module, candidate: Candidate, config: RunConfig, steps: int | None = None) -> KernelResult:
    """One kernel from source to verdicts. A failure or a spent budget becomes its reason, never an exception."""
    with _collector_paused():
        result = _guarded(module, candidate, config, steps or config.options.steps)

    def located(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(with_span(finding, candidate.function, module.lines) for finding in findings)

    reports = tuple(replace(report, findings=located(report.findings)) for report in result.reports)
    return replace(result, reports=reports, findings=located(result.findings))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's cyclic collector, which would walk the many small objects of an analysis again and again (a
    tenth of its time) to find hardly any cycles. What is left joins the oldest generation, and Python would never walk
    that again: it counts what survives its own collections. So a long session walks it now and then."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
            if next(_analyses) % COLLECT_EVERY == 0:
                gc.collect()


def _guarded(module: Module, candidate: Candidate, config: RunConfig, steps: int) -> KernelResult:
    progress, seconds = _Progress(), config.options.seconds
    budget = Budget(steps, seconds)
    try:
        try:
            with budget.in_force():
                lowered, costs = _lower(module, candidate, config, progress)
                analyses = _on_targets(costs, config)
                result = progress.judged = _judged(lowered, analyses)
            if not config.only_findings:
                result = _in_full(lowered, result, analyses, config, steps)
        except BudgetExceeded as stop:
            result = _cut_short(module, candidate, config, progress, _why(stop, seconds))
        return replace(result, steps=budget.spent)
    except Exception as error:
        what = describe_failure(error)
        finding = finding_at(INTERNAL_ERROR, module, candidate, FAILURE.format(f"{candidate.name}: {what}"))
        return _unsupported(module, candidate, config, f"internal error: {what}", finding)


def _why(stop: BudgetExceeded, seconds: float | None) -> str:
    if stop.by_clock:
        return f"the analysis took more than {seconds:g} s of CPU time (budget); split the function"
    return "the analysis takes more steps than it may (budget); split the function"


def _cut_short(
    module: Module, candidate: Candidate, config: RunConfig, progress: _Progress, message: str
) -> KernelResult:
    """The result for a kernel whose budget is spent: its counts without traffic, or nothing."""
    try:
        with Budget(REST_STEPS, config.options.seconds).in_force():
            result = _without_traffic(progress, config, message)
    except BudgetExceeded:
        cost, found = progress.cost, progress.judged.findings if progress.judged else ()
        result = _bare(without_working_state(cost), config, message, *found) if cost is not None else None
    if result is None:
        finding = finding_at("RFL001", module, candidate, f"{candidate.name} is outside the model: {message}")
        result = _unsupported(module, candidate, config, message, finding)
    return replace(result, cut_short=True)


def report_at(report: KernelReport, sizes: Mapping[str, Number]) -> KernelReport:
    """The same kernel on the same machine, with these sizes bound too."""
    flags = {s.name: report.cost.sample_point[s.name] for s in report.cost.kernel.symbols if s.kind == "flag"}
    values = {**flags, **bound_values(report.cost), **sizes}
    scalars = {name: ScalarFact(value, not isinstance(value, int)) for name, value in values.items()}
    line = next((level.line for level in reversed(report.levels)), DEFAULT_LINE)
    kernel = report.cost.kernel
    costs = KernelCosts(kernel, lambda: count_kernel(kernel, Facts(scalars=scalars)))
    if report.machine is None:
        return assess_caches(costs.traffic(line), [level.capacity for level in report.levels], line)
    return assess(KernelOnMachine(costs, report.machine, line).cost, report.machine)


@dataclass
class _Progress:
    """How far the analysis of a kernel has come: lowered, counted without its traffic, judged."""

    lowered: KernelResult | None = None  # with findings of its pragma alone
    cost: KernelCost | None = None
    judged: KernelResult | None = None  # with all findings


Analyses = tuple[KernelOnMachine | KernelInCaches, ...]  # of a kernel, one a target


def _lower(
    module: Module, candidate: Candidate, config: RunConfig, progress: _Progress
) -> tuple[KernelResult, KernelCosts]:
    found = lower_with_facts(module, candidate, config)
    lowered = KernelResult(found.kernel, (), found.remarks, found.conflicts, accepted=found.accepted)
    progress.lowered = lowered

    def count() -> KernelCost:
        progress.cost = count_kernel(found.kernel, found.facts)
        return progress.cost

    return lowered, KernelCosts(found.kernel, count)


def _on_targets(costs: KernelCosts, config: RunConfig) -> Analyses:
    return tuple(
        KernelInCaches(costs, config.options.caches, _line(config.options.line, machine)) if machine is None
        else KernelOnMachine(costs, machine, _line(config.options.line, machine))
        for machine in config.targets
    )  # fmt: skip


def _judged(lowered: KernelResult, analyses: Analyses) -> KernelResult:
    """The result with its findings on the first target: those of ``check``."""
    return replace(lowered, findings=_with_remarks(lowered, analyses[0].findings))


def _with_remarks(lowered: KernelResult, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """With those of its pragma, and without the verdict that the pragma accepts."""
    if not lowered.accepted:
        return (*findings, *lowered.findings)
    rest = tuple(finding for finding in findings if finding.code not in ONE_VERDICT)
    kernel = lowered.kernel
    message = f"{kernel.name} has no verdict to accept; remove the accept; # noqa: CODE silences other findings"
    unused = Finding(
        "RFL901", kernel.path, kernel.line, kernel.column, message, kernel.name, subject=Subject("comment")
    )
    return (*rest, *((unused,) if len(rest) == len(findings) else ()), *lowered.findings)


def _in_full(
    lowered: KernelResult, judged: KernelResult, analyses: Analyses, config: RunConfig, steps: int
) -> KernelResult:
    """With its reports; without layer conditions, rather than without traffic, where those exceed the budget."""
    options = config.options
    try:
        with Budget(steps, options.seconds).in_force():
            return _reported(lowered, judged, analyses, config)
    except BudgetExceeded:
        if not (options.layers or options.time_pieces):
            raise
        config = replace(config, options=replace(options, layers=False, time_pieces=False))
        with Budget(steps, options.seconds).in_force():
            result = _reported(lowered, judged, analyses, config)
        reports = tuple(replace(report, notes=(*report.notes, LEFT_OUT)) for report in result.reports)
        return replace(result, reports=reports, cut_short=True)


def _reported(lowered: KernelResult, judged: KernelResult, analyses: Analyses, config: RunConfig) -> KernelResult:
    """The judged result with a report a target."""
    found = [judged.findings, *(_with_remarks(lowered, analysis.findings) for analysis in analyses[1:])]
    reports = (_report(analysis, config.options) for analysis in analyses)
    return replace(judged, reports=tuple(with_findings(r, f) for r, f in zip(reports, found, strict=True)))


def _report(analysis: KernelOnMachine | KernelInCaches, options: Options) -> KernelReport:
    from roofscan.roofline.gpu.layers import conditions_of  # of modules that no finding on a CPU needs

    if isinstance(analysis, KernelInCaches):
        report = assess_caches(analysis.cost, analysis.capacities, analysis.line)
    else:
        report = report_of(analysis)
        if options.layers:
            report = replace(report, translations=with_conditions(report.translations, analysis.point))
        if options.time_pieces:
            report = replace(report, time_pieces=pieces_of(report, analysis.point))
    steps = conditions_of(report) if options.layers else ()
    return replace(report, cost=without_working_state(report.cost), steps=steps)


def _without_traffic(progress: _Progress, config: RunConfig, message: str) -> KernelResult | None:
    """The result for a kernel whose operations were counted, and whose traffic was not; None where nothing was."""
    if progress.lowered is None or progress.cost is None:
        return None
    progress.cost = replace(progress.cost, kernel=_with_reason(progress.cost.kernel, message))
    analyses = _on_targets(KernelCosts.without_traffic(progress.cost), config)
    judged = progress.judged or _judged(progress.lowered, analyses)
    judged = replace(judged, kernel=_with_reason(judged.kernel, message))
    return judged if config.only_findings else _reported(progress.lowered, judged, analyses, config)


def _with_reason(kernel: Kernel, message: str) -> Kernel:
    reason = Reason(kernel.line, f"the traffic is unknown: {message}", "traffic")
    return replace(kernel, reasons=(*kernel.reasons, reason))


def _line(asked: int | None, machine: Machine | None) -> int:
    """The cache line to count in: the one asked for, or that of the machine's outermost cache."""
    if asked is not None or machine is None:
        return asked or DEFAULT_LINE
    return next((level.line for level in reversed(machine.levels) if level.capacity), DEFAULT_LINE)


def _unsupported(
    module: Module, candidate: Candidate, config: RunConfig, message: str, finding: Finding
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
        column=place.column,
        first_line=candidate.function.first_line,
    )
    nothing = Traffic(0, NOTHING, {}, "unknown", why=message)
    sample_point: dict[str, Number] = {}
    cost = KernelCost(kernel, "unsupported", sample_point, frozenset(), (), ZERO, {}, (), nothing, None)
    return _bare(cost, config, message, finding)


def _bare(cost: KernelCost, config: RunConfig, message: str, *findings: Finding) -> KernelResult:
    verdict = Verdict(None, None, None, None, None, None, "", message)
    report = KernelReport(cost, None, "core", None, (), None, None, verdict, (), findings)
    return KernelResult(cost.kernel, tuple(replace(report, machine=m) for m in config.targets), findings)
