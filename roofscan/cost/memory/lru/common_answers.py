"""What models of kernels with nests in common need not work out again: answers by canonical form, at one sample
point."""

from __future__ import annotations

from roofscan.cost.memory.lru.distance import KnownDistances
from roofscan.cost.memory.lru.footprint.footprints import KnownFootprints
from roofscan.cost.memory.lru.reuse_records import MemoEntry
from roofscan.cost.memory.lru.tree.canonical_forms import FormNumbers
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.memo import kept
from roofscan.symbolic.expr import Number


class AnswersOfAttempts:
    """Of attempts of one kind."""

    def __init__(self) -> None:
        self.footprints = KnownFootprints()
        self.contributions: dict[object, MemoEntry] = {}  # of loops
        self.distances: dict[object, KnownDistances] = {}
        self.shares: dict[object, Num] = {}  # of writes among first touches


class AnswersAtPoint:
    def __init__(self, of_changes: bool = False) -> None:
        """``of_changes``: nobody asks whether the figures are exact."""
        self.of_changes = of_changes
        self.numbers = FormNumbers()
        self.expressions = Expressions()

    @kept
    def of(self, *kind: object) -> AnswersOfAttempts:
        """``kind``: the precision, and whatever else answers depend on beside the forms."""
        return AnswersOfAttempts()


class CommonAnswers:
    """Of kernels that are modelled one after the other. ``of_changes``: of changes to one, by which its figures are
    compared with theirs."""

    def __init__(self, of_changes: bool = False) -> None:
        self._of_changes = of_changes

    @kept
    def at(self, sample_point: frozenset[tuple[str, Number]]) -> AnswersAtPoint:
        return AnswersAtPoint(self._of_changes)
