"""The sizes at which a verdict is told: those that are bound, or, where sizes are free, large ones.

What is told of a kernel with free sizes is told where its data are as large as the witness takes them: far larger
than any cache, and still what a computer's memory holds. What begins beyond does not matter.
"""

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

FARTHEST = 1 << 40


@dataclass(frozen=True)
class EvaluationPoint:
    """A place on a path through the sizes."""

    traffic_model: TrafficModel
    path: SizePath
    position: int
    generalises: bool = True  # whether the expressions may be used at other sizes too

    @cached_property
    def values(self) -> Mapping[str, Number]:
        """What every symbol is there."""
        return {name: self.path.at(expr, self.position) for name, expr in self.path.values.items()}

    @cached_property
    def _place(self) -> BoundedEvaluator:
        return BoundedEvaluator(self.values)

    def value(self, expr: Expr) -> Fraction:
        return Fraction(self._place.number(expr))

    def value_or_none(self, expr: Expr) -> Fraction | None:
        """None where it cannot be evaluated there (a sum too long)."""
        try:
            return self.value(expr)
        except NotEvaluable:
            return None

    def data_at(self, position: int) -> Fraction | None:
        """Bytes that the kernel must move at least at a position of the path."""
        try:
            return Fraction(number(self._least, {POSITION: position}))
        except NotEvaluable:
            return None

    @cached_property
    def _least(self) -> Expr:
        return self.path.restrict(TrafficPolicy(fill=False).of(self.traffic_model.traffic(UNLIMITED).total))


def evaluation_point(traffic_model: TrafficModel) -> EvaluationPoint:
    """Where the kernel of the books is judged."""
    path = diagonal(traffic_model.cost)
    if path is None:
        return EvaluationPoint(traffic_model, fixed_path(traffic_model.cost), 1)
    probe = EvaluationPoint(traffic_model, path, 1)
    return EvaluationPoint(traffic_model, path, reach(probe, WORKING_SET_BYTES))


def at_sample_point(traffic_model: TrafficModel) -> EvaluationPoint:
    """The witness itself: where expressions hold at no other sizes."""
    return EvaluationPoint(traffic_model, fixed_path(traffic_model.cost), 1, generalises=False)


def reach(place: EvaluationPoint, size: int) -> int:
    """The first position of the path at which the data are that large, or the farthest."""
    return bisect(lambda x: (place.data_at(x) or 0) >= size, 1, FARTHEST) or FARTHEST
