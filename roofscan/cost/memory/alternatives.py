"""The memory model of a kernel with open flags: its cases are modelled one by one, and mixed by their weights.

Each weight is a product of flags and complements of flags. Where every flag is 0 or 1, one weight is 1 and the others
are 0, so that the mixture is the case that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from roofscan.cost.memory.base import Answers, MemoryAnalysis, MemoryModel, Movement, ReuseClass, Traffic
from roofscan.ir.kinds import TrafficStatus
from roofscan.symbolic.expr import ZERO, Expr, sum_of

NOTHING = Movement(ZERO, ZERO, ZERO)


class MixedModel:
    """The models of all cases as one (a :class:`~roofscan.cost.memory.base.MemoryModel`)."""

    def __init__(self, cases: Sequence[tuple[Expr, MemoryModel]]) -> None:
        """``cases``: the weight and the model of each."""
        self._cases = cases
        self._traffic: dict[int, Traffic] = {}
        self.line = cases[0][1].line

    @property
    def status(self) -> TrafficStatus:
        return worst(model.status for _, model in self._cases)

    @property
    def footprint(self) -> Expr:
        return sum_of(weight * model.footprint for weight, model in self._cases)

    @cached_property
    def classes(self) -> tuple[ReuseClass, ...]:
        """The classes of all cases. One that several cases have is listed once."""
        counts: dict[ReuseClass, Expr] = {}
        for weight, model in self._cases:
            for found in model.classes:
                key = replace(found, count=ZERO)
                counts[key] = counts.get(key, ZERO) + weight * found.count
        return tuple(replace(found, count=count) for found, count in counts.items() if count)

    @property
    def answers(self) -> Answers:
        asked = all(model.answers.classes is not None for _, model in self._cases)
        return Answers(self.classes if asked else None, self._traffic)

    def traffic(self, capacity: int) -> Traffic:
        if capacity not in self._traffic:
            self._traffic[capacity] = self._mixed(capacity)
        return self._traffic[capacity]

    def _mixed(self, capacity: int) -> Traffic:
        found = [(weight, model.traffic(capacity)) for weight, model in self._cases]
        status = worst(traffic.status for _, traffic in found)
        return Traffic(
            capacity,
            _sum((weight, traffic.total) for weight, traffic in found),
            {
                name: _sum((weight, traffic.arrays.get(name, NOTHING)) for weight, traffic in found)
                for name in dict.fromkeys(name for _, traffic in found for name in traffic.arrays)
            },
            status,
            tuple(dict.fromkeys(text for _, traffic in found for text in traffic.conditions)),
            next((traffic.why for _, traffic in found if traffic.why), ""),
        )


class MixedAnalysis:
    """The analyses of all cases as one (a :class:`~roofscan.cost.memory.base.MemoryAnalysis`)."""

    def __init__(self, cases: Sequence[tuple[Expr, MemoryAnalysis]]) -> None:
        self._cases = cases

    def compulsory(self) -> MemoryModel | None:
        found = [(weight, analysis.compulsory()) for weight, analysis in self._cases]
        known = [(weight, model) for weight, model in found if model is not None]
        return MixedModel(known) if len(known) == len(found) else None

    def model(self) -> MemoryModel:
        return MixedModel([(weight, analysis.model()) for weight, analysis in self._cases])


def worst(statuses: Iterable[TrafficStatus]) -> TrafficStatus:
    """The status of figures of which each has one of these: bounds of two kinds, or a bound beside an estimate, bound
    nothing."""
    found = {*statuses} - {"exact"}
    if not found:
        return "exact"
    return "unknown" if "unknown" in found else next(iter(found)) if len(found) == 1 else "estimate"


def _sum(parts: Iterable[tuple[Expr, Movement]]) -> Movement:
    weighed = list(parts)

    def total(figure: Callable[[Movement], Expr]) -> Expr:
        return sum_of(weight * figure(moved) for weight, moved in weighed)

    return Movement(total(lambda m: m.load), total(lambda m: m.fill), total(lambda m: m.writeback))
