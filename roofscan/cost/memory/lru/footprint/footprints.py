"""Footprints: the distinct lines that parts of the tree touch, remembered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import floor, prod

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox, Interval, Window, constraints, last_iterate, single_range
from roofscan.cost.memory.lru.footprint.domains import Domains
from roofscan.cost.memory.lru.footprint.spread import Spreads
from roofscan.cost.memory.lru.footprint.subtree import PLACE_BITS, Env, Subtree
from roofscan.cost.memory.lru.footprint.sweep import BOX_STEPS
from roofscan.cost.memory.lru.footprint.union import Unions, lines_of
from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import (
    Buffer,
    Child,
    LoopNode,
    PointerWalk,
    Ref,
    ShiftedRow,
    has_irregular,
    names_around,
    refs_to,
)
from roofscan.cost.memory.lru.tree.sampled_expr import (
    TOLERANCE,
    Label,
    Num,
    ceil_to,
    labelled_total,
    least,
    same,
    smaller,
    total,
    value_of,
)
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TouchKind

MAX_LISTED_ITERATIONS = 64  # at most so many iterations of a loop that is not affine are listed
MAX_BOXES_PER_REFERENCE = 16  # the footprint of a whole nest that is not a rectangle is cut into so many boxes at most

ANY_NUMBER = -1
"""Of iterations: all of one loop touch the same line."""

SAME_LINES_SHARE = 0.05
"""Where the lines of the pieces differ by no more than this share from those of one box, one box is kept: it has fewer
terms."""


def _is_placed(ref: Ref, env: Env) -> bool:
    """Whether the elements of a reference depend on a fixed loop."""
    return any(name in env for name in names_around(ref, env))


@dataclass(frozen=True)
class IterationRange:
    """The values of a loop at one place: first to last in order, and how many."""

    first: AlignedPoint
    last: AlignedPoint
    trips: Num


class Footprints:
    """Counts lines. ``lines`` takes items of one buffer, ``distance`` all buffers of the items."""

    def __init__(
        self, buffers: Iterable[Buffer], budget: Budget | None = None, threaded: bool = False, at_most: bool = False
    ) -> None:
        """``threaded``: some lines are of one thread alone; ``at_most``: branches on data are taken in distances."""
        self.at_most = at_most
        self._budget = budget or Budget()
        self.threaded = threaded
        self._buffers = {id(s): s for s in buffers}
        self._domains = Domains()
        self._unions = Unions(self._budget)
        self._boxes: dict[object, list[IndexBox]] = {}
        self._few: dict[object, list[IndexBox]] = {}
        self._lines: dict[object, Num] = {}
        self._common: dict[object, Num] = {}
        self._extents: dict[object, tuple[float, float] | None] = {}
        self._points: dict[object, tuple[object, float] | None] = {}
        self._ranges: dict[object, IterationRange | None] = {}
        self._spreads = Spreads(self._unions)
        self._counted = 0
        self._compared = 0

    @property
    def work(self) -> int:
        """What has been done so far, in steps of about the same time."""
        return self._counted + self._compared // 12 + self._unions.work

    def lines(self, buffer: Buffer, items: Sequence[Subtree], writes: bool = False) -> Num:
        """Lines of one buffer that the union of the items touches (with ``writes``: that they write)."""
        self._budget.spend(len(items) // 2)
        shape, relevant = (id(buffer), writes), dict[int, Subtree]()
        for item in items:  # as Subtree.within: it is called for every distance
            if (form := item.node.shapes.get(shape)) is not None:
                relevant[form << PLACE_BITS | item.place] = item
        name = frozenset(relevant)
        found = self._lines.get(name)
        if found is None:
            found = self._lines[name] = self._count(buffer, list(relevant.values()), writes)
        return found

    def _count(self, buffer: Buffer, items: list[Subtree], writes: bool) -> Num:
        boxes = [b for i in items for b in self._few_boxes(buffer, i, writes)]
        self._counted += len(boxes) // 8 + 1
        self._budget.spend(BOX_STEPS * (len(boxes) // 8 + 1))
        alone = len(boxes) == 1 and len(items) == 1 and len(self.boxes(buffer, items[0], writes)) == 1
        covered = lines_of(buffer, boxes, unions=self._unions, alone=alone)
        if not any(has_irregular(i.node, buffer) for i in items):
            return covered
        irregular_in = total(
            self.reached(refs, i, "write" if writes else "touch", self.at_most)
            for i in items
            if (
                refs := [
                    r for r in refs_to(i.node, buffer) if r.irregular and not r.repeats and (r.write or not writes)
                ]
            )
        )
        if not irregular_in:
            return covered
        reaches = [r.reach for i in items for r in refs_to(i.node, buffer) if r.irregular]
        whole = max(reaches, key=value_of)
        reached = covered + irregular_in
        return reached if reached < whole else whole

    def apart(self, buffer: Buffer, item: Subtree, dim: int, writes: bool) -> Num:
        """Lines that an item touches, those that neighbours in dimensions before ``dim`` share counted for each."""
        below = value_of(buffer.strides[dim - 1])
        return lines_of(buffer, self.boxes(buffer, item, writes), joined=below, unions=self._unions)

    def boxes(self, buffer: Buffer, item: Subtree, writes: bool) -> list[IndexBox]:
        """The boxes of the regular references of an item to a buffer."""
        name = item.within(buffer, writes)
        found = self._boxes.get(name)
        if found is None:
            refs = [r for r in refs_to(item.node, buffer) if not r.irregular and (r.write or not writes)]
            found = self._boxes[name] = self._whole_or_cut(buffer, item, refs)
        return found

    def _whole_or_cut(self, buffer: Buffer, item: Subtree, refs: Sequence[Ref]) -> list[IndexBox]:
        """One box a reference where many pieces say nearly the same: expressions stay readable, exact sums exact."""
        whole = self._refs_boxes(refs, item, 1)
        if item.window or all(_is_placed(r, item.env) for r in refs):
            return whole
        cut = self._refs_boxes(refs, item, MAX_BOXES_PER_REFERENCE)
        if len(cut) == len(whole):
            return whole
        coarse, fine = (value_of(lines_of(buffer, boxes, unions=self._unions)) for boxes in (whole, cut))
        return whole if abs(coarse - fine) <= SAME_LINES_SHARE * fine else cut

    def _few_boxes(self, buffer: Buffer, item: Subtree, writes: bool) -> list[IndexBox]:
        name = item.within(buffer, writes)
        found = self._few.get(name)
        if found is None:
            found = self._few[name] = self._unions.merged(buffer, self.boxes(buffer, item, writes))
        return found

    def far_apart(self, buffer: Buffer, a: Subtree, b: Subtree, writes: bool) -> bool:
        """Whether two items surely share no line: their addresses lie apart."""
        self._compared += 1
        self._budget.spend(2)
        x, y = self.extent(buffer, a, writes), self.extent(buffer, b, writes)
        if x is None or y is None:
            return True
        gap = 2 * buffer.per_line
        return x[1] + gap < y[0] or y[1] + gap < x[0]

    def near(self, buffer: Buffer, items: Collection[Subtree], others: Sequence[Subtree]) -> list[Subtree]:
        """Those of ``items`` that are not far apart from all of ``others``."""
        self._compared += len(others)
        self._budget.spend(len(items) // 2)
        gap = 2 * buffer.per_line
        reaches = _disjoint(y for o in others if (y := self.extent(buffer, o, False)) is not None)
        found = []
        for item in items:
            x = self.extent(buffer, item, False)
            if x is not None and any(x[1] + gap >= low and high + gap >= x[0] for low, high in reaches):
                found.append(item)
        return found

    def extent(self, buffer: Buffer, item: Subtree, writes: bool) -> tuple[float, float] | None:
        """The first and the last address of an item, in elements."""
        name = item.within(buffer, writes)
        if name not in self._extents:
            boxes = self._few_boxes(buffer, item, writes)
            lows = [sum([i.low * s for i, s in zip(box, buffer.steps)]) for box in boxes]
            highs = [sum([i.high * s for i, s in zip(box, buffer.steps)]) for box in boxes]
            self._extents[name] = (min(lows), max(highs)) if boxes else None
        return self._extents[name]

    def point(self, buffer: Buffer, item: Subtree, writes: bool) -> tuple[object, float] | None:
        """Where an item is a single element: a key of its row, and its place in it; else None."""
        name = item.within(buffer, writes)
        if name not in self._points:
            boxes = self._few_boxes(buffer, item, writes)
            alone = len(boxes) == 1 and all(i.single for i in boxes[0])
            row = (tuple([i.key for i in boxes[0][:-1]]), boxes[0][-1].lo_alignment) if alone else None
            self._points[name] = (row, boxes[0][-1].low) if row else None
        return self._points[name]

    def _refs_boxes(self, refs: Sequence[Ref], item: Subtree, most: int) -> list[IndexBox]:
        """The boxes of all, of those with equal subscripts in equal loops found once."""
        known: dict[int, list[IndexBox]] = {}
        found: list[IndexBox] = []
        for ref in refs:
            shape = ref.shapes[id(ref.buffer), False]
            if shape not in known:
                known[shape] = self._ref_boxes(ref, item, most)
            found += known[shape]
        return found

    def _ref_boxes(self, ref: Ref, item: Subtree, most: int) -> list[IndexBox]:
        nonaffine = next((x for x in ref.loops if x.sampled_all and x.var not in item.env), None)
        if nonaffine is None:
            self._budget.spend(BOX_STEPS)
            pieces = 1 if item.window or _is_placed(ref, item.env) else most
            return self._domains.boxes_of(ref, item.env, item.window, pieces)
        found = []
        for point in self.every(nonaffine, item.env, item.window):
            found += self._ref_boxes(ref, Subtree(item.node, {**item.env, nonaffine.var: point}, item.window), most)
        return found

    def every(
        self, loop: LoopNode, env: Env, window: Window | None = None, most: int = MAX_LISTED_ITERATIONS
    ) -> list[AlignedPoint]:
        """The iterations of a loop one by one (evenly chosen ones of very many)."""
        span = self.range(loop, env, window)
        if span is None:
            return []
        trips = max(1, floor(value_of(span.trips) + 0.5))
        chosen = range(0, trips, max(1, trips // most))
        return [AlignedPoint(span.first.value + loop.direction * n * loop.step) for n in chosen]

    def distance(self, items: Sequence[Subtree]) -> Num:
        """Lines of all buffers that the union of the items touches, labelled with the arrays they are of, and whether
        all threads have them in common."""
        self._budget.spend(3 * len(items))
        by_buffer: dict[int, list[Subtree]] = {}
        for item in items:
            for key in item.node.buffers:
                by_buffer.setdefault(key, []).append(item)
        buffers = sorted((self._buffers[key] for key in by_buffer), key=lambda s: s.name)
        return labelled_total(part for s in buffers for part in self._parts(s, by_buffer[id(s)]))

    def _parts(self, buffer: Buffer, items: Sequence[Subtree]) -> Iterator[tuple[Label, Num]]:
        lines = self.beyond(self.lines(buffer, items), buffer, items, False)
        common = self.common_lines(buffer, items) if self.threaded else lines
        yield (buffer.owner, True), common
        if common is not lines:
            yield (buffer.owner, False), lines - common

    def beyond(self, lines: Num, buffer: Buffer, items: Sequence[Subtree], writes: bool) -> Num:
        """``lines`` of scattered references, but no more than the references to known places leave of the array."""
        base = buffer.base
        known = [item for item in items if base is not None and id(base) in item.node.buffers]
        if base is None or not known:
            return lines
        left = ceil_to(buffer.size, buffer.per_line) / buffer.per_line - self.lines(base, known, writes)
        return lines if lines <= left else left if left > 0 else 0

    def lines_of_refs(self, buffer: Buffer, refs: Sequence[Ref], item: Subtree) -> Num:
        """Lines that some of the regular references of an item touch."""
        return lines_of(buffer, self._refs_boxes(refs, item, 1), unions=self._unions)

    def common_lines(self, buffer: Buffer, items: Sequence[Subtree]) -> Num:
        """Those of the lines that no thread of a parallel loop has for itself."""
        kinds = {ref.common for item in items for ref in refs_to(item.node, buffer)}
        if False not in kinds:
            return self.lines(buffer, items)
        if True not in kinds:
            return 0
        name = frozenset(item.within(buffer, False) for item in items)
        if name not in self._common:
            boxes = [
                box for item in items
                for box in self._refs_boxes([r for r in refs_to(item.node, buffer) if r.common], item, 1)
            ]  # fmt: skip
            self._common[name] = lines_of(buffer, boxes, unions=self._unions)
        return self._common[name]

    def overlap(self, buffer: Buffer, a: Sequence[Subtree], b: Sequence[Subtree], writes: bool) -> Num:
        both = self.lines(buffer, a, writes) + self.lines(buffer, b, writes)
        both = both - self.lines(buffer, [*a, *b], writes)
        return both if both > TOLERANCE else 0

    def executions(self, ref: Ref, item: Subtree) -> Num:
        """How often a reference is executed in an item: the points of its free loops within their guards."""
        return self._executed(ref, item, 0)

    def all_scattered(
        self, refs: Iterable[Ref], item: Subtree, kind: TouchKind, taken: bool = False, once: bool = False
    ) -> Num:
        """The most lines that irregular references touch, those that move together counted once; ``once``: a line that
        one execution of the innermost loop leaves and the next one goes on with, too."""
        series: dict[tuple[object, ...], list[Ref]] = {}
        walks: dict[PointerWalk, list[Ref]] = {}
        alone: list[Num] = []
        for ref in refs:
            if ref.series:
                series.setdefault(ref.series, []).append(ref)
            elif ref.walk and ref.walk.most is not None:
                walks.setdefault(ref.walk, []).append(ref)
            else:
                alone.append(self.scattered(ref, item, kind, taken))
        alone += (self._on_walk(walk, together, item, kind, taken) for walk, together in walks.items())
        return total([*alone, *(self._in_series(together, item, taken, once) for together in series.values())])

    def reached(self, refs: Sequence[Ref], item: Subtree, kind: TouchKind, taken: bool = False) -> Num:
        """The most lines that irregular references touch: no more than if all trips were the most that they can be."""
        if all(ref.number for ref in refs):
            return smaller(self._reached(refs, item, kind, taken), self.at_numbers(refs, item))
        return self._reached(refs, item, kind, taken)

    def _reached(self, refs: Sequence[Ref], item: Subtree, kind: TouchKind, taken: bool) -> Num:
        placed = [ref for ref in refs if ref.spread]
        if not placed:
            return self.all_scattered(refs, item, kind, taken, once=True)
        others = [ref for ref in refs if not ref.spread]
        most = smaller(self.all_scattered(placed, item, kind, taken, once=True), self.most_lines(placed, item))
        return self.all_scattered(others, item, kind, taken, once=True) + most

    def at_numbers(self, refs: Sequence[Ref], item: Subtree, every: bool = True) -> Num:
        """The most lines at numbers that data choose: in ``every`` iteration that has its own, or in one of them."""
        lines: dict[tuple[object, ...], Num] = {}
        for ref in refs:
            loop = next(loop for loop in ref.loops if loop.uid == ref.computed_in)
            inside = [x for x in ref.loops if x.var in ref.moving]
            one = self._iterations(ref, inside, item, ref.buffer.per_line if ref.in_row else 0)
            found = one * self.iterations(loop, item) if every and loop.var not in item.env else one
            before = lines.get(ref.number, 0)
            lines[ref.number] = found if value_of(found) > value_of(before) else before
        return total(lines.values())

    def most_lines(self, refs: Sequence[Ref], item: Subtree, besides: bool = False) -> Num:
        """See :meth:`Spreads.lines`."""
        return self._spreads.lines(self._refs_boxes, refs, item, besides)

    def _on_walk(self, walk: PointerWalk, refs: Sequence[Ref], item: Subtree, kind: TouchKind, taken: bool) -> Num:
        """The lines at a pointer, and beside it: those that it passes, and where it begins and ends."""
        touched = total(self.scattered(ref, item, kind, taken) for ref in refs)
        loop = walk.loop_of(refs[0])
        passed = (walk.most or 0) * walk.pace * self.iterations(loop, item)
        return smaller(touched, passed + (3 if len(refs) > 1 else 2) * self.times(loop, item))

    def _in_series(self, refs: Sequence[Ref], item: Subtree, taken: bool, once: bool) -> Num:
        free = [loop for loop in refs[0].loops if loop.var not in item.env]
        share = prod(1 if taken else loop.share for loop in free)
        lines = share * self._iterations(refs[0], free, item, refs[0].stay)
        if taken:
            return lines
        written = {ref.line for ref in refs if ref.moves and ref.write}
        moving = [ref for ref in refs if ref.moves and (ref.write or ref.line not in written)]
        if moving and refs[0].loops[-1] in free:
            moved = total(self.executions(ref, item) for ref in moving)
            walk = refs[0].walk
            goes_on = once and walk is not None and not walk.back  # from where the last execution left it
            entered = walk.loop_of(refs[0]) if walk is not None and goes_on else refs[0].loops[-1]
            lines = smaller(moved / refs[0].stay + self.times(entered, item), lines)
        return smaller(total(self.executions(ref, item) for ref in refs), lines)

    def scattered(self, ref: Ref, item: Subtree, kind: TouchKind, taken: bool = False) -> Num:
        """The most lines that an irregular reference touches, or writes: where it walks along a row, the row's;
        ``taken``: with all branches on data."""
        if kind in ref.near:
            return 0
        row = ref.buffer.per_line if ref.in_row else ANY_NUMBER if ref.stands else 0
        free = [loop for loop in ref.loops if loop.var not in item.env]
        if ref.shifted_row is not None and any(loop.uid == ref.shifted_row.loop for loop in free):
            lines = prod([*(loop.share for loop in free), self._entered(ref, ref.shifted_row, free, item)])
            return smaller(self._executed(ref, item, 0), lines)
        if taken:
            return self._iterations(ref, free, item, row)
        if not row or ref.share == 1:
            return self._executed(ref, item, row)
        whole = prod([*(loop.share for loop in free), self._iterations(ref, free, item, row)])
        return smaller(self._executed(ref, item, 0), whole)

    def _executed(self, ref: Ref, item: Subtree, row: int) -> Num:
        """The points of the free loops; of an innermost one along a row, the lines of ``row`` elements at most."""
        free = [loop for loop in ref.loops if loop.var not in item.env]
        return prod([ref.share, *(loop.share for loop in free), self._iterations(ref, free, item, row)])

    def times(self, node: Child, item: Subtree) -> Num:
        """How often a node is reached in an item, whatever branches on data are taken."""
        return self._iterations(node, [loop for loop in node.loops if loop.var not in item.env], item, 0)

    def iterations(self, loop: LoopNode, item: Subtree) -> Num:
        """How many iterations all executions of a loop in an item make."""
        buffer = next(iter(self._buffers.values()))
        return self.times(Ref(0, buffer, (), False, loop.line, loop.guards, 1, (*loop.loops, loop)), item)

    def _trips(self, node: Child, free: Sequence[LoopNode], item: Subtree) -> Iterator[list[Num]]:
        """The iterations of the free loops, for each part of their domain."""
        self._budget.spend(BOX_STEPS)
        variables = tuple(Affine(0, {loop.var: 1}) for loop in free)
        buffer = next(iter(self._buffers.values()))
        probe = Ref(0, buffer, variables, False, node.line, node.guards, 1, node.loops)
        for box in self._domains.boxes_of(probe, item.env, item.window):
            yield [(i.hi - i.lo) / i.step + 1 for i in box]

    def _entered(self, ref: Ref, shifted: ShiftedRow, free: Sequence[LoopNode], item: Subtree) -> Num:
        """The lines that a reference enters along shifted rows. Where one begins again, it leaves a line and enters one
        before their ends; in a whole period it comes back to the line in which it began."""
        place, period = [loop.uid for loop in free].index(shifted.loop), shifted.period
        count: list[Num] = []
        for trips in self._trips(ref, free, item):
            steps = trips[place]
            trips[place] = ceil_to(steps - 1, ref.buffer.per_line) / ref.buffer.per_line + 1
            if period is not None:
                trips[place] = trips[place] + (1 if same(steps, period) else 2 * (steps / period + 1))
            count.append(prod(trips))
        return total(count)

    def _iterations(self, node: Child, free: Sequence[LoopNode], item: Subtree, row: int) -> Num:
        count: list[Num] = []
        for trips in self._trips(node, free, item):
            if row and free and free[-1] is node.loops[-1]:
                mean = free[-1].mean  # of executions that may make one iteration, or none
                whole: Num = 1
                if row != ANY_NUMBER:
                    whole = (trips[-1] - 2 + row if mean else ceil_to(trips[-1] - 1, row)) / row + 1
                trips[-1] = least(whole, trips[-1]) if mean else whole
            count.append(prod(trips))
        return total(count)

    def range(self, loop: LoopNode, env: Env, window: Window | None = None) -> IterationRange | None:
        """The values of a loop with the loops around it fixed; None where there are none."""
        item = Subtree(loop, env, window)
        if item.key not in self._ranges:
            self._budget.spend(BOX_STEPS)
            self._ranges[item.key] = self._range(loop, env, window)
        return self._ranges[item.key]

    def _range(self, loop: LoopNode, env: Env, window: Window | None) -> IterationRange | None:
        probe = Ref(0, next(iter(self._buffers.values())), (), False, 0, loops=(loop,))
        system = constraints(probe, env, window)
        if system is None:
            return None
        span = single_range(loop.var, 1, [r for r in system.rows if r.coefs.keys() == {loop.var}])
        return None if span is None else _in_order(loop, span)


def _disjoint(reaches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Stretches that cover the same as ``reaches``."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(set(reaches)):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def _in_order(loop: LoopNode, span: Interval) -> IterationRange:
    step = loop.step
    width = int(value_of(step))
    if width == 1:
        trips = span.hi - span.lo + 1
        low, high = AlignedPoint(span.lo, span.lo_alignment), AlignedPoint(span.hi, span.hi_alignment)
    elif loop.descending:
        bottom, alignment = last_iterate(-span.hi, -span.lo, span.hi_alignment, span.lo_alignment, width)
        low, high = AlignedPoint(-bottom, alignment), AlignedPoint(span.hi, span.hi_alignment)
        trips = (high.value - low.value) / step + 1
    else:
        top, alignment = last_iterate(span.lo, span.hi, span.lo_alignment, span.hi_alignment, width)
        low, high = AlignedPoint(span.lo, span.lo_alignment), AlignedPoint(top, alignment)
        trips = (high.value - low.value) / step + 1
    return IterationRange(high, low, trips) if loop.descending else IterationRange(low, high, trips)
