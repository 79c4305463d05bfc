"""The verdict: attainable = min(compute roof, AI x bandwidth over the interfaces), and what binds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import Bound
from roofscan.machine.model import Machine
from roofscan.memo import kept_by
from roofscan.roofline.evaluation_point import MAX_POSITION, MAX_SECONDS, EvaluationPoint
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.model import Span, Verdict
from roofscan.roofline.roof import slowest_chain
from roofscan.roofline.size_paths import free_sizes
from roofscan.roofline.size_range import ALWAYS, NEVER, SOMETIMES, SizeRange, size_range_of
from roofscan.roofline.target import ExecutionTarget, without_work
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.roofline.traffic_model import TrafficModel
from roofscan.symbolic.expr import Expr, Number

_BOUNDS: Mapping[str, Bound] = {ALWAYS: "memory", SOMETIMES: "depends", NEVER: "compute"}
ABOUT_THE_SAME = 0.98  # FLOP/s where every access misses, over those where all hit


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
    def slowest(self) -> InterfaceTraffic | None:
        """The interface that lets least through at the evaluation point: memory's, unless a nearer one lets less."""
        eligible = [c for c in self.interfaces if c.counts] if self.target.has_roofline else []
        if not eligible:
            return None
        slowest = max(eligible, key=_seconds)
        return slowest if _seconds(slowest) > _seconds(eligible[-1]) else eligible[-1]

    @cached_property
    def binding(self) -> InterfaceTraffic | None:
        """The interface that binds there: the one that takes most of the expected time, if one left of whose ridge the
        kernel is does; else the slowest."""
        slowest = self.slowest
        if slowest is None or not self.is_left(slowest) or not isinstance(self.quick_time, TimePrediction):
            return slowest
        level = self.quick_time.limit
        of_limit = (c for c in self.interfaces if c.counts and c.capacity and c.name == level and self.is_left(c))
        return next(of_limit, slowest)

    def is_left(self, interface: InterfaceTraffic) -> bool:
        return _seconds(interface) > self.target.seconds

    @cached_property
    def span(self) -> Span | None:
        """Attainable FLOP/s where every access misses whose address depends on data, and where all hit; None where
        none does, or both are about the same."""
        open_ = [c for c in self.interfaces if c.counts and c.least is not None]
        roof = self.target.roof
        if roof is None or all(c.least == c.moved for c in open_):
            return None
        ends = [(c.moved, c.bandwidth or 0.0) for c in open_], [(c.least, c.bandwidth or 0.0) for c in open_]
        flops = self.flops_here
        low, high = (min((roof, *(flops * rate / float(moved) for moved, rate in end if moved))) for end in ends)
        return Span(low, high) if low < ABOUT_THE_SAME * high else None

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
        return _Judgement(self).verdict()

    @property
    def flops_here(self) -> float:
        """FLOPs of a call at the evaluation point."""
        return float(self.evaluation.value(self.cost.flops))

    @kept_by(lambda interface: interface.capacity)
    def size_range_at(self, interface: InterfaceTraffic) -> SizeRange:
        return size_range_of(interface, self.evaluation, self.machine)

    @cached_property
    def time(self) -> TimePrediction | NoTime:
        """Of one call at the evaluation point."""
        quick = self.quick_time
        return self._time(translated=True) if isinstance(quick, TimePrediction) and quick.left_out else quick

    @cached_property
    def quick_time(self) -> TimePrediction | NoTime:
        """The same, were address translations free."""
        return self._time(translated=False)

    @property
    def call_seconds(self) -> float | None:
        """The expected time of a call there, or more, if that is known to be short."""
        quick = self.quick_time
        if isinstance(quick, TimePrediction) and quick.expected * (1 + quick.left_out) <= MAX_SECONDS:
            return float(quick.expected * (1 + quick.left_out))
        return float(self.time.expected) if isinstance(self.time, TimePrediction) else None

    def _time(self, translated: bool) -> TimePrediction | NoTime:
        if not self.interfaces:
            return NoTime(self.target.reason)
        time = predicted_time(self.interfaces[0].curves, self.machine, self.target, translated=translated)
        free = sorted(set(free_sizes(self.cost)) & self.evaluation.values.keys())
        if not isinstance(time, TimePrediction) or self.evaluation.generalises or not free:
            return time
        return time if time.expected <= MAX_SECONDS else NoTime(_too_long(free), beyond_a_minute=True)

    @property
    def held_by_core(self) -> bool:
        """Whether memory is known to take less of the expected time there."""
        quick = self.quick_time
        if not isinstance(quick, TimePrediction) or quick.bound == "memory":
            return False
        if quick.left_out < quick.parts[quick.limit]:
            return True
        return isinstance(self.time, TimePrediction) and self.time.bound == "compute"

    @property
    def cost(self) -> KernelCost:
        return self.evaluation.traffic_model.cost

    @property
    def traffic_model(self) -> TrafficModel:
        return self.evaluation.traffic_model

    def intensity(self, interface: InterfaceTraffic) -> float:
        return float(self.evaluation.value(self.cost.flops) / interface.moved) if interface.moved else float("inf")


@dataclass(frozen=True)
class _Judgement:
    """Puts a verdict together from what holds at a point."""

    point: RooflinePoint

    def verdict(self) -> Verdict:
        """By the expected time, where there is one, else by the roofline alone."""
        point, verdict, reported = self.point, self._by_roofline, self.point.reported
        time = NoTime(verdict.reason) if verdict.reason and point.target.why != "no work" else point.time
        if isinstance(time, NoTime):
            return replace(verdict, time=time)
        if verdict.reason:
            return replace(verdict, time=time.in_plain_numbers())
        by_data = time.bound == "memory" and verdict.span is not None  # the time is that where all accesses miss
        at_other_sizes = time.bound == "compute" and reported is not None and not point.is_left(reported)
        if verdict.bound == "depends" and (by_data or at_other_sizes):
            return replace(verdict, time=time.in_plain_numbers())
        level = self._level_of(time) or verdict.level
        fastest = point.flops_here / time.at_least if point.flops_here and time.at_least else None
        chain = slowest_chain(point.cost.nests, point.evaluation.values, point.machine, point.target.scope)[1]
        plain = time.in_plain_numbers()
        return replace(
            verdict, level=level, bound=time.bound, sizes=self._sizes, time=plain, fastest=fastest, chain=chain
        )

    def _level_of(self, time: TimePrediction) -> str | None:
        """The level that limits the kernel; beside address translation the one whose transfers take longest, though
        other work may hide them."""
        names = [interface.name for interface in self.point.interfaces]
        if time.limit in names:
            return time.limit
        levels = [name for name in names if name in time.each_least] if time.limit == "tlb" else []
        return max(levels, key=lambda name: time.each_least[name], default=None)

    @cached_property
    def _by_roofline(self) -> Verdict:
        point, target, flops = self.point, self.point.target, self.point.cost.flops
        slowest, reported = point.slowest, point.reported
        if not target.has_roofline:
            return no_verdict(target)
        if slowest is None or reported is None:
            return self._without_traffic()
        if not flops:
            return self._of_bytes(slowest)
        if target.roof is None:
            return no_verdict(target, "the machine file has no throughput for its operations")
        through, bound, span = self._rate(slowest), _BOUNDS[self.point.size_range.how], self.point.span
        if span is not None and bound == "memory" and span.high >= target.roof:
            bound = "depends"
        attainable = min(target.roof, float(through))
        expr = self._through(slowest) if through < target.roof else Expr.of(round(target.roof))
        if self._by_wavefronts is not None and self._by_wavefronts[0] < attainable:
            attainable, expr = self._by_wavefronts
        return Verdict(
            None, reported.name, bound, attainable, expr, target.roof, str(target.limit or ""), "",
            slowest.traffic.status, span, sizes=self._sizes,
        )  # fmt: skip

    def _rate(self, interface: InterfaceTraffic) -> Fraction:
        """FLOP/s that the interface lets through: AI x bandwidth."""
        return self.point.evaluation.value(self.point.cost.flops) / _seconds(interface)

    def _through(self, interface: InterfaceTraffic) -> Expr | None:
        """FLOP/s through the interface in the sizes, where the bytes are one term that holds at those sizes."""
        assert interface.bytes is not None and interface.bandwidth is not None
        if len(interface.bytes.terms) != 1 or self.point.evaluation.value_or_none(interface.bytes) != interface.moved:
            return None
        return self.point.cost.flops * round(interface.bandwidth) / interface.bytes

    @cached_property
    def _by_wavefronts(self) -> tuple[float, Expr | None] | None:
        """FLOP/s where the requests of warps follow one another at one wavefront a cycle of each multiprocessor."""
        nearest, gpu = self.point.interfaces[0], self.point.machine.gpu
        requests = nearest.traffic.requests if gpu is not None and not nearest.capacity else None
        if gpu is None or requests is None or not (found := self.point.evaluation.value_or_none(requests.wavefronts)):
            return None
        rate = round(self.point.machine.cores * gpu["boost"].value)
        alone = len(requests.wavefronts.terms) == 1
        expr = self.point.cost.flops * rate / requests.wavefronts if alone else None
        return self.point.flops_here * rate / float(found), expr

    def _of_bytes(self, interface: InterfaceTraffic) -> Verdict:
        """A kernel without FLOPs moves its bytes at the bandwidth; where its loads and stores take longest, its data
        stay near, and what takes its time is not counted."""
        if not interface.capacity and isinstance(self.point.time, NoTime):
            return no_verdict(self.point.target, without_work(self.point.cost))
        time = Expr() if interface.bytes is None else interface.bytes / round(interface.bandwidth or 1)
        same = self.point.evaluation.value_or_none(interface.bytes or Expr()) == interface.moved
        return Verdict(
            None, interface.name, "memory", 0.0, Expr(), None, "", "", interface.traffic.status,
            bandwidth=interface.bandwidth, seconds=float(_seconds(interface)), seconds_expr=time if same else None,
            sizes=self._sizes,
        )  # fmt: skip

    def _without_traffic(self) -> Verdict:
        """Nothing moves (a scalar helper), or nothing is known of what moves."""
        target = self.point.target
        if any(c.bytes is None or c.bytes for c in self.point.interfaces):
            return no_verdict(target, "its traffic is not known")
        if not self.point.cost.flops:
            return no_verdict(target, without_work(self.point.cost))
        expr = Expr.of(round(target.roof)) if target.roof else None
        return Verdict(None, None, "compute", target.roof, expr, target.roof, str(target.limit or ""), "")

    @property
    def _sizes(self) -> dict[str, Number]:
        """The sizes that grow, at the evaluation point, without extents that no count depends on."""
        evaluation = self.point.evaluation
        if evaluation.position == MAX_POSITION:  # nothing grows with them
            return {}
        moving = {name for name, expr in evaluation.path.values.items() if expr.symbols}
        free = moving if evaluation.generalises else set(free_sizes(self.point.cost))
        counts = (self.point.cost.flops, *(c.bytes for c in self.point.interfaces))
        if None not in counts:
            free &= {name for expr in counts if expr is not None for name in expr.symbols}
        return {name: evaluation.values[name] for name in sorted(free)}


def _seconds(interface: InterfaceTraffic) -> Fraction:
    """That the bytes of an interface take."""
    assert interface.moved is not None and interface.bandwidth is not None
    return interface.moved / Fraction(interface.bandwidth)


def _too_long(free: Sequence[str]) -> str:
    return f"its traffic is known at sizes only at which a call takes more than a minute: bind {', '.join(free)}"


def no_verdict(target: ExecutionTarget, reason: str = "") -> Verdict:
    return Verdict(None, None, None, None, None, None, "", reason or target.reason)
