"""The verdict: attainable = min(compute roof, AI x bandwidth over the interfaces), and what binds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from roofscan.cost.result import KernelCost
from roofscan.ir.kinds import Bound
from roofscan.machine.model import Machine
from roofscan.roofline.evaluation_point import EvaluationPoint
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.model import Verdict
from roofscan.roofline.size_range import ALWAYS, NEVER, SOMETIMES, SizeRange, size_range_of
from roofscan.roofline.target import ExecutionTarget, without_work
from roofscan.roofline.traffic_model import TrafficModel
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class RooflinePoint:
    """A kernel under one machine's roofline: the verdict and what it is based on, each worked out on demand."""

    evaluation: EvaluationPoint  # the sizes at which the verdict holds
    machine: Machine
    target: ExecutionTarget
    interfaces: tuple[InterfaceTraffic, ...]

    @property
    def reported(self) -> InterfaceTraffic | None:
        return self._reported_range[0]

    @property
    def size_range(self) -> SizeRange:
        return self._reported_range[1]

    @cached_property
    def binding(self) -> InterfaceTraffic | None:
        """The interface that binds at the evaluation point."""
        return _reported(self.evaluation, self.interfaces) if self.target.has_roofline else None

    @cached_property
    def _reported_range(self) -> tuple[InterfaceTraffic | None, SizeRange]:
        reported = self.binding
        size_range = self.size_range_at(reported) if reported else SizeRange(NEVER)
        return _elsewhere(self, reported, size_range) if size_range.how == NEVER else (reported, size_range)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict, without its code."""
        return _verdict(self.evaluation, self.target, self.interfaces, self.reported, self.size_range)

    def size_range_at(self, interface: InterfaceTraffic) -> SizeRange:
        capacity = interface.capacity
        if capacity not in self._size_ranges:
            self._size_ranges[capacity] = size_range_of(interface, self.evaluation, self.machine)
        return self._size_ranges[capacity]

    @cached_property
    def _size_ranges(self) -> dict[int, SizeRange]:
        return {}

    @property
    def cost(self) -> KernelCost:
        return self.evaluation.traffic_model.cost

    @property
    def traffic_model(self) -> TrafficModel:
        return self.evaluation.traffic_model

    def intensity(self, interface: InterfaceTraffic) -> float:
        return float(self.evaluation.value(self.cost.flops) / interface.moved) if interface.moved else float("inf")


def no_verdict(target: ExecutionTarget, reason: str = "") -> Verdict:
    return Verdict(None, None, None, None, None, None, "", reason or target.reason)


def _rate(evaluation: EvaluationPoint, interface: InterfaceTraffic) -> Fraction:
    """FLOP/s that the interface lets through: AI x bandwidth."""
    assert interface.moved and interface.bandwidth is not None
    return evaluation.value(evaluation.traffic_model.cost.flops) / interface.moved * Fraction(interface.bandwidth)


def _reported(evaluation: EvaluationPoint, interfaces: Sequence[InterfaceTraffic]) -> InterfaceTraffic | None:
    """Memory's interface, unless a nearer one lets less through."""
    eligible = [c for c in interfaces if c.counts]
    if not eligible:
        return None
    memory = eligible[-1]
    if not evaluation.traffic_model.cost.flops:
        return memory
    slowest = min(eligible, key=lambda c: _rate(evaluation, c))
    return slowest if _rate(evaluation, slowest) < _rate(evaluation, memory) else memory


def _elsewhere(
    point: RooflinePoint, reported: InterfaceTraffic | None, size_range: SizeRange
) -> tuple[InterfaceTraffic | None, SizeRange]:
    """An interface, memory's first, that binds at other sizes than the evaluation point."""
    if reported is None or not point.cost.flops:
        return reported, size_range
    others = ((c, point.size_range_at(c)) for c in reversed(point.interfaces) if c.counts)
    return next(((c, e) for c, e in others if e.how == SOMETIMES), (reported, size_range))


def _verdict(
    evaluation: EvaluationPoint,
    target: ExecutionTarget,
    interfaces: Sequence[InterfaceTraffic],
    reported: InterfaceTraffic | None,
    size_range: SizeRange,
) -> Verdict:
    cost = evaluation.traffic_model.cost
    if not target.has_roofline:
        return no_verdict(target)
    if reported is None:
        return _without_traffic(cost, target, interfaces)
    level = reported.name
    if not cost.flops:
        return Verdict(None, level, "memory", 0.0, Expr(), None, "", "")
    if target.roof is None:
        return no_verdict(target, "the machine file has no throughput for its operations")
    through = _rate(evaluation, reported)
    attainable = min(target.roof, float(through))
    expr = _through(evaluation, reported) if through < target.roof else Expr.of(round(target.roof))
    return Verdict(None, level, _bound(size_range), attainable, expr, target.roof, str(target.limit or ""), "")


def _bound(size_range: SizeRange) -> Bound:
    if size_range.how == ALWAYS:
        return "memory"
    return "compute" if size_range.how == NEVER else "depends"


def _without_traffic(cost: KernelCost, target: ExecutionTarget, interfaces: Sequence[InterfaceTraffic]) -> Verdict:
    """Nothing moves (a scalar helper), or nothing is known of what moves."""
    if any(c.bytes is None or c.bytes for c in interfaces):
        return no_verdict(target, "its traffic is not known")
    if not cost.flops:
        return no_verdict(target, without_work(cost))
    expr = Expr.of(round(target.roof)) if target.roof else None
    return Verdict(None, None, "compute", target.roof, expr, target.roof, str(target.limit or ""), "")


def _through(evaluation: EvaluationPoint, interface: InterfaceTraffic) -> Expr | None:
    """FLOP/s through the interface in the sizes, where the bytes are one term that holds at the evaluation point."""
    assert interface.bytes is not None and interface.bandwidth is not None
    if len(interface.bytes.terms) != 1 or evaluation.value_or_none(interface.bytes) != interface.moved:
        return None
    return evaluation.traffic_model.cost.flops * round(interface.bandwidth) / interface.bytes
