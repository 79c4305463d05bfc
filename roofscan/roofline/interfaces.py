"""One row an interface: what crosses it, its intensity, its ridge, and for which sizes it is left of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from roofscan.cost.result import KernelCost, Traffic
from roofscan.machine.model import Level, Machine, Sourced
from roofscan.report import formatting
from roofscan.roofline.evaluation_point import EvaluationPoint, at_sample_point, evaluation_point
from roofscan.roofline.memory_bound_sizes import Solved, memory_bound, significant
from roofscan.roofline.model import LevelReport, Ratio
from roofscan.roofline.size_paths import single
from roofscan.roofline.target import ExecutionTarget
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.roofline.traffic_model import TrafficModel, TrafficPolicy
from roofscan.symbolic.expr import Expr, NotEvaluable

PROBES = (256, 4096)
"""Positions at which expressions are checked for being possible, before they are trusted away from the witness."""


@dataclass(frozen=True)
class Interface:
    """Where a cache of ``capacity`` bytes (0: the registers) is filled from the level ``name``."""

    name: str
    capacity: int
    line: int
    bandwidth: float | None = None  # bytes/s for the part of the machine in question
    outermost: bool = False  # served by memory, or by what lies beyond it
    notes: tuple[str, ...] = ()
    cache: Level | None = None  # the cache that it fills, as the machine has it


def interfaces(machine: Machine, scope: str, split: bool = False) -> tuple[Interface, ...]:
    """The interfaces of a machine, nearest first, with the bandwidths of the scope.

    ``split``: the cores work side by side, each with its share of the caches that they have in common.
    """
    found = [_interface(machine.levels[0], None, 0, scope)]
    held = 0
    for cache, server in pairwise(machine.levels):
        if cache.capacity:
            held = max(held, cache_share(cache, machine.cores) if split else cache.capacity)
            found.append(_interface(server, cache, held, scope))
    return tuple(found)


def cache_share(cache: Level, cores: int) -> int:
    """Bytes of a cache for each of the cores that share it, all of them at work."""
    return (cache.capacity or 0) // max(1, min(cache.shared_by, cores))


def _interface(server: Level, cache: Level | None, capacity: int, scope: str) -> Interface:
    notes: tuple[str, ...] = ()
    if cache is not None and cache.capacity is not None and capacity < cache.capacity:
        share, whole = formatting.capacity(capacity), formatting.capacity(cache.capacity)
        notes = (f"{cache.name} counts as {share} a core: {cache.shared_by} cores share its {whole}",)
    bandwidth = _bandwidth(server, scope)
    return Interface(server.name, capacity, server.line, bandwidth, server.capacity is None, notes, cache)


def interfaces_of_caches(capacities: Sequence[int], line: int) -> tuple[Interface, ...]:
    return tuple(Interface(str(capacity), capacity, line) for capacity in capacities)


def _bandwidth(level: Level, scope: str) -> float | None:
    one, every = level.bandwidth_core, level.bandwidth_all
    chosen: Sourced | None = (one or every) if scope == "core" else (every or one)
    return chosen.value if chosen else None


class TrafficCurves:
    """The paths through a kernel's sizes, with its traffic along each: shared by all interfaces."""

    def __init__(self, stand: EvaluationPoint, main: TrafficCurve | None = None) -> None:
        self.stand = stand
        self.books = stand.books
        self.cost = stand.books.cost
        self.main = main or TrafficCurve(stand.books, stand.path)
        """The diagonal where sizes are free, else the path that stays where they are bound."""

    @staticmethod
    def of(cost: KernelCost, counted: TrafficPolicy, capacities: Iterable[int]) -> TrafficCurves:
        """Those from where the kernel is judged: the witness, where expressions say what is impossible elsewhere."""
        books = TrafficModel(cost, counted)
        stand = evaluation_point(books)
        main = TrafficCurve(books, stand.path)
        possible = all(main.is_possible(c, (*PROBES, stand.position)) for c in capacities if c)
        return TrafficCurves(stand, main) if possible else TrafficCurves(at_sample_point(books))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Of the kernel's symbols."""
        return {s.name: s.kind for s in self.cost.kernel.symbols}

    @cached_property
    def side(self) -> tuple[TrafficCurve, ...]:
        paths = single(self.cost, self.stand.values) if self.stand.generalises else ()
        return tuple(TrafficCurve(self.books, path) for path in paths)


@dataclass(frozen=True)
class InterfaceTraffic:
    """What one kernel moves across an interface, judged with the roof of a setting. The answers along the paths take
    the longest, and are worked out when asked for."""

    roads: TrafficCurves
    interface: Interface
    setting: ExecutionTarget

    @property
    def traffic(self) -> Traffic:
        return self.roads.books.traffic(self.interface.capacity)

    @cached_property
    def moved(self) -> Fraction | None:
        """The bytes where the kernel is judged."""
        return _moved(self.roads, self.interface) if self.traffic.status != "unknown" else None

    @property
    def bytes(self) -> Expr | None:
        """What counts as traffic; None where it is not known."""
        return self.roads.books.bytes(self.interface.capacity) if self.moved is not None else None

    @cached_property
    def ridge(self) -> Fraction | None:
        return _ridge(self.setting, self.interface) if self.setting.judged else None

    @property
    def counts(self) -> bool:
        """Whether it enters the verdict: its traffic is known (in a cache, not just a lower bound)."""
        if not self.moved or self.interface.bandwidth is None:
            return False
        return self.interface.outermost or self.traffic.status != "lower_bound"

    @property
    def solved(self) -> tuple[Solved, ...]:
        """Where the kernel is left of the ridge: the diagonal first, where sizes are free; at memory then single
        symbols, where it depends on them."""
        return ((self.together,) if self.together else ()) + self._apart

    @cached_property
    def together(self) -> Solved | None:
        """The same on the diagonal; None where no size is free."""
        return self._solve(self.roads.main) if self.roads.stand.path.others == "grow" else None

    @cached_property
    def held(self) -> Solved | None:
        """The same for the first symbol on which it depends of those that a user would hold."""
        return next(iter(self._telling(lambda symbol: self.roads.kinds.get(symbol) == "tile")), None)

    @cached_property
    def _apart(self) -> tuple[Solved, ...]:
        return tuple(self._telling(lambda symbol: True))

    def _telling(self, wanted: Callable[[str], bool]) -> Iterator[Solved]:
        side = self.roads.side if self.interface.outermost else ()
        return significant(map(self._solve, (road for road in side if wanted(road.path.symbol))))

    def _solve(self, road: TrafficCurve) -> Solved | None:
        flops = self.roads.cost.flops
        if not self.moved or not self.ridge or not flops:
            return None
        return memory_bound(flops, self.ridge, road, self.interface.capacity)

    @property
    def bound(self) -> str | None:
        if not self.setting.judged:
            return None
        return _bound(self.roads, self.moved, self.ridge, (self.together,) if self.together else self._apart)

    @cached_property
    def report(self) -> LevelReport:
        counted = self.bytes
        return LevelReport(
            name=self.interface.name,
            capacity=self.interface.capacity,
            line=self.interface.line,
            traffic=self.traffic,
            fused=None,
            intensity=Ratio(self.roads.cost.flops, counted) if counted else None,
            ridge=float(self.ridge) if self.ridge is not None else None,
            bound=self.bound,
            memory_bound_when=tuple(s.holds for s in self.solved),
            notes=self.interface.notes,
            cache=self.interface.cache,
        )


def _ridge(setting: ExecutionTarget, interface: Interface) -> Fraction | None:
    """FLOP/byte as a decimal: the last bits of a quotient of floats would move a whole size across the ridge."""
    if setting.roof is None or not interface.bandwidth:
        return None
    return Fraction(f"{setting.roof / interface.bandwidth:.12g}")


def _moved(roads: TrafficCurves, interface: Interface) -> Fraction | None:
    """The bytes where the kernel is judged; None where they have no value."""
    try:
        return Fraction(roads.main.at(interface.capacity, roads.stand.position))
    except NotEvaluable:
        return None


def _bound(
    roads: TrafficCurves, moved: Fraction | None, ridge: Fraction | None, solved: tuple[Solved, ...]
) -> str | None:
    """What binds at an interface; a kernel without FLOPs is bound by its bytes."""
    flops = roads.cost.flops
    if moved is None or (ridge is None and flops):
        return None
    if not moved or not flops:
        return "compute" if flops else "memory" if moved else None
    assert ridge is not None
    if solved and not solved[0].always and not solved[0].never:
        return "depends"
    if solved:
        return "memory" if solved[0].always else "compute"
    return "memory" if roads.stand.value(flops) < ridge * moved else "compute"
