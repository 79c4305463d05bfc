"""One kernel's report in words: what the text and Markdown formats set, each in its own way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil

from roofscan import units
from roofscan.cost.transform.fuse_expressions import temporaries
from roofscan.frozen import dataclass
from roofscan.ir.kernel import BELOW, Kernel
from roofscan.ir.symbols import Symbol
from roofscan.machine.model import Machine
from roofscan.report import formatting
from roofscan.report.cache_view import CacheView, Grid, cache_view
from roofscan.report.compared import measured_grid
from roofscan.report.device_view import configuration_grid, device_grid
from roofscan.report.figures import (
    Values,
    bound_values,
    by_class,
    compulsory_bytes,
    compulsory_status,
    live_bytes,
    moved,
    shown_sizes,
    value_of,
)
from roofscan.report.network_view import network_intensity, network_remarks
from roofscan.report.short_names import renamed, short_names, words_of
from roofscan.report.time_text import limit_text, time_grid, time_text
from roofscan.roofline.model import SCOPES, KernelReport, LevelReport, TableReport, Verdict
from roofscan.roofline.network import NetworkReport
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.symbolic.expr import Expr, Number

COMPULSORY = "compulsory traffic"  # the label of a count

MOST_TEMPORARIES = 6  # how many a report for people names
TEMPORARY_WIDTH = 60  # characters of each

SAID_ELSEWHERE = ("RFL001", "RFL901", "RFL902", "RFL999")
"""Codes whose findings the verdict repeats, or the command prints on standard error."""

KEPT = ("name", "place", "form")  # fields without symbols

MOST_SIZES = 4  # how many sizes a remark names


@dataclass(frozen=True)
class Row:
    machine: str
    scope: str
    interface: str
    capacity: str
    traffic: str
    holds: str  # the sizes for which that is so, where it is not for all
    intensity: str
    ridge: str
    bound: str
    when: str  # memory-bound there, where that is for some sizes only
    attainable: str
    binds: bool  # it is the one that limits the kernel
    level: str = ""  # the one that serves it, or the size of its cache

    @property
    def bound_text(self) -> str:
        return f"memory: {self.when}" if self.when else self.bound


@dataclass(frozen=True)
class Sentence:
    code: str
    machine: str
    line: int
    text: str
    form: str = ""  # advice: the lines to write


@dataclass(frozen=True)
class View:
    name: str
    place: str
    status: str
    tags: tuple[str, ...]  # precision, scope
    readings: tuple[str, ...]  # what is assumed of the ranks of parameters
    counts: tuple[tuple[str, str], ...]  # label, figure
    rows: tuple[Row, ...]
    verdicts: tuple[Sentence, ...]
    findings: tuple[Sentence, ...]
    advice: tuple[Sentence, ...]
    tables: tuple[Grid, ...]  # the time in the sizes, launches and transfers, measured figures
    caches: tuple[tuple[str, CacheView], ...]  # machine, what its caches do
    remarks: tuple[tuple[str, str], ...]  # label, text: symbols, assumptions, reasons, conditions, notes


def view_of(reports: Sequence[KernelReport], forms: bool = False) -> View:
    """The words for one kernel; ``reports`` has one entry a machine. ``forms``: with the lines that advice shows."""
    first = reports[0]
    kernel = first.cost.kernel
    several = len(reports) > 1
    names = names_of(reports)
    where = tuple(_where(kernel, _symbols_in(reports), names))
    view = View(
        name=kernel.name,
        place=f"{kernel.path}:{kernel.line}",
        status=first.cost.status,
        tags=_tags(reports),
        readings=tuple(formatting.together(kernel.readings)),
        counts=tuple(_counts(first)),
        rows=tuple(row for report in reports for row in _rows(report, several)),
        verdicts=tuple(s for report in reports for s in (_verdict_of(report, several), *_time_of(report, several))),
        findings=_findings(reports, several),
        advice=_advice(reports, several, forms),
        tables=tuple(_tables(reports, several)),
        caches=tuple((_name(report.machine) if several else "", cache_view(report, several)) for report in reports),
        remarks=tuple(_remarks(reports)),
    )
    shown: View = renamed(view, names, KEPT)
    return replace(shown, remarks=(*where, *shown.remarks))


def names_of(reports: Sequence[KernelReport]) -> dict[str, str]:
    """The short names that people see, by the long ones of the kernel."""
    return short_names(reports[0].cost.kernel, _symbols_in(reports))


def _tables(reports: Sequence[KernelReport], several: bool) -> Iterator[Grid]:
    for report in reports:
        machine = _name(report.machine) if several else ""
        made = (grid(report, machine) for grid in (time_grid, configuration_grid, device_grid, measured_grid))
        yield from (grid for grid in made if grid is not None)


def _tags(reports: Sequence[KernelReport]) -> tuple[str, ...]:
    if reports[0].cost.status == "unsupported":
        return ()
    precisions = dict.fromkeys(r.precision for r in reports if r.precision)
    scopes = [SCOPES[r.scope] for r in reports if r.machine and len(reports) == 1]
    return (*precisions, *scopes)


def _counts(report: KernelReport) -> list[tuple[str, str]]:
    cost = report.cost
    if cost.status == "unsupported":
        return []

    def shown(expr: Expr, unit: str = "", status: str = "exact") -> str:
        open_ = value_of(expr, bound_values(cost)) is None
        text = formatting.simpler(expr, status) if open_ else expr
        return formatting.with_value(text, bound_values(cost), shown_sizes(report), unit)

    lines = [("FLOPs", _bound_sign(cost.kernel) + shown(cost.flops))]
    classes = ", ".join(f"{kind} {shown(count)}" for kind, count in by_class(cost).items())
    if classes:
        lines.append(("operations", classes))
    least, live = compulsory_bytes(report), live_bytes(report)
    named = [("footprint", report.footprint), (COMPULSORY, least)]
    for label, expr in (*named, *([("without temporaries", live)] if live != least else [])):
        if expr is not None:
            status = compulsory_status(report)
            lines.append((label, formatting.sureness(status) + shown(expr, "B", status)))
    return lines


def _bound_sign(kernel: Kernel) -> str:
    """The sign before FLOPs that are a bound, by the reasons for it."""
    effects = {reason.effect for reason in kernel.reasons}
    below = not effects.isdisjoint(BELOW)
    if below and "upper" in effects:
        return "~ "
    return "≥ " if below else "≤ " if "upper" in effects else ""


def _rows(report: KernelReport, several: bool) -> list[Row]:
    values, nearer, rows = bound_values(report.cost), "registers", []
    for level in report.levels:
        rows.append(_row(report, level, nearer, values, several))
        nearer = level.name
    if rows and report.translations:
        rows.append(_table_row(report, report.translations[-1], rows[-1]))
    network = report.network
    return [*rows, _network_row(report, network, rows[-1])] if rows and network and network.exchange else rows


def _row(report: KernelReport, level: LevelReport, nearer: str, values: Values, several: bool) -> Row:
    machine = report.machine
    status = level.fused_status or level.traffic.status
    known = status != "unknown"
    total = moved(level.fused or level.traffic.total, machine)
    return Row(
        machine=_name(machine) if several else "",
        scope=SCOPES[report.scope] if several else "",
        interface=f"{level.name} → {nearer}" if machine else f"memory → cache of {units.capacity(level.capacity)}",
        capacity=units.capacity(level.capacity) if level.capacity else "–",
        traffic=_traffic(report, total, status),
        holds="" if value_of(total, values) is not None else _sizes(report, level),
        intensity=formatting.intensity(report, level.intensity, level.judged) if known else "–",
        ridge="–" if level.ridge is None else units.digits(level.ridge),
        bound="by size" if _when(level) else level.bound_beyond_first_cache or "–",
        when=_when(level),
        attainable=_attainable(level),
        level=level.name if machine else units.capacity(level.capacity),
        binds=machine is not None
        and level.name == report.verdict.level
        and report.verdict.bound == "memory"
        and report.verdict.limit != "tlb",
    )


def _table_row(report: KernelReport, table: TableReport, memory: Row) -> Row:
    """Translations of addresses: the pages that miss. They have no ridge: what they take is in the expected time."""
    values, binds = bound_values(report.cost), report.verdict.limit == "tlb"
    return replace(
        memory,
        interface=f"pages → {table.name}",
        capacity=units.capacity(table.capacity),
        traffic=_pages(table, values, shown_sizes(report)),
        holds="",
        intensity="–",
        ridge="–",
        bound="memory" if binds else "–",
        when="",
        level=table.name,
        attainable="–",
        binds=binds,
    )


def _pages(table: TableReport, values: Values, large: Values) -> str:
    number = value_of(table.missed, values)
    if number is not None:
        return f"{formatting.sureness(table.status)}{units.si(number, 'pages')}"
    return formatting.brief_with_status(table.status, table.missed, large, formatting.TRAFFIC_WIDTH) + " pages"


def _network_row(report: KernelReport, network: NetworkReport, memory: Row) -> Row:
    values, large, moved_ = bound_values(report.cost), shown_sizes(report), network.exchange
    assert moved_ is not None
    time = report.time
    return replace(
        memory,
        interface=f"network → {report.levels[-1].name}",
        capacity=f"{network.nodes} nodes",
        traffic=formatting.with_value(moved_.a_call, values, large, ""),
        holds="",
        intensity=formatting.intensity(report, network_intensity(report, network)),
        ridge="–" if network.ridge is None else units.digits(network.ridge),
        bound=network.bound or "–",
        when="",
        level="network",
        attainable="–",
        binds=isinstance(time, TimePrediction) and time.limit == "network",
    )


def _traffic(report: KernelReport, total: Expr, status: str) -> str:
    if status == "unknown":
        return "unknown"
    number = value_of(total, bound_values(report.cost))
    if number is not None:
        return formatting.sureness(status) + units.si(number, "B")
    return formatting.brief_with_status(status, total, shown_sizes(report), formatting.TRAFFIC_WIDTH)


def _sizes(report: KernelReport, level: LevelReport) -> str:
    """For which sizes the expression of a level holds, besides those for which all expressions do."""
    return formatting.sizes(report.pieces.conditions(level.capacity, level.sharing))


def _when(level: LevelReport) -> str:
    return ", ".join(map(formatting.ranges, level.when_beyond_first_cache))


def _attainable(level: LevelReport) -> str:
    """At least so much, where the bytes are at most those that are said."""
    span = level.attainable
    return "–" if span is None else ("" if span.is_known else "≥ ") + units.si(span.low, "FLOP/s")


def _verdict_of(report: KernelReport, several: bool) -> Sentence:
    verdict, name = report.verdict, _name(report.machine) if several else ""
    for finding in report.findings:
        if verdict.code and finding.code == verdict.code:
            return Sentence(finding.code, name, finding.line, finding.message)
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
    return f"memory-bound at {verdict.level}{_for_sizes(report, verdict)}: {_attained(report, verdict)}"


def _time_of(report: KernelReport, several: bool) -> tuple[Sentence, ...]:
    text = time_text(report)
    name = _name(report.machine) if several else ""
    return (Sentence("", name, report.cost.kernel.line, text),) if text else ()


def _for_sizes(report: KernelReport, verdict: Verdict) -> str:
    if verdict.bound != "depends":
        return ""
    level = next((level for level in report.levels if level.name == verdict.level), None)
    when = [formatting.ranges(holds) for holds in level.when_beyond_first_cache] if level else []
    return f" for {', '.join(when)}" if when else " for some sizes only"


def _attained(report: KernelReport, verdict: Verdict) -> str:
    """The speed; a bound only where no more can move, and without FLOPs in bytes, with the time of a call."""
    sure = "at most" if verdict.traffic_status in ("exact", "lower_bound") else "about"
    if verdict.bandwidth is None or verdict.seconds is None:
        return f"{sure} {_speed(verdict.attainable or 0.0)}"
    moved = units.si(verdict.bandwidth * verdict.seconds, "B")
    sizes = f" at {formatting.equal_sizes(verdict.sizes)}" if verdict.sizes else ""
    return f"{sure} {units.si(verdict.bandwidth, 'B/s')}, {moved} in {units.duration(verdict.seconds)}{sizes}"


def _speed(flops: float) -> str:
    return units.si(flops, "FLOP/s")


def _findings(reports: Sequence[KernelReport], several: bool) -> tuple[Sentence, ...]:
    found: dict[Sentence, None] = {}
    for report in reports:
        for f in report.findings:
            if f.code not in (report.verdict.code, *SAID_ELSEWHERE):
                found[Sentence(f.code, _name(report.machine) if several else "", f.line, f.detail or f.message)] = None
    return tuple(found)


def _advice(reports: Sequence[KernelReport], several: bool, forms: bool) -> tuple[Sentence, ...]:
    """Changes that no finding names already, or, with their forms, all."""
    found: dict[Sentence, None] = {}
    for report in reports:
        found_too = {(f.code, f.line) for f in report.findings}
        for a in report.advice:
            is_found = (a.code, a.line) in found_too
            if forms or not is_found:
                text = str(a.change) if is_found and a.change else a.message
                name = _name(report.machine) if several else ""
                found[Sentence("", name, a.line, f"line {a.line}: {text}", a.example if forms else "")] = None
    return tuple(found)


def _remarks(reports: Sequence[KernelReport]) -> list[tuple[str, str]]:
    cost = reports[0].cost
    kernel = cost.kernel
    remarks = [
        *_large_sizes(reports),
        *(remark for report in reports for remark in _judged_at(report, len(reports) > 1)),
    ]
    remarks += [remark for report in reports for remark in network_remarks(report)]
    made = list(temporaries(kernel).values())
    remarks += [("temporary", f"{t.shown(TEMPORARY_WIDTH)} (line {t.line})") for t in made[:MOST_TEMPORARIES]]
    if len(made) > MOST_TEMPORARIES:
        remarks.append(("temporary", f"{len(made) - MOST_TEMPORARIES} more (JSON has them all)"))
    remarks += [("because", f"line {r.line}: {r.message}") for r in kernel.reasons if r is not kernel.unsupported]
    others = [text for text in kernel.assumptions if text not in kernel.readings]
    remarks += [("assuming", text) for text in formatting.together(others)]
    remarks += [("provided", text) for text in formatting.conditions(cost.conditions)]
    return remarks + [("note", text) for report in reports for text in _notes(report, len(reports) > 1)]


def _large_sizes(reports: Sequence[KernelReport]) -> Iterator[tuple[str, str]]:
    """The sizes at which values replace long expressions."""
    cost = reports[0].cost
    if _has_approximate_counts(reports[0]) or any(map(_has_approximate_traffic, reports)):
        launched = {s.name for s in cost.kernel.symbols if s.kind == "launch"}  # as many as cover the work
        shown = {name: ceil(n) if name in launched else n for name, n in shown_sizes(reports[0]).items()}
        sizes = [f"{name} = {value}" for name, value in sorted(shown.items()) if name in cost.free]
        more = f" and {len(sizes) - MOST_SIZES} more" if len(sizes) > MOST_SIZES else ""
        yield "≈", f"at {', '.join(sizes[:MOST_SIZES])}{more}; JSON has the expressions"


def _judged_at(report: KernelReport, several: bool) -> Iterator[tuple[str, str]]:
    if report.verdict.sizes and report.cost.flops:
        where = f"on {_name(report.machine)} " if several else ""
        held = {name: value for name, value in report.cost.kernel.guesses.items() if name in report.cost.free}
        sizes = {**held, **report.verdict.sizes}
        yield "verdict", f"{where}at {formatting.equal_sizes(sizes)}: {_why_there(report, sizes)}"


def _why_there(report: KernelReport, sizes: Mapping[str, Number]) -> str:
    """What chose the sizes of a verdict."""
    time = report.time
    ends = [g.expr.subs(sizes) for g in report.cost.kernel.guards if g.relation == "ge"]
    if any(end.constant == 0 for end in ends):
        return "the largest that the kernel takes"
    if isinstance(time, NoTime) and time.beyond_a_minute:
        return "its traffic is known at such sizes only"
    by = "" if isinstance(time, TimePrediction) else " by the roofline"
    return f"data of at most 64 GiB, at most a minute{by}"


def _has_approximate_counts(report: KernelReport) -> bool:
    cost = report.cost
    least = (report.footprint, compulsory_bytes(report))
    rounded = (each and formatting.simpler(each, compulsory_status(report)) for each in least)
    counted = (cost.flops, *by_class(cost).values(), *rounded)
    values, large = bound_values(cost), shown_sizes(report)
    return cost.status != "unsupported" and any(
        expr is not None and formatting.is_approximate(expr, values, large) for expr in counted
    )


def _has_approximate_traffic(report: KernelReport) -> bool:
    values, large = bound_values(report.cost), shown_sizes(report)
    for level in report.levels:
        status = level.fused_status or level.traffic.status
        total = moved(level.fused or level.traffic.total, report.machine)
        shown = formatting.simpler(total, status)
        if status != "unknown" and formatting.is_approximate(shown, values, large, formatting.TRAFFIC_WIDTH):
            return True
    return False


def _notes(report: KernelReport, several: bool) -> list[str]:
    by_text: dict[str, list[str]] = {}
    for level in report.levels:
        for text in (level.traffic.why, *level.notes):
            if text:
                by_text.setdefault(text, []).append(level.name)
    notes = [f"{', '.join(dict.fromkeys(names))}: {text}" for text, names in by_text.items()] + list(report.notes)
    return [f"{_name(report.machine)}: {note}" if several else note for note in notes]


def _where(kernel: Kernel, used: set[str], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What sizes stand for, those with short names last; sizes that differ by their line alone together."""
    told: dict[str, list[Symbol]] = {}
    for s in sorted(kernel.symbols, key=lambda s: names.get(s.name, "")):
        if s.name in used and (_tells(s) or s.name in names):
            line = s.name.rpartition("_")[2]
            of_any_line = s.meaning.replace(f" of the loop in line {line},", " of the loops in these lines,")
            told.setdefault(of_any_line if _tells(s) else s.name, []).append(s)
    for together, found in told.items():
        alone = found[0].meaning if _tells(found[0]) else found[0].name
        said = together if len(found) > 1 else alone
        yield "where", f"{', '.join(names.get(s.name, s.name) for s in found)} = {said}"


def _tells(symbol: Symbol) -> bool:
    """Whether a symbol's meaning says more than its name."""
    return symbol.meaning not in (symbol.name, f"the parameter {symbol.name}")


def _symbols_in(reports: Sequence[KernelReport]) -> set[str]:
    shown: list[Expr] = [reports[0].cost.flops, *by_class(reports[0].cost).values()]
    for report in reports:
        shown += [e for e in (report.footprint, compulsory_bytes(report)) if e is not None]
        shown += [moved(level.fused or level.traffic.total, report.machine) for level in report.levels]
        shown += [table.missed for table in report.translations[-1:]]
    sizes = {name for report in reports for name in report.verdict.sizes}
    levels = [level for report in reports for level in report.levels]
    said = words_of(text for level in levels for text in (level.traffic.why, *level.notes))
    return sizes.union(said, *(expr.symbols for expr in shown))


def _name(machine: Machine | None) -> str:
    return machine.name if machine else ""
