"""A kernel, analyzed as far as is asked: counts, compulsory traffic, all traffic, its place on the roofline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from roofscan.advice import advise
from roofscan.advice.fusion import fusing_advice
from roofscan.advice.precision_advice import precision_advice
from roofscan.cost.analyze import fused_by_compiler, with_reuse
from roofscan.cost.memory.models import launch_cost
from roofscan.cost.result import KernelCost
from roofscan.finding import Finding
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.memo import kept
from roofscan.roofline.gpu.device import device_of
from roofscan.roofline.interfaces import InterfaceTraffic, TrafficCurves, interfaces
from roofscan.roofline.minute import within_a_minute
from roofscan.roofline.model import Advice
from roofscan.roofline.target import target_on
from roofscan.roofline.traffic_model import TrafficPolicy
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules.rule import findings_on


class KernelCosts:
    """What a kernel costs on any machine. ``count`` counts it, when that is first asked for."""

    def __init__(self, kernel: Kernel, count: Callable[[], KernelCost]) -> None:
        self.kernel = kernel
        self._count = count

    @staticmethod
    def without_traffic(cost: KernelCost) -> KernelCosts:
        return _KernelCounts(cost.kernel, lambda: cost)

    @cached_property
    def written(self) -> KernelCost:
        return self._count()

    @cached_property
    def run(self) -> KernelCost:
        """The counts of the loops that run: those that Numba makes of whole-array statements, where it makes any."""
        return fused_by_compiler(self.written, self.kernel) or self.written

    @kept
    def traffic(self, line: int) -> KernelCost:
        """The cost of the source with its traffic, and of what Numba makes of it (``fused``)."""
        if self.written.status == "unsupported":
            return self.written
        run = with_reuse(self.run, line)
        if self.run is self.written:
            return run
        written = with_reuse(self.written, line)
        return replace(written, fused=run) if written.reuse and run.reuse else written


class _KernelCounts(KernelCosts):
    @cached_property
    def run(self) -> KernelCost:
        return self.written

    def traffic(self, line: int) -> KernelCost:
        return self.written


class KernelOnMachine:
    """One kernel on one machine: a :class:`~roofscan.rules.rule_context.KernelAnalysis`."""

    def __init__(self, costs: KernelCosts, machine: Machine, line: int) -> None:
        self.machine = machine
        self.line = line
        self._costs = costs

    @property
    def kernel(self) -> Kernel:
        return self._costs.kernel

    @property
    def counts(self) -> KernelCost:
        return self._costs.run

    @cached_property
    def cost(self) -> KernelCost:
        return self._launch or self._costs.traffic(self.line)

    @cached_property
    def _launch(self) -> KernelCost | None:
        device = device_of(self.machine)
        return None if device is None else launch_cost(self._costs.run, device)

    @cached_property
    def point(self) -> RooflinePoint:
        return point_on(self.cost.fused or self.cost, self.machine)

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        return (*advise(self.point), *fusing_advice(self.point), *precision_advice(self.point))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return findings_on(self)


class KernelInCaches:
    """One kernel in front of caches of these sizes, each seen alone: nothing to judge it by."""

    findings: tuple[Finding, ...] = ()

    def __init__(self, costs: KernelCosts, capacities: Sequence[int], line: int) -> None:
        self.capacities = capacities
        self.line = line
        self._costs = costs

    @property
    def cost(self) -> KernelCost:
        return self._costs.traffic(self.line)


class CostedKernel:
    """The same for a cost that is known with its traffic; ``advice`` None: found."""

    def __init__(self, cost: KernelCost, machine: Machine, advice: tuple[Advice, ...] | None) -> None:
        self.machine = machine
        self.cost = cost
        self.counts = cost.fused or cost
        self.kernel = self.counts.kernel
        self.line = cost.reuse.line if cost.reuse else 0
        self._given = advice

    @cached_property
    def point(self) -> RooflinePoint:
        return point_on(self.counts, self.machine)

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        if self._given is not None:
            return self._given
        return (*advise(self.point), *fusing_advice(self.point), *precision_advice(self.point))

    @property
    def findings(self) -> tuple[Finding, ...]:
        return findings_on(self)


def point_on(cost: KernelCost, machine: Machine) -> RooflinePoint:
    capacities = [row.capacity for row in interfaces(machine, "core")]
    curves = TrafficCurves.of(cost, TrafficPolicy(fill=machine.write_allocate), capacities, machine)
    return within_a_minute(_point_of(curves, machine), lambda place: _point_of(curves.moved_to(place), machine))


def _point_of(curves: TrafficCurves, machine: Machine) -> RooflinePoint:
    target = target_on(curves.cost, machine, curves.evaluation.values)
    rows = interfaces(machine, target.scope, target.split) if curves.cost.status != "unsupported" else ()
    traffic = tuple(InterfaceTraffic(curves.among(row.sharing), row, target) for row in rows)
    return RooflinePoint(curves.evaluation, machine, target, traffic)
