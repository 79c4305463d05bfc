"""The LRU model of a kernel, at the finest precision whose work the budget allows, or its compulsory traffic alone,
which takes a tenth of the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofscan.budget import Budget, BudgetExceeded, steps_left
from roofscan.cost.memory.lru.attempt import PRECISIONS, Attempt, Precision, too_many
from roofscan.cost.memory.lru.common_answers import AnswersAtPoint, CommonAnswers
from roofscan.cost.memory.lru.model import BoundKind, ReuseModel
from roofscan.cost.memory.lru.tree.build import TreeBuilder
from roofscan.cost.memory.lru.tree.nodes import LoopNode, loops_below
from roofscan.ir.kernel import MISSING, Kernel
from roofscan.symbolic.expr import NotEvaluable, Number

MODEL_STEPS = 900_000
"""What the model of a kernel may take, about a second, and at most three fifths of what is left. One that takes more
has its compulsory traffic alone."""

COARSEST_STEPS = 300_000  # what its coarsest attempt may take, where finer ones left less
COMPULSORY_STEPS = 200_000  # what compulsory traffic may take


def analyze_reuse(
    kernel: Kernel,
    sample_point: Mapping[str, Number],
    line: int,
    precisions: Sequence[Precision] = PRECISIONS,
    common: CommonAnswers | None = None,
) -> ReuseModel:
    """The reuse classes of a kernel; ``sample_point`` gives every symbol a number, ``line`` is in bytes. Where the
    periods of subscripts that wrap around are too many, those of one are analyzed together."""
    try:
        with ReuseAnalysis(kernel, sample_point, line, precisions, common=common) as analysis:
            model, wraps = analysis.model(), analysis.wraps
        if model.bound_kind.bound == "unknown" and wraps and steps_left() > COMPULSORY_STEPS:
            with ReuseAnalysis(kernel, sample_point, line, precisions, periods_apart=False) as analysis:
                model = analysis.model()
    except (NotEvaluable, ArithmeticError) as problem:
        return _unknown(kernel, line, problem)
    return model


class ReuseAnalysis:
    """The analysis of one kernel; NotEvaluable where its accesses cannot be put into a tree. Its end takes the tree
    apart: Python frees at once what no longer refers to what is around it, and leaves the rest to a slow collector."""

    def __init__(
        self,
        kernel: Kernel,
        sample_point: Mapping[str, Number],
        line: int,
        precisions: Sequence[Precision] = PRECISIONS,
        periods_apart: bool = True,
        common: CommonAnswers | None = None,
    ) -> None:
        """``precisions`` are tried in turn, until one takes little enough work."""
        self._precisions = precisions
        self._budget = Budget(min(MODEL_STEPS, steps_left() * 3 // 5))
        self._kernel = kernel
        self._line = line
        self._builder = TreeBuilder(kernel, sample_point, line, periods_apart)
        answers = AnswersAtPoint() if common is None else common.at(frozenset(sample_point.items()))
        self._root = self._builder.build(answers.numbers)
        self._answers = answers if self._builder.in_common else AnswersAtPoint()
        if self._builder.notes.may_bound:
            self._take_bounds(TreeBuilder(kernel, sample_point, line, periods_apart, at_worst=True))
        self._first = self._attempt(precisions[0], self._budget) if self._root.refs else None

    def _take_bounds(self, at_worst: TreeBuilder) -> None:
        """The tree at worst instead, where its figures are bounds."""
        root = at_worst.build()
        if at_worst.notes.approximate or not at_worst.notes.bounds:
            _take_apart(root)
        else:
            _take_apart(self._root)
            self._builder, self._root = at_worst, root

    def __enter__(self) -> ReuseAnalysis:
        return self

    def __exit__(self, *problem: object) -> None:
        _take_apart(self._root)

    @property
    def wraps(self) -> bool:
        """Whether subscripts wrap around, and their periods are told apart."""
        return self._builder.wraps

    def compulsory(self) -> ReuseModel | None:
        """Compulsory traffic alone: as in the model, without its classes. None where that takes long."""
        if self._first is None:
            return self._without_references()
        try:
            return self._first.least(self._line)
        except BudgetExceeded as stop:
            if stop.budget not in (self._budget, self._first.strata):
                raise
            return None

    def model(self) -> ReuseModel:
        """The model with all its classes, or compulsory traffic where it takes too much work."""
        try:
            return self._model()
        except BudgetExceeded as stop:
            if stop.budget is not self._budget:
                raise
            return self._least_at_all()
        except (NotEvaluable, ArithmeticError) as problem:
            return _unknown(self._kernel, self._line, problem)

    def _model(self) -> ReuseModel:
        if self._first is None:
            return self._without_references()
        for precision in self._precisions:
            first, last = precision is self._precisions[0], precision is self._precisions[-1]
            if last and self._renews_steps:
                self._budget = Budget(min(COARSEST_STEPS, steps_left() * 3 // 5))
            attempt = self._first if first else self._attempt(precision, self._budget)
            try:
                return attempt.model(self._line)
            except BudgetExceeded as stop:
                if stop.budget is attempt.whole:
                    break
                if stop.budget is not attempt.strata and (last or stop.budget is not self._budget):
                    raise
        return self._attempt(PRECISIONS[-1], self._budget).compulsory(self._line)

    @property
    def _renews_steps(self) -> bool:
        """Whether the coarsest attempt gets steps of its own: where it is close, and no other analysis follows."""
        spent = self._budget.left < COARSEST_STEPS < self._budget.steps
        return spent and not self.wraps and not self._builder.notes.irregular

    def _attempt(self, precision: Precision, budget: Budget) -> Attempt:
        return Attempt(self._kernel, self._builder, self._root, precision, budget, self._answers)

    def _least_at_all(self) -> ReuseModel:
        budget = Budget(COMPULSORY_STEPS)
        try:
            return self._attempt(PRECISIONS[-1], budget).compulsory(self._line)
        except BudgetExceeded as stop:
            if stop.budget is not budget:
                raise
        except (NotEvaluable, ArithmeticError):
            pass
        return ReuseModel(self._line, [], [], BoundKind(bound="unknown", why=too_many(self._kernel)))

    def _without_references(self) -> ReuseModel:
        missing = next((r for r in self._kernel.reasons if r.effect in MISSING), None)
        if missing is None:
            return ReuseModel(self._line, [], [], BoundKind(exact=True))
        return ReuseModel(self._line, [], [], BoundKind(bound="lower_bound", why=missing.located))


def _take_apart(root: LoopNode) -> None:
    for loop in (root, *loops_below(root)):
        loop.cut()


def _unknown(kernel: Kernel, line: int, problem: Exception) -> ReuseModel:
    why = f"the nests of line {kernel.line} cannot be analyzed: {problem}"
    return ReuseModel(line, [], [], BoundKind(bound="unknown", why=why))
