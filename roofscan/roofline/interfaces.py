"""One row per interface: what crosses it, its intensity, its ridge, and for which sizes it is left of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf

from roofscan.cost.memory.base import ALONE, Sharing, Traffic
from roofscan.cost.memory.lru.common_answers import CommonAnswers
from roofscan.cost.memory.models import OF_PAGES, memory_model
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import Bound
from roofscan.ir.visitor import counts_at_worst, scattered_arrays
from roofscan.machine.model import Level, Machine, Sourced
from roofscan.roofline.evaluation_point import MAX_POSITION, EvaluationPoint, Seconds, at_sample_point, evaluation_point
from roofscan.roofline.memory_bound_sizes import MemoryBoundSizes, memory_bound_sizes, significant
from roofscan.roofline.model import LevelReport, Ratio, Span
from roofscan.roofline.size_paths import main_path, single_symbol_paths
from roofscan.roofline.target import ExecutionTarget, computing_on
from roofscan.roofline.time.lines import MovedBytes
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable

PROBES = (256, 4096)  # positions at which expressions must be possible, to be trusted away from the sample point


@dataclass(frozen=True)
class Interface:
    """Where a cache of ``capacity`` bytes (0: the registers) is filled from the level ``name``."""

    name: str
    capacity: int
    line: int
    bandwidth: float | None = None  # bytes/s for the part of the machine in question
    outermost: bool = False  # served by memory, or by what lies beyond it
    cache: Level | None = None  # the cache that it fills, as the machine has it
    sharing: Sharing = ALONE
    first_cache: int = 0  # bytes of the machine's first cache

    @property
    def notes(self) -> tuple[str, ...]:
        if self.cache is None or self.sharing.threads == 1:
            return ()
        threads = self.sharing.threads
        return (f"{self.cache.name} holds the private data of {threads} threads, and their shared data once",)


def interfaces(machine: Machine, scope: str, split: bool = False) -> tuple[Interface, ...]:
    """The interfaces of a machine, nearest first, with the bandwidths of the scope. ``split``: threads on all cores
    run the parallel loops."""
    first = next((level.capacity for level in machine.levels if level.capacity), 0)
    found = [_interface(machine.levels[0], None, 0, scope, ALONE, first)]
    held = 0
    for cache, server in pairwise(machine.levels):
        if cache.capacity:
            held = max(held, cache.capacity)
            sharing = sharing_of(cache, machine.cores) if split else ALONE
            found.append(_interface(server, cache, held, scope, sharing, first))
    return tuple(found)


def sharing_of(cache: Level, cores: int) -> Sharing:
    """How threads on all cores share the caches of a level."""
    threads = max(1, min(cache.shared_by, cores))
    return Sharing(threads, -(-cores // threads))


def _interface(
    server: Level, cache: Level | None, capacity: int, scope: str, sharing: Sharing, first: int
) -> Interface:
    bandwidth = _bandwidth(server, scope)
    return Interface(server.name, capacity, server.line, bandwidth, server.capacity is None, cache, sharing, first)


def interfaces_of_caches(capacities: Sequence[int], line: int) -> tuple[Interface, ...]:
    return tuple(Interface(str(capacity), capacity, line) for capacity in capacities)


def _bandwidth(level: Level, scope: str) -> float | None:
    one, every = level.bandwidth_core, level.bandwidth_all
    chosen: Sourced | None = (one or every) if scope == "core" else (every or one)
    return chosen.value if chosen else None


class TrafficCurves:
    """The paths through a kernel's sizes, with its traffic along each: shared by all interfaces."""

    def __init__(
        self, evaluation: EvaluationPoint, main: TrafficCurve | None = None, common: CommonAnswers | None = None
    ) -> None:
        """``common``: what its traffic in lines of other sizes has in common with that of others."""
        self.evaluation = evaluation
        self._common = common
        self.traffic_model = evaluation.traffic_model
        self.cost = evaluation.traffic_model.cost
        self.main = main or TrafficCurve(evaluation.traffic_model, evaluation.path)
        """The diagonal where sizes are free, else the path that stays where they are bound."""
        self._mains: dict[Sharing, TrafficCurve] = {}
        self._at_line: dict[int, TrafficCurve] = {}
        self.crossed: dict[tuple[Sharing, int], MovedBytes] = {}
        """What crosses the interface of a cache at the evaluation point, as far as it has been asked for."""

    @staticmethod
    def of(
        cost: KernelCost, policy: TrafficPolicy, capacities: Iterable[int], machine: Machine | None = None
    ) -> TrafficCurves:
        """Those from the evaluation point: the sample point, where the expressions are impossible at other sizes."""
        traffic_model = TrafficModel(cost, policy)
        main = TrafficCurve(traffic_model, main_path(cost))
        evaluation = evaluation_point(traffic_model, *(() if machine is None else (call_seconds(main, machine),)))
        possible = all(main.is_possible(c, (*PROBES, evaluation.position)) for c in capacities if c)
        return TrafficCurves(evaluation, main) if possible else TrafficCurves(at_sample_point(traffic_model))

    def among(self, sharing: Sharing) -> TrafficCurves:
        """The same of all caches of a level, where threads run the parallel loops."""
        model = self.traffic_model.among(sharing)
        if model is self.traffic_model:
            return self
        if sharing not in self._mains:
            self._mains[sharing] = TrafficCurve(model, self.evaluation.path)
        return TrafficCurves(replace(self.evaluation, traffic_model=model), self._mains[sharing])

    def at_line(self, line: int) -> TrafficCurve:
        """What is fetched in lines of another size."""
        if line not in self._at_line:
            memory = memory_model(self.cost.kernel, self.cost.sample_point, line, OF_PAGES, self._common)
            model = TrafficModel(replace(self.cost, reuse=memory), TrafficPolicy(writeback=False))
            self._at_line[line] = TrafficCurve(model, self.evaluation.path)
        return self._at_line[line]

    def moved_to(self, evaluation: EvaluationPoint) -> TrafficCurves:
        """The same at another position of the path, or on another path."""
        if evaluation.path is self.evaluation.path:
            moved = TrafficCurves(evaluation, self.main)
            moved._at_line = self._at_line
            moved._mains = self._mains
            return moved
        moved = TrafficCurves(evaluation)
        moved._at_line = {n: TrafficCurve(c.traffic_model, evaluation.path) for n, c in self._at_line.items()}
        return moved

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        return {s.name: s.kind for s in self.cost.kernel.symbols}

    @cached_property
    def side(self) -> tuple[TrafficCurve, ...]:
        paths = single_symbol_paths(self.cost, self.evaluation.values) if self.evaluation.generalises else ()
        return tuple(TrafficCurve(self.traffic_model, path) for path in paths)


def call_seconds(curve: TrafficCurve, machine: Machine) -> Seconds:
    """The time of a call at each position, by the slowest of its operations and its bytes; 0 where nothing is known."""
    model, path = curve.traffic_model, curve.path
    shared: dict[Sharing, TrafficCurve] = {ALONE: curve}

    def seconds(position: int) -> float:
        try:
            values = {name: path.at(e, position) for name, e in path.values.items()}
            computing = computing_on(model.cost, machine, values)
            rows = interfaces(machine, computing.scope, computing.split)
            for row in rows:
                if row.sharing not in shared:
                    shared[row.sharing] = TrafficCurve(model.among(row.sharing), path)
            return max(computing.seconds, *(_moving(shared[row.sharing], row, position) for row in rows))
        except NotEvaluable:
            return 0.0

    return seconds


def _moving(curve: TrafficCurve, row: Interface, position: int) -> float:
    if not row.bandwidth or curve.traffic_model.traffic(row.capacity).status == "unknown":
        return 0.0
    return float(curve.at(row.capacity, position)) / row.bandwidth


@dataclass(frozen=True)
class InterfaceTraffic:
    """The traffic of one kernel across an interface, compared with the roof of its execution target. What holds along
    the paths takes longest to find, and is found on demand."""

    curves: TrafficCurves
    interface: Interface
    target: ExecutionTarget

    @property
    def name(self) -> str:
        return self.interface.name

    @property
    def capacity(self) -> int:
        return self.interface.capacity

    @property
    def bandwidth(self) -> float | None:
        return self.interface.bandwidth

    @property
    def outermost(self) -> bool:
        return self.interface.outermost

    @property
    def traffic(self) -> Traffic:
        return self.curves.traffic_model.traffic(self.capacity)

    @cached_property
    def moved(self) -> Fraction | None:
        """The bytes at the evaluation point; None where they are not known."""
        if self.traffic.status == "unknown":
            return None
        try:
            return Fraction(self.curves.main.at(self.capacity, self.curves.evaluation.position))
        except NotEvaluable:
            return None

    @cached_property
    def least(self) -> Fraction | None:
        """The same if every access hits whose address depends on data; None where the bytes are at most those of a
        kernel that may do less."""
        kernel, model = self.curves.cost.kernel, self.curves.traffic_model
        if self.traffic.status == "lower_bound" or not counts_at_worst(kernel):
            return self.moved
        if any(reason.effect == "upper" for reason in kernel.reasons):
            return None
        scattered = scattered_arrays(kernel)
        sure = (moved for name, moved in model.traffic(UNLIMITED).arrays.items() if name not in scattered)
        return self.curves.evaluation.value_or_none(sum(map(model.policy.of, sure), start=ZERO))

    @property
    def depends_on_data(self) -> bool:
        """Whether the data decide on which side of the ridge the kernel is."""
        if self.bound in (None, "compute") or self.ridge is None or self.least is None:
            return False
        return self.least != self.moved and self._flops >= self.ridge * self.least

    @property
    def _flops(self) -> Fraction:
        return self.curves.evaluation.value(self.curves.cost.flops)

    @property
    def _judged(self) -> Span | None:
        """The intensity at the evaluation point."""
        if not self.moved or self.ridge is None:
            return None
        flops, least = float(self._flops), self.moved if self.least is None else self.least
        return Span(flops / float(self.moved), flops / float(least) if least else inf)

    @property
    def bytes(self) -> Expr | None:
        return self.curves.traffic_model.bytes(self.capacity) if self.moved is not None else None

    @cached_property
    def ridge(self) -> Fraction | None:
        """FLOP/byte as a decimal: the last bits of a quotient of floats would move a size across the ridge."""
        if not self.target.has_roofline or self.target.roof is None or not self.bandwidth:
            return None
        return Fraction(f"{self.target.roof / self.bandwidth:.12g}")

    @property
    def counts(self) -> bool:
        """Whether it enters the verdict: its traffic is known (in a cache, not just a lower bound)."""
        if not self.moved or self.bandwidth is None:
            return False
        return self.outermost or self.traffic.status != "lower_bound"

    @property
    def bound_sizes(self) -> tuple[MemoryBoundSizes, ...]:
        """Where the kernel is left of the ridge: the diagonal first, where sizes are free; at memory then single
        symbols, where it depends on them."""
        return ((self.diagonal,) if self.diagonal else ()) + self._apart

    @cached_property
    def diagonal(self) -> MemoryBoundSizes | None:
        """The same on the diagonal; None where no size is free."""
        return self._solve(self.curves.main) if self.curves.evaluation.path.others == "grow" else None

    @cached_property
    def held(self) -> MemoryBoundSizes | None:
        """The same for the first symbol on which it depends of those that a user would hold."""
        return next(iter(self._dependent(lambda symbol: self.curves.kinds.get(symbol) == "tile")), None)

    @cached_property
    def _apart(self) -> tuple[MemoryBoundSizes, ...]:
        return tuple(self._dependent(lambda symbol: True))

    def _dependent(self, wanted: Callable[[str], bool]) -> Iterator[MemoryBoundSizes]:
        side = self.curves.side if self.outermost else ()
        return significant(map(self._solve, (curve for curve in side if wanted(curve.path.symbol))))

    def _solve(self, curve: TrafficCurve) -> MemoryBoundSizes | None:
        flops = self.curves.cost.flops
        if not self.moved or not self.ridge or not flops:
            return None
        return memory_bound_sizes(flops, self.ridge, curve, self.capacity)

    @property
    def bound(self) -> Bound | None:
        """What binds here; a kernel without FLOPs is bound by its bytes."""
        flops, moved, ridge = self.curves.cost.flops, self.moved, self.ridge
        if not self.target.has_roofline or moved is None or (ridge is None and flops):
            return None
        if not moved or not flops:
            return "compute" if flops else "memory" if moved else None
        assert ridge is not None
        main = self.diagonal or next(iter(self._apart), None)
        if main is None:
            return "memory" if self.curves.evaluation.value(flops) < ridge * moved else "compute"
        return "memory" if main.always else "compute" if main.never else "depends"

    @property
    def _small(self) -> int:
        """The last position on the diagonal whose data fit the machine's first cache, where it matters."""
        if self.diagonal is None or self.bound != "depends":
            return 0
        first, last = self.diagonal.domain
        above = self.curves.evaluation.first_above(self.interface.first_cache, (first, last or MAX_POSITION))
        return above - 1 if above else 0

    @cached_property
    def report(self) -> LevelReport:
        counted, judged, roof, undecided = self.bytes, self._judged, self.target.roof, self.depends_on_data
        ends = (judged.low, judged.high) if judged and self.ridge and roof else ()
        return LevelReport(
            name=self.name,
            capacity=self.capacity,
            line=self.interface.line,
            traffic=self.traffic,
            fused=None,
            intensity=Ratio(self.curves.cost.flops, counted) if counted else None,
            ridge=float(self.ridge) if self.ridge is not None else None,
            bound="depends" if undecided else self.bound,
            memory_bound_when=() if undecided else tuple(s.symbol_ranges for s in self.bound_sizes),
            judged=judged,
            attainable=Span(*(min(roof or 0.0, ai * (self.bandwidth or 0.0)) for ai in ends)) if ends else None,
            notes=self.interface.notes,
            sharing=self.interface.sharing,
            cache=self.interface.cache,
            small=self._small,
        )
