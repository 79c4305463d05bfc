"""The lines that a set of boxes covers. A stencil's references reach boxes that differ by a shift. Boxes in a row along
one dimension are merged first (a star is as many boxes as it has arms, a cube a single one), so that the cost does not
grow with the number of references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import floor, gcd, inf

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval, Step
from roofscan.cost.memory.lru.footprint.sweep import BOX_STEPS, LineCounter, Sweep
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, ceil_to, floor_to, total, units_of, value_of

COMPARISONS = 256  # how many comparisons of two boxes take as long as one box


class Unions:
    """Counts lines, and remembers what unions have in common. Boxes are known by identity and kept."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._keys: dict[int, tuple[object, ...]] = {}
        self._split: dict[tuple[int, int, Step], list[IndexBox]] = {}
        self._sweeps: dict[object, Sweep] = {}
        self._counter = LineCounter(self._budget)
        self._boxes: dict[tuple[object, ...], IndexBox] = {}
        self._keep: list[IndexBox] = []

    @property
    def work(self) -> int:
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
        if len(boxes) == 1:
            self._budget.spend(BOX_STEPS // 4)
            return [self._boxes.setdefault((id(buffer), *self.key(boxes[0])), boxes[0])]
        distinct = list({self.key(b): b for b in boxes}.values())
        self._budget.spend(BOX_STEPS * len(distinct) // 4)
        joined = merged(distinct, self.key, buffer.strides, buffer.per_line)
        self._budget.spend(BOX_STEPS * len(joined) ** 2 // COMPARISONS)
        few = _without_contained(joined)
        return [self._boxes.setdefault((id(buffer), *self.key(b)), b) for b in few]

    def split(self, box: IndexBox, dim: int, step: Step) -> list[IndexBox]:
        """A box with the dimension as two: which period, and where in it; periods cut short are apart."""
        name = (id(box), dim, step)
        if name not in self._split:
            self._split[name] = [
                (*box[:dim], Interval(first, last), place, *box[dim + 1 :])
                for first, last, place in _periods(box[dim], step)
            ]
        return self._split[name]

    def contiguous(self, box: IndexBox, dim: int) -> IndexBox:
        name, span = (id(box), dim, 1), box[dim]
        if name not in self._split:
            whole = Interval(span.lo, span.hi, span.lo_alignment, span.hi_alignment)
            self._split[name] = [(*box[:dim], whole, *box[dim + 1 :])]
        return self._split[name][0]

    def sweep(self, buffer: Buffer, strides: tuple[Num, ...], joined: float) -> Sweep:
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
    size = value_of(buffer.size)
    for box in boxes:
        top = sum([i.high * s for i, s in zip(box, buffer.steps)]) + 1
        if abs(top - size) < TOLERANCE and not any(i.hi_alignment for i in box):
            return total(i.hi * s for i, s in zip(box, buffer.strides)) + 1
    return buffer.size


def is_stretch(buffer: Buffer, box: IndexBox) -> bool:
    """Whether a box is one contiguous stretch with known ends: its first dimension that moves may be partly covered."""
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
    low = total(i.lo * s for i, s in zip(box, buffer.strides))
    high = total(i.hi * s for i, s in zip(box, buffer.strides)) + 1
    return (ceil_to(high, buffer.per_line) - floor_to(low, buffer.per_line)) / buffer.per_line


def known_grid(buffer: Buffer, box: IndexBox) -> int:
    """The place of a box's first element in its line is known up to multiples of so many elements."""
    _, grid = Sweep(buffer.strides, buffer.per_line).alignment(box)
    return gcd(grid, box[-1].lo_alignment)


def _without_contained(boxes: list[IndexBox]) -> list[IndexBox]:
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
        uneven = len(steps) > 1 and not isinstance(step, int)  # places that no period has in common
        if step == 1 or fine or uneven:
            if step > 1:
                boxes = [unions.contiguous(b, dim) for b in boxes]
            dim += 1
            continue
        boxes = [part for b in boxes for part in unions.split(b, dim, step)]
        strides = (*strides[:dim], strides[dim] * step, *strides[dim:])
        dim += 2
    return boxes, strides


def _periods(span: Interval, step: Step) -> Iterator[tuple[Num, Num, Interval]]:
    """The first and the last of some periods of an interval, and the places in them that it covers."""
    start = floor(span.low / step + 1e-9)
    place = span.lo - start * step
    if span.single or span.step == step:
        last = start if span.single else start + (span.hi - span.lo) / step
        yield start, last, Interval(place, place, span.lo_alignment, span.lo_alignment)
        return
    assert isinstance(step, int)
    whole = floor_to(span.hi, step)
    end, rest = whole / step, span.hi - whole
    if value_of(end) <= start:
        yield start, start, Interval(place, rest, span.lo_alignment, span.hi_alignment)
        return
    if value_of(place) > TOLERANCE:
        yield start, start, Interval(place, step - 1, span.lo_alignment)
        start += 1
    if value_of(rest) < step - 1 - TOLERANCE:
        yield end, end, Interval(0, rest, 0, span.hi_alignment)
        end = end - 1
    if value_of(end) >= start - TOLERANCE:
        yield start, end, Interval(0, step - 1)


BoxKey = tuple[object, ...]


def merged(
    boxes: Sequence[IndexBox], key: Callable[[IndexBox], BoxKey], strides: Sequence[Num], per_line: int
) -> list[IndexBox]:
    """Boxes that cover the same; ``key`` is equal for equal boxes."""
    left = list(boxes)
    for dim in reversed(range(len(strides))):
        if len(left) == 1:
            break
        aligned = dim == len(strides) - 1 or value_of(strides[dim]) % per_line == 0
        left = _along(left, dim, key, aligned)
    return left


def _along(boxes: list[IndexBox], dim: int, key: Callable[[IndexBox], BoxKey], aligned: bool) -> list[IndexBox]:
    """The boxes that differ only in one dimension and meet there, as one."""
    rows: dict[BoxKey, list[IndexBox]] = {}
    for box in boxes:
        name = key(box)
        rows.setdefault((*name[:dim], box[dim].step, *name[dim + 1 :]), []).append(box)
    if len(rows) == len(boxes):
        return boxes
    return [made for row in rows.values() for made in (_joined(row, dim, aligned) if len(row) > 1 else row)]


def _joined(row: list[IndexBox], dim: int, aligned: bool) -> list[IndexBox]:
    row.sort(key=lambda b: (b[dim].low, -b[dim].high))
    made = [row[0]]
    for box in row[1:]:
        span = _union(made[-1][dim], box[dim], aligned)
        if span is None:
            made.append(box)
        elif span is not made[-1][dim]:
            made[-1] = (*box[:dim], span, *box[dim + 1 :])
    return made


def _union(a: Interval, b: Interval, aligned: bool) -> Interval | None:
    """Two intervals of the same step as one, ``a`` beginning first; None where they do not meet, or where that
    would lose what is known of an end, or (unless ``aligned``) of the one place that an interval is."""
    if a.step != 1 or b.low > a.high + 1 + TOLERANCE:
        return None
    if not aligned and (_is_known(a) or _is_known(b)):
        return None
    if b.low < a.low + TOLERANCE and a.lo_alignment != b.lo_alignment:
        return None
    if b.high < a.high - TOLERANCE:
        return a
    if b.high < a.high + TOLERANCE:
        return a if a.hi_alignment == b.hi_alignment else None
    return Interval(a.lo, b.hi, a.lo_alignment, b.hi_alignment)


def _is_known(span: Interval) -> bool:
    return span.single and not span.lo_alignment
