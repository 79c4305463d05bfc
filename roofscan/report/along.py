"""Bytes across an interface along a path through the sizes: piecewise, because caches overflow on the way.

A cost holds expressions for the chamber of its witness, where all sizes are large. What makes small sizes
different is that reuses hit which miss at large ones. So the traffic is put together anew from the reuse
classes: the cold lines always, and each class where its distance exceeds the capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor

from roofscan.cost.result import KernelCost, Movement, ReuseClass
from roofscan.ir.expr import ZERO, Expr, NotEvaluable, Number
from roofscan.report.floors import negative_with_floors
from roofscan.report.intervals import Range, Ranges, clip, merge
from roofscan.report.paths import POSITION, Path
from roofscan.report.polynomial import negative_where, polynomial, sampled_where, sum_over

UNLIMITED = 1 << 100
"""A capacity that holds everything: what still moves is compulsory."""

TOLERANCE = Fraction(1, 50)
"""How far the classes' sum may be from the model's own figure at the witness to be trusted elsewhere."""

Evaluate = Callable[[int], Number]


@dataclass(frozen=True)
class Counted:
    """Which movements count as traffic."""

    load: bool = True
    fill: bool = True
    writeback: bool = True

    def of(self, movement: Movement) -> Expr:
        parts = ((self.load, movement.load), (self.fill, movement.fill), (self.writeback, movement.writeback))
        return sum((part for counts, part in parts if counts), start=ZERO)


@dataclass(frozen=True)
class Piece:
    """On the positions of ``span`` the bytes are ``expr`` (in the position) plus the sums of ``partial``."""

    span: Range
    expr: Expr
    partial: tuple[Evaluate, ...] = ()

    def at(self, x: int) -> Number:
        return self.expr.evaluate({POSITION: x}) + sum((part(x) for part in self.partial), start=0)


Pieces = tuple[Piece, ...]


def at(pieces: Pieces, x: int) -> Number:
    """The bytes at one position."""
    return next(piece.at(x) for piece in pieces if clip(piece.span, (x, x)))


class Along:
    """The traffic of a kernel along a path, for any capacity; that of one array, or of all ("")."""

    def __init__(self, cost: KernelCost, path: Path, counted: Counted, array: str = "") -> None:
        self.cost = cost
        self.path = path
        self.counted = counted
        self.array = array

    def into(self, capacity: int) -> Pieces:
        """The bytes fetched into, and written back from, a cache of ``capacity`` (0: the registers).

        Where the classes do not add up to the model's own figure at the witness, that figure's expression
        stands for all positions: it holds in the witness' chamber only.
        """
        said = self._said(capacity)
        if capacity == 0 or not self._adds_up(said, capacity):
            return (Piece((1, None), self.path.along(said)),)
        return _pieces(self._cold, [m for c in self._classes if (m := c.missing(capacity)).misses])

    def _said(self, capacity: int) -> Expr:
        """The model's own figure, in the witness' chamber."""
        reuse = self.cost.reuse
        traffic = self.cost.registers if capacity == 0 or reuse is None else reuse.traffic(capacity)
        movement = traffic.total if not self.array else traffic.arrays.get(self.array)
        return self.counted.of(movement) if movement is not None else ZERO

    def _adds_up(self, said: Expr, capacity: int) -> bool:
        try:
            expected = Fraction(said.evaluate(self.cost.witness))
            cold = self._said(UNLIMITED).evaluate(self.cost.witness)
            again = sum((c.at_witness(self.cost.witness, capacity) for c in self._classes), start=cold)
        except NotEvaluable:
            return False
        return abs(again - expected) <= TOLERANCE * abs(expected)

    @cached_property
    def _cold(self) -> Expr:
        return self.path.along(self._said(UNLIMITED))

    @cached_property
    def _classes(self) -> tuple[_Class, ...]:
        reuse = self.cost.reuse
        if reuse is None:
            return ()
        weighed = ((c, _weight(c, reuse.line, self.counted)) for c in reuse.classes)
        return tuple(_Class(c, w, self.path) for c, w in weighed if w and self.array in ("", c.array))


def _pieces(cold: Expr, moved: list[_Moved]) -> Pieces:
    """Cut the positions wherever a class begins or ceases to miss."""
    starts = {1}
    for m in moved:
        for lo, hi in m.misses:
            starts |= {lo} if hi is None else {lo, hi + 1}
    ordered = sorted(starts)
    spans: list[Range] = [(a, b - 1) for a, b in pairwise(ordered)] + [(ordered[-1], None)]
    return tuple(_piece(span, cold, moved) for span in spans)


def _piece(span: Range, cold: Expr, moved: list[_Moved]) -> Piece:
    missing = [m for m in moved if any(clip(span, misses) for misses in m.misses)]
    expr = sum((m.bytes for m in missing if not m.partial), start=cold)
    return Piece(span, expr, tuple(m.partial for m in missing if m.partial))


@dataclass(frozen=True)
class _Moved:
    """What one class moves along a path, and the positions where it misses (wholly, or in part)."""

    misses: Ranges
    bytes: Expr
    partial: Evaluate | None = None


class _Class:
    """One reuse class along a path; ``weight`` is the bytes that count for one of its lines."""

    def __init__(self, reuse: ReuseClass, weight: Expr, path: Path) -> None:
        self.reuse = reuse
        self.weight = weight
        self.path = path

    def missing(self, capacity: int) -> _Moved:
        if self.reuse.over is None:
            spare = capacity - self._distance
            return _Moved(negative_positions(spare, (), (1, None)), self._bytes)
        return _Moved(((1, None),), ZERO, _OuterSum.of(self.reuse, self.path, capacity, self.weight).at)

    def at_witness(self, witness: Mapping[str, Number], capacity: int) -> Number:
        c = self.reuse
        if c.over is not None:
            held = Path("", {name: Expr.of(number) for name, number in witness.items()}, "fixed")
            return _OuterSum.of(c, held, capacity, self.weight).at(1)
        if c.distance.evaluate(witness) <= capacity:
            return 0
        return c.count.evaluate(witness) * Fraction(self.weight.evaluate(witness))

    @cached_property
    def _distance(self) -> Expr:
        return self.path.along(self.reuse.distance)

    @cached_property
    def _bytes(self) -> Expr:
        return self.path.along(self.reuse.count * self.weight)


def _weight(c: ReuseClass, line: int, counted: Counted) -> Expr:
    """Bytes that count for one line of the class."""
    if c.kind == "write":
        return Expr.of(line) if counted.writeback else ZERO
    load = (1 - c.fill_share) * line if counted.load else ZERO
    return load + c.fill_share * line if counted.fill else load


@dataclass(frozen=True)
class _OuterSum:
    """A class summed over those values of an outer loop's variable at which it misses."""

    variable: str
    first: Expr
    last: Expr
    spare: Expr  # capacity - distance
    bytes: Expr

    @staticmethod
    def of(c: ReuseClass, path: Path, capacity: int, weight: Expr) -> _OuterSum:
        assert c.over is not None
        variable, first, last = c.over
        values = {name: v for name, v in path.values.items() if name != variable}
        inner = Path(path.symbol, values, path.others)
        return _OuterSum(
            variable, path.along(first), path.along(last), inner.along(capacity - c.distance),
            inner.along(c.count * weight),
        )  # fmt: skip

    def at(self, x: int) -> Number:
        lo = ceil(self.first.evaluate({POSITION: x}))
        hi = floor(self.last.evaluate({POSITION: x}))
        if hi < lo:
            return 0
        spare, amount = (e.subs({POSITION: x}) for e in (self.spare, self.bytes))
        p, q = polynomial(spare, self.variable), polynomial(amount, self.variable)
        if p is None or q is None:
            return self._by_strata(spare, amount, lo, hi)
        return sum((sum_over(q, a, hi if b is None else b) for a, b in negative_where(p, (lo, hi))), start=0)

    def _by_strata(self, spare: Expr, amount: Expr, lo: int, hi: int, strata: int = 32) -> Number:
        """Where function atoms keep it from being a polynomial: the middle of each stratum stands for it."""
        total: Number = 0
        parts = min(strata, hi - lo + 1)
        bounds = [lo + (hi - lo + 1) * k // parts for k in range(parts + 1)]
        for a, b in pairwise(bounds):
            at = {self.variable: (a + b - 1) // 2}
            if spare.evaluate(at) < 0:
                total += amount.evaluate(at) * (b - a)
        return total


def negative_positions(expr: Expr, partial: tuple[Evaluate, ...], span: Range, scale: Number = 1) -> Ranges:
    """Where ``expr`` (in the position) minus ``scale`` times the sums of ``partial`` is below zero."""
    if not partial:
        return negative_with_floors(expr, POSITION, span)

    def below(x: int) -> bool:
        rest = sum((part(x) for part in partial), start=Fraction(0))
        return expr.evaluate({POSITION: x}) < scale * rest

    return sampled_where(below, span)


def below_where(flops: Expr, ridge: Number, pieces: Pieces, span: Range = (1, None)) -> Ranges:
    """The positions at which flops < ridge * bytes: exact, piece by piece."""
    found: list[Range] = []
    for piece in pieces:
        for part in clip(piece.span, span):
            found.extend(negative_positions(flops - piece.expr * ridge, piece.partial, part, ridge))
    return merge(found)


def positive_from(flops: Expr, pieces: Pieces) -> int:
    """The first position from which on there are always FLOPs and bytes: smaller sizes hold no work."""
    work = negative_positions(-flops, (), (1, None))
    bytes_ = below_where(ZERO, 1, pieces)
    return max((lo for lo, hi in (*work, *bytes_) if hi is None), default=1)
