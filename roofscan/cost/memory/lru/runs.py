"""Lines that runs of some iterations of a loop touch, all of them or a few: what a cache holds between two touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.iterations import IterationRange
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import LoopNode, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, smaller, value_of
from roofscan.frozen import dataclass
from roofscan.memo import kept, kept_by

LARGEST_CACHE = 2**24  # lines: runs of iterations that touch more are not told apart
SMALLEST_CACHE = 2**2
PARTS = 3  # all iterations, half of them, a quarter


@dataclass(frozen=True)
class RunPlace:
    """The iterations of a loop in the first or the last (``late``) iteration of those around it; there runs begin with
    the first iteration or end with the last."""

    env: Env
    range: IterationRange
    late: bool


class Runs:
    """Lines that runs of some iterations of a loop touch."""

    def __init__(self, footprints: Footprints, loop: LoopNode) -> None:
        self._footprints = footprints
        self._loop = loop
        self._places = [place for late in (False, True) if (place := self._place(loop, late)) is not None]
        self._trips = max((place.range.trips for place in self._places), key=value_of, default=1)

    @property
    def are_known(self) -> bool:
        """Whether the loop makes iterations in the first or the last iteration of those around it."""
        return bool(self._places)

    @kept
    def part(self, k: int) -> Num:
        """Of all iterations, the half of them, a quarter."""
        return self._lines(ceil_to(self._trips / 2**k, 1))

    @property
    def one(self) -> Num:
        """Of one iteration."""
        return self._short(0)

    @property
    def two(self) -> Num:
        """Of two iterations in turn."""
        return self._short(1)

    @kept
    def _short(self, run: int) -> Num:
        return self._lines(run)

    def short(self) -> Iterator[tuple[int, Num]]:
        """Of numbers of iterations and the one before them, the longest first, as far as caches hold their lines: these
        numbers do not depend on sizes."""
        for run in reversed([0, *(2**k for k in range(LARGEST_CACHE.bit_length()))]):
            if run * 2 ** (PARTS - 1) >= value_of(self._trips):
                continue
            lines = value_of(self._short(run))
            if lines > LARGEST_CACHE:
                continue
            yield run, self._short(run)
            if lines <= SMALLEST_CACHE:
                return

    def spread(self, refs: Sequence[Ref], run: int, besides: bool = True) -> Num:
        """The lines that references can touch in so many iterations and the one before them (-1: in all); ``besides``:
        and others do not touch there. A line that both touch is fetched for the others, if at all."""
        trips = run if run >= 0 else self._trips
        places = (self._subtree(place, trips) for place in self._places)
        return max((self._footprints.scattered.spreads.lines(refs, place, besides) for place in places), key=value_of)

    def _place(self, loop: LoopNode, late: bool) -> RunPlace | None:
        env: dict[str, AlignedPoint] = {}
        for outer in loop.loops[1:]:
            if (span := self._footprints.iterations.range(outer, env)) is not None:
                env[outer.var] = span.last if late else span.first
        span = self._footprints.iterations.range(loop, env)
        return None if span is None else RunPlace(env, span, late)

    def _lines(self, run: Num) -> Num:
        return max((self._lines_at(place, run) for place in self._places), key=value_of, default=0)

    def _lines_at(self, place: RunPlace, run: Num) -> Num:
        return self._footprints.distance([self._subtree(place, run)])

    def _subtree(self, place: RunPlace, run: Num) -> Subtree:
        loop, span = self._loop, place.range
        stride = loop.direction * loop.step * smaller(run, span.trips - 1)
        first = span.last.value - stride if place.late else span.first.value
        ends = AlignedPoint(first), AlignedPoint(first + stride)
        low, high = reversed(ends) if loop.descending else ends
        return Subtree(loop, place.env, Window(loop.var, low, high))


class RunsOfLoops:
    """The runs of each loop, that all buffers have in common."""

    def __init__(self, footprints: Footprints) -> None:
        self._footprints = footprints

    @kept_by(lambda loop: loop.uid)
    def of(self, loop: LoopNode) -> Runs:
        return Runs(self._footprints, loop)
