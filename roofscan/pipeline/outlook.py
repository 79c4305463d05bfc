"""Whether there may still be something to say of a kernel once it is known what it must move at least, which takes a
tenth of the time of what it moves: with that it is known where the kernel is judged.

As in :mod:`roofscan.pipeline.prospects`, every rule is a condition that a finding needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from roofscan.advice.fusion import changes_that_pay
from roofscan.advice.gain import as_written
from roofscan.cost.precision import widenings
from roofscan.cost.result import KernelCost
from roofscan.machine.model import Machine
from roofscan.pipeline.prospects import may_be_fused, may_be_left, may_be_reordered, may_waste_lines
from roofscan.roofline.evaluation_point import EvaluationPoint, at_sample_point, evaluation_point
from roofscan.roofline.interfaces import InterfaceTraffic, TrafficCurves, interfaces
from roofscan.roofline.knowable import may_be_bounded_below
from roofscan.roofline.left_of_ridge import is_known_below, only_moves_data
from roofscan.roofline.size_range import ALWAYS, SOMETIMES
from roofscan.roofline.target import target_on
from roofscan.roofline.traffic_model import TrafficModel, TrafficPolicy
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable


def hinges_on_classes(least: KernelCost, machine: Machine) -> bool:
    """Whether a finding may come of a kernel once all its traffic is known; ``least`` has what must move, and there
    are prospects by its counts."""
    if widenings(least.kernel):
        return True
    loops = _Loops(least, machine)
    return any(_may_be_found(point, loops) for point in _judged(least, machine))


class _Loops:
    """What the loops of a kernel may become, wherever it is judged."""

    def __init__(self, cost: KernelCost, machine: Machine) -> None:
        self._cost = cost
        self._machine = machine

    @cached_property
    def may_be_reordered(self) -> bool:
        return may_be_reordered(self._cost, self._machine)

    @cached_property
    def may_be_fused(self) -> bool:
        return may_be_fused(self._cost.kernel)


def _judged(least: KernelCost, machine: Machine) -> Iterator[RooflinePoint]:
    """The kernel where it may be judged, by what must move: at large sizes, or at the witness if what is said of its
    traffic is impossible elsewhere."""
    traffic_model = TrafficModel(least, TrafficPolicy(fill=machine.write_allocate))
    large = evaluation_point(traffic_model)
    yield _point_at(large, machine)
    if large.path.symbol:
        yield _point_at(at_sample_point(traffic_model), machine)


def _point_at(evaluation: EvaluationPoint, machine: Machine) -> RooflinePoint:
    curves = TrafficCurves(evaluation)
    target = target_on(evaluation.traffic_model.cost, machine, evaluation.values)
    rows = interfaces(machine, target.scope, target.split)
    return RooflinePoint(evaluation, machine, target, tuple(InterfaceTraffic(curves, row, target) for row in rows))


def _may_be_found(point: RooflinePoint, loops: _Loops) -> bool:
    if not point.target.has_roofline:
        return False
    cost, line = point.cost, point.cost.reuse.line if point.cost.reuse else 0
    return (
        _may_be_left(point)
        or may_waste_lines(cost, point.evaluation.values, line)
        or loops.may_be_reordered
        or (loops.may_be_fused and _fusing_may_pay(point))
    )


def _may_be_left(point: RooflinePoint) -> bool:
    """RFL101 to 103: not of what only moves data; where the traffic of caches is at most what is said, only by loads
    and stores themselves, which must take longer than what must move."""
    if point.target.roof is None or not may_be_left(point.cost, point.machine) or only_moves_data(point):
        return False
    if may_be_bounded_below(point.cost.kernel):
        return True
    registers = point.interfaces[0]
    if not registers.counts or not is_known_below(registers.traffic):
        return False
    how = point.size_range_at(registers).how
    return how == SOMETIMES or (how == ALWAYS and point.binding is registers)


def _fusing_may_pay(point: RooflinePoint) -> bool:
    """RFL301 to 303: where memory may hold the kernel back, and a change pays if the kernel takes no longer than its
    operations and what must move."""
    return _may_wait(point) and any(changes_that_pay(point, as_written(point).bound.seconds))


def _may_wait(point: RooflinePoint) -> bool:
    """Whether moving data may take longer than its operations: if each access moved a line of its own."""
    seconds = point.target.seconds
    try:
        most = point.evaluation.value(point.traffic_model.ceiling)
    except NotEvaluable:
        return True
    for interface in point.interfaces:
        moved = interface.moved if not interface.capacity else most
        if moved is None or not interface.bandwidth or moved > seconds * interface.bandwidth:
            return True
    return False
