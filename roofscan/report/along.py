"""The traffic of a kernel along a path through the sizes: piecewise, because caches overflow on the way.

A cost holds expressions for the chamber of its witness, where all sizes are large. What makes small sizes
different is that reuses hit which miss at large ones. So the traffic is put together anew from the reuse
classes: the cold lines always, and each class where its distance exceeds the capacity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

from roofscan.cost.result import ReuseClass
from roofscan.ir.expr import ZERO, Expr, NotEvaluable
from roofscan.report.affordable import number
from roofscan.report.books import UNLIMITED, Books
from roofscan.report.intervals import Range, Ranges
from roofscan.report.outer_sum import OuterSum
from roofscan.report.paths import POSITION, Path
from roofscan.report.pieces import Evaluate, Piece, Pieces, at, everywhere, negative_positions

SLACK = Fraction(21, 20)
"""Estimates are averages: they may be a little above what is possible."""


class Along:
    """What counts in the books, as a function of the position on a path."""

    def __init__(self, books: Books, path: Path) -> None:
        self.books = books
        self.path = path
        self._into: dict[int, Pieces] = {}

    def into(self, capacity: int) -> Pieces:
        """The bytes that cross the interface of a cache of ``capacity`` (0: the registers); NotEvaluable where
        a distance has no value.

        Where the classes do not add up to the model's own figure at the witness, that figure's expression
        stands for all positions: it holds in the witness' chamber only.
        """
        if capacity not in self._into:
            self._into[capacity] = self._work_out(capacity)
        return self._into[capacity]

    def _work_out(self, capacity: int) -> Pieces:
        if capacity == 0 or not self.books.adds_up(capacity):
            return everywhere(self.path.along(self.books.bytes(capacity)))
        return _pieces(self._cold, [m for c in self._classes if (m := c.missing(capacity)).misses])

    def is_possible(self, capacity: int, positions: Iterable[int]) -> bool:
        """Whether no more moves at these positions than the accesses there can move."""
        try:
            pieces, most = self.into(capacity), self.path.along(self.books.ceiling)
            return all(at(pieces, x) <= SLACK * number(most, {POSITION: x}) for x in positions)
        except NotEvaluable:
            return False

    @cached_property
    def _cold(self) -> Expr:
        return self.path.along(self.books.bytes(UNLIMITED))

    @cached_property
    def _classes(self) -> tuple[_Class, ...]:
        return tuple(_Class(c, weight, self.path) for c, weight in self.books.classes)


@dataclass(frozen=True)
class _Moved:
    """What one class moves, and the positions where it misses (wholly: ``bytes``; in part: ``partial``)."""

    misses: Ranges
    bytes: Expr = ZERO
    partial: Evaluate | None = None


class _Class:
    """One reuse class along a path."""

    def __init__(self, reuse: ReuseClass, weight: Expr, path: Path) -> None:
        self.reuse = reuse
        self.weight = weight
        self.path = path

    def missing(self, capacity: int) -> _Moved:
        if self.reuse.over is not None:
            return _Moved(((1, None),), partial=OuterSum.of(self.reuse, self.weight, self.path, capacity).at)
        fixed = self._distance.constant
        if fixed is not None:
            misses: Ranges = ((1, None),) if fixed > capacity else ()
        else:
            misses = negative_positions(capacity - self._distance)
        return _Moved(misses, self._bytes if misses else ZERO)

    @cached_property
    def _distance(self) -> Expr:
        return self.path.along(self.reuse.distance)

    @cached_property
    def _bytes(self) -> Expr:
        return self.path.along(self.reuse.count) * self.path.along(self.weight)


def _pieces(cold: Expr, moved: list[_Moved]) -> Pieces:
    """Cut the positions wherever a class begins or ceases to miss, and add it to the bytes or take it away."""
    changes: dict[int, Expr] = {1: cold}
    for m in moved:
        for lo, hi in m.misses:
            changes[lo] = changes.get(lo, ZERO) + m.bytes
            if hi is not None:
                changes[hi + 1] = changes.get(hi + 1, ZERO) - m.bytes
    starts = sorted(changes)
    spans: list[Range] = [(a, b - 1) for a, b in pairwise(starts)] + [(starts[-1], None)]
    partial = tuple(m.partial for m in moved if m.partial is not None)
    bytes_ = accumulate(changes[start] for start in starts)
    return tuple(Piece(span, expr, partial) for span, expr in zip(spans, bytes_, strict=True))
