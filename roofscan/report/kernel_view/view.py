"""One kernel's report in words: what the text and Markdown formats set, each in its own way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.kernel import ABOVE, BELOW, Kernel
from roofscan.report import formatting
from roofscan.report.compared import measured_grid
from roofscan.report.figures import (
    bound_values,
    by_class,
    compulsory_bytes,
    compulsory_status,
    live_bytes,
    shown_sizes,
    value_of,
)
from roofscan.report.kernel_view.caches import CacheView, Grid, cache_view
from roofscan.report.kernel_view.device import configuration_grid, device_grid
from roofscan.report.kernel_view.level_rows import Row, rows_of
from roofscan.report.kernel_view.remarks import SizeMeaning, meanings_of, remarks_of, symbols_in
from roofscan.report.kernel_view.sentences import Sentence, advice_of, findings_of, machine_shown, time_of, verdict_of
from roofscan.report.short_names import renamed, short_names
from roofscan.report.time_text import time_grid
from roofscan.roofline.model import SCOPES, KernelReport
from roofscan.symbolic.expr import Expr

COMPULSORY = "compulsory traffic"  # the label of a count


KEPT = ("name", "place", "form")  # fields without symbols


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
    remarks: tuple[tuple[str, str], ...]  # label, text: assumptions, reasons, conditions, notes
    meanings: tuple[SizeMeaning, ...] = ()  # of the sizes that the figures name

    @property
    def all_remarks(self) -> tuple[tuple[str, str], ...]:
        return (*(("where", str(meaning)) for meaning in self.meanings), *self.remarks)


def view_of(reports: Sequence[KernelReport], forms: bool = False) -> View:
    """The words for one kernel; ``reports`` has one entry a machine. ``forms``: with the lines that advice shows."""
    first = reports[0]
    kernel = first.cost.kernel
    several = len(reports) > 1
    names = names_of(reports)
    view = View(
        name=kernel.name,
        place=f"{kernel.path}:{kernel.line}",
        status=first.cost.status,
        tags=_tags(reports),
        readings=tuple(formatting.together(kernel.readings)),
        counts=tuple(_counts(first)),
        rows=tuple(row for report in reports for row in rows_of(report, several)),
        verdicts=tuple(s for report in reports for s in (verdict_of(report, several), *time_of(report, several))),
        findings=findings_of(reports, several),
        advice=advice_of(reports, several, forms),
        tables=tuple(_tables(reports, several)),
        caches=tuple((machine_shown(report, several), cache_view(report, several)) for report in reports),
        remarks=tuple(remarks_of(reports)),
    )
    shown: View = renamed(view, names, KEPT)
    return replace(shown, meanings=tuple(meanings_of(kernel, symbols_in(reports), names)))


def names_of(reports: Sequence[KernelReport]) -> dict[str, str]:
    """The short names that people see, by the long ones of the kernel."""
    return short_names(reports[0].cost.kernel, symbols_in(reports))


def _tables(reports: Sequence[KernelReport], several: bool) -> Iterator[Grid]:
    for report in reports:
        machine = machine_shown(report, several)
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
    below, above = not effects.isdisjoint(BELOW), not effects.isdisjoint(ABOVE)
    if below and above:
        return "~ "
    return "≥ " if below else "≤ " if above else ""
