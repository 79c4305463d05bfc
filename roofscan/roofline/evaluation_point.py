"""The sizes at which a verdict is evaluated: those that are bound, or, where sizes are free, the largest in use, whose
data fit a computer's memory and whose call is over within a minute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import log, sqrt

from roofscan.cost.sample_point import WORKING_SET_BYTES
from roofscan.frozen import dataclass
from roofscan.roofline.size_paths import POSITION, SizePath, fixed_path, main_path
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.symbolic.bounded_evaluation import BoundedEvaluator, number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number
from roofscan.symbolic.polynomial_signs import bisect, negative_where, polynomial

MAX_POSITION = 1 << 40

MAX_SECONDS = 60.0
"""Seconds of one call: sizes at which it takes longer are not the ones that people have."""

MAX_STEPS = 1024
"""How many positions down a size is looked for that the guards allow: multiples of a block, say."""

LEAST_EVEN, MOST_EVEN, NEAR = 8, 64, 32
"""A size is rounded to a multiple of a power of two between these, by a 64th of it at most."""

NEAR_ENOUGH, AIM, MAX_TRIALS = 1.02, 1.01, 40
"""By which factor the size may be too small (each trial evaluates all traffic), and how far below it trials aim."""

Seconds = Callable[[int], float]
"""The time of a call at a position of a path."""


@dataclass(frozen=True)
class EvaluationPoint:
    """A point on a path through the sizes."""

    traffic_model: TrafficModel
    path: SizePath
    position: int
    generalises: bool = True  # whether the expressions may be used at other sizes too

    @cached_property
    def values(self) -> Mapping[str, Number]:
        return {name: self.path.at(expr, self.position) for name, expr in self.path.values.items()}

    @cached_property
    def _place(self) -> BoundedEvaluator:
        return BoundedEvaluator(self.values)

    def value(self, expr: Expr) -> Fraction:
        return Fraction(self._place.number(expr))

    def value_or_none(self, expr: Expr) -> Fraction | None:
        """None where it cannot be evaluated (a sum that is too long)."""
        try:
            return self.value(expr)
        except NotEvaluable:
            return None

    def up_to(self, position: int) -> EvaluationPoint:
        """At the largest position up to this one that the guards allow, if that is near."""
        places = range(position, max(self.path.domain[0] - 1, position - MAX_STEPS), -1)
        return replace(self, position=next(filter(self.path.allows, places), position))

    @property
    def even(self) -> EvaluationPoint:
        """At the nearest position where rows and blocks are whole, as at the sample point: parts of lines and blocks at
        their ends take a model more time than all else, and move next to nothing."""
        step = min(MOST_EVEN, 1 << (self.position // NEAR).bit_length() >> 1)
        near = (self.position + step // 2) // step * step if step >= LEAST_EVEN else self.position
        return replace(self, position=near) if self.path.symbol and self.path.allows(near) else self

    def data_at(self, position: int) -> Fraction | None:
        """The compulsory bytes at a position of the path."""
        try:
            return Fraction(number(self._least, {POSITION: position}))
        except NotEvaluable:
            return None

    def first_above(self, limit: int, span: tuple[int, int]) -> int | None:
        """The first position of the span whose compulsory bytes are more than ``limit``, if any."""
        by_powers = polynomial(self._least, POSITION)
        if by_powers is None:
            return bisect(lambda x: (self.data_at(x) or 0) > limit, *span)
        start, *rest = by_powers or (0,)
        return next((lo for lo, _ in negative_where((limit - start, *(-c for c in rest)), span) if lo > span[0]), None)

    @cached_property
    def _least(self) -> Expr:
        return self.path.restrict(TrafficPolicy(fill=False).of(self.traffic_model.traffic(UNLIMITED).total))


def evaluation_point(traffic_model: TrafficModel, seconds: Seconds = lambda position: 0.0) -> EvaluationPoint:
    smallest = EvaluationPoint(traffic_model, main_path(traffic_model.cost), 1)
    if not smallest.path.symbol:
        return smallest
    first, last = smallest.path.domain
    last = MAX_POSITION if last is None else last
    too_large = smallest.first_above(WORKING_SET_BYTES, (first, last))
    return smallest.up_to(_within_a_minute(seconds, first, max(too_large - 1, first) if too_large else last))


def at_sample_point(traffic_model: TrafficModel) -> EvaluationPoint:
    """The sample point itself, for kernels whose expressions hold at no other sizes."""
    return EvaluationPoint(traffic_model, fixed_path(traffic_model.cost), 1, generalises=False)


def _within_a_minute(seconds: Seconds, first: int, last: int) -> int:
    """The largest position of these at which a call takes no longer, nearly. A time is about a power of the size
    between two sizes, so that a few trials are enough."""
    low, high, after = first, last, seconds(last)
    if after <= MAX_SECONDS:
        return last
    before = seconds(first)
    for trial in range(MAX_TRIALS):
        if high <= max(low + 1, low * NEAR_ENOUGH):
            break
        guess = sqrt(low * high)
        if 0 < before < MAX_SECONDS and trial % 3 < 2:
            guess = low * (high / low) ** (log(MAX_SECONDS / before) / log(after / before)) / AIM
        middle = min(max(round(guess), round(low * AIM), low + 1), high - 1)
        if (found := seconds(middle)) <= MAX_SECONDS:
            low, before = middle, found
        else:
            high, after = middle, found
    return low
