"""The cache model of a kernel, in two steps: what must move at least takes a tenth of the time of what moves."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.memory.lru.analyze import PRECISIONS, Analysis, said, too_many
from roofscan.cost.memory.lru.model import BoundKind, ReuseModel
from roofscan.cost.memory.lru.precision_budget import Meter, TooMuch
from roofscan.cost.memory.lru.reuse_records import BudgetSpent
from roofscan.cost.memory.lru.tree.build import TreeBuilder
from roofscan.ir import kernel as ir
from roofscan.symbolic.expr import NotEvaluable, Number

MOST_STEPS = 50_000
"""What a report's model may take, in steps of the meter: about a second. What takes more has what must move alone, on
every machine; the clock is the last resort."""


def analyze_reuse(
    kernel: ir.Kernel, sample_point: Mapping[str, Number], line: int, most: int | None = None
) -> ReuseModel:
    """The reuse classes of a kernel; ``witness`` gives every symbol a number, ``line`` is in bytes, ``most`` as in
    :class:`Survey`."""
    try:
        survey = ReuseAnalysis(kernel, sample_point, line, most)
    except (NotEvaluable, ArithmeticError) as problem:
        return _unknown(kernel, line, problem)
    return survey.model()


class ReuseAnalysis:
    """The tree of a kernel, looked at as closely as is asked for; NotEvaluable where it has none. ``most``: how many
    steps that may take before it is TooMuch."""

    def __init__(
        self, kernel: ir.Kernel, sample_point: Mapping[str, Number], line: int, most: int | None = None
    ) -> None:
        self._meter = Meter(MOST_STEPS if most is None else most)
        self._refuses = most is not None
        self._kernel = kernel
        self._line = line
        self._builder = TreeBuilder(kernel, sample_point, line)
        self._root = self._builder.build()
        self._first = (
            Analysis(kernel, self._builder, self._root, PRECISIONS[0], self._meter) if self._root.refs else None
        )

    def least(self) -> ReuseModel | None:
        """What must move, and that alone: as in the model, without its classes. None where that takes long."""
        if self._first is None:
            return self._without_references()
        try:
            return self._first.least(self._line)
        except BudgetSpent:
            return None

    def model(self) -> ReuseModel:
        """The model with all its classes, or, where they are too many, what must move at least."""
        try:
            return self._model()
        except TooMuch:
            if self._refuses:
                raise
            return self._least_at_all()
        except (NotEvaluable, ArithmeticError) as problem:
            return _unknown(self._kernel, self._line, problem)

    def _model(self) -> ReuseModel:
        if self._first is None:
            return self._without_references()
        attempt = self._first
        for effort in PRECISIONS:
            if effort is not PRECISIONS[0]:
                attempt = Analysis(self._kernel, self._builder, self._root, effort, self._meter)
            try:
                return attempt.model(self._line)
            except BudgetSpent as spent:
                if not spent.may_retry:
                    break
        return self._compulsory(self._meter)

    def _compulsory(self, meter: Meter) -> ReuseModel:
        return Analysis(self._kernel, self._builder, self._root, PRECISIONS[-1], meter).compulsory(self._line)

    def _least_at_all(self) -> ReuseModel:
        try:
            return self._compulsory(Meter(MOST_STEPS))
        except (TooMuch, NotEvaluable, ArithmeticError):
            return ReuseModel(self._line, [], [], BoundKind(bound="unknown", why=too_many(self._kernel)))

    def _without_references(self) -> ReuseModel:
        missing = next((r for r in self._kernel.reasons if r.effect in ir.MISSING), None)
        if missing is None:
            return ReuseModel(self._line, [], [], BoundKind(exact=True))
        return ReuseModel(self._line, [], [], BoundKind(bound="lower_bound", why=said(missing)))


def _unknown(kernel: ir.Kernel, line: int, problem: Exception) -> ReuseModel:
    why = f"the nests of line {kernel.line} cannot be analyzed: {problem}"
    return ReuseModel(line, [], [], BoundKind(bound="unknown", why=why))
