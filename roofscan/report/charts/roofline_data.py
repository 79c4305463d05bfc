"""What a roofline chart shows, as numbers: roofs, ridges, kernels as points or as curves in their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite

from roofscan.frozen import dataclass
from roofscan.machine.model import Machine, MachineError, Throughput
from roofscan.machine.ridge import rates_for
from roofscan.report.charts.size_points import Point, sized_points
from roofscan.roofline.interfaces import interfaces
from roofscan.roofline.model import SCOPES, KernelReport

MOST_PATHS = 8  # kernels of a panel with paths over their sizes
MOST_MARKS = 40  # kernels of a panel


@dataclass(frozen=True)
class LevelPoint:
    """Where a kernel is at one level, at the sizes of its verdict."""

    name: str
    intensity: float  # FLOP/byte
    ridge: float


@dataclass(frozen=True)
class Ridge:
    """Where memory's slope meets the compute roof of a kernel: as in the kernel's table."""

    intensity: float
    flops: float  # FLOP/s
    limit: str  # what holds the roof down


@dataclass(frozen=True)
class Mark:
    labels: tuple[str, ...]  # the kernels at this place
    bound: str | None
    place: Point  # at the sizes of the verdict
    path: tuple[Point, ...] = ()  # at other sizes, or from where all accesses miss to where all hit
    levels: tuple[LevelPoint, ...] = ()  # nearest first
    ridge: Ridge | None = None
    measured: tuple[Point, ...] = ()

    @property
    def points(self) -> tuple[Point, ...]:
        return (*self.path, self.place)


@dataclass(frozen=True)
class BandwidthRoof:
    name: str
    bandwidth: float  # bytes/s


@dataclass(frozen=True)
class Ceiling:
    name: str
    flops: float  # FLOP/s


@dataclass(frozen=True)
class Panel:
    """One chart: a machine, the part of it that the kernels run on, and their precision."""

    machine: str
    description: str
    scope: str
    precision: str
    memory: BandwidthRoof  # the outermost level
    caches: tuple[BandwidthRoof, ...]  # outermost first
    ceilings: tuple[Ceiling, ...]  # the peak first
    marks: tuple[Mark, ...]
    absent: tuple[str, ...]  # kernels without a place, and why
    part: str = ""  # of several panels with one machine, scope and precision: "1 of 3"

    @property
    def ridges(self) -> tuple[Ridge, ...]:
        """Those of the kernels, rightmost first; where they meet, one, named after the kernels."""
        found: dict[float, list[tuple[Mark, Ridge]]] = {}
        for mark in self.marks:
            if mark.ridge:
                found.setdefault(float(f"{mark.ridge.intensity:.3g}"), []).append((mark, mark.ridge))
        return tuple(_joined(found[intensity]) for intensity in sorted(found, reverse=True))

    @property
    def corner(self) -> float:
        """Where memory's slope meets the peak."""
        return self.ceilings[0].flops / self.memory.bandwidth


def _joined(here: Sequence[tuple[Mark, Ridge]]) -> Ridge:
    ridge, limits = here[0][1], {ridge.limit for _, ridge in here}
    names = ", ".join(label for mark, _ in here for label in mark.labels)
    return ridge if len(limits) == 1 else replace(ridge, limit=f"the roof of {names}")


def panels(kernels: Sequence[Sequence[KernelReport]], most: int | None = None) -> list[Panel]:
    """Machines in the order in which they are given. ``most``: kernels of a panel; beyond, there are several."""
    groups: dict[tuple[str, str, str], list[KernelReport]] = {}
    homeless: dict[str, list[KernelReport]] = {}
    for report in (report for reports in kernels for report in reports):
        if report.machine and report.precision and _point(report) and _throughput(report):
            groups.setdefault((report.machine.name, part_of(report), report.precision), []).append(report)
        elif report.machine:
            homeless.setdefault(report.machine.name, []).append(report)
    order = {report.machine.name: at for reports in kernels for at, report in enumerate(reports) if report.machine}
    found = []
    for key in sorted(groups, key=lambda key: (order[key[0]], *key)):
        members, absent = groups[key], homeless.pop(key[0], [])
        most_here = most or len(members)
        parts = [members[start : start + most_here] for start in range(0, len(members), most_here)]
        for number, part in enumerate(parts, 1):
            panel = _panel(part, absent if number == len(parts) else [])
            found.append(replace(panel, part=f"{number} of {len(parts)}") if len(parts) > 1 else panel)
    return found


def _panel(reports: list[KernelReport], absent: list[KernelReport]) -> Panel:
    machine, scope = reports[0].machine, reports[0].scope
    rates = _throughput(reports[0])
    assert machine is not None and rates is not None
    roofs = [BandwidthRoof(i.name, i.bandwidth) for i in interfaces(machine, scope) if i.bandwidth]
    return Panel(
        machine=machine.name,
        description=machine.description.rstrip("."),
        scope=part_of(reports[0]),
        precision=reports[0].precision or "",
        memory=roofs[-1],
        caches=tuple(reversed(roofs[:-1])),
        ceilings=_ceilings(rates, machine, reports[0]),
        marks=_merged(_mark(report, len(reports) <= MOST_PATHS) for report in reports),
        absent=tuple(f"{r.cost.kernel.name} ({_why_absent(r)})" for r in absent),
    )


def part_of(report: KernelReport) -> str:
    """The part of the machine that a kernel runs on. Library calls take all cores: more than one core's roof."""
    return SCOPES[report.scope] + ", library calls on all cores" * _calls_on_all_cores(report)


def _calls_on_all_cores(report: KernelReport) -> bool:
    return report.scope == "core" and any(nest.library for nest in report.cost.nests)


def _mark(report: KernelReport, with_path: bool) -> Mark:
    here = _point(report)
    assert here is not None
    best = _at_best(report)
    path = (here, best) if best is not None else sized_points(report) if with_path else ()
    levels = tuple(
        LevelPoint(level.name, level.judged.low, level.ridge)
        for level in report.levels
        if level.ridge and level.judged and level.judged.low
    )
    return Mark(
        (report.cost.kernel.name,), report.verdict.bound, here, path, levels, _ridge(report), tuple(_measured(report))
    )


def _throughput(report: KernelReport) -> Throughput | None:
    machine = report.machine
    if machine is None or report.precision is None:
        return None
    try:
        return rates_for(machine, report.precision, report.scope)
    except MachineError:
        return None


def _ceilings(rates: Throughput, machine: Machine, report: KernelReport) -> tuple[Ceiling, ...]:
    """Highest first: matrix units or all cores if used, fused multiply-adds, adds and multiplications alone."""
    ceilings = [Ceiling("fused multiply-add", rates.fma.value), Ceiling("add or multiply alone", rates.plain.value)]
    if _calls_on_all_cores(report):
        ceilings.append(Ceiling("all cores", rates_for(machine, report.precision or "", "socket").fma.value))
    tensor = machine.tensor.get(report.precision or "") if report.scope == "device" else None
    if tensor is not None:
        ceilings.append(Ceiling("matrix units", tensor.value))
    different = {ceiling.flops: ceiling for ceiling in reversed(ceilings)}
    return tuple(sorted(different.values(), key=lambda ceiling: -ceiling.flops))


def _ridge(report: KernelReport) -> Ridge | None:
    ridge, verdict = report.levels[-1].ridge, report.verdict
    return Ridge(ridge, verdict.roof, verdict.roof_limits) if ridge and verdict.roof else None


def _point(report: KernelReport) -> Point | None:
    """The kernel's place at the evaluation point; None without FLOPs, traffic or verdict."""
    judged = report.levels[-1].judged if report.levels else None
    return Point(judged.low, report.verdict.attainable) if judged and report.verdict.attainable else None


def _at_best(report: KernelReport) -> Point | None:
    """Its place where every access hits whose address depends on data; None where none does."""
    level, span = report.levels[-1], report.verdict.span
    if span is None or level.judged is None:
        return None
    intensity = level.judged.high if isfinite(level.judged.high) else max(level.judged.low, level.ridge or 0.0)
    return Point(intensity, span.high)


def _measured(report: KernelReport) -> Iterator[Point]:
    """Measured places: what was not counted there is as predicted."""
    for each in report.measured:
        flops, moved, seconds = each.figure("FLOPs"), each.figure(each.memory), each.measurement.seconds
        if flops and moved and seconds:
            yield Point(flops / moved, flops / seconds)


def _why_absent(report: KernelReport) -> str:
    if report.cost.status == "unsupported":
        return "unsupported"
    return report.verdict.reason or ("no FLOPs" if not report.cost.flops else "no traffic")


def _merged(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Kernels at one and the same place share a mark; marks are ordered from left to right."""
    places: dict[tuple[tuple[Point, ...], Ridge | None], Mark] = {}
    for mark in marks:
        before = places.get((mark.points, mark.ridge))
        if before:
            mark = replace(mark, labels=before.labels + mark.labels, measured=before.measured + mark.measured)
        places[mark.points, mark.ridge] = mark
    return tuple(sorted(places.values(), key=lambda m: (m.place.intensity, m.place.speed, m.labels)))
