"""The table of levels in words: traffic, intensity and what binds, a row per interface."""

from __future__ import annotations

from dataclasses import replace

from roofscan import units
from roofscan.frozen import dataclass
from roofscan.report import formatting
from roofscan.report.figures import Values, bound_values, moved, shown_sizes, value_of
from roofscan.report.kernel_view.network import network_intensity
from roofscan.report.kernel_view.sentences import machine_shown
from roofscan.roofline.model import SCOPES, KernelReport, LevelReport, TableReport
from roofscan.roofline.network import NetworkReport
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class Row:
    machine: str
    scope: str
    interface: str
    capacity: str
    amount: str
    holds: str  # the sizes for which that is so, where it is not for all
    intensity: str
    ridge: str
    bound: str
    when: str  # memory-bound there, where that is for some sizes only
    attainable: str
    binds: bool  # it is the one that limits the kernel
    level: str = ""  # the one that serves it, or the size of its cache
    unit: str = ""  # of an amount that is no bytes

    @property
    def traffic(self) -> str:
        return self.amount + self.unit

    @property
    def bound_text(self) -> str:
        return f"memory: {self.when}" if self.when else self.bound


def rows_of(report: KernelReport, several: bool) -> list[Row]:
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
        machine=machine_shown(report, several),
        scope=SCOPES[report.scope] if several else "",
        interface=f"{level.name} → {nearer}" if machine else f"memory → cache of {units.capacity(level.capacity)}",
        capacity=units.capacity(level.capacity) if level.capacity else "–",
        amount=_traffic(report, total, status),
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
    binds, missed = report.verdict.limit == "tlb", value_of(table.missed, bound_values(report.cost))
    return replace(
        memory,
        interface=f"pages → {table.name}",
        capacity=units.capacity(table.capacity),
        amount=_pages(table, missed, shown_sizes(report)),
        unit=" pages" if missed is None else "",
        holds="",
        intensity="–",
        ridge="–",
        bound="memory" if binds else "–",
        when="",
        level=table.name,
        attainable="–",
        binds=binds,
    )


def _pages(table: TableReport, number: float | None, large: Values) -> str:
    if number is not None:
        return f"{formatting.sureness(table.status)}{units.si(number, 'pages')}"
    return formatting.brief_with_status(table.status, table.missed, large, formatting.TRAFFIC_WIDTH)


def _network_row(report: KernelReport, network: NetworkReport, memory: Row) -> Row:
    values, large, moved_ = bound_values(report.cost), shown_sizes(report), network.exchange
    assert moved_ is not None
    time = report.time
    return replace(
        memory,
        interface=f"network → {report.levels[-1].name}",
        capacity=f"{network.nodes} nodes",
        amount=formatting.with_value(moved_.a_call, values, large, ""),
        unit="",
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
