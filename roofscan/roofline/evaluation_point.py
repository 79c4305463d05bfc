"""The sizes at which a verdict is evaluated: those that are bound, or, where sizes are free, such that the data are as
large as at the sample point: far larger than any cache, and still small enough for a computer's memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from roofscan.cost.sample_point import WORKING_SET_BYTES
from roofscan.roofline.size_paths import POSITION, SizePath, diagonal, fixed_path
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.symbolic.bounded_evaluation import BoundedEvaluator, number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number
from roofscan.symbolic.polynomial_signs import bisect

MAX_POSITION = 1 << 40


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

    def data_at(self, position: int) -> Fraction | None:
        """The compulsory bytes at a position of the path."""
        try:
            return Fraction(number(self._least, {POSITION: position}))
        except NotEvaluable:
            return None

    @cached_property
    def _least(self) -> Expr:
        return self.path.restrict(TrafficPolicy(fill=False).of(self.traffic_model.traffic(UNLIMITED).total))


def evaluation_point(traffic_model: TrafficModel) -> EvaluationPoint:
    path = diagonal(traffic_model.cost)
    if path is None:
        return EvaluationPoint(traffic_model, fixed_path(traffic_model.cost), 1)
    probe = EvaluationPoint(traffic_model, path, 1)
    return EvaluationPoint(traffic_model, path, reach(probe, WORKING_SET_BYTES))


def at_sample_point(traffic_model: TrafficModel) -> EvaluationPoint:
    """The sample point itself, for kernels whose expressions hold at no other sizes."""
    return EvaluationPoint(traffic_model, fixed_path(traffic_model.cost), 1, generalises=False)


def reach(place: EvaluationPoint, size: int) -> int:
    """The first position of the path at which the data have ``size`` bytes, or the largest position."""
    return bisect(lambda x: (place.data_at(x) or 0) >= size, 1, MAX_POSITION) or MAX_POSITION
