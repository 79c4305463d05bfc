"""What a change brings: the least time before and after it, by the same ceilings that give the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import inf

from roofscan.cost.analyze import count_kernel, with_reuse
from roofscan.cost.memory.lru.common_answers import CommonAnswers
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.facts import Facts, ScalarFact
from roofscan.ir.kernel import Kernel
from roofscan.machine.imagined import with_half_sizes, with_room_from
from roofscan.machine.model import Machine
from roofscan.memo import kept_by
from roofscan.roofline.evaluation_point import EvaluationPoint
from roofscan.roofline.interfaces import Interface, TrafficCurves, interfaces
from roofscan.roofline.target import ExecutionTarget, target_on
from roofscan.roofline.time.predict import KnownTimes, least_seconds, most_seconds, predicted_time, seconds_between
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable

ABOUT = 1.02  # by which the lines that the model counts for another order of the same accesses may be fewer
MIN_REPORTED_GAIN = 1.05  # the least gain that is worth its words
WORTHWHILE_GAIN = 1.25  # how many times faster the model must see a kernel after a change that is worth advising


@dataclass(frozen=True)
class Bound:
    """The least time of one version of a kernel where it is judged, and the ceiling that it comes from."""

    seconds: float
    ceiling: str  # for people: "traffic at L3", "scalar code: an innermost loop has a stride", …
    interface: Interface | None = None  # whose traffic it is


@dataclass(frozen=True)
class Version:
    """A kernel after some changes, with its traffic and bounds where the original is judged."""

    kernel: Kernel
    cost: KernelCost
    traffic_model: TrafficModel
    computing: Bound  # the time of its operations alone
    bound: Bound
    moved: Mapping[str, float | None]  # bytes across each interface, None where they are not known
    common: CommonAnswers | None = None  # what other versions have of its traffic

    @kept_by(lambda evaluation: id(evaluation))
    def curves(self, evaluation: EvaluationPoint) -> TrafficCurves:
        """Its traffic where the original is judged."""
        return TrafficCurves(replace(evaluation, traffic_model=self.traffic_model), common=self.common)

    @kept_by(lambda point: id(point))
    def expected_time(self, point: RooflinePoint) -> TimePrediction | NoTime:
        """Of a call where the original is judged; none where its traffic is known only as a lower bound."""
        moved = (self.traffic_model.among(row.sharing).traffic(row.capacity) for row in _rows(point))
        if any(traffic.status == "lower_bound" for traffic in moved):
            return NoTime("the traffic after the change is known only as a lower bound")
        return predicted_time(*self.where(point), known=self._times)

    @kept_by(lambda point: id(point))
    def time_between(self, point: RooflinePoint) -> tuple[float, float] | None:
        """What its loops take at least and at most there, found at once; None where no time is known."""
        return seconds_between(*self.where(point), self._times)

    def most_time(self, point: RooflinePoint, lines: Sequence[float]) -> float | None:
        """What they take at most where no more lines than these cross into each cache; None where that is not known."""
        return most_seconds(*self.where(point), lines)

    @cached_property
    def _times(self) -> KnownTimes:
        return {}

    @kept_by(lambda point: id(point))
    def where(self, point: RooflinePoint) -> tuple[TrafficCurves, Machine, ExecutionTarget]:
        values = point.evaluation.values
        return self.curves(point.evaluation), point.machine, target_on(self.cost, point.machine, values)

    @property
    def is_known(self) -> bool:
        """Whether the traffic at every level is a figure."""
        return None not in self.moved.values()

    @property
    def waits_at(self) -> Interface | None:
        return self.bound.interface


def as_written(point: RooflinePoint) -> Version:
    counted = [c for c in point.interfaces if c.counts and c.moved is not None and c.bandwidth]
    moved = [(c.interface, float(c.moved)) for c in counted if c.moved is not None]
    return _version(point.traffic_model, _computing(point.target), moved)


def changed(point: RooflinePoint, kernel: Kernel) -> Version:
    """Another version, counted afresh near the sizes where the original is judged."""
    return moving(point, counted(point, kernel))


def counted(point: RooflinePoint, kernel: Kernel) -> Version:
    """The same without its traffic beyond the registers: it takes no less time."""
    cost = count_kernel(kernel, _facts(point))
    computing = _computing(target_on(cost, point.machine, point.evaluation.values))
    return _on(point, TrafficModel(cost, point.traffic_model.policy), computing)


def moving(point: RooflinePoint, version: Version, common: CommonAnswers | None = None) -> Version:
    """The counted version with its traffic. ``common``: what other versions have of it."""
    cost = with_reuse(version.cost, point.cost.reuse.line if point.cost.reuse else 64, common)
    found = _on(point, TrafficModel(cost, point.traffic_model.policy), version.computing)
    return replace(found, common=common)


def measured(point: RooflinePoint, traffic_model: TrafficModel, before: Version) -> Version | None:
    """A version with the operations of the one before it, and the traffic of ``traffic_model``; None if unknown."""
    found = _on(point, traffic_model, before.computing)
    return found if found.is_known else None


def without_caches(point: RooflinePoint, version: Version) -> float:
    """The seconds of its operations, and of its traffic at the registers."""
    model = TrafficModel(replace(version.cost, reuse=None), version.traffic_model.policy)
    return _on(point, model, version.computing).bound.seconds


def may_pay(point: RooflinePoint, now: Version, seconds: float) -> bool:
    """Whether another order of the same accesses, which takes ``seconds`` at least, may be worth advising: were caches
    to load each line once. It touches the same lines, about."""
    for row in _rows(point):
        moved = row.capacity and point.evaluation.value_or_none(now.traffic_model.among(row.sharing).bytes(UNLIMITED))
        seconds = max(seconds, float(moved or 0) / (row.bandwidth or inf) / ABOUT)
    return seconds * WORTHWHILE_GAIN <= now.bound.seconds


def least_time(point: RooflinePoint, version: Version) -> float:
    """What a call takes at least there: by its operations, and by its traffic where that is counted; 0 where that is
    not known."""
    found = version.time_between(point) if version.cost.reuse else None
    return found[0] if found else least_seconds(*version.where(point))


def speedup_to(point: RooflinePoint, after: Version) -> Speedup | None:
    """From the kernel as written; None where one of the times is not known."""
    return _speedup(point, lambda: after.expected_time(point))


def speedup_at(point: RooflinePoint, evaluation: EvaluationPoint) -> Speedup | None:
    """From the sizes where the kernel is judged to others."""
    curves, machine = point.interfaces[0].curves.moved_to(evaluation), point.machine
    return _speedup(point, lambda: predicted_time(curves, machine, target_on(point.cost, machine, evaluation.values)))


def _speedup(point: RooflinePoint, after: Callable[[], TimePrediction | NoTime]) -> Speedup | None:
    before = point.time
    then = after() if isinstance(before, TimePrediction) else before
    if not isinstance(before, TimePrediction) or not isinstance(then, TimePrediction) or not then.expected:
        return None
    return Speedup(float(before.expected), float(then.expected))


def is_timed(point: RooflinePoint) -> bool:
    """Whether only a known gain counts: in compiled code a model that knows no time knows no gain either."""
    return point.cost.kernel.decorator.compiled and point.machine.timing.given


def with_float32(point: RooflinePoint) -> Speedup | None:
    """With all floating data of half the size."""
    return _imagined(point, with_half_sizes(point.machine))


def with_blocks(point: RooflinePoint, capacity: int) -> Speedup | None:
    """At best: where caches of this capacity and beyond load each line once."""
    return _imagined(point, with_room_from(point.machine, capacity))


def _imagined(point: RooflinePoint, machine: Machine) -> Speedup | None:
    before = point.time
    if not isinstance(before, TimePrediction) or not point.interfaces:
        return None
    then = predicted_time(point.interfaces[0].curves, machine, point.target)
    if not isinstance(then, TimePrediction) or before.expected < MIN_REPORTED_GAIN * then.expected:
        return None
    return Speedup(float(before.expected), float(then.expected))


def is_known(point: RooflinePoint, traffic_model: TrafficModel) -> bool:
    """Whether the traffic at every level is a figure: a gain over a bound would be none."""
    return all(bytes_at(point, traffic_model, row) is not None for row in _rows(point))


def _on(point: RooflinePoint, traffic_model: TrafficModel, computing: Bound) -> Version:
    moved = [(row, bytes_at(point, traffic_model, row)) for row in _rows(point)]
    return _version(traffic_model, computing, moved)


def _rows(point: RooflinePoint) -> list[Interface]:
    rows = interfaces(point.machine, point.target.scope, point.target.split)
    return [row for row in rows if row.bandwidth]


def _traffic(moved: float, row: Interface) -> Bound:
    assert row.bandwidth is not None
    return Bound(moved / row.bandwidth, f"traffic at {row.name}", row)


def _version(
    traffic_model: TrafficModel, computing: Bound, moved: Sequence[tuple[Interface, float | None]]
) -> Version:  # fmt: skip
    moving = (_traffic(amount, row) for row, amount in moved if amount is not None)
    slowest = max((computing, *moving), key=lambda bound: bound.seconds)
    by_name = {row.name: amount for row, amount in moved}
    return Version(traffic_model.cost.kernel, traffic_model.cost, traffic_model, computing, slowest, by_name)


def bytes_at(point: RooflinePoint, traffic_model: TrafficModel, row: Interface) -> float | None:
    """Bytes across an interface where the original is judged; None where they are not known."""
    traffic_model = traffic_model.among(row.sharing)
    if traffic_model.traffic(row.capacity).status not in ("exact", "estimate"):
        return None
    try:
        return float(number(traffic_model.bytes(row.capacity), point.evaluation.values))
    except NotEvaluable:
        return None


def _facts(point: RooflinePoint) -> Facts:
    values = point.evaluation.even.values
    integers = {s.name for s in point.cost.kernel.symbols if s.kind != "float"}
    return Facts(scalars={n: ScalarFact(_plain(v), n not in integers) for n, v in values.items()})


def _plain(value: int | Fraction) -> int | Fraction:
    return int(value) if value == int(value) else value


def _computing(target: ExecutionTarget) -> Bound:
    return Bound(target.seconds, target.limit.brief if target.limit else "its operations")
