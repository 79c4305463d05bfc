"""What a report adds below its figures: symbols, temporaries, reasons, assumptions, conditions and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from roofscan.cost.transform.fuse_expressions import temporaries
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import Symbol
from roofscan.report import formatting
from roofscan.report.figures import bound_values, by_class, compulsory_bytes, compulsory_status, moved, shown_sizes
from roofscan.report.kernel_view.network import network_remarks
from roofscan.report.kernel_view.sentences import machine_shown
from roofscan.report.short_names import words_of
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.symbolic.expr import Expr, Number

MOST_TEMPORARIES = 6  # how many a report for people names

TEMPORARY_WIDTH = 60  # characters of each

MOST_SIZES = 4  # how many sizes a remark names


def remarks_of(reports: Sequence[KernelReport]) -> list[tuple[str, str]]:
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
        where = f"on {machine_shown(report, several)} " if several else ""
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
    return [f"{machine_shown(report, several)}: {note}" if several else note for note in notes]


@dataclass(frozen=True)
class SizeMeaning:
    """What sizes stand for: ``n, m = columns of A``."""

    names: tuple[str, ...]
    meaning: str

    def __str__(self) -> str:
        return f"{', '.join(self.names)} = {self.meaning}"


def meanings_of(kernel: Kernel, used: set[str], names: Mapping[str, str]) -> Iterator[SizeMeaning]:
    """Those with short names last; sizes that differ by their line alone together."""
    told: dict[str, list[Symbol]] = {}
    for s in sorted(kernel.symbols, key=lambda s: names.get(s.name, "")):
        if s.name in used and (_tells(s) or s.name in names):
            line = s.name.rpartition("_")[2]
            of_any_line = s.meaning.replace(f" of the loop in line {line},", " of the loops in these lines,")
            told.setdefault(of_any_line if _tells(s) else s.name, []).append(s)
    for together, found in told.items():
        alone = found[0].meaning if _tells(found[0]) else found[0].name
        yield SizeMeaning(tuple(names.get(s.name, s.name) for s in found), together if len(found) > 1 else alone)


def _tells(symbol: Symbol) -> bool:
    """Whether a symbol's meaning says more than its name."""
    return symbol.meaning not in (symbol.name, f"the parameter {symbol.name}")


def symbols_in(reports: Sequence[KernelReport]) -> set[str]:
    shown: list[Expr] = [reports[0].cost.flops, *by_class(reports[0].cost).values()]
    for report in reports:
        shown += [e for e in (report.footprint, compulsory_bytes(report)) if e is not None]
        shown += [moved(level.fused or level.traffic.total, report.machine) for level in report.levels]
        shown += [table.missed for table in report.translations[-1:]]
    sizes = {name for report in reports for name in report.verdict.sizes}
    levels = [level for report in reports for level in report.levels]
    said = words_of(text for level in levels for text in (level.traffic.why, *level.notes))
    return sizes.union(said, *(expr.symbols for expr in shown))
