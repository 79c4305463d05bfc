"""The time of a call in pieces, along the path on which all free sizes grow together: what other sizes are held at, or
equal, is part of where a piece holds.

The model is asked at a few sizes, at more where the order of growth changes. The last piece is the model's expression
at the size of the verdict, as far as that holds. The others go through the times at their ends, by two neighbouring
powers of the size; their bounds stay below what each resource needs at least between two sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, isqrt, log

from roofscan.cost.sample_point import WORKING_SET_BYTES
from roofscan.frozen import dataclass
from roofscan.machine.model import Machine
from roofscan.roofline.evaluation_point import MAX_POSITION
from roofscan.roofline.interfaces import TrafficCurves
from roofscan.roofline.pieces import runs
from roofscan.roofline.size_paths import POSITION, SizePath
from roofscan.roofline.target import target_on
from roofscan.roofline.time.powers import Fit, Floor, floor_from, share_below
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import CLOSE, TimePiece, TimePrediction
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, NotEvaluable, symbol

TOLERANCES = (0.1, 0.15, CLOSE, 0.3, 0.5)
"""How far a piece may be from the times between its ends: the first with few enough pieces."""

MAX_PIECES = 16
MOST_POWER = 4  # the lower one of two powers through several times
MIN_SIZES, MAX_SIZES, MAX_CLASSES = (
    9,
    24,
    2_000,
)  # sizes at which the model is asked: so many reuses are looked at in all
BENT = 0.1  # how much more than the order of growth a time rises to the next size, for one between to be asked
FIRST_PLACES = 24  # sizes that are tried for the first one whose loops run
WARP = 32
REMAINDERS = 4096  # from this size on the iterations that fill no vector take little of the time
LANES = 16
TINY = 1e-3
MARGIN = 0.95  # of the bound: a size that is bound is counted more closely


@dataclass(frozen=True)
class _Asked:
    """The times at a size; ``spread``: how far the expected one may be off for another remainder of the loops."""

    x: int
    expected: float
    bounds: Mapping[str, float]  # what each resource needs at least
    limit: str
    spread: float = 0.0

    @property
    def least(self) -> float:
        return max(self.bounds.values())


@dataclass(frozen=True)
class _Span:
    """Between the sizes that were asked by these numbers; without a fit, the expression of the verdict holds."""

    first: int
    last: int
    fit: Fit | None
    least: Fit | None
    after: int = 0  # so many of its sizes belong to the neighbours
    before: int = 0


@dataclass(frozen=True)
class TimePieces:
    """The time of a kernel whose sizes are free; ``time``: at the size of the verdict, whose piece is the last."""

    curves: TrafficCurves
    machine: Machine
    time: TimePrediction

    @cached_property
    def pieces(self) -> tuple[TimePiece, ...]:
        """None where nothing grows, or no time is known at the size of the verdict."""
        if not self._path.symbol or not self.curves.evaluation.generalises or len(self._asked) < 2:
            return ()
        for tolerance in TOLERANCES:
            spans = self._spans(tolerance)
            if len(spans) <= MAX_PIECES:
                break
        return tuple(map(self._piece, spans))

    @property
    def _path(self) -> SizePath:
        return self.curves.evaluation.path

    @property
    def _position(self) -> int:
        return self.curves.evaluation.position

    # -- times at sizes -----------------------------------------------------------------------------
    @cached_property
    def _asked(self) -> Sequence[_Asked]:
        """Sizes whose loops run, up to those whose data fill a computer's memory, with the times there."""
        first, last = self._ends
        ends = {x: self._ask(x) for x in (first, self._position, last)}
        found = {x: there for x, there in ends.items() if there is not None}
        model = self.curves.traffic_model
        most = max(MIN_SIZES, min(MAX_SIZES, MAX_CLASSES // (1 + len(model.spreads))))
        for n in range(most - len(found)):
            asked = _in_order(found)
            gaps = [(self._doubt(asked, k, n < MIN_SIZES), a.x, b.x) for k, (a, b) in enumerate(pairwise(asked))]
            doubt, a, b = max((gap for gap in gaps if gap[2] > gap[1] + 1), default=(0.0, 0, 0))
            middle = self._between(a, b) if doubt > BENT else 0
            if not middle or (here := self._ask(middle)) is None:
                break
            found[middle] = here
        return _in_order(found)

    @staticmethod
    def _doubt(asked: Sequence[_Asked], k: int, evenly: bool) -> float:
        """The widest gap first; then where times rise by more than the order of growth nearby, or bounds are low."""
        a, b = asked[k : k + 2]
        if evenly:
            return log(b.x / a.x)
        floor = floor_from([(each.x, each.bounds) for each in asked], k)
        low = max(each.least / max(floor.at(each.x), TINY * each.least) for each in (a, b))
        return max(_bend(asked, k), log(low))

    @staticmethod
    def _between(a: int, b: int) -> int:
        middle = min(max(isqrt(a * b), a + 1), b - 1)
        odd = middle | (LANES - 1)
        return odd if LANES <= middle < REMAINDERS and a < odd < b else middle

    @cached_property
    def _ends(self) -> tuple[int, int]:
        evaluation = self.curves.evaluation
        first, last = self._path.domain
        first, last = max(first, 1 if self.machine.gpu is None else WARP), last or MAX_POSITION
        too_large = evaluation.first_above(WORKING_SET_BYTES, (first, last))
        last = max(too_large - 1 if too_large else last, self._position)
        conditions = [self._path.restrict(g) for g in runs(self.curves.cost)]
        tried = range(first, min(last, first + FIRST_PLACES))
        run = (x for x in tried if all(number(g, {POSITION: x}) >= 0 for g in conditions))
        return next((x for x in run if self._ask(x)), self._position), last

    def _ask(self, x: int) -> _Asked | None:
        even = self._predicted(x, True)
        time = even if x >= REMAINDERS else self._predicted(x, False)
        time = self.time if x == self._position else time
        if even is None or time is None or min(even.expected, even.at_least, time.expected, time.at_least) <= 0:
            return None
        low, high = sorted((float(even.expected), float(time.expected)))
        middle = float(time.expected) if x == self._position else (low * high) ** 0.5
        bounds = {name: min(even.bounds.get(name, least), least) for name, least in time.bounds.items()}
        return _Asked(x, middle, bounds, time.limit, log(high / low) / 2)

    def _predicted(self, x: int, even: bool) -> TimePrediction | None:
        curves = self.curves.moved_to(replace(self.curves.evaluation, position=x))
        try:
            target = target_on(curves.cost, self.machine, curves.evaluation.values)
            time = predicted_time(curves, self.machine, target, even=even)
        except NotEvaluable:
            return None
        return time if isinstance(time, TimePrediction) else None

    # -- spans --------------------------------------------------------------------------------------
    def _spans(self, tolerance: float) -> Sequence[_Span]:
        """They cover all sizes; that of the verdict is the last."""
        here = next(k for k, a in enumerate(self._asked) if a.x == self._position)
        low = high = here
        if self._along is None:
            low = max(0, here - 1)
        else:
            while low and self._holds(low - 1, tolerance):
                low -= 1
            while high + 1 < len(self._asked) and self._holds(high + 1, tolerance):
                high += 1
        below, above = self._fitted(0, low, tolerance), self._fitted(high, len(self._asked) - 1, tolerance)
        last = self._fit(low, here) if self._along is None else _Span(low, high, None, None)
        return [*(replace(s, before=1) for s in below), *(replace(s, after=1) for s in above), last]

    def _fitted(self, first: int, last: int, tolerance: float) -> Iterator[_Span]:
        while first < last:
            ends = range(last, first, -1)
            end = next((end for end in ends if self._fits(self._fit(first, end), tolerance)), first + 1)
            yield self._fit(first, end)
            first = end

    def _fit(self, first: int, last: int) -> _Span:
        a, b = self._asked[first], self._asked[last]
        below, above = self._floors(first, last)[0], self._floors(first, last)[-1]
        most = self._lower_power if last <= first + 1 else MOST_POWER
        least = Fit.through((a.x, below.at(a.x)), (b.x, above.at(b.x)), most)
        return _Span(first, last, Fit.through((a.x, a.expected), (b.x, b.expected), most), least)

    @cached_property
    def _lower_power(self) -> int:
        """One below the order by which the time grows over the larger sizes: between two sizes next to each other a
        step looks like a high power, and a reader expects the kernel's own."""
        a, b = self._asked[min(len(self._asked) // 2, len(self._asked) - 2)], self._asked[-1]
        return max(0, round(log(b.expected / a.expected) / log(b.x / a.x)) - 1)

    def _fits(self, span: _Span, tolerance: float) -> bool:
        assert span.fit is not None and span.least is not None
        inside = self._asked[span.first : span.last + 1]
        near = all(_apart(span.fit.at(a.x), a.expected) <= tolerance for a in inside)
        joints = pairwise(self._floors(span.first, span.last))
        lows = ((a.last, min(a.at(a.last), b.at(a.last))) for a, b in joints)
        return near and all(low and _apart(span.least.at(x), low) <= tolerance for x, low in lows)

    def _floors(self, first: int, last: int) -> Sequence[Floor]:
        """What the bound is above between the sizes asked."""
        here = self._asked[first]
        return self._every_floor[first:last] or [Floor(here.x, here.x, 0.0, here.least)]

    @cached_property
    def _every_floor(self) -> Sequence[Floor]:
        times = [(a.x, a.bounds) for a in self._asked]
        return [floor_from(times, k) for k in range(len(times) - 1)]

    def _holds(self, k: int, tolerance: float) -> bool:
        """Whether the expressions of the verdict do there."""
        a, found = self._asked[k], self._by_verdict(self._asked[k].x)
        return _apart(found[0], a.expected) <= tolerance and _apart(found[1], a.least) <= 2 * tolerance

    def _by_verdict(self, x: int) -> tuple[float, float]:
        assert self._along is not None
        expected, least = (float(number(e, {POSITION: x})) for e in self._along)
        return expected, least

    @cached_property
    def _along(self) -> tuple[Expr, Expr] | None:
        expected, least = self.time.expected_expr, self.time.at_least_expr
        return (
            None if expected is None or least is None else (self._path.restrict(expected), self._path.restrict(least))
        )

    # -- pieces -------------------------------------------------------------------------------------
    def _piece(self, span: _Span) -> TimePiece:
        inside = self._asked[span.first : span.last + 1]
        size, fit, least = symbol(self._path.symbol), span.fit, span.least
        apart = max(_apart(fit.at(a.x) if fit else self._by_verdict(a.x)[0], a.expected) + a.spread for a in inside)
        steps = range(span.first, span.last)
        bend = max((_bend(self._asked, k) for k in steps), default=0.0)
        bound = least.at if least else lambda x: self._by_verdict(x)[1]
        factor = MARGIN * share_below(bound, self._floors(span.first, span.last))
        within = ceil(100 * (max(TOLERANCES[0], apart) + bend / 2)) / 100
        where = self._range(span), self._equal
        limit = max(inside, key=lambda a: a.x).limit
        if fit and least:
            return TimePiece(*where, fit.expr(size), least.expr(size, factor), limit, within)
        assert self.time.expected_expr is not None and self.time.at_least_expr is not None
        exact = Fraction(f"{factor:.3f}")
        return TimePiece(*where, self.time.expected_expr, self.time.at_least_expr * exact, self.time.limit, within)

    def _range(self, span: _Span) -> tuple[Expr, Expr]:
        size, first, last = symbol(self._path.symbol), self._asked[span.first].x, self._asked[span.last].x
        return size - (first + span.after), last - span.before - size

    @cached_property
    def _equal(self) -> tuple[Expr, ...]:
        """Where the path is: the other free sizes by the first one or by the numbers that they are held at."""
        size = {POSITION: symbol(self._path.symbol)}
        others = {n: e.subs(size) for n, e in self._path.values.items() if n != self._path.symbol}
        free = self.curves.cost.free - {self._path.symbol}
        apart = [symbol(name) - e for name, e in sorted(others.items()) if name in free]
        return tuple(e for each in apart for e in (each, -each))


def _in_order(found: Mapping[int, _Asked]) -> Sequence[_Asked]:
    return [found[x] for x in sorted(found)]


def _apart(found: float, wanted: float) -> float:
    return abs(found / wanted - 1)


def _bend(asked: Sequence[_Asked], k: int) -> float:
    """By which logarithm the time rises from one size to the next beyond the least order of growth nearby: a step may
    be anywhere between the two."""
    near = asked[max(0, k - 1) : k + 3]
    orders = [log(b.expected / a.expected) / log(b.x / a.x) for a, b in pairwise(near)]
    a, b = asked[k], asked[k + 1]
    if b.x == a.x + 1:
        return 0.0
    return log(b.expected / a.expected) - min(orders) * log(b.x / a.x)


def time_pieces(curves: TrafficCurves, machine: Machine, time: TimePrediction) -> tuple[TimePiece, ...]:
    """Of a kernel whose time is given at the sizes of its verdict."""
    return TimePieces(curves, machine, time).pieces
