"""One attempt at the model of a kernel, at one precision: its reuse classes, and how certain they are. A reference
whose place depends on data counts by its worst case, a line for each access."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from roofscan.budget import Budget
from roofscan.cost.memory.lru.branches import Branches
from roofscan.cost.memory.lru.common_answers import AnswersAtPoint
from roofscan.cost.memory.lru.first_touch import FirstTouch, in_part_of
from roofscan.cost.memory.lru.footprint.boxes import IndexBox
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.known_order import lines_are_known, order_is_known
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.footprint.union import is_stretch
from roofscan.cost.memory.lru.model import BoundKind, ColdMisses, ReuseModel
from roofscan.cost.memory.lru.reuse_records import interpolated
from roofscan.cost.memory.lru.runs import RunsOfLoops
from roofscan.cost.memory.lru.sample_iterations import Sampler
from roofscan.cost.memory.lru.scan import Scanner
from roofscan.cost.memory.lru.scattered import Scattered, irregular_refs, is_made
from roofscan.cost.memory.lru.sources import Sources
from roofscan.cost.memory.lru.tree.build import TreeBuilder
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, refs_of, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import Num, ceil_to, least, same, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kernel import MISSING, Kernel
from roofscan.ir.tree import Operation
from roofscan.ir.visitor import accesses, children, walk


@dataclass(frozen=True)
class Precision:
    """How many iterations of a kernel are sampled, and how much work that may take."""

    strata: tuple[int, ...]  # of a loop, by how many sampled loops are around it
    one_by_one: int  # at most so many iterations of a loop whose body is not affine in it
    work: int  # inside strata, in steps of some 30 microseconds
    first: int  # in the first of the outermost strata for one array: all strata take a multiple of it
    fetches_only: bool = False  # leaves write-backs out, and does not tell fills from loads


PRECISIONS = (
    Precision((6, 5, 4, 3), 64, 12_000, 900),
    Precision((3, 1, 1, 1), 16, 9_000, 9_000),
    Precision((1,), 4, 9_000, 9_000),
)
"""From the finest to the coarsest: where one takes too much work, the next is tried. With strata inside strata, all
strata take at least twelve times the work of the first, for one array."""


MAX_SCAN_WORK = 40_000  # of one attempt, some 1.2 seconds, at any precision


class Attempt:
    """``strata`` and ``whole`` are the budgets of the attempt: where ``strata`` ends it, a coarser one takes less."""

    def __init__(
        self,
        kernel: Kernel,
        builder: TreeBuilder,
        root: LoopNode,
        precision: Precision,
        budget: Budget,
        answers: AnswersAtPoint,
    ) -> None:
        self.strata, self.whole = Budget(precision.work), Budget(MAX_SCAN_WORK)
        unique = {id(r.buffer): r.buffer for r in root.refs}
        self._kernel = kernel
        self._builder = builder
        self._fetches_only, self._of_changes = precision.fetches_only, answers.of_changes
        self._buffers = sorted(unique.values(), key=lambda s: s.name)
        threaded, at_most = not all(ref.common for ref in root.refs), builder.notes.branches and self._is_at_most
        known = answers.of(precision, threaded, at_most)
        self._footprints = Footprints(self._buffers, budget, threaded, at_most, known.footprints)
        self._root = Subtree(root, {})
        self._expressions = answers.expressions
        self._branches = Branches(self._footprints)
        self._runs_of_loops = RunsOfLoops(self._footprints)
        sampler = Sampler(self._footprints, precision.strata, precision.one_by_one)
        strata = None if precision is PRECISIONS[-1] else self.strata
        at_once = precision is not PRECISIONS[0]
        self._first = FirstTouch(self._footprints, sampler, strata, known.shares, at_once=at_once)
        regular = [s for s in self._buffers if not irregular_refs(s, self._root)]
        sources = Sources(self._footprints, self._branches, self._root)
        self._scanner = Scanner(
            self._footprints, regular, sampler, self._first, self._branches, sources, self.strata, self.whole,
            precision.first, precision.fetches_only, known,
        )  # fmt: skip

    def model(self, line: int) -> ReuseModel:
        """The model with all its classes; BudgetExceeded where that is too much work."""
        assert isinstance(self._root.node, LoopNode)
        self._scanner.scan(self._root.node, {}, 1)
        found = interpolated(self._scanner.found)
        for buffer in self._buffers:
            if irregular_refs(buffer, self._root):
                found += self._scattered(buffer).worst_case()
        cold = self._all_cold
        return ReuseModel(line, cold, found, self._bound_kind(cold), self._expressions)

    def least(self, line: int) -> ReuseModel:
        """Compulsory traffic as the whole model has it, without the classes."""
        return ReuseModel(line, self._all_cold, [], BoundKind(bound="lower_bound"), self._expressions)

    def compulsory(self, line: int) -> ReuseModel:
        """Compulsory traffic alone, where the whole model takes too much work: a lower bound."""
        cold, why = self._all_cold, too_many(self._kernel)
        bound_kind = BoundKind(bound="unknown", why=why)
        if self._is_certain(cold):
            bound_kind = BoundKind(bound="lower_bound", why=f"{why}: the compulsory traffic is a lower bound")
        return ReuseModel(line, cold, [], bound_kind, self._expressions)

    def _scattered(self, buffer: Buffer) -> Scattered:
        return Scattered(self._footprints, self._runs_of_loops, buffer, self._root)

    @cached_property
    def _all_cold(self) -> list[ColdMisses]:
        return [self._cold(buffer) for buffer in self._buffers]

    def _cold(self, buffer: Buffer) -> ColdMisses:
        if irregular_refs(buffer, self._root):
            return self._scattered(buffer).cold()
        lines, written = (self._held(buffer, writes) for writes in (False, True))
        return ColdMisses(buffer, lines, self._filled(buffer, lines), written)

    def _held(self, buffer: Buffer, writes: bool) -> Num:
        """The lines touched, or written: no more than the array has, whatever means of trips say."""
        lines = self._branches.touched(buffer, self._root, writes).touched
        if not any(loop.mean for ref in refs_to(self._root.node, buffer) for loop in ref.loops) or buffer.made:
            return lines
        return least(lines, ceil_to(buffer.size, buffer.per_line) / buffer.per_line)

    def _filled(self, buffer: Buffer, lines: Num) -> Num:
        """The share that a write touches first. The first read of a place that depends on data may be of any line that
        is not written before it; where it follows writes, bounds take that into account."""
        if is_made(buffer, self._root):
            return 1
        if self._fetches_only:
            return 0
        share = self._first.share(buffer, self._root)
        read = next((r for r in refs_of(self._root.node) if r.buffer.base is buffer and not r.write), None)
        if read is None or not value_of(share):
            return share
        before = self._first.surely_before(buffer, read)
        sooner = self._footprints.lines(buffer, before)
        typical = sooner and not self._is_at_most
        return share if typical or same(sooner, lines) or in_part_of(read, before) else share * sooner / lines

    # -- how certain --------------------------------------------------------------------------
    @cached_property
    def _is_at_most(self) -> bool:
        """Whether references to unknown places, or work that may not be done, make the figures an upper bound."""
        notes, effects = self._builder.notes, {r.effect for r in self._kernel.reasons}
        return (
            bool("upper" in effects or notes.irregular)
            and not (notes.approximate or effects & {"open", "traffic", *MISSING} or _library_operands(self._kernel))
            and notes.bounds
        )

    def _bound_kind(self, cold: list[ColdMisses]) -> BoundKind:
        notes, effects = self._builder.notes, {r.effect: r for r in self._kernel.reasons}
        missing = next((effects[effect] for effect in MISSING if effect in effects), None)
        estimated = notes.approximate or notes.larger or notes.branches or "open" in effects or "traffic" in effects
        in_full = "upper" in effects or notes.irregular
        if missing is not None:  # with an upper bound beside it, the sum bounds nothing
            return BoundKind() if estimated or in_full else BoundKind(bound="lower_bound", why=missing.located)
        if in_full:
            why = effects["upper"].located if "upper" in effects else at_worst(*notes.irregular[0])
            return BoundKind(bound="upper_bound" if self._is_at_most else "estimate", why=why, worst=True)
        operands = None if estimated or self._scanner.averaged else self._operands(cold)
        exact = not self._of_changes and not self._scanner.averaged and self._is_certain(cold)
        why = "a library call reads its operands at least once" if operands is not None else ""
        return BoundKind(exact, library=operands, why=why)

    def _is_certain(self, cold: list[ColdMisses]) -> bool:
        """Whether compulsory traffic is exact to the byte."""
        notes, effects = self._builder.notes, {r.effect for r in self._kernel.reasons}
        if self._kernel.on_gpu:  # in what order threads run is not known
            return False
        if notes.approximate or notes.larger or notes.branches or notes.irregular:
            return False
        if effects & {"upper", "open", "traffic", *MISSING}:
            return False
        if "scattered" in effects and not all(access.regular for access in accesses(self._kernel.body)):
            return False  # a reason of the whole kernel, of which this may be a case without such accesses
        return all(map(self._is_exact, cold))

    def _is_exact(self, cold: ColdMisses) -> bool:
        if not (same(cold.fill, 0) or same(cold.fill, 1)):
            return False
        boxes = [self._footprints.boxes(cold.buffer, self._root, writes) for writes in (False, True)]
        places, given = {s.name for s in self._kernel.symbols if s.kind == "int"}, self._kernel.values
        return all(_is_exact_footprint(cold.buffer, b) for b in boxes) and all(
            order_is_known(cold.buffer, b, given, self._expressions)
            and lines_are_known(b, places, given, self._expressions)
            for b in boxes
        )

    def _operands(self, cold: list[ColdMisses]) -> Num | None:
        """Lines of the arrays in nests of BLAS-like calls, or None where there are none."""
        names = _library_operands(self._kernel)
        return total(c.lines for c in cold if c.buffer.owner in names) if names else None


def at_worst(line: int, what: str, in_order: bool) -> str:
    each = "each line once per pass" if in_order else "one line per access"
    return f"{what} (line {line}): at worst {each}"


def too_many(kernel: Kernel) -> str:
    return f"line {kernel.line} has too many nests to analyze"


def _library_operands(kernel: Kernel) -> set[str]:
    bodies = (kernel.body, *(children(node) for node in walk(kernel.body)))
    calls = (b for b in bodies if any(isinstance(n, Operation) and n.library for n in b))
    return {kernel.array(access.array).owner for body in calls for access in accesses(body)}


def _is_exact_footprint(buffer: Buffer, boxes: Sequence[IndexBox]) -> bool:
    """Whether the lines of a buffer are counted without means: every end is known, and rows are multiples of a line or
    the box is one stretch."""
    if not boxes:
        return True
    if any(i.lo_alignment or i.hi_alignment for box in boxes for i in box):
        return False
    widths = [value_of(s) for s in buffer.strides[:-1]]
    if all(w % buffer.per_line == 0 for w in widths):
        return all(box[-1].step == 1 for box in boxes) and all(_within_row(b, widths) for b in boxes)
    return len({tuple(i.key for i in b) for b in boxes}) == 1 and is_stretch(buffer, boxes[0])


def _within_row(box: IndexBox, widths: Sequence[float]) -> bool:
    return not widths or (box[-1].low >= 0 and box[-1].high < widths[-1])
