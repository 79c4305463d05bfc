"""How many lines a set of boxes covers: a sweep over the dimensions, rows that share edge lines joined.

Everything is measured in elements. A piece is (measure, first, last): what is covered, and where it starts and
ends relative to the place of its dimension. Ends whose alignment is not known are widened by half of what a line
holds beyond the known part, so the measure is right in the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor, gcd, inf

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval
from roofscan.cost.memory.lru.footprint.merge_boxes import merged
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, ceil_to, floor_to, total, units_of, value_of

Piece = tuple[Num, Num, Num]

BOX_STEPS = 10
"""What one box takes, in steps of the budget."""

COMPARISONS = 256
"""How many comparisons of two boxes take as long as one box."""


@dataclass
class LineCounter:
    """Counts the parts of unions."""

    budget: Budget
    steps: int = 0

    def step(self) -> None:
        self.steps += 1
        self.budget.spend(BOX_STEPS)


class Unions:
    """Counts lines, and remembers what unions have in common. Boxes are known by identity and kept."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._keys: dict[int, tuple[object, ...]] = {}
        self._split: dict[tuple[int, int, int], list[IndexBox]] = {}
        self._sweeps: dict[object, Sweep] = {}
        self._counter = LineCounter(self._budget)
        self._boxes: dict[tuple[object, ...], IndexBox] = {}
        self._keep: list[IndexBox] = []

    @property
    def work(self) -> int:
        """The parts of unions counted so far."""
        return len(self._keep) + self._counter.steps

    def key(self, box: IndexBox) -> tuple[object, ...]:
        """Equal for equal boxes."""
        found = self._keys.get(id(box))
        if found is None:
            self._keep.append(box)
            found = self._keys[id(box)] = tuple([i.key for i in box])
        return found

    def merged(self, buffer: Buffer, boxes: Sequence[IndexBox]) -> list[IndexBox]:
        """As few boxes as cover the same; equal boxes are one object."""
        distinct = list({self.key(b): b for b in boxes}.values())
        self._budget.spend(BOX_STEPS * (len(distinct) * (64 + len(distinct)) // COMPARISONS))
        few = _without_contained(merged(distinct, self.key, buffer.strides, buffer.per_line))
        return [self._boxes.setdefault((id(buffer), *self.key(b)), b) for b in few]

    def split(self, box: IndexBox, dim: int, step: int) -> list[IndexBox]:
        """A box with the dimension as two: which period, and where in it; periods cut short are apart."""
        name = (id(box), dim, step)
        if name not in self._split:
            self._split[name] = _periods(box, dim, step)
        return self._split[name]

    def contiguous(self, box: IndexBox, dim: int) -> IndexBox:
        """A box with the dimension without gaps."""
        name = (id(box), dim, 1)
        if name not in self._split:
            self._split[name] = [_replaced(box, dim, _contiguous(box[dim]))]
        return self._split[name][0]

    def sweep(self, buffer: Buffer, strides: tuple[Num, ...], joined: float) -> Sweep:
        """The sweep over a buffer with these strides."""
        name = (id(buffer), joined, tuple([units_of(s) for s in strides]))
        if name not in self._sweeps:
            packed = buffer.packed if joined == inf else 0
            self._sweeps[name] = Sweep(strides, buffer.per_line, joined, self._counter, packed)
        return self._sweeps[name]


def lines_of(
    buffer: Buffer, boxes: Sequence[IndexBox], joined: float = inf, unions: Unions | None = None, alone: bool = False
) -> Num:
    """Lines of ``buffer`` that the union of the boxes touches. Edge lines that neighbours share count once where
    they are less than ``joined`` elements apart, and for each of them beyond. ``alone``: they are of a single
    reference, whose own extent holds."""
    unions = unions or Unions()
    few = unions.merged(buffer, boxes)
    if not few:
        return 0
    if joined == inf and len(few) == 1 and is_stretch(buffer, few[0]) and (alone or _is_inside(buffer, few[0])):
        return _stretch(buffer, few[0])
    kept, strides = _split_steps(few, buffer.strides, buffer.per_line, unions)
    measure, first, last = unions.sweep(buffer, strides, joined).piece(kept, 0)
    if joined != inf:
        return measure / buffer.per_line
    if first < 0:
        measure = measure + first
    end = ceil_to(_end(buffer, few), buffer.per_line) - 1
    if last > end:
        measure = measure - (last - end)
    lines = measure / buffer.per_line
    return lines if lines > 1 else 1


def _end(buffer: Buffer, boxes: Sequence[IndexBox]) -> Num:
    """The number of elements of a buffer, as the box that reaches its last one has it, if any does."""
    for box in boxes:
        top = sum([i.high * s for i, s in zip(box, buffer.steps)]) + 1
        if abs(top - value_of(buffer.size)) < TOLERANCE and not any(i.hi_alignment for i in box):
            return total(i.hi * s for i, s in zip(box, buffer.strides)) + 1
    return buffer.size


def is_stretch(buffer: Buffer, box: IndexBox) -> bool:
    """Whether a box is one contiguous stretch with known ends: only its first dimension that moves may be partly
    covered, and it is longer than what moves below it."""
    if any(i.lo_alignment or i.hi_alignment or (i.step != 1 and not i.single) for i in box):
        return False
    below = 1.0
    for span, stride in zip(reversed(box), reversed(buffer.steps)):
        if not span.single:
            if abs(stride - below) > TOLERANCE:
                return False
            below = stride * (span.high - span.low + 1)
    return True


def _is_inside(buffer: Buffer, box: IndexBox) -> bool:
    """Whether a box ends where the buffer does, or before: a loop whose trips are not known may go on."""
    return sum([i.high * s for i, s in zip(box, buffer.steps)]) + 1 <= value_of(buffer.size) + TOLERANCE


def _stretch(buffer: Buffer, box: IndexBox) -> Num:
    """The lines of a stretch, to the byte."""
    low = total(i.lo * s for i, s in zip(box, buffer.strides))
    high = total(i.hi * s for i, s in zip(box, buffer.strides)) + 1
    return (ceil_to(high, buffer.per_line) - floor_to(low, buffer.per_line)) / buffer.per_line


def known_grid(buffer: Buffer, box: IndexBox) -> int:
    """The place of a box's first element in its line is known up to multiples of so many elements."""
    _, grid = Sweep(buffer.strides, buffer.per_line).alignment(box)
    return gcd(grid, box[-1].lo_alignment)


def _without_contained(boxes: list[IndexBox]) -> list[IndexBox]:
    """The boxes without those that lie in another; the widest are looked at first."""
    if len(boxes) == 1:
        return boxes
    kept: list[IndexBox] = []
    for box in sorted(boxes, key=_width, reverse=True):
        if not any(_contains(other, box) for other in kept):
            kept.append(box)
    return kept


def _width(box: IndexBox) -> float:
    return sum([i.high - i.low for i in box])


def _contains(outer: IndexBox, inner: IndexBox) -> bool:
    for a, b in zip(outer, inner):
        if b.low < a.low - TOLERANCE or a.high + TOLERANCE < b.high:
            return False
        if a.step != 1 and (a.step != b.step or abs((a.low - b.low) % a.step) > TOLERANCE):
            return False
        if b.low < a.low + TOLERANCE and a.lo_alignment != b.lo_alignment:
            return False
        if b.high > a.high - TOLERANCE and a.hi_alignment != b.hi_alignment:
            return False
    return True


# -- steps ------------------------------------------------------------------------------------------
def _split_steps(
    boxes: list[IndexBox], strides: tuple[Num, ...], per_line: int, unions: Unions
) -> tuple[list[IndexBox], tuple[Num, ...]]:
    """Boxes with steps, with each stepped dimension as two: which period, and where in it."""
    if all(span.step == 1 or span.single for box in boxes for span in box):
        return boxes, strides
    dim = 0
    while dim < len(strides):
        steps = {b[dim].step for b in boxes if not b[dim].single}
        step = max(steps, default=1)
        fine = step * value_of(strides[dim]) <= per_line and all(
            abs(value_of(s)) >= step * value_of(strides[dim]) for s in strides[:dim]
        )
        if step == 1 or fine:
            if step > 1:
                boxes = [unions.contiguous(b, dim) for b in boxes]
            dim += 1
            continue
        boxes = [part for b in boxes for part in unions.split(b, dim, step)]
        strides = (*strides[:dim], strides[dim] * step, *strides[dim:])
        dim += 2
    return boxes, strides


def _contiguous(span: Interval) -> Interval:
    return Interval(span.lo, span.hi, span.lo_alignment, span.hi_alignment)


def _replaced(box: IndexBox, dim: int, *intervals: Interval) -> IndexBox:
    return (*box[:dim], *intervals, *box[dim + 1 :])


def _periods(box: IndexBox, dim: int, step: int) -> list[IndexBox]:
    span = box[dim]
    start = floor(span.low / step + 1e-9)
    place = span.lo - start * step
    if span.single:
        return [
            _replaced(box, dim, Interval(start, start), Interval(place, place, span.lo_alignment, span.lo_alignment))
        ]
    if span.step == step:
        last = start + (span.hi - span.lo) / step
        return [
            _replaced(box, dim, Interval(start, last), Interval(place, place, span.lo_alignment, span.lo_alignment))
        ]
    whole = floor_to(span.hi, step)
    end, rest = whole / step, span.hi - whole
    if value_of(end) <= start:
        return [
            _replaced(box, dim, Interval(start, start), Interval(place, rest, span.lo_alignment, span.hi_alignment))
        ]
    found: list[IndexBox] = []
    if value_of(place) > TOLERANCE:
        found.append(_replaced(box, dim, Interval(start, start), Interval(place, step - 1, span.lo_alignment)))
        start += 1
    if value_of(rest) < step - 1 - TOLERANCE:
        found.append(_replaced(box, dim, Interval(end, end), Interval(0, rest, 0, span.hi_alignment)))
        end = end - 1
    if value_of(end) >= start - TOLERANCE:
        found.append(_replaced(box, dim, Interval(start, end), Interval(0, step - 1)))
    return found


# -- the sweep --------------------------------------------------------------------------------------
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
        assert whole is not None
        return whole

    def _cuts(self, boxes: list[IndexBox], dim: int) -> list[Num]:
        if len(boxes) == 1:
            return [boxes[0][dim].lo, boxes[0][dim].hi + 1]
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
        row = self._strides[dim]
        width = value_of(row)
        if width % self._line or (value_of(first) > -TOLERANCE and value_of(last) < width):
            return piece
        below = [value_of(s) for s in self._strides[dim + 1 :]]
        if any(sum(i.low * s for i, s in zip(b[dim + 1 :], below)) < -TOLERANCE for b in boxes):
            return piece
        if any(sum(i.high * s for i, s in zip(b[dim + 1 :], below)) > width - 1 + TOLERANCE for b in boxes):
            return piece
        inside = _within(first, last, row)
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
        shared = stride - (last - first + 1)
        covered = count * measure
        if self._are_joined(stride) and shared < -TOLERANCE and count > 1:
            lost = (count - 1) * (shared if -shared < measure else -measure)
            covered = covered + lost
        return covered, first + lo * stride, last + (hi - 1) * stride

    def _are_joined(self, stride: Num) -> bool:
        return value_of(stride) < self._joined

    def _next(self, before: Piece | None, after: Piece, rows: float, stride: Num) -> Piece:
        """Two neighbouring slabs; lines at their border count once.

        Places are means: a slab of less than one row is a row that is sometimes there.
        """
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
        segments = sorted((self._segment(b) for b in boxes), key=lambda s: value_of(s[0]))
        lo, hi = segments[0]
        measure: Num = 0
        first = lo
        for next_lo, next_hi in segments[1:]:
            if next_lo > hi + 1 + TOLERANCE:
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
        row = self._strides[-2]
        width = value_of(row)
        # a mean at the end of a row is there every time
        low_alignment = span.lo_alignment if abs(span.low) > TOLERANCE else 0
        high_alignment = span.hi_alignment if abs(span.high + 1 - width) > TOLERANCE else 0
        span = Interval(span.lo, span.hi, low_alignment, high_alignment)
        lo, hi = self._edge_low(span, base, grid), self._edge_high(span, base, grid)
        if width % self._line == 0 and span.low > -TOLERANCE and span.high < width:
            lo, hi = _within(lo, hi, row)
        return lo, hi

    def alignment(self, box: IndexBox) -> tuple[Num, int]:
        """What is known of where the row starts: its offset, known up to multiples of the second."""
        base, grid = 0.0, self._line
        for span, stride in zip(box, self._strides[:-1]):
            width = value_of(stride)
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
