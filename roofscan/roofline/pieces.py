"""Where the expressions of a level hold, and what moves elsewhere: its traffic in pieces.

The expressions of a cost hold in the chamber of its sample point, where all sizes are large. A reuse misses where its
distance exceeds the capacity, so the sizes fall into regions: in each, the cold lines move and those of the classes
that miss there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from roofscan.cost.memory.base import ALONE, NOTHING, MemoryModel, Movement, ReuseClass, Sharing
from roofscan.cost.memory.models import launch_of, rounds_of
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TrafficStatus
from roofscan.ir.visitor import loops
from roofscan.memo import kept, kept_by
from roofscan.roofline.thresholds import DistanceOrder, Outcome, Threshold, threshold
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.chamber import is_obvious
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number, symbol

if TYPE_CHECKING:
    from roofscan.cost.memory.gpu.regions import Regions

MAX_PIECES = 8
"""The most pieces for sizes that fill whole lines, and the most for others."""

MAX_STEPS = 32
"""The most distances that are looked at one by one, and the most regions."""

CAPACITY_FACTORS = {"upper_bound": Fraction(4, 5), "lower_bound": Fraction(5, 4)}
"""Bounds are taken at a smaller or a larger capacity."""

SURE_FACTOR, SURE_LINES = Fraction(3, 2), 2
"""Traffic is exact where every distance times the factor fits, and so many lines beside it."""

COARSENESS = ((8, 1.0), (4, 1.02), (2, 1.1), (1, 1.25), (1, 2.0), (1, 8.0))
"""The parts of a class with many distances, and the factor between distances up to which they are one."""


@dataclass(frozen=True)
class TrafficPiece:
    """What moves where each expression of ``when`` is at least 0."""

    when: tuple[Expr, ...]
    moved: Movement
    status: TrafficStatus


@dataclass(frozen=True)
class _Step:
    """What moves only where a distance exceeds the capacity. Where that is nothing, traffic is no longer exact."""

    distance: Expr
    moved: Movement


_Limit = tuple[_Step, Threshold]


class TrafficPieces:
    """The traffic of a cost in pieces, at any capacity. The figures of the cost itself come last."""

    def __init__(self, cost: KernelCost) -> None:
        self._cost = cost
        self._model = TrafficModel(cost, TrafficPolicy())
        self._order = DistanceOrder(cost.kernel.least_values)
        self._runs = runs(cost)
        self._everywhere = (*self._runs, *(g for _, conditions in rounds_of(cost) for g in conditions))
        launch = launch_of(cost)
        self._regions: Regions | None = None
        if launch is not None:
            from roofscan.cost.memory.gpu.regions import Regions  # of modules that few files need

            self._regions = Regions(launch)

    def at(self, capacity: int, sharing: Sharing = ALONE) -> tuple[TrafficPiece, ...]:
        """None at all where the traffic is unknown."""
        if sharing != ALONE and self._cost.reuse is not None:
            return self._among(self._cost.reuse, sharing).at(capacity)
        return self._at(capacity)

    @kept_by(lambda reuse, sharing: sharing)
    def _among(self, reuse: MemoryModel, sharing: Sharing) -> TrafficPieces:
        return TrafficPieces(replace(self._cost, reuse=reuse.among(sharing)))

    @kept
    def _at(self, capacity: int) -> tuple[TrafficPiece, ...]:
        traffic = self._model.traffic(capacity)
        if traffic.status == "unknown":
            return ()
        last = TrafficPiece(self._everywhere, traffic.total, traffic.status)
        if not self._cost.free:
            return (replace(last, when=tuple(self._binding(last.moved))),)
        if self._regions is not None:
            found_ = self._regions.at(capacity)
            return tuple(TrafficPiece((*self._everywhere, *r.when), r.traffic.total, r.traffic.status) for r in found_)
        if capacity == 0 or self._cost.reuse is None:
            return (replace(last, when=self._runs),)
        fits = capacity * CAPACITY_FACTORS.get(last.status, Fraction(1))
        found: tuple[TrafficPiece, ...] = (last,)
        try:
            for parts, factor in COARSENESS:
                if (factor == 1 or self._is_exact) and self._distances > MAX_STEPS:
                    continue
                steps = self._steps_of(parts, factor)
                if len(steps) <= MAX_STEPS:
                    found = self._with_regions(steps, fits, last)
                    if len(found) <= MAX_PIECES:
                        break
        except NotEvaluable:
            return (last,)
        return found[-MAX_PIECES:]

    def conditions(self, capacity: int, sharing: Sharing) -> list[Expr]:
        """Where the last piece holds, besides where all do."""
        if self._regions is not None and self._cost.free:
            return list(self._regions.here(capacity).when)
        found = self.at(capacity, sharing)
        return [g for g in found[-1].when if any(g not in piece.when for piece in found)] if found else []

    def _binding(self, moved: Movement) -> Iterator[Expr]:
        """The sizes that are bound, and so the only ones."""
        for name in sorted((moved.load + moved.fill + moved.writeback).symbols):
            bound = self._cost.sample_point[name]
            yield from (symbol(name) - bound, bound - symbol(name))

    # -- regions ------------------------------------------------------------------------------------
    def _with_regions(self, steps: Sequence[_Step], fits: Fraction, last: TrafficPiece) -> tuple[TrafficPiece, ...]:
        """The pieces, with the one of the sample point last."""
        found = [(step, threshold(step.distance, fits, self._cost.kernel.least_values)) for step in steps]
        always = [step for step, limit in found if limit == "always"]
        open_ = [(step, limit) for step, limit in found if isinstance(limit, Threshold)]
        pieces = []
        for outcomes, missing in self._cases(open_, (), (), exact=self._is_exact and not always):
            when = tuple(t.beyond if beyond else t.within for t, beyond in self._order.without_implied(outcomes))
            piece = self._piece(when, [*always, *missing])
            if all(self._value(g) >= 0 for g in when):
                last = replace(last, when=piece.when)
            else:
                pieces.append(piece)
            if len(pieces) > MAX_STEPS:
                break
        return (*pieces, last)

    def _cases(
        self, limits: Sequence[_Limit], outcomes: tuple[Outcome, ...], missing: tuple[_Step, ...], exact: bool
    ) -> Iterator[tuple[tuple[Outcome, ...], tuple[_Step, ...]]]:
        """The regions of sizes, each with the outcomes that make it and the steps that miss there."""
        if not limits:
            yield outcomes, missing
            return
        [(step, limit), *others] = limits
        if step.moved == NOTHING and not exact:
            yield from self._cases(others, outcomes, missing, exact)
            return
        known = self._order.implied(limit, outcomes)
        for beyond in (False, True) if known is None else (known,):
            now = (*outcomes, (limit, beyond)) if known is None else outcomes
            yield from self._cases(others, now, (*missing, step) if beyond else missing, exact and not beyond)

    def _piece(self, when: tuple[Expr, ...], missing: Sequence[_Step]) -> TrafficPiece:
        moved = Movement.total((self._cold.moved, *(step.moved for step in missing)))
        status: TrafficStatus = "estimate" if self._is_exact and missing else self._cold.status
        return TrafficPiece((*self._everywhere, *when), moved, status)

    @property
    def _is_exact(self) -> bool:
        return self._cold.status == "exact"

    @cached_property
    def _cold(self) -> TrafficPiece:
        traffic = self._model.traffic(UNLIMITED)
        return TrafficPiece((), traffic.total, traffic.status)

    def _value(self, expr: Expr) -> Number:
        return number(expr, self._cost.sample_point)

    @cached_property
    def _distances(self) -> int:
        return len({(c.distance, c.rise) for c in self._cost.reuse.classes}) if self._cost.reuse else 0

    # -- steps --------------------------------------------------------------------------------------
    @kept
    def _steps_of(self, parts: int, factor: float) -> tuple[_Step, ...]:
        """Largest distance first. Distances up to ``factor`` apart that grow alike are one, the largest of them."""
        clusters: list[_Cluster] = []
        last: dict[tuple[frozenset[str], int], _Cluster] = {}
        for step in self._of_parts(parts):
            if not step.moved or factor == 1:
                clusters.append(step)
                continue
            growth = _growth(step.distance)
            if growth in last and last[growth].value < factor * step.value:
                last[growth].moved.extend(step.moved)
            else:
                last[growth] = _Cluster(step.distance, step.value, [*step.moved])
                clusters.append(last[growth])
        if len(clusters) > MAX_STEPS:
            return tuple(_Step(cluster.distance, NOTHING) for cluster in clusters)
        return tuple(_Step(cluster.distance, Movement.total(cluster.moved)) for cluster in clusters)

    def _of_parts(self, parts: int) -> list[_Cluster]:
        """What moves by distance, largest first."""
        reuse = self._cost.reuse
        assert reuse is not None
        if all(c.parts == 1 for c in reuse.classes):
            parts = 1
        return self._sorted(reuse, parts)

    @kept_by(lambda reuse, parts: parts)
    def _sorted(self, reuse: MemoryModel, parts: int) -> list[_Cluster]:
        moved: dict[Expr, list[Movement]] = {}
        for c in reuse.classes:
            for step in _parts(c, parts, reuse.line):
                moved.setdefault(step.distance, []).append(step.moved)
        found = [_Cluster(distance, self._value(distance), each) for distance, each in moved.items()]
        if self._is_exact:
            slack = SURE_LINES * reuse.line
            found += [_Cluster(c.distance * SURE_FACTOR + slack, c.value * SURE_FACTOR + slack, []) for c in found]
        return sorted(found, key=lambda c: (-c.value, str(c.distance)))


@dataclass(frozen=True)
class _Cluster:
    """Without ``moved``, traffic is no longer exact."""

    distance: Expr
    value: Number  # of the distance at the sample point
    moved: list[Movement]


def runs(cost: KernelCost) -> tuple[Expr, ...]:
    """What sizes must be for the expressions of the cost to hold: each at least 0."""
    return (*cost.conditions, *_of_running_loops(cost))


def _of_running_loops(cost: KernelCost) -> Iterator[Expr]:
    """That loops run at all, where their bounds are of sizes alone and that is not plain."""
    least = cost.kernel.least_values
    known = dict.fromkeys(cost.conditions)
    for loop in loops(cost.kernel.body):
        runs = (loop.stop - loop.start if (loop.step.constant or 1) > 0 else loop.start - loop.stop) - 1
        if runs.symbols <= cost.free and not any(is_obvious(runs - g, least) for g in (ZERO, *known)):
            known[runs] = None
            yield runs


def _parts(c: ReuseClass, parts: int, line: int) -> Iterator[_Step]:
    """A class as steps: one for each of ``parts`` equal parts where it has many distances."""
    parts = min(parts, c.parts)
    width = Fraction(c.parts, parts)
    moved = _moved(c, c.count * width * line)
    for part in range(parts):
        yield _Step(c.distance_at(width * part + (width - 1) / 2), moved)


def _moved(c: ReuseClass, lines: Expr) -> Movement:
    if c.kind == "write":
        return Movement(ZERO, ZERO, lines)
    return Movement(lines * (1 - c.fill_share), lines * c.fill_share, ZERO)


def _growth(distance: Expr) -> tuple[frozenset[str], int]:
    """The symbols of a distance, and its degree."""
    return distance.symbols, max((sum(power for _, power in monomial) for monomial in distance.terms), default=0)
