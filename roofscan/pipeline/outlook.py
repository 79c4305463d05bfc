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
from roofscan.roofline.size_range import ALWAYS, SOMETIMES
from roofscan.roofline.target import target_on
from roofscan.roofline.traffic_model import TrafficModel, TrafficPolicy
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules.rule_context import is_known_below, moves_data
from roofscan.symbolic.expr import NotEvaluable


def hinges_on_classes(least: KernelCost, machine: Machine) -> bool:
    """Whether a finding may come of a kernel once all its traffic is known; ``least`` has what must move, and there
    are prospects by its counts."""
    if widenings(least.kernel):
        return True
    loops = _Loops(least, machine)
    return any(_may_be_found(judged, loops) for judged in _judged(least, machine))


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
    books = TrafficModel(least, TrafficPolicy(fill=machine.write_allocate))
    large = evaluation_point(books)
    yield _judged_at(large, machine)
    if large.path.symbol:
        yield _judged_at(at_sample_point(books), machine)


def _judged_at(stand: EvaluationPoint, machine: Machine) -> RooflinePoint:
    roads = TrafficCurves(stand)
    setting = target_on(stand.books.cost, machine, stand.values)
    rows = interfaces(machine, setting.scope, setting.split)
    return RooflinePoint(stand, machine, setting, tuple(InterfaceTraffic(roads, row, setting) for row in rows))


def _may_be_found(judged: RooflinePoint, loops: _Loops) -> bool:
    if not judged.setting.judged:
        return False
    cost, line = judged.cost, judged.cost.reuse.line if judged.cost.reuse else 0
    return (
        _may_be_left(judged)
        or may_waste_lines(cost, judged.stand.values, line)
        or loops.may_be_reordered
        or (loops.may_be_fused and _fusing_may_pay(judged))
    )


def _may_be_left(judged: RooflinePoint) -> bool:
    """RFL101 to 103: not of what only moves data; where the traffic of caches is at most what is said, only by loads
    and stores themselves, which must take longer than what must move."""
    if judged.setting.roof is None or not may_be_left(judged.cost, judged.machine) or moves_data(judged):
        return False
    if may_be_bounded_below(judged.cost.kernel):
        return True
    registers = judged.crossings[0]
    if not registers.counts or not is_known_below(registers.traffic):
        return False
    how = judged.extent_at(registers).how
    return how == SOMETIMES or (how == ALWAYS and judged.binding is registers)


def _fusing_may_pay(judged: RooflinePoint) -> bool:
    """RFL301 to 303: where memory may hold the kernel back, and a change pays if the kernel takes no longer than its
    operations and what must move."""
    return _may_wait(judged) and any(changes_that_pay(judged, as_written(judged).bound.seconds))


def _may_wait(judged: RooflinePoint) -> bool:
    """Whether moving data may take longer than its operations: if each access moved a line of its own."""
    seconds = judged.setting.seconds
    try:
        most = judged.stand.value(judged.books.ceiling)
    except NotEvaluable:
        return True
    for crossing in judged.crossings:
        moved = crossing.moved if not crossing.interface.capacity else most
        if moved is None or not crossing.interface.bandwidth or moved > seconds * crossing.interface.bandwidth:
            return True
    return False
