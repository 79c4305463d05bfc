"""A kernel's cost on a machine: levels, verdict, findings and notes, put together as one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.advice import advise
from roofscan.advice.fusion import fusing_advice
from roofscan.advice.precision_advice import precision_advice
from roofscan.cost.analyze import StagedAnalysis
from roofscan.cost.memory.base import Traffic
from roofscan.cost.result import KernelCost
from roofscan.machine.model import Machine
from roofscan.pipeline.outlook import hinges_on_classes
from roofscan.pipeline.prospects import hinges_on_traffic
from roofscan.roofline.interfaces import InterfaceTraffic, TrafficCurves, interfaces, interfaces_of_caches
from roofscan.roofline.left_of_ridge import may_be_scalar
from roofscan.roofline.model import Advice, Finding, KernelReport, LevelReport
from roofscan.roofline.notes import FUSED, notes_on
from roofscan.roofline.target import target_on, without_machine
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.roofline.verdict import RooflinePoint, no_verdict
from roofscan.rules import findings_on
from roofscan.symbolic.expr import Expr

ONE_VERDICT = ("RFL101", "RFL103", "RFL102")
"""The codes of a kernel's verdict, of which at most one stands on it."""


def assess(cost: KernelCost, machine: Machine, advice: Sequence[Advice] | None = ()) -> KernelReport:
    """The report of a kernel on a machine. ``advice`` names changes with their gain, best first; None: find them.

    ``cost`` is counted in lines of its own size; a machine of another line size is assessed all the same, and
    the report says so. All codes are reported, those that are off by default too. Where Numba fuses operators, the
    kernel is judged as it runs, and its levels say both.
    """
    written, cost = cost, cost.fused or cost
    point = _judged(cost, machine)
    target = point.target
    advice = _advice(point) if advice is None else tuple(advice)
    findings = findings_on(point, advice)
    code = next((f.code for f in findings if f.code in ONE_VERDICT), None)
    return KernelReport(
        cost=written,
        machine=machine,
        scope=target.scope,
        precision=target.precision,
        levels=_levels(written, [interface.report for interface in point.interfaces]),
        compulsory=_compulsory(written),
        footprint=_footprint(written),
        verdict=replace(point.verdict, code=code),
        advice=advice,
        findings=findings,
        notes=(*((FUSED,) if written.fused else ()), *notes_on(point)),
    )


def found(cost: KernelCost, machine: Machine, line: int | None) -> tuple[Finding, ...]:
    """The findings of a kernel's report, without the report: for a kernel that was counted as it runs.

    Its cache model, in lines of so many bytes (None: there is no time for one), is worked out only if something may
    come of it, first what must move, then all.
    """
    if cost.status != "unsupported" and line is not None:
        if not hinges_on_traffic(cost, machine, line):
            return ()
        steps = StagedAnalysis(cost, line)
        least = steps.least()
        if least is not None and not hinges_on_classes(least, machine):
            return ()
        cost = steps.whole()
    point = _judged(cost, machine)
    advice = tuple(precision_advice(point)) if may_be_scalar(cost.kernel) else _advice(point)
    return findings_on(point, advice)


def _judged(cost: KernelCost, machine: Machine) -> RooflinePoint:
    curves = TrafficCurves.of(cost, TrafficPolicy(fill=machine.write_allocate), _capacities(cost, machine))
    target = target_on(cost, machine, curves.evaluation.values)
    rows = interfaces(machine, target.scope, target.split) if cost.status != "unsupported" else ()
    return RooflinePoint(
        curves.evaluation, machine, target, tuple(InterfaceTraffic(curves, row, target) for row in rows)
    )


def _capacities(cost: KernelCost, machine: Machine) -> list[int]:
    """Every capacity that may be asked about."""
    splits = {False, *(nest.split for nest in cost.nests)}
    return sorted({row.capacity for split in splits for row in interfaces(machine, "core", split)})


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
        verdict=no_verdict(target, target.reason or "caches alone have no bandwidth"),
        advice=(),
        findings=(),
    )


def _advice(point: RooflinePoint) -> tuple[Advice, ...]:
    return (*advise(point), *fusing_advice(point), *precision_advice(point))


def _levels(written: KernelCost, rows: Sequence[LevelReport]) -> tuple[LevelReport, ...]:
    """The rows with the traffic as written, and beside it the one that was judged where Numba fuses operators."""
    if written.fused is None:
        return tuple(rows)
    return tuple(
        replace(
            row,
            traffic=_traffic(written, row.capacity),
            fused=None if row.traffic.status == "unknown" else row.traffic.total,
            fused_status=row.traffic.status,
            fused_arrays=row.traffic.arrays,
        )
        for row in rows
    )


def _compulsory(cost: KernelCost) -> Traffic | None:
    """What moves where everything fits; None where the nests could not be analyzed: nothing is not zero."""
    return _traffic(cost, UNLIMITED) if _is_analyzed(cost) else None


def _footprint(cost: KernelCost) -> Expr | None:
    """Bytes of distinct lines; None where the nests could not be analyzed."""
    return cost.reuse.footprint if cost.reuse and _is_analyzed(cost) else None


def _is_analyzed(cost: KernelCost) -> bool:
    return cost.reuse is not None and cost.reuse.status != "unknown"


def _traffic(cost: KernelCost, capacity: int) -> Traffic:
    """What crosses an interface as the cost has it, all movements."""
    return TrafficModel(cost, TrafficPolicy()).traffic(capacity)
