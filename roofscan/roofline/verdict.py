"""The verdict: attainable = min(compute roof, AI x bandwidth over the interfaces), and what binds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from roofscan.cost.result import KernelCost
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
    """A kernel under one machine's roofline: the verdict and what it rests on, each worked out when asked for."""

    stand: EvaluationPoint  # where it is judged
    machine: Machine
    setting: ExecutionTarget
    crossings: tuple[InterfaceTraffic, ...]

    @property
    def spoken(self) -> InterfaceTraffic | None:
        """The interface that the verdict speaks of."""
        return self._told[0]

    @property
    def extent(self) -> SizeRange:
        return self._told[1]

    @cached_property
    def binding(self) -> InterfaceTraffic | None:
        """The interface that binds where the kernel is judged."""
        return _spoken(self.stand, self.crossings) if self.setting.judged else None

    @cached_property
    def _told(self) -> tuple[InterfaceTraffic | None, SizeRange]:
        spoken = self.binding
        extent = self.extent_at(spoken) if spoken else SizeRange(NEVER)
        return _elsewhere(self, spoken, extent) if extent.how == NEVER else (spoken, extent)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict, without its code."""
        return _verdict(self.stand, self.setting, self.crossings, self.spoken, self.extent)

    def extent_at(self, crossing: InterfaceTraffic) -> SizeRange:
        """How often the kernel is left of the ridge of an interface."""
        capacity = crossing.interface.capacity
        if capacity not in self._extents:
            self._extents[capacity] = size_range_of(crossing, self.stand, self.machine)
        return self._extents[capacity]

    @cached_property
    def _extents(self) -> dict[int, SizeRange]:
        return {}

    @property
    def cost(self) -> KernelCost:
        return self.stand.books.cost

    @property
    def books(self) -> TrafficModel:
        return self.stand.books

    def intensity(self, crossing: InterfaceTraffic) -> float:
        """FLOP/B at an interface, where the kernel is judged."""
        return float(self.stand.value(self.cost.flops) / crossing.moved) if crossing.moved else float("inf")


def no_verdict(setting: ExecutionTarget, reason: str = "") -> Verdict:
    return Verdict(None, None, None, None, None, None, "", reason or setting.reason)


def _rate(stand: EvaluationPoint, crossing: InterfaceTraffic) -> Fraction:
    """FLOP/s that the interface lets through: AI x bandwidth."""
    assert crossing.moved and crossing.interface.bandwidth is not None
    return stand.value(stand.books.cost.flops) / crossing.moved * Fraction(crossing.interface.bandwidth)


def _spoken(stand: EvaluationPoint, crossings: Sequence[InterfaceTraffic]) -> InterfaceTraffic | None:
    """Memory's interface, unless a nearer one lets less through."""
    eligible = [c for c in crossings if c.counts]
    if not eligible:
        return None
    memory = eligible[-1]
    if not stand.books.cost.flops:
        return memory
    slowest = min(eligible, key=lambda c: _rate(stand, c))
    return slowest if _rate(stand, slowest) < _rate(stand, memory) else memory


def _elsewhere(
    judged: RooflinePoint, spoken: InterfaceTraffic | None, extent: SizeRange
) -> tuple[InterfaceTraffic | None, SizeRange]:
    """An interface, memory's first, that binds at other sizes than those at which the kernel is judged."""
    if spoken is None or not judged.cost.flops:
        return spoken, extent
    others = ((c, judged.extent_at(c)) for c in reversed(judged.crossings) if c.counts)
    return next(((c, e) for c, e in others if e.how == SOMETIMES), (spoken, extent))


def _verdict(
    stand: EvaluationPoint,
    setting: ExecutionTarget,
    crossings: Sequence[InterfaceTraffic],
    spoken: InterfaceTraffic | None,
    extent: SizeRange,
) -> Verdict:
    cost = stand.books.cost
    if not setting.judged:
        return no_verdict(setting)
    if spoken is None:
        return _without_traffic(cost, setting, crossings)
    level = spoken.interface.name
    if not cost.flops:
        return Verdict(None, level, "memory", 0.0, Expr(), None, "", "")
    if setting.roof is None:
        return no_verdict(setting, "the machine has no throughput for its operations")
    through = _rate(stand, spoken)
    attainable = min(setting.roof, float(through))
    expr = _through(stand, spoken) if through < setting.roof else Expr.of(round(setting.roof))
    return Verdict(None, level, _bound(extent), attainable, expr, setting.roof, setting.limits, "")


def _bound(extent: SizeRange) -> str:
    if extent.how == ALWAYS:
        return "memory"
    return "compute" if extent.how == NEVER else "depends"


def _without_traffic(cost: KernelCost, setting: ExecutionTarget, crossings: Sequence[InterfaceTraffic]) -> Verdict:
    """Nothing moves (a scalar helper), or nothing is known of what moves."""
    if any(c.bytes is None or c.bytes for c in crossings):
        return no_verdict(setting, "its traffic is not known")
    if not cost.flops:
        return no_verdict(setting, without_work(cost))
    expr = Expr.of(round(setting.roof)) if setting.roof else None
    return Verdict(None, None, "compute", setting.roof, expr, setting.roof, setting.limits, "")


def _through(stand: EvaluationPoint, crossing: InterfaceTraffic) -> Expr | None:
    """FLOP/s through the interface in the sizes, where the bytes are one term that holds where it is judged."""
    assert crossing.bytes is not None and crossing.interface.bandwidth is not None
    if len(crossing.bytes.terms) != 1 or stand.value_or_none(crossing.bytes) != crossing.moved:
        return None
    return stand.books.cost.flops * round(crossing.interface.bandwidth) / crossing.bytes
