"""Footprints: the distinct lines that parts of the tree touch, remembered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox
from roofscan.cost.memory.lru.footprint.domains import Domains
from roofscan.cost.memory.lru.footprint.iterations import Iterations
from roofscan.cost.memory.lru.footprint.scattered_lines import ScatteredLines
from roofscan.cost.memory.lru.footprint.spread import ReferenceBoxes, Spreads, is_placed
from roofscan.cost.memory.lru.footprint.subtree import PLACE_BITS, Subtree
from roofscan.cost.memory.lru.footprint.sweep import BOX_STEPS
from roofscan.cost.memory.lru.footprint.union import Unions, lines_of
from roofscan.cost.memory.lru.tree.nodes import Buffer, Ref, has_irregular, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Label, Num, ceil_to, labelled_total, total, value_of
from roofscan.cost.memory.spans import merged_spans

MAX_BOXES_PER_REFERENCE = 16  # the footprint of a whole nest that is not a rectangle is cut into so many boxes at most

SAME_LINES_SHARE = 0.05
"""Where the lines of the pieces differ by no more than this share from those of one box, one box is kept: it has fewer
terms."""


class KnownFootprints:
    """Of items, by what is equal for items with equal accesses to a buffer."""

    def __init__(self) -> None:
        self.boxes: dict[object, list[IndexBox]] = {}
        self.few: dict[object, list[IndexBox]] = {}
        self.lines: dict[object, Num] = {}
        self.extents: dict[object, tuple[float, float] | None] = {}
        self.points: dict[object, tuple[object, float] | None] = {}


class Footprints:
    """Counts lines. ``lines`` takes items of one buffer, ``distance`` all buffers of the items."""

    def __init__(
        self,
        buffers: Iterable[Buffer],
        budget: Budget | None = None,
        threaded: bool = False,
        at_most: bool = False,
        known: KnownFootprints | None = None,
    ) -> None:
        """``threaded``: some lines are of one thread alone; ``at_most``: branches on data are taken in distances;
        ``known``: what is known of items by their forms."""
        self.at_most = at_most
        self._budget = budget or Budget()
        self.threaded = threaded
        self._buffers = {id(s): s for s in buffers}
        self._unions = Unions(self._budget)
        known = known or KnownFootprints()
        domains = Domains()
        self.iterations = Iterations(self._buffers.values(), domains, self._budget)
        self._of_refs = ReferenceBoxes(self.iterations, domains, self._budget)
        self.scattered = ScatteredLines(self.iterations, Spreads(self._unions, self._of_refs))
        self._boxes, self._few, self._lines = known.boxes, known.few, known.lines
        self._extents, self._points = known.extents, known.points
        self._common: dict[object, Num] = {}
        self._counted = 0
        self._compared = 0

    @property
    def work(self) -> int:
        """What has been done so far, in steps of about the same time."""
        return self._counted + self._compared // 12 + self._unions.work

    def lines(self, buffer: Buffer, items: Sequence[Subtree], writes: bool = False) -> Num:
        """Lines of one buffer that the union of the items touches (with ``writes``: that they write)."""
        shape = id(buffer), writes  # keys as of Subtree.within: it is called for every distance
        relevant: dict[int, Subtree] = {}
        name: object = -1
        for item in items:
            if (form := item.node.shapes.get(shape)) is not None:
                name = form << PLACE_BITS | item.place
                relevant[name] = item
        if not relevant:
            return 0
        if len(items) > 1:
            self._budget.spend(len(items) // 2)
            name = frozenset(relevant) if len(relevant) > 1 else name
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
            self.scattered.reached(refs, i, "write" if writes else "touch", self.at_most)
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
        whole = self._of_refs.of(refs, item, 1)
        if item.window or all(is_placed(r, item.env) for r in refs):
            return whole
        cut = self._of_refs.of(refs, item, MAX_BOXES_PER_REFERENCE)
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
        reaches = merged_spans(y for o in others if (y := self.extent(buffer, o, False)) is not None)
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

    def distance(self, items: Sequence[Subtree]) -> Num:
        """Lines of all buffers that the union of the items touches, labelled with the arrays they are of, and whether
        all threads have them in common."""
        self._budget.spend(3 * len(items))
        by_buffer: dict[int, list[Subtree]] = {}
        for item in items:
            for key in item.node.buffers:
                by_buffer.setdefault(key, []).append(item)
        buffers = sorted((self._buffers[key] for key in by_buffer), key=lambda s: s.name)
        return labelled_total([part for s in buffers for part in self._parts(s, by_buffer[id(s)])])

    def _parts(self, buffer: Buffer, items: Sequence[Subtree]) -> list[tuple[Label, Num]]:
        lines = self.lines(buffer, items)
        if buffer.base is not None:
            lines = self.beyond(lines, buffer, items, False)
        common = self.common_lines(buffer, items) if self.threaded else lines
        if common is lines:
            return [((buffer.owner, True), lines)]
        return [((buffer.owner, True), common), ((buffer.owner, False), lines - common)]

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
        return lines_of(buffer, self._of_refs.of(refs, item, 1), unions=self._unions)

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
                for box in self._of_refs.of([r for r in refs_to(item.node, buffer) if r.common], item, 1)
            ]  # fmt: skip
            self._common[name] = lines_of(buffer, boxes, unions=self._unions)
        return self._common[name]

    def overlap(self, buffer: Buffer, a: Sequence[Subtree], b: Sequence[Subtree], writes: bool) -> Num:
        both = self.lines(buffer, a, writes) + self.lines(buffer, b, writes)
        both = both - self.lines(buffer, [*a, *b], writes)
        return both if both > TOLERANCE else 0
