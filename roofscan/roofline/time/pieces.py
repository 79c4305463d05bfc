"""The time of a call in pieces: an expression holds as far as the same resources limit the kernel and the same reuses
miss. Beyond it, the model is asked again.

Pieces are found along the path on which all free sizes grow together. What other sizes are held at, or equal, is part
of where a piece holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import takewhile
from math import exp, inf, isqrt, log

from roofscan.cost.result import KernelCost
from roofscan.cost.sample_point import WORKING_SET_BYTES
from roofscan.frozen import dataclass
from roofscan.machine.model import Machine
from roofscan.roofline.evaluation_point import MAX_POSITION, EvaluationPoint
from roofscan.roofline.interfaces import TrafficCurves, interfaces
from roofscan.roofline.pieces import runs
from roofscan.roofline.size_paths import POSITION, SizePath
from roofscan.roofline.target import target_on
from roofscan.roofline.time.amount import expression
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.traffic_model import TrafficPolicy
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number, symbol

TOLERANCES = (0.1, 0.15, 0.2, 0.5)
"""How far the expression of a piece may be from the model's time where it holds: the first with few enough pieces."""

CLOSE = 0.2  # what is farther is an estimate
MAX_OFF = 0.4  # of the bound

MAX_PIECES = 16
MAX_ASKED, MAX_CLASSES = 400, 20_000  # so often the model is asked at most, and so many reuses are looked at in all
MIN_ASKED = 60
MAX_PLACES = 24  # sizes at which the model is asked, besides the ends of pieces
NEAR_ENOUGH = 1.002  # between the last size at which a piece holds and the first at which it does not


@dataclass(frozen=True)
class TimePiece:
    """Seconds where each expression of ``when`` is at least 0, within a factor of 1 ± ``within`` of what the model
    says there; ``at_least`` is at most its bound."""

    when: tuple[Expr, ...]
    expected: Expr
    at_least: Expr
    limit: str
    within: float


@dataclass(frozen=True)
class _Form:
    """The time at one position, and its expressions on demand."""

    time: TimePrediction
    path: SizePath

    @cached_property
    def exprs(self) -> tuple[Expr, Expr] | None:
        expected, least = expression(self.time.expected), expression(self.time.at_least)
        return (expected, least) if expected is not None and least is not None else None

    def at(self, x: int) -> tuple[float, float] | None:
        """By the expressions, at another position."""
        if self._along is None:
            return None
        expected, least = (float(number(e, {POSITION: x})) for e in self._along)
        return expected, least

    @cached_property
    def _along(self) -> tuple[Expr, Expr] | None:
        return (self.path.restrict(self.exprs[0]), self.path.restrict(self.exprs[1])) if self.exprs else None


@dataclass(frozen=True)
class _Span:
    """From ``first`` to ``last`` the form of the position ``anchor`` holds."""

    first: int
    last: int
    anchor: int


@dataclass(frozen=True)
class _Walk:
    """Along places in one direction, from piece to piece."""

    form: Callable[[int], _Form | None]
    tolerance: float
    near: float = NEAR_ENOUGH

    def spans(self, places: Sequence[int]) -> Iterator[_Span]:
        while places:
            anchor = self._farthest(places)
            end, rest = self.edge(anchor, places[0], places)
            if self.holds(anchor, places[0]):
                yield _Span(min(places[0], end), max(places[0], end), anchor)
            places = rest if len(rest) < len(places) or rest[0] != places[0] else rest[1:]

    def _farthest(self, places: Sequence[int]) -> int:
        """The place whose form holds for most of the places from the first on."""
        anchors = takewhile(lambda x: self.holds(x, places[0]), places[1:])
        return max((places[0], *anchors), key=lambda x: self._held(x, places))

    def _held(self, anchor: int, places: Sequence[int]) -> int:
        return next((n for n, x in enumerate(places) if not self.holds(anchor, x)), len(places))

    def edge(self, anchor: int, start: int, places: Sequence[int]) -> tuple[int, Sequence[int]]:
        """The last position at which the form holds, and the places beyond it, from the next position on."""
        held = self._held(anchor, places)
        if held == len(places):
            return (places[-1] if places else start), ()
        inside, outside = places[held - 1] if held else start, places[held]
        while abs(outside - inside) > 1 and max(inside, outside) > self.near * min(inside, outside):
            near, far = sorted((inside, outside))
            middle = min(max(isqrt(near * far), near + 1), far - 1)
            inside, outside = (middle, outside) if self.holds(anchor, middle) else (inside, middle)
        step = 1 if outside > inside else -1
        first = [outside] if outside != places[held] else []
        return outside - step, [*first, *places[held:]]

    def holds(self, anchor: int, x: int) -> bool:
        form, there = self.form(anchor), self.form(x)
        found = form.at(x) if form and there else None
        if found is None or there is None:
            return False
        time = there.time
        of_bound = min(2 * self.tolerance, MAX_OFF)
        return _near(found[0], time.expected, self.tolerance) and _near(found[1], time.at_least, of_bound)


@dataclass(frozen=True)
class TimePieces:
    """The time of a kernel whose sizes are free; ``position``: that of the verdict, whose piece is the last."""

    curves: TrafficCurves
    machine: Machine
    position: int

    @cached_property
    def pieces(self) -> tuple[TimePiece, ...]:
        """None where nothing grows, or no time is known at the size of the verdict."""
        here = self._form(self.position)
        if not self._path.symbol or not self.curves.evaluation.generalises or here is None or here.exprs is None:
            return ()
        for tolerance in TOLERANCES:
            if len(self._spans(_Walk(self._form, tolerance, near=inf))) > MAX_PIECES and tolerance != TOLERANCES[-1]:
                continue
            found = self._spans(_Walk(self._form, tolerance))
            if len(found) <= MAX_PIECES:
                break
        return tuple(self._piece(span, tolerance) for span in found[-MAX_PIECES:])

    def _spans(self, walk: _Walk) -> Sequence[_Span]:
        """That of the verdict last."""
        below = [x for x in reversed(self._places) if x < self.position]
        above = [x for x in self._places if x > self.position]
        lower, less = walk.edge(self.position, self.position, below)
        higher, more = walk.edge(self.position, self.position, above)
        others = [*walk.spans(less), *walk.spans(more)]
        return [*sorted(others, key=lambda span: span.first), _Span(lower, higher, self.position)]

    @property
    def _path(self) -> SizePath:
        return self.curves.evaluation.path

    @cached_property
    def _places(self) -> Sequence[int]:
        """Sizes whose loops run, evenly by their logarithms, up to those whose data fill a computer's memory."""
        evaluation = self.curves.evaluation
        first, last = self._path.domain
        last = last or MAX_POSITION
        too_large = evaluation.first_above(WORKING_SET_BYTES, (first, last))
        last = max(too_large - 1 if too_large else last, self.position)
        first = next((x for x in range(first, min(last, first + MAX_PLACES)) if self._runs(x)), self.position)
        ratio = log(max(last, first) / first)
        return sorted({*(round(first * exp(ratio * k / MAX_PLACES)) for k in range(MAX_PLACES + 1))})

    def _runs(self, x: int) -> bool:
        conditions = runs(self.curves.cost)
        return all(number(self._path.restrict(g), {POSITION: x}) >= 0 for g in conditions)

    # -- forms --------------------------------------------------------------------------------------
    def _form(self, x: int) -> _Form | None:
        if x not in self._forms and len(self._forms) < self._may_ask:
            self._forms[x] = self._form_at(self.curves.moved_to(self._evaluation(x)))
        return self._forms.get(x)

    @cached_property
    def _may_ask(self) -> int:
        model = self.curves.traffic_model
        classes = len(model.spreads) + MAX_PLACES * len(model.outer) + 1
        return max(MIN_ASKED, min(MAX_ASKED, MAX_CLASSES // classes))

    @cached_property
    def _forms(self) -> dict[int, _Form | None]:
        return {}

    def _evaluation(self, x: int) -> EvaluationPoint:
        return replace(self.curves.evaluation, position=x)

    def _form_at(self, curves: TrafficCurves) -> _Form | None:
        try:
            target = target_on(curves.cost, self.machine, curves.evaluation.values)
            time = predicted_time(curves, self.machine, target)
        except NotEvaluable:
            return None
        return _Form(time, self._path) if isinstance(time, TimePrediction) and time.expected > 0 else None

    # -- pieces -------------------------------------------------------------------------------------
    def _piece(self, span: _Span, within: float) -> TimePiece:
        form = self._forms[span.anchor]
        assert form is not None and form.exprs is not None
        expected, least = form.exprs
        inside = {x: found for x, found in self._forms.items() if found and span.first <= x <= span.last}
        ratios = [found.time.at_least / at[1] for x, found in inside.items() if (at := form.at(x)) and at[1] > 0]
        lowest = Fraction(f"{min((1.0, *ratios)):.3f}")
        return TimePiece((*self._between(span), *self._equal), expected, least * lowest, form.time.limit, within)

    def _between(self, span: _Span) -> Iterator[Expr]:
        size = symbol(self._path.symbol)
        yield size - span.first
        if span.last < self._places[-1]:
            yield span.last - size

    @cached_property
    def _equal(self) -> tuple[Expr, ...]:
        """Where the path is: the other free sizes by the first one or by the numbers that they are held at."""
        size = {POSITION: symbol(self._path.symbol)}
        others = {n: e.subs(size) for n, e in self._path.values.items() if n != self._path.symbol}
        free = self.curves.cost.free - {self._path.symbol}
        apart = [symbol(name) - e for name, e in sorted(others.items()) if name in free]
        return tuple(e for each in apart for e in (each, -each))


def _near(found: float, wanted: float, tolerance: float) -> bool:
    return wanted * (1 - tolerance) <= found <= wanted * (1 + tolerance)


def time_pieces(cost: KernelCost, machine: Machine, sizes: Mapping[str, Number]) -> tuple[TimePiece, ...]:
    """Of a kernel on a CPU whose verdict is given at these sizes."""
    if machine.gpu is not None or not sizes:
        return ()
    capacities = [row.capacity for row in interfaces(machine, "core")]
    curves = TrafficCurves.of(cost, TrafficPolicy(fill=machine.write_allocate), capacities)
    position = sizes.get(curves.evaluation.path.symbol)
    return TimePieces(curves, machine, int(position)).pieces if position is not None else ()
