"""The bytes that a kernel moves, by its cost: for any capacity, of all arrays or of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from roofscan.cost.memory.base import ALONE, NOTHING, MemoryModel, Movement, ReuseClass, Sharing, Traffic
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.memo import kept, kept_by
from roofscan.roofline.size_paths import SizePath
from roofscan.symbolic.bounded_evaluation import BoundedEvaluator
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number, sum_of

UNLIMITED = 1 << 100  # a capacity that holds everything: what still moves is compulsory

CLASS_SUM_TOLERANCE = Fraction(1, 50)
"""How far the classes' sum may be from the model's own figure at the sample point to be trusted elsewhere."""


@dataclass(frozen=True)
class TrafficPolicy:
    """Which movements count as traffic."""

    load: bool = True
    fill: bool = True
    writeback: bool = True

    def of(self, movement: Movement) -> Expr:
        parts = ((self.load, movement.load), (self.fill, movement.fill), (self.writeback, movement.writeback))
        return sum((part for counts, part in parts if counts), start=ZERO)

    def weight(self, c: ReuseClass, line: int) -> Expr:
        """Bytes that count for one line of the class."""
        if c.kind == "write":
            return Expr.of(line if self.writeback else 0)
        if self.load and self.fill:
            return Expr.of(line)
        load = (1 - c.fill_share) * line if self.load else ZERO
        return load + c.fill_share * line if self.fill else load


@dataclass(frozen=True)
class DistanceSpread:
    """Equal parts of a reuse class, whose distances rise evenly: from ``distance`` on by ``rise`` from part to part."""

    distance: Expr
    rise: Expr
    parts: int
    bytes: Expr  # of one part

    def restrict(self, path: SizePath) -> DistanceSpread:
        distance, rise, bytes_ = map(path.restrict, (self.distance, self.rise, self.bytes))
        return DistanceSpread(distance, rise, self.parts, bytes_)

    def times(self, factor: int) -> DistanceSpread:
        return DistanceSpread(self.distance * factor, self.rise * factor, self.parts, self.bytes * factor)

    @property
    def distances(self) -> Iterator[Expr]:
        return (self.distance + self.rise * step if step else self.distance for step in range(self.parts))


def by_distance(spreads: Iterable[DistanceSpread]) -> Mapping[Expr, Expr]:
    """The bytes of all parts that have the same distance."""
    bytes_: dict[Expr, list[Expr]] = {}
    for spread in spreads:
        for distance in spread.distances:
            bytes_.setdefault(distance, []).append(spread.bytes)
    return {distance: sum_of(parts) for distance, parts in bytes_.items()}


class TrafficModel:
    """The movements of a kernel that count as traffic, each worked out once."""

    def __init__(self, cost: KernelCost, policy: TrafficPolicy, array: str = "") -> None:
        self.cost = cost
        self.policy = policy
        self.array = array  # "": all
        self._traffic: dict[int, Traffic] = {}

    def narrowed(self, policy: TrafficPolicy, array: str) -> TrafficModel:
        """The model of one array, on the same figures."""
        other = TrafficModel(self.cost, policy, array)
        other._traffic = self._traffic
        return other

    def among(self, sharing: Sharing) -> TrafficModel:
        """The traffic of all caches of a level, where threads run the parallel loops."""
        return self if sharing == ALONE or self.cost.reuse is None else self._among(self.cost.reuse, sharing)

    @kept_by(lambda reuse, sharing: sharing)
    def _among(self, reuse: MemoryModel, sharing: Sharing) -> TrafficModel:
        return TrafficModel(replace(self.cost, reuse=reuse.among(sharing)), self.policy, self.array)

    def traffic(self, capacity: int) -> Traffic:
        """The traffic into a cache of ``capacity`` (0: the registers), all movements of all arrays."""
        if capacity not in self._traffic:
            self._traffic[capacity] = self._fresh(capacity)
        return self._traffic[capacity]

    def _fresh(self, capacity: int) -> Traffic:
        if capacity == 0:
            return self.cost.registers
        if self.cost.reuse is None:
            return Traffic(capacity, NOTHING, {}, "unknown", why="no reuse analysis")
        return self.cost.reuse.traffic(capacity)

    def bytes(self, capacity: int) -> Expr:
        """The bytes that count, as an expression of the chamber of the sample point."""
        traffic = self.traffic(capacity)
        movement = traffic.arrays.get(self.array) if self.array else traffic.total
        return self.policy.of(movement) if movement is not None else ZERO

    @cached_property
    def ceiling(self) -> Expr:
        """More bytes than this cannot move: a line for each read, and one in and one out for each write."""
        kernel, line = self.cost.kernel, self.cost.reuse.line if self.cost.reuse else 0
        total = ZERO
        for name, moved in self.cost.registers.arrays.items():
            parts = [a for a in kernel.arrays if a.owner == name and a.dtype.kind != "record"]
            lines = max(Fraction(1 + a.straddles, a.dtype.size) for a in parts)  # per byte of an access
            total = total + (moved.load + moved.writeback * 2) * lines * line
        return total

    @cached_property
    def classes(self) -> Mapping[Expr, Expr]:
        """Bytes of the reuse classes that count, by their distance."""
        return by_distance(self.spreads)

    @cached_property
    def spreads(self) -> tuple[DistanceSpread, ...]:
        """The same, not yet taken apart."""
        reuse = self.cost.reuse
        if reuse is None:
            return ()
        weighed = ((c, self.policy.weight(c, reuse.line)) for c in reuse.classes if self.array in ("", c.array))
        return tuple(DistanceSpread(c.distance, c.rise, c.parts, c.count * w) for c, w in weighed if w)

    @kept
    def adds_up(self, capacity: int) -> bool:
        """Whether cold lines and missing classes add up to the model's own figure at the sample point."""
        try:
            own = Fraction(self._sample_point.number(self.bytes(capacity)))
            again = Fraction(self._sample_point.number(self.bytes(UNLIMITED)))
            again += sum(self._missing_at_sample_point(capacity), start=Fraction(0))
        except NotEvaluable:
            return False
        return abs(again - own) <= CLASS_SUM_TOLERANCE * abs(own)

    def _missing_at_sample_point(self, capacity: int) -> Iterator[Fraction]:
        for n, (spread, distance, rise) in enumerate(self._at_sample_point):
            missing = spread.parts * (distance > capacity)
            if rise and (distance + rise * (spread.parts - 1) > capacity) != bool(missing):
                missing = sum(distance + rise * step > capacity for step in range(spread.parts))
            if missing:
                yield self._part_at_sample_point(n) * missing

    @kept
    def _part_at_sample_point(self, number: int) -> Fraction:
        """The bytes of a part, by the number of the spread."""
        return Fraction(self._sample_point.number(self.spreads[number].bytes))

    @cached_property
    def _at_sample_point(self) -> tuple[tuple[DistanceSpread, Number, Number], ...]:
        """The spreads, with their first distance and its rise there."""
        at = self._sample_point.number
        return tuple((s, at(s.distance), at(s.rise)) for s in self.spreads)

    @cached_property
    def _sample_point(self) -> BoundedEvaluator:
        return BoundedEvaluator(self.cost.sample_point)
