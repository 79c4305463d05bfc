"""What a report says in sentences: the verdict, findings and advice."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan import units
from roofscan.frozen import dataclass
from roofscan.report import formatting
from roofscan.report.time_text import limit_text, time_text
from roofscan.roofline.model import KernelReport, Verdict

SAID_ELSEWHERE = ("RFL001", "RFL901", "RFL902", "RFL999")
"""Codes whose findings the verdict repeats, or the command prints on standard error."""


@dataclass(frozen=True)
class Sentence:
    code: str
    machine: str  # "" where the text names it, or there is one
    line: int
    text: str
    form: str = ""  # advice: the lines to write


def verdict_of(report: KernelReport, several: bool) -> Sentence:
    verdict, name = report.verdict, machine_shown(report, several)
    for finding in report.findings:
        if verdict.code and finding.code == verdict.code:
            shown = "" if finding.names_machine == "always" else name
            return Sentence(finding.code, shown, finding.line, finding.message)
    return Sentence("", name, report.cost.kernel.line, _verdict_text(report, verdict))


def _verdict_text(report: KernelReport, verdict: Verdict) -> str:
    if verdict.reason:
        unsupported = report.cost.kernel.unsupported
        return f"no verdict: {verdict.reason}" + (f" (line {unsupported.line})" if unsupported else "")
    if verdict.span is not None and verdict.bound != "compute":
        where = "depends on the index pattern" if verdict.bound == "depends" else f"memory-bound at {verdict.level}"
        ends = f"{_speed(verdict.span.low)} when every access misses, {_speed(verdict.span.high)} when all hit"
        return f"{where}: at least {ends}"
    if verdict.limit is not None and verdict.bound != "depends":
        return limit_text(verdict, report.levels, report.on_gpu)
    if verdict.bound == "compute":
        limits = f", limited by {verdict.roof_limits}" if verdict.roof_limits else ""
        speed = "an unknown speed" if verdict.attainable is None else f"at most {_speed(verdict.attainable)}"
        return f"compute-bound: {speed}{limits}"
    if verdict.bound is None:
        return "no verdict: no machine" if report.machine is None else "no verdict"
    return f"memory-bound at {verdict.level}{_for_sizes(report, verdict)}: {_attained(verdict)}"


def time_of(report: KernelReport, several: bool) -> tuple[Sentence, ...]:
    text = time_text(report)
    name = machine_shown(report, several)
    return (Sentence("", name, report.cost.kernel.line, text),) if text else ()


def _for_sizes(report: KernelReport, verdict: Verdict) -> str:
    if verdict.bound != "depends":
        return ""
    level = next((level for level in report.levels if level.name == verdict.level), None)
    when = [formatting.ranges(holds) for holds in level.when_beyond_first_cache] if level else []
    return f" for {', '.join(when)}" if when else " for some sizes only"


def _attained(verdict: Verdict) -> str:
    """The speed; a bound only where no more can move, and without FLOPs in bytes, with the time of a call."""
    sure = "at most" if verdict.traffic_status in ("exact", "lower_bound") else "about"
    if verdict.bandwidth is None or verdict.seconds is None:
        return f"{sure} {_speed(verdict.attainable or 0.0)}"
    moved = units.si(verdict.bandwidth * verdict.seconds, "B")
    sizes = f" at {formatting.equal_sizes(verdict.sizes)}" if verdict.sizes else ""
    return f"{sure} {units.si(verdict.bandwidth, 'B/s')}, {moved} in {units.duration(verdict.seconds)}{sizes}"


def _speed(flops: float) -> str:
    return units.si(flops, "FLOP/s")


def findings_of(reports: Sequence[KernelReport], several: bool) -> tuple[Sentence, ...]:
    found: dict[Sentence, None] = {}
    for report in reports:
        for f in report.findings:
            if f.code not in (report.verdict.code, *SAID_ELSEWHERE):
                shown = machine_shown(report, several) if f.names_machine == "never" else ""
                found[Sentence(f.code, shown, f.line, f.detail or f.message)] = None
    return tuple(found)


def advice_of(reports: Sequence[KernelReport], several: bool, forms: bool) -> tuple[Sentence, ...]:
    """Changes that no finding names already, or, with their forms, all."""
    found: dict[Sentence, None] = {}
    for report in reports:
        found_too = {(f.code, f.line) for f in report.findings}
        for a in report.advice:
            is_found = (a.code, a.line) in found_too
            if forms or not is_found:
                text = str(a.change) if is_found and a.change else a.message
                name = machine_shown(report, several)
                found[Sentence("", name, a.line, f"line {a.line}: {text}", a.example if forms else "")] = None
    return tuple(found)


def machine_shown(report: KernelReport, several: bool) -> str:
    """The name of the machine, where there are several."""
    return report.machine.name if several and report.machine else ""
