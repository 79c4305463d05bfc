"""The LRU model of a kernel: its reuse classes at one line size, and its traffic at any capacity. A touch hits in a
fully associative LRU cache exactly if its reuse distance fits (Mattson et al., 1970): traffic is the cold misses, and
the lines of all classes whose distance exceeds the capacity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from roofscan.cost.memory.base import ALONE, Answers, Movement, ReuseClass, Sharing, Traffic
from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.reuse_records import ReuseRecord
from roofscan.cost.memory.lru.threads import Threads
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, parts_of, rounded, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TrafficStatus
from roofscan.symbolic.expr import ZERO, Expr, sum_of

CAPACITY_FACTOR = Fraction(5, 4)
"""Upper bounds are taken at a capacity that is smaller by this factor, lower bounds at a larger one."""

HIT_MARGIN = 1.5
HIT_SPARE_LINES = 2.0  # a class surely hits where its distance (in lines) times the margin, plus the spare lines, fits


@dataclass(frozen=True)
class ColdMisses:
    """The distinct lines of a buffer: their number, the share that a write touches first, and those written."""

    buffer: Buffer
    lines: Num
    fill: Num
    written: Num

    def with_more(self, loads: Num) -> ColdMisses:
        if not loads:
            return self
        lines = self.lines + loads
        return replace(self, lines=lines, fill=self.fill * self.lines / lines if self.fill else self.fill)


@dataclass(frozen=True)
class BoundKind:
    """Which kind of bound the figures of a kernel are."""

    exact: bool = False  # the cold misses are exact to the byte
    bound: TrafficStatus | None = None  # all levels are that
    worst: bool = False  # references to places that depend on data, or work that may not be done, are counted in full
    library: Num | None = None  # lines of the operands of BLAS-like calls: a lower bound where they do not fit
    why: str = ""


@dataclass(frozen=True)
class _Moved:
    """What is moved of an array, with the lines that miss and those written back, at the sample point."""

    every: Movement
    misses: float
    written: float

    def plus(self, other: _Moved) -> _Moved:
        every = Movement.total((self.every, other.every))
        return _Moved(every, self.misses + other.misses, self.written + other.written)

    @property
    def movement(self) -> Movement:
        """A line is written back once at the most for each time that it was fetched: reads between two writes may keep
        it in a cache from which the one write is too long ago for the other."""
        if self.written <= self.misses * (1 + TOLERANCE) + TOLERANCE:
            return self.every
        return Movement(self.every.load, self.every.fill, self.every.load + self.every.fill)


class ReuseModel:
    """What :func:`analyze_reuse` yields (a :class:`~roofscan.cost.memory.base.MemoryModel`)."""

    def __init__(
        self,
        line: int,
        cold: list[ColdMisses],
        found: list[ReuseRecord],
        bound_kind: BoundKind,
        expressions: Expressions | None = None,
    ) -> None:
        """``expressions`` is shared by models that have numbers in common."""
        self.line = line
        self.bound_kind = bound_kind
        self._cold = cold
        self._found = found
        self._expressions = expressions or Expressions()
        self._traffic: dict[int, Traffic] = {}
        self._movements: dict[tuple[int, ...], _Moved] = {}  # of cold misses, with the records that miss, by id
        self._among: dict[Sharing, ReuseModel] = {}

    @property
    def status(self) -> TrafficStatus:
        return self.bound_kind.bound or "estimate"

    @cached_property
    def footprint(self) -> Expr:
        return self._bytes(c.lines for c in self._cold)

    @cached_property
    def classes(self) -> tuple[ReuseClass, ...]:
        return public_classes(self._found, self._expressions, self.line)

    @property
    def answers(self) -> Answers:
        among = {sharing: model.answers for sharing, model in self._among.items()}
        return Answers(vars(self).get("classes"), dict(self._traffic), among)

    def among(self, sharing: Sharing) -> ReuseModel:
        if sharing == ALONE or not any(f.threads for f in self._found):
            return self
        if sharing not in self._among:
            self._among[sharing] = self._made_among(sharing)
        return self._among[sharing]

    def _made_among(self, sharing: Sharing) -> ReuseModel:
        threads = Threads(sharing, self.bound_kind.worst)
        more = threads.more_cold(self._found)
        cold = [c.with_more(more.get(id(c.buffer), 0)) for c in self._cold]
        bound_kind = replace(self.bound_kind, exact=self.bound_kind.exact and sharing.caches == 1)
        return ReuseModel(self.line, cold, threads.records(self._found), bound_kind, self._expressions)

    def traffic(self, capacity: int) -> Traffic:
        if capacity not in self._traffic:
            self._traffic[capacity] = self._worked_out(capacity)
        return self._traffic[capacity]

    def _worked_out(self, capacity: int) -> Traffic:
        status, why = self._status(capacity)
        fits = Fraction(capacity, self.line)
        if status == "upper_bound":
            fits = fits / CAPACITY_FACTOR
        elif status == "lower_bound":
            fits = fits * CAPACITY_FACTOR
        found: dict[str, _Moved] = {}
        for cold in self._cold:
            moved = self._moved(cold, float(fits))
            before = found.get(cold.buffer.owner)
            found[cold.buffer.owner] = moved if before is None else before.plus(moved)
        arrays = {owner: moved.movement for owner, moved in found.items()}
        return Traffic(capacity, Movement.total(arrays.values()), arrays, status, (), why)

    def _moved(self, cold: ColdMisses, fits: float) -> _Moved:
        mine = [
            (f, n) for f in self._by_buffer.get(id(cold.buffer), ()) if (n := _missing(f.interval, fits)) is not None
        ]
        if any(n is not f.interval.lines for f, n in mine):
            return self._moved_by(cold, mine)
        whole = (id(cold), *(id(f) for f, _ in mine))
        if whole not in self._movements:
            self._movements[whole] = self._moved_by(cold, mine)
        return self._movements[whole]

    def _moved_by(self, cold: ColdMisses, mine: list[tuple[ReuseRecord, Num]]) -> _Moved:
        touches = [(f, n) for f, n in mine if f.kind == "touch"]
        load = [cold.lines * (1 - cold.fill), *(n * (1 - f.fill) for f, n in touches)]
        fill = [cold.lines * cold.fill, *(n * f.fill for f, n in touches)]
        back = [cold.written, *(n for f, n in mine if f.kind == "write")]
        misses = sum(map(value_of, load)) + sum(map(value_of, fill))
        every = Movement(self._bytes(load), self._bytes(fill), self._bytes(back))
        return _Moved(every, misses, sum(map(value_of, back)))

    @cached_property
    def _by_buffer(self) -> dict[int, list[ReuseRecord]]:
        groups: dict[int, list[ReuseRecord]] = {}
        for found in self._found:
            groups.setdefault(id(found.buffer), []).append(found)
        return groups

    def _status(self, capacity: int) -> tuple[TrafficStatus, str]:
        bound_kind = self.bound_kind
        if bound_kind.bound:
            return bound_kind.bound, bound_kind.why
        if bound_kind.library is not None and value_of(bound_kind.library) * self.line > capacity:
            return "lower_bound", bound_kind.why
        if bound_kind.exact and self._surely_hits(capacity / self.line):
            return "exact", ""
        return "estimate", ""

    def _surely_hits(self, fits: float) -> bool:
        """Whether every class hits in a cache of ``fits`` lines with room to spare."""
        return all(value_of(f.interval.high) * HIT_MARGIN + HIT_SPARE_LINES <= fits for f in self._found)

    def _bytes(self, lines: Iterable[Num]) -> Expr:
        return sum_of(map(self._expressions.of, lines)) * self.line


def _missing(interval: DistanceInterval, fits: float) -> Num | None:
    """The lines of an interval whose distance exceeds the capacity, or None where all hit."""
    low, high = value_of(interval.low), value_of(interval.high)
    if high <= fits + TOLERANCE:
        return None
    if low > fits + TOLERANCE or high - low < TOLERANCE:
        return interval.lines
    return interval.lines * rounded((high - fits) / (high - low))


# -- reuse classes ----------------------------------------------------------------------------------
PARTS_PER_CLASS = 8  # lines whose distances spread over an interval become a class of so many equal parts
SAME_DISTANCE_RATIO = 1.001  # an interval whose ends differ by less than this factor is one distance


ClassDistance = tuple[Expr, Expr, int]
"""The distance of the first part of a class, its rise from part to part, and the number of parts."""


def public_classes(found: Iterable[ReuseRecord], expressions: Expressions, line: int) -> tuple[ReuseClass, ...]:
    """One class for all that share array, place, kind and distance."""
    firsts: dict[tuple[object, ...], tuple[ReuseRecord, ClassDistance]] = {}
    counts: dict[tuple[object, ...], Expr] = {}
    known: dict[tuple[int, int], ClassDistance] = {}  # by identity: the records keep the numbers alive
    found = list(found)
    for one in found:
        ends = id(one.interval.low), id(one.interval.high)
        if ends not in known:
            known[ends] = _distance(one.interval, expressions, line)
        distance = known[ends]
        fill = expressions.of(one.fill)
        key = (one.buffer.owner, one.place, one.iterations_back, one.kind, distance, fill)
        firsts.setdefault(key, (one, distance))
        count = expressions.of(one.interval.lines)
        counts[key] = counts[key] + count if key in counts else count
    return tuple(
        _public(one, counts[key], distance, expressions, line) for key, (one, distance) in firsts.items() if counts[key]
    )


def _distance(interval: DistanceInterval, expressions: Expressions, line: int) -> ClassDistance:
    low = expressions.of(interval.low) * line
    if value_of(interval.high) <= value_of(interval.low) * SAME_DISTANCE_RATIO:
        return low, ZERO, 1
    half = (expressions.of(interval.high) * line - low) / (2 * PARTS_PER_CLASS)
    return low + half, half * 2, PARTS_PER_CLASS


def _public(
    found: ReuseRecord, count: Expr, distance: ClassDistance, expressions: Expressions, line: int
) -> ReuseClass:
    first, rise, parts = distance
    return ReuseClass(
        array=found.buffer.owner,
        place=found.place,
        line=found.line,
        iterations_back=found.iterations_back,
        kind=found.kind,
        count=count / parts,
        distance=first,
        fill_share=expressions.of(found.fill),
        between=tuple((array, expressions.of(n) * line) for (array, _), n in parts_of(found.interval.high)),
        rise=rise,
        parts=parts,
    )
