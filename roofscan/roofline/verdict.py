"""The verdict: attainable = min(compute roof, AI x bandwidth over the interfaces), and what binds."""

from __future__ import annotations

from collections.abc import Mapping
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
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.roofline.traffic_model import TrafficModel
from roofscan.symbolic.expr import Expr

_BOUNDS: Mapping[str, Bound] = {ALWAYS: "memory", SOMETIMES: "depends", NEVER: "compute"}


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
        """The interface that binds at the evaluation point: memory's, unless a nearer one lets less through."""
        eligible = [c for c in self.interfaces if c.counts] if self.target.has_roofline else []
        if not eligible or not self.cost.flops:
            return eligible[-1] if eligible else None
        slowest = min(eligible, key=self._rate)
        return slowest if self._rate(slowest) < self._rate(eligible[-1]) else eligible[-1]

    def _rate(self, interface: InterfaceTraffic) -> Fraction:
        """FLOP/s that the interface lets through: AI x bandwidth."""
        assert interface.moved and interface.bandwidth is not None
        return self.evaluation.value(self.cost.flops) / interface.moved * Fraction(interface.bandwidth)

    @cached_property
    def _reported_range(self) -> tuple[InterfaceTraffic | None, SizeRange]:
        """The interface that binds, or else one, memory's first, that binds at other sizes."""
        here = self.binding, self.size_range_at(self.binding) if self.binding else SizeRange(NEVER)
        if here[1].how != NEVER or self.binding is None or not self.cost.flops:
            return here
        others = ((c, self.size_range_at(c)) for c in reversed(self.interfaces) if c.counts)
        return next(((c, e) for c, e in others if e.how == SOMETIMES), here)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict, without its code."""
        target, reported, flops = self.target, self.reported, self.cost.flops
        if not target.has_roofline:
            return no_verdict(target)
        if reported is None:
            return self._without_traffic()
        if not flops:
            return Verdict(None, reported.name, "memory", 0.0, Expr(), None, "", "")
        if target.roof is None:
            return no_verdict(target, "the machine file has no throughput for its operations")
        through, bound = self._rate(reported), _BOUNDS[self.size_range.how]
        attainable = min(target.roof, float(through))
        expr = self._through(reported) if through < target.roof else Expr.of(round(target.roof))
        return Verdict(None, reported.name, bound, attainable, expr, target.roof, str(target.limit or ""), "")

    def _without_traffic(self) -> Verdict:
        """Nothing moves (a scalar helper), or nothing is known of what moves."""
        target = self.target
        if any(c.bytes is None or c.bytes for c in self.interfaces):
            return no_verdict(target, "its traffic is not known")
        if not self.cost.flops:
            return no_verdict(target, without_work(self.cost))
        expr = Expr.of(round(target.roof)) if target.roof else None
        return Verdict(None, None, "compute", target.roof, expr, target.roof, str(target.limit or ""), "")

    def _through(self, interface: InterfaceTraffic) -> Expr | None:
        """FLOP/s through the interface in the sizes, where the bytes are one term that holds at those sizes."""
        assert interface.bytes is not None and interface.bandwidth is not None
        if len(interface.bytes.terms) != 1 or self.evaluation.value_or_none(interface.bytes) != interface.moved:
            return None
        return self.cost.flops * round(interface.bandwidth) / interface.bytes

    def size_range_at(self, interface: InterfaceTraffic) -> SizeRange:
        capacity = interface.capacity
        if capacity not in self._size_ranges:
            self._size_ranges[capacity] = size_range_of(interface, self.evaluation, self.machine)
        return self._size_ranges[capacity]

    @cached_property
    def _size_ranges(self) -> dict[int, SizeRange]:
        return {}

    @cached_property
    def time(self) -> TimePrediction | NoTime:
        """Of one call at the evaluation point."""
        if not self.interfaces:
            return NoTime(self.target.reason)
        return predicted_time(self.interfaces[0].curves, self.machine, self.target)

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
