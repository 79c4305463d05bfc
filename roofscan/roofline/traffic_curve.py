"""The traffic of a kernel along a path through the sizes: piecewise, because reuses that miss at large sizes, where a
cost's expressions hold, hit at small ones. It is the sum of the cold lines, and of each reuse class where its distance
exceeds the capacity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, zip_longest
from math import ceil, floor, lcm
from typing import NamedTuple, Union

from roofscan.memo import kept
from roofscan.roofline.piecewise_bytes import BytesPiece, PiecewiseBytes, at, everywhere, negative_positions
from roofscan.roofline.size_paths import POSITION, SizePath
from roofscan.roofline.traffic_model import UNLIMITED, DistanceSpread, TrafficModel, TrafficPolicy
from roofscan.symbolic.bounded_evaluation import ValuesAlong, is_tangled, number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number, sum_of
from roofscan.symbolic.intervals import Range, Ranges
from roofscan.symbolic.polynomial_signs import Polynomial, negative_where, polynomial, value, without_zeros

ESTIMATE_TOLERANCE = Fraction(21, 20)  # estimates are averages: they may be a little above what is possible


Distance = Union[Polynomial, Expr]  # in the position: by its coefficients where it is a polynomial
MAX_SAMPLED = 24  # so many distances are searched by sampling at most: each takes hundreds of evaluations


class TrafficCurve:
    """The bytes of a traffic model as a function of the position on a path."""

    def __init__(self, traffic_model: TrafficModel, path: SizePath) -> None:
        self.traffic_model = traffic_model
        self.path = path
        self.values = ValuesAlong(POSITION)
        self._into: dict[int, PiecewiseBytes] = {}

    def into(self, capacity: int) -> PiecewiseBytes:
        """The bytes that cross the interface of a cache of ``capacity`` (0: the registers); NotEvaluable where a
        distance has no value. Where the classes do not add up to the model's own figure at the sample point, the
        expression of that figure is taken for all positions, though it holds in the chamber of the sample point
        only."""
        if capacity not in self._into:
            self._into[capacity] = self._work_out(capacity)
        return self._into[capacity]

    def at(self, capacity: int, position: int) -> Number:
        """The same at one position, for which no pieces are needed."""
        if capacity in self._into:
            return at(self._into[capacity], position)
        if not self._is_of_classes(capacity):
            return number(self.path.restrict(self.traffic_model.bytes(capacity)), {POSITION: position})
        cold, classes = self._at(position)
        unit = self._in_integers[0]
        return Fraction(cold + sum([bytes_ for distance, bytes_ in classes if distance > capacity * unit])) / unit

    @cached_property
    def kinds(self) -> tuple[TrafficCurve, ...]:
        """Of loads, fills and write-backs, each for itself."""
        each = ((True, False, False), (False, True, False), (False, False, True))
        models = (self.traffic_model.narrowed(TrafficPolicy(*wanted), self.traffic_model.array) for wanted in each)
        return tuple(TrafficCurve(model, self.path) for model in models)

    def expression(self, capacity: int, position: int) -> Expr:
        """The bytes at a position as an expression of the sizes, which holds as far as the same reuses miss."""
        model = self.traffic_model
        if not self._is_of_classes(capacity):
            return model.bytes(capacity)
        parts = [model.bytes(UNLIMITED)]
        for spread, first, rise in self._spreads_at(position):
            missing = _parts_above(capacity - first, rise, spread.parts)
            parts += [spread.bytes * missing] if missing else []
        return sum_of(parts)

    @kept
    def _spreads_at(self, position: int) -> Sequence[tuple[DistanceSpread, Number, Number]]:
        """The spreads, with their first distance and its rise there."""
        at = self.path.at
        return [(s, at(s.distance, position), at(s.rise, position)) for s in self.traffic_model.spreads]

    @kept
    def _at(self, position: int) -> tuple[Number, list[tuple[Number, Number]]]:
        """What moves in any case at a position, and the classes' distances and bytes there."""
        _, cold, classes = self._in_integers
        here = self.values.at(position)
        return here.number(cold), [
            (here.number(d) if isinstance(d, Expr) else value(d, position), here.number(bytes_))
            for d, bytes_ in classes.items()
        ]

    def _is_of_classes(self, capacity: int) -> bool:
        """Whether the classes give the traffic; NotEvaluable where they take too long to evaluate."""
        is_bound = not self.path.symbol or not self.traffic_model.cost.free
        if capacity == 0 or is_bound or not self.traffic_model.adds_up(capacity):
            return False
        if self._tangled > MAX_SAMPLED:
            raise NotEvaluable("too many distances whose signs can only be sampled")
        return True

    @cached_property
    def _tangled(self) -> int:
        return sum(isinstance(distance, Expr) and is_tangled(distance) for distance in self._in_integers[2])

    def _work_out(self, capacity: int) -> PiecewiseBytes:
        if not self._is_of_classes(capacity):
            return everywhere(self.path.restrict(self.traffic_model.bytes(capacity)))
        unit, cold, classes = self._in_integers
        limit = capacity * unit
        moved = (_Moved(misses, bytes_) for d, bytes_ in classes.items() if (misses := _far(d, limit, self.values)))
        return _pieces(cold, unit, moved)

    def is_possible(self, capacity: int, positions: Iterable[int]) -> bool:
        """Whether no more moves at these positions than the accesses there can move, and no less than nothing."""
        try:
            return all(0 <= self.at(capacity, x) <= self._most(x) for x in positions)
        except NotEvaluable:
            return False

    @kept
    def _most(self, position: int) -> Number:
        return ESTIMATE_TOLERANCE * number(self.path.restrict(self.traffic_model.ceiling), {POSITION: position})

    @cached_property
    def _in_integers(self) -> tuple[int, Expr, Mapping[Distance, Expr]]:
        """The bytes that move in any case, and those of the classes by distance, as functions of the position. All in a
        fraction of a byte in which every coefficient is an integer: they are added up often, and fractions are slow."""
        cold = self.path.restrict(self.traffic_model.bytes(UNLIMITED))
        spreads = [spread.restrict(self.path) for spread in self.traffic_model.spreads]
        exprs = (cold, *(e for s in spreads for e in (s.distance, s.rise, s.bytes)))
        unit = lcm(*(c.denominator for e in exprs for c in e.terms.values()))
        classes: dict[Distance, list[Expr]] = {}
        for spread in (s.times(unit) for s in spreads):
            for distance in _distances(spread):
                classes.setdefault(distance, []).append(spread.bytes)
        return unit, cold * unit, {distance: sum_of(parts) for distance, parts in classes.items()}


def _parts_above(spare: Number, rise: Number, parts: int) -> int:
    """Of the steps from 0 on, those that a rise from step to step brings above ``spare``."""
    if not rise:
        return parts if spare < 0 else 0
    if rise > 0:
        return parts - min(parts, max(0, floor(Fraction(spare) / rise) + 1))
    return min(parts, max(0, ceil(Fraction(spare) / rise)))


def _distances(spread: DistanceSpread) -> Iterable[Distance]:
    start, rise = polynomial(spread.distance, POSITION), polynomial(spread.rise, POSITION)
    if start is None or rise is None:
        return spread.distances
    both = tuple(zip_longest(start, rise, fillvalue=0))
    return [without_zeros(tuple([a + b * step for a, b in both])) for step in range(spread.parts)]


def _far(distance: Distance, capacity: int, values: ValuesAlong) -> Ranges:
    """The positions where a distance exceeds the capacity."""
    if isinstance(distance, Expr):
        return negative_positions(capacity - distance, values=values)
    start, *rest = distance or (0,)
    if not rest:
        return ((1, None),) if start > capacity else ()
    return negative_where((capacity - start, *(-c for c in rest)), (1, None))


class _Moved(NamedTuple):
    """What classes of one distance move, and the positions where they miss."""

    misses: Ranges
    bytes: Expr


def _pieces(cold: Expr, unit: int, moved: Iterable[_Moved]) -> PiecewiseBytes:
    """Cut the positions wherever a class begins or ceases to miss, and add it to the bytes or take it away."""
    changes: dict[int, list[Expr]] = {1: [cold]}
    for misses, bytes_ in moved:
        for lo, hi in misses:
            changes.setdefault(lo, []).append(bytes_)
            if hi is not None:
                changes.setdefault(hi + 1, []).append(-bytes_)
    starts = sorted(changes)
    spans: list[Range] = [(a, b - 1) for a, b in pairwise(starts)] + [(starts[-1], None)]
    totals = accumulate(sum_of(changes[start]) for start in starts)
    return tuple(BytesPiece(span, total, unit) for span, total in zip(spans, totals, strict=True))
