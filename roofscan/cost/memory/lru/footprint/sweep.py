"""The measure of a union of boxes: a sweep over the dimensions, in which rows that share edge lines are joined. All in
elements. A piece is (measure, first, last): what is covered, and where it starts and ends relative to the place of its
dimension. Ends of unknown alignment are widened by half of what a line holds beyond the known part, so the measure is
right in the mean."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd, inf

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, ceil_to, floor_to, units_of, value_of
from roofscan.frozen import dataclass
from roofscan.symbolic.expr import NotEvaluable

Piece = tuple[Num, Num, Num]

_NEXT, _FULL = units_of(1 + TOLERANCE), units_of(1 - TOLERANCE)
"""How far apart the ends of two segments are that do not meet, and of one that fills what holds it, at least."""

TOO_LARGE = "its sizes are too large to tell neighbouring elements apart"

BOX_STEPS = 40  # what one box takes, in steps of the budget


@dataclass
class LineCounter:
    budget: Budget
    steps: int = 0

    def step(self) -> None:
        self.steps += 1
        self.budget.spend(BOX_STEPS)


class Sweep:
    """Unions in one buffer; boxes are known by identity. ``strides`` fall and end with 1; neighbours at strides of
    ``joined`` or more share no lines."""

    def __init__(
        self,
        strides: tuple[Num, ...],
        per_line: int,
        joined: float = inf,
        counter: LineCounter | None = None,
        packed: int = 0,
    ) -> None:
        self._counter = counter or LineCounter(Budget())
        self._packed = range(len(strides) - 1 - packed, len(strides) - 1)  # dimensions whose rows leave no gap
        self._joined = joined
        self._strides = strides
        self._widths = [value_of(stride) for stride in strides]
        self._line = per_line
        self._pieces: dict[tuple[int, ...], Piece] = {}
        self._ends: dict[int, tuple[Num, Num]] = {}

    def piece(self, boxes: list[IndexBox], dim: int) -> Piece:
        """The union of the boxes from dimension ``dim`` on."""
        name = (dim, *[id(b) for b in boxes])
        found = self._pieces.get(name)
        if found is None:
            self._counter.step()
            found = self._pieces[name] = self._piece(boxes, dim)
        return found

    def _piece(self, boxes: list[IndexBox], dim: int) -> Piece:
        if dim == len(self._strides) - 1:
            return self._segments(boxes)
        stride = self._strides[dim]
        if len(boxes) == 1:
            return self._alone(boxes, dim)
        cuts = self._cuts(boxes, dim)
        whole: Piece | None = None
        before = 1.0
        for lo, hi in pairwise(cuts):
            low, high = value_of(lo), value_of(hi)
            if high - low < TOLERANCE:
                continue
            active = [b for b in boxes if b[dim].low <= low + TOLERANCE and b[dim].high + 1 >= high - TOLERANCE]
            if active:
                inner = self._in_row(self.piece(active, dim + 1), active, dim)
                rows = high - low
                whole = self._next(whole, self._repeated(inner, lo, hi, dim), min(rows, before), stride)
                before = min(rows, 1.0)
        if whole is None:
            raise NotEvaluable(TOO_LARGE)
        return whole

    def _alone(self, boxes: list[IndexBox], dim: int) -> Piece:
        """The piece of a single box."""
        span = boxes[0][dim]
        end = span.hi + 1
        if value_of(end) - span.low < TOLERANCE:
            raise NotEvaluable(TOO_LARGE)
        return self._repeated(self._in_row(self.piece(boxes, dim + 1), boxes, dim), span.lo, end, dim)

    def _cuts(self, boxes: list[IndexBox], dim: int) -> list[Num]:
        ends: dict[float, Num] = {}
        for box in boxes:
            span = box[dim]
            ends.setdefault(span.low, span.lo)
            if span.high + 1 not in ends:
                ends[span.high + 1] = span.hi + 1
        return [ends[place] for place in sorted(ends)]

    def _in_row(self, piece: Piece, boxes: list[IndexBox], dim: int) -> Piece:
        """A piece cut at the ends of its row, where rows are multiples of a line: widened ends do not cross them."""
        measure, first, last = piece
        width = self._widths[dim]
        if width % self._line or (value_of(first) > -TOLERANCE and value_of(last) < width):
            return piece
        below = self._widths[dim + 1 :]
        if any(sum(i.low * s for i, s in zip(b[dim + 1 :], below)) < -TOLERANCE for b in boxes):
            return piece
        if any(sum(i.high * s for i, s in zip(b[dim + 1 :], below)) > width - 1 + TOLERANCE for b in boxes):
            return piece
        inside = _within(first, last, self._strides[dim])
        cut = (last - first) - (inside[1] - inside[0])
        return measure - cut, *inside

    def _repeated(self, inner: Piece, lo: Num, hi: Num, dim: int) -> Piece:
        """The inner piece at lo, lo + 1, …, hi - 1 times the stride; packed ones end in one half line."""
        stride = self._strides[dim]
        measure, first, last = inner
        count = hi - lo
        if dim in self._packed:
            edge = Fraction(self._line - 1, 2) if dim == self._packed[0] else 0
            return count * measure + edge, first + lo * stride, last + (hi - 1) * stride + edge
        covered = count * measure
        meet = self._widths[dim] < self._joined and units_of(stride) - units_of(last) + units_of(first) < _FULL
        if meet and count > 1:
            shared = stride - (last - first + 1)
            lost = (count - 1) * (shared if -shared < measure else -measure)
            covered = covered + lost
        return covered, first + lo * stride, last + (hi - 1) * stride

    def _are_joined(self, stride: Num) -> bool:
        return value_of(stride) < self._joined

    def _next(self, before: Piece | None, after: Piece, rows: float, stride: Num) -> Piece:
        """Two neighbouring slabs; lines at their border count once. Places are means: a slab of less than one row is a
        row that is sometimes there."""
        if before is None:
            return after
        gap = after[1] - before[2] - 1
        measure = before[0] + after[0]
        if self._are_joined(stride) and gap < -TOLERANCE:
            room = before[0] if before[0] < after[0] else after[0]
            shared = gap if -gap < room else -room
            measure = measure + (shared * rows if rows < 1 else shared)
        last = after[2] if after[2] > before[2] else before[2]
        return measure, before[1], last

    def _segments(self, boxes: list[IndexBox]) -> Piece:
        """The union of widened segments in the unit-stride dimension."""
        if len(boxes) == 1:
            lo, hi = self._segment(boxes[0])
            return hi - lo + 1, lo, hi
        segments = sorted((self._segment(b) for b in boxes), key=lambda s: value_of(s[0]))
        lo, hi = segments[0]
        measure: Num = 0
        first = lo
        for next_lo, next_hi in segments[1:]:
            if units_of(next_lo) > units_of(hi) + _NEXT:
                measure = measure + (hi - lo + 1)
                lo, hi = next_lo, next_hi
            elif next_hi > hi:
                hi = next_hi
        return measure + (hi - lo + 1), first, hi

    def _segment(self, box: IndexBox) -> tuple[Num, Num]:
        found = self._ends.get(id(box))
        if found is None:
            found = self._ends[id(box)] = self._widened(box)
        return found

    def _widened(self, box: IndexBox) -> tuple[Num, Num]:
        span = box[-1]
        if self._packed:
            return span.lo, span.hi
        base, grid = self.alignment(box)
        if len(box) == 1:
            return self._edge_low(span, base, grid), self._edge_high(span, base, grid)
        row, width = self._strides[-2], self._widths[-2]
        # a mean at the end of a row is there every time
        starts, ends = abs(span.low) <= TOLERANCE, abs(span.high + 1 - width) <= TOLERANCE
        low_alignment = 0 if starts or (ends and span.single) else span.lo_alignment
        high_alignment = 0 if ends or (starts and span.single) else span.hi_alignment
        span = Interval(span.lo, span.hi, low_alignment, high_alignment)
        lo, hi = self._edge_low(span, base, grid), self._edge_high(span, base, grid)
        if width % self._line == 0 and span.low > -TOLERANCE and span.high < width:
            lo, hi = _within(lo, hi, row)
        return lo, hi

    def alignment(self, box: IndexBox) -> tuple[Num, int]:
        """What is known of where the row starts: its offset, known up to multiples of the second."""
        base, grid = 0.0, self._line
        for span, width in zip(box, self._widths[:-1]):
            if span.single and not span.lo_alignment and width * span.low % 1 == 0:
                base += width * span.low
            else:
                grid = gcd(grid, int(width)) if width == int(width) else 1
        return base % self._line, grid

    def _edge_low(self, span: Interval, base: Num, grid: int) -> Num:
        g = gcd(grid, span.lo_alignment)
        start = floor_to(span.lo + base, g) - base if g > 1 else span.lo
        return start - (self._line - g) / 2

    def _edge_high(self, span: Interval, base: Num, grid: int) -> Num:
        g = gcd(grid, span.hi_alignment)
        end = ceil_to(span.hi + 1 + base, g) - base - 1 if g > 1 else span.hi
        return end + (self._line - g) / 2


def _within(lo: Num, hi: Num, row: Num) -> tuple[Num, Num]:
    """A widened segment moved back into its row: lines do not cross the ends of rows that are multiples of a line."""
    if lo < 0:
        lo, hi = 0, hi - lo
    if hi > row - 1:
        lo, hi = lo - (hi - (row - 1)), row - 1
    return (lo if lo > 0 else 0), hi
