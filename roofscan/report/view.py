"""One kernel's report in words: what the text and Markdown formats set, each in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofscan.ir.expr import Expr
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.report import words
from roofscan.report.figures import Values, bound_values, by_class, compulsory_bytes, moved, ratio_value
from roofscan.report.model import KernelReport, LevelReport, Verdict

SCOPES = {"core": "one core", "socket": "all cores", "device": "whole device"}


@dataclass(frozen=True)
class Row:
    """One interface on one machine."""

    machine: str
    interface: str
    capacity: str
    traffic: str
    intensity: str
    ridge: str
    bound: str
    attainable: str
    binds: bool  # it is the one that limits the kernel


@dataclass(frozen=True)
class Sentence:
    """A verdict or finding: its code (or none), where it stands, and what it says."""

    code: str
    machine: str
    line: int
    text: str


@dataclass(frozen=True)
class View:
    name: str
    place: str
    status: str
    tags: tuple[str, ...]  # precision, scope
    counts: tuple[tuple[str, str], ...]  # label, figure
    rows: tuple[Row, ...]
    verdicts: tuple[Sentence, ...]
    findings: tuple[Sentence, ...]
    advice: tuple[Sentence, ...]
    remarks: tuple[tuple[str, str], ...]  # label, text: symbols, assumptions, reasons, conditions, notes


def view_of(reports: Sequence[KernelReport]) -> View:
    """The words for one kernel; ``reports`` has one entry a machine."""
    first = reports[0]
    kernel = first.cost.kernel
    several = len(reports) > 1
    return View(
        name=kernel.name,
        place=f"{kernel.path}:{kernel.line}",
        status=first.cost.status,
        tags=_tags(reports),
        counts=tuple(_counts(first)),
        rows=tuple(row for report in reports for row in _rows(report, several)),
        verdicts=tuple(_verdict_of(report, several) for report in reports),
        findings=_findings(reports, several),
        advice=tuple(
            Sentence(a.kind, _name(report.machine) if several else "", a.line, a.message)
            for report in reports
            for a in report.advice
        ),
        remarks=tuple(_remarks(reports)),
    )


def closing(kernels: Sequence[Sequence[KernelReport]]) -> str:
    """Which machine this is about, and how to choose another."""
    if not kernels:
        return "No kernel found: roofscan looks for Numba's decorators, array loops and array expressions."
    machines = [report.machine for report in kernels[0] if report.machine]
    if not machines:
        return "Caches as given, each seen alone; without a machine there is no ridge and no verdict."
    named = "; ".join(f"{machine.name}, {machine.description.rstrip('.')}" for machine in machines)
    return f"On {named}. Others: --machine NAME (roofscan machine list)."


def _tags(reports: Sequence[KernelReport]) -> tuple[str, ...]:
    precisions = dict.fromkeys(r.precision for r in reports if r.precision)
    scopes = dict.fromkeys(SCOPES.get(r.scope, r.scope) for r in reports if r.machine)
    return (*precisions, *scopes)


def _counts(report: KernelReport) -> list[tuple[str, str]]:
    cost = report.cost
    if cost.status == "unsupported":
        return []
    values = bound_values(cost)
    classes = ", ".join(f"{kind} {words.with_value(count, values)}" for kind, count in by_class(cost).items())
    lines = [("FLOPs", _bound_sign(cost.kernel) + words.with_value(cost.flops, values))]
    if classes:
        lines.append(("operations", classes))
    for label, expr in (("footprint", report.footprint), ("compulsory traffic", compulsory_bytes(report))):
        if expr is not None:
            lines.append((label, words.with_value(expr, values, "B")))
    return lines


def _bound_sign(kernel: Kernel) -> str:
    """The sign before FLOPs that are a bound, by the reasons for it."""
    effects = {reason.effect for reason in kernel.reasons}
    if {"lower", "upper"} <= effects:
        return "~ "
    return "≥ " if "lower" in effects else "≤ " if "upper" in effects else ""


def _rows(report: KernelReport, several: bool) -> list[Row]:
    values = bound_values(report.cost)
    rows, nearer = [], "registers"
    for level in report.levels:
        rows.append(_row(report, level, nearer, values, several))
        nearer = level.name
    return rows


def _row(report: KernelReport, level: LevelReport, nearer: str, values: Values, several: bool) -> Row:
    machine = report.machine
    known = level.traffic.status != "unknown"
    total = moved(level.traffic.total, machine)
    sign = words.sureness(level.traffic.status)
    return Row(
        machine=_name(machine) if several else "",
        interface=f"{level.name} → {nearer}" if machine else f"memory → cache of {words.capacity(level.capacity)}",
        capacity=words.capacity(level.capacity),
        traffic=sign + words.with_value(total, values, "B") if known else "unknown",
        intensity=words.intensity(level.intensity, values, report.cost.witness) if known else "–",
        ridge="–" if level.ridge is None else words.digits(level.ridge),
        bound=_bound(level),
        attainable=_attainable(report, level),
        binds=machine is not None and level.name == report.verdict.level and report.verdict.bound == "memory",
    )


def _bound(level: LevelReport) -> str:
    if level.bound == "depends" and level.memory_bound_when:
        return "memory for " + ", ".join(words.ranges(holds) for holds in level.memory_bound_when)
    return level.bound or "–"


def _attainable(report: KernelReport, level: LevelReport) -> str:
    """What this interface alone would allow, at the bound sizes or at large ones."""
    roof = report.verdict.roof
    if roof is None or not level.ridge or level.intensity is None:
        return "–"
    ratio = ratio_value(level.intensity, report.cost.witness)
    return "–" if ratio is None else words.si(roof * min(1.0, ratio / level.ridge), "FLOP/s")


def _verdict_of(report: KernelReport, several: bool) -> Sentence:
    verdict, name = report.verdict, _name(report.machine) if several else ""
    for finding in report.findings:
        if verdict.code and finding.code == verdict.code:
            return Sentence(finding.code, name, finding.line, finding.message)
    return Sentence("", name, report.cost.kernel.line, _verdict_text(report, verdict))


def _verdict_text(report: KernelReport, verdict: Verdict) -> str:
    if verdict.reason:
        return f"no verdict: {verdict.reason}"
    if verdict.bound == "compute":
        limits = f", limited by {verdict.roof_limits}" if verdict.roof_limits else ""
        return f"compute-bound: {_speed(verdict.attainable)}{limits}"
    if verdict.bound == "memory":
        if not report.cost.flops:
            return f"memory-bound at {verdict.level}: it only moves data"
        return f"memory-bound at {verdict.level}: {_speed(verdict.attainable)}"
    if verdict.bound == "depends":
        return f"memory-bound at {verdict.level} for some sizes only"
    return "no verdict: no machine" if report.machine is None else "no verdict"


def _speed(attainable: float | None) -> str:
    return "an unknown speed" if attainable is None else f"at most {words.si(attainable, 'FLOP/s')}"


def _findings(reports: Sequence[KernelReport], several: bool) -> tuple[Sentence, ...]:
    found: dict[Sentence, None] = {}
    for report in reports:
        for f in report.findings:
            if f.code != report.verdict.code:
                found[Sentence(f.code, _name(report.machine) if several else "", f.line, f.message)] = None
    return tuple(found)


def _remarks(reports: Sequence[KernelReport]) -> list[tuple[str, str]]:
    cost = reports[0].cost
    kernel = cost.kernel
    used = _symbols_in(reports)
    remarks = [("where", f"{s.name} = {s.meaning}") for s in kernel.symbols if s.name in used and s.name != s.meaning]
    remarks += [("because", f"line {r.line}: {r.message}") for r in kernel.reasons]
    remarks += [("assuming", text) for text in kernel.assumptions]
    remarks += [("holds for", text) for text in cost.conditions]
    seen: dict[str, None] = {}
    for report in reports:
        for level in report.levels:
            if level.traffic.why:
                seen[f"{level.name}: {level.traffic.why}"] = None
            seen.update(dict.fromkeys(f"{level.name}: {note}" for note in level.notes))
        seen.update(dict.fromkeys(report.notes))
    return remarks + [("note", text) for text in seen]


def _symbols_in(reports: Sequence[KernelReport]) -> set[str]:
    """The symbols of every expression that the report shows."""
    shown: list[Expr] = [reports[0].cost.flops, *by_class(reports[0].cost).values()]
    for report in reports:
        shown += [e for e in (report.footprint, compulsory_bytes(report)) if e is not None]
        shown += [moved(level.traffic.total, report.machine) for level in report.levels]
    return {name for expr in shown for name in expr.symbols}


def _name(machine: Machine | None) -> str:
    return machine.name if machine else ""
