"""A kernel's cost on a machine: levels, verdict, findings and notes, put together as one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.config.selection import ONE_VERDICT
from roofscan.cost.memory.base import Traffic
from roofscan.cost.result import KernelCost
from roofscan.finding import Finding
from roofscan.machine.model import Machine
from roofscan.pipeline.stages import CostedKernel, KernelOnMachine
from roofscan.roofline.interfaces import InterfaceTraffic, TrafficCurves, interfaces_of_caches
from roofscan.roofline.model import Advice, KernelReport, LevelReport
from roofscan.roofline.network import network_report
from roofscan.roofline.notes import FUSED, notes_on
from roofscan.roofline.target import without_machine
from roofscan.roofline.time.pieces import time_pieces
from roofscan.roofline.time.prediction import TimePiece, TimePrediction
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.roofline.translations import tables_on
from roofscan.roofline.verdict import RooflinePoint, no_verdict
from roofscan.symbolic.expr import Expr


def assess(cost: KernelCost, machine: Machine, advice: Sequence[Advice] | None = ()) -> KernelReport:
    """The report of a kernel on a machine. ``advice`` names changes with their gain, best first; None: find them.
    ``cost`` is counted in lines of its own size; a machine of another line size is assessed all the same, and the
    report says so."""
    return report_of(CostedKernel(cost, machine, None if advice is None else tuple(advice)))


def report_of(analysis: CostedKernel | KernelOnMachine) -> KernelReport:
    """The report of a kernel on a machine, with all findings, those that are off by default too. Where Numba fuses
    operators, the kernel is judged as it runs, and its levels say both."""
    from roofscan.roofline.gpu.configurations import timed_configurations  # of modules that no finding on a CPU needs
    from roofscan.roofline.gpu.time import device_work

    findings, written, point = analysis.findings, analysis.cost, analysis.point
    runs_here = point.target.why != "no GPU"
    report = KernelReport(
        cost=written,
        machine=analysis.machine,
        scope=point.target.scope,
        precision=point.target.precision,
        levels=_levels(written, [i.report for i in point.interfaces if runs_here or not i.report.capacity]),
        compulsory=_compulsory(written),
        footprint=_footprint(written),
        verdict=point.verdict,
        advice=analysis.advice,
        findings=(),
        translations=tables_on(point),
        network=network_report(point.cost, analysis.machine, point.target.roof, point.evaluation.values),
        notes=(*((FUSED,) if written.fused else ()), *notes_on(point)),
        device_work=device_work(point.cost, analysis.machine, point.evaluation.values),
        configurations=timed_configurations(point.cost, analysis.machine, point.evaluation.values),
    )
    return with_findings(report, findings)


def with_findings(report: KernelReport, findings: tuple[Finding, ...]) -> KernelReport:
    code = next((f.code for f in findings if f.code in ONE_VERDICT), None)
    return replace(report, findings=findings, verdict=replace(report.verdict, code=code))


def assess_caches(cost: KernelCost, capacities: Sequence[int], line: int) -> KernelReport:
    """The report of a kernel on caches of these sizes in bytes, each seen alone, without a verdict."""
    written, cost = cost, cost.fused or cost
    curves = TrafficCurves.of(cost, TrafficPolicy(fill=False), capacities)
    target = without_machine(cost, curves.evaluation.values)
    rows = interfaces_of_caches(capacities, line) if cost.status != "unsupported" else ()
    interfaces = [InterfaceTraffic(curves, row, target) for row in rows]
    return KernelReport(
        cost=written,
        machine=None,
        scope=target.scope,
        precision=target.precision,
        levels=_levels(written, [interface.report for interface in interfaces]),
        compulsory=_compulsory(written),
        footprint=_footprint(written),
        verdict=no_verdict(target, target.reason or "no verdict without bandwidths: --cache gives capacities only"),
        advice=(),
        findings=(),
    )


def pieces_of(report: KernelReport, point: RooflinePoint) -> tuple[TimePiece, ...]:
    """The time in the sizes, where some are free."""
    if not isinstance(report.time, TimePrediction) or not report.verdict.sizes:
        return ()
    return time_pieces(point.interfaces[0].curves, point.machine, report.time)


def with_time_pieces(report: KernelReport) -> KernelReport:
    if report.time_pieces is not None or report.machine is None:
        return report
    point = CostedKernel(report.cost, report.machine, ()).point
    return replace(report, time_pieces=pieces_of(report, point))


def _levels(written: KernelCost, rows: Sequence[LevelReport]) -> tuple[LevelReport, ...]:
    """The rows with the traffic as written, and beside it the one that was judged where Numba fuses operators."""
    if written.fused is None:
        return tuple(rows)
    return tuple(
        replace(
            row,
            traffic=TrafficModel(written, TrafficPolicy()).among(row.sharing).traffic(row.capacity),
            fused=None if row.traffic.status == "unknown" else row.traffic.total,
            fused_status=row.traffic.status,
            fused_arrays=row.traffic.arrays,
        )
        for row in rows
    )


def _compulsory(cost: KernelCost) -> Traffic | None:
    """What moves where everything fits; None where the nests could not be analyzed: nothing is not zero."""
    return TrafficModel(cost, TrafficPolicy()).traffic(UNLIMITED) if _is_analyzed(cost) else None


def _footprint(cost: KernelCost) -> Expr | None:
    return cost.reuse.footprint if cost.reuse and _is_analyzed(cost) else None


def _is_analyzed(cost: KernelCost) -> bool:
    return cost.reuse is not None and cost.reuse.status != "unknown"
