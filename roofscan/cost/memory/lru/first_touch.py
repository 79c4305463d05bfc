"""The share of lines whose first touch is a write: these are filled (write-allocate), the others are loaded. In a
perfect nest over a rectangle whose references to an array differ by constants, the one that is ahead in the outermost
loop (:class:`Leading`) touches an element first; of those level there, the one ahead in the next loop; then evaluation
order decides. The loop along the rows does not tell them apart at a row's beginning, whose lines all of them touch at
once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.iterations import IterationRange
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree, joint_form
from roofscan.cost.memory.lru.sample_iterations import Sample, Sampler, previous
from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, LoopNode, Ref, children_to, is_open, refs_of, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, same, total, value_of
from roofscan.frozen import dataclass
from roofscan.memo import kept_by

SAMPLING_DEPTH = 0  # loops are sampled as at this depth: a share needs fewer strata than a count

History = dict[int, Subtree]
"""Earlier items, of those with equal accesses to a buffer the first."""


@dataclass(frozen=True)
class Fresh:
    """Lines that an item touches and its history does not, and those of them that a write touches first."""

    lines: Num
    written: Num


class FirstTouch:
    def __init__(
        self,
        footprints: Footprints,
        sampler: Sampler,
        strata: Budget | None,
        known: dict[object, Num],
        at_once: bool = False,
    ) -> None:
        """``at_once``: whether kinds are found at once even where loops limit others."""
        self._at_once = at_once
        self._strata = strata  # ends the sampling of strata; None: no limit
        self._footprints = footprints
        self._sampler = sampler
        self._shares = known

    def share(self, buffer: Buffer, item: Subtree) -> Num:
        kinds = self._kinds(buffer, item.node)
        if len(kinds) == 1:
            return int(True in kinds)
        name, _ = joint_form(buffer, [item])
        if name not in self._shares:
            fresh = self._fresh(buffer, item.node, item.env, {}, SAMPLING_DEPTH)
            self._shares[name] = _ratio(fresh.written, fresh.lines)
        return self._shares[name]

    def reused_share(self, buffer: Buffer, item: Subtree, before: Iterable[Subtree]) -> Num:
        """The share among the lines of an item that items before it touched."""
        kinds = self._kinds(buffer, item.node)
        if len(kinds) == 1:
            return int(True in kinds)
        whole = self._fresh(buffer, item.node, item.env, {}, SAMPLING_DEPTH)
        new = self._fresh(buffer, item.node, item.env, _with({}, buffer, before), SAMPLING_DEPTH)
        if new.lines <= TOLERANCE or whole.lines <= new.lines + TOLERANCE:
            return _ratio(whole.written, whole.lines)
        return _ratio(whole.written - new.written, whole.lines - new.lines)

    def iterations_before(self, buffer: Buffer, item: Subtree, loop: LoopNode, sample: Sample) -> list[Subtree]:
        return self._earlier(buffer, loop, {n: p for n, p in item.env.items() if n != loop.var}, sample)

    def surely_before(self, buffer: Buffer, ref: Ref) -> list[Subtree]:
        """What the kernel does, whatever branches are taken, before it first reaches a reference."""
        env: dict[str, AlignedPoint] = {}
        found: list[Subtree] = []
        for loop, below in pairwise((*ref.loops, ref)):
            assert isinstance(loop, LoopNode)
            if loop.loops:
                env[loop.var] = self._sampler.first(loop, env)
            sooner = loop.children[: loop.children.index(below)]
            surely = [child for child in sooner if id(buffer) in child.buffers and not is_open(child)]
            found += [Subtree(child, dict(env)) for child in surely]
        return found

    @kept_by(lambda buffer, node: (id(buffer), node.uid))
    def _kinds(self, buffer: Buffer, node: Child) -> set[bool]:
        """Whether reads (False) and writes (True) may touch a line first. No write does that follows a read of its
        element in the same iteration. Not found at once where loops limit others, at the finest precision: how many
        samples such a kernel takes is what tells the scan to be content with fewer strata."""
        refs, root = refs_to(node, buffer), (*node.loops, node)[0]
        if isinstance(root, LoopNode) and root.names_below and not self._at_once:
            return {r.write for r in refs}
        return {r.write for n, r in enumerate(refs) if not any(_follows(r, sooner, buffer) for sooner in refs[:n])}

    def _fresh(self, buffer: Buffer, node: Child, env: Env, history: History, depth: int) -> Fresh:
        if isinstance(node, Ref):
            new = self._new(buffer, [Subtree(node, env)], history)
            return Fresh(new, new if node.write else 0)
        kinds = self._kinds(buffer, node)
        whole = self._new(buffer, [Subtree(node, env)], history)
        if whole <= TOLERANCE or len(kinds) == 1:
            return Fresh(whole, whole if True in kinds else 0)
        known = leading(buffer, node, env)
        if known is not None:
            return Fresh(whole, self._written(buffer, known, env, history))
        samples, strata = self._sampler.samples(node, env, depth, buffer)
        depth += strata
        if not samples:
            return Fresh(0, 0)
        start = self._sampler.first(node, env)
        first = self._body(buffer, node, {**env, node.var: start}, history, depth)
        rest = whole - first.lines
        if rest <= TOLERANCE:
            return Fresh(whole, first.written)
        if len(samples) == 1 and same(first.lines * samples[0].weight, whole):  # none of them shares lines with others
            return Fresh(whole, first.written * samples[0].weight)
        later = [(s.weight, self._at(buffer, node, env, s, history, depth)) for s in samples]
        new = total(w * f.lines for w, f in later)
        if new <= TOLERANCE:  # a ring: the first time round alone has new lines
            later = [(1, self._at(buffer, node, env, s, history, depth)) for s in self._sampler.early(node, env)]
            new = total(w * f.lines for w, f in later)
        written = total(w * f.written for w, f in later)
        return Fresh(whole, first.written + rest * _ratio(written, new))

    def _written(self, buffer: Buffer, known: Leading, env: Env, history: History) -> Num:
        """Lines that a write touches first, by the leading references."""
        parts: list[Num] = []
        for write, items in known.runs(self._footprints, env):
            if write:
                parts.append(self._new(buffer, items, history))
            history = _with(history, buffer, items)
        return total(parts)

    def _at(self, buffer: Buffer, loop: LoopNode, env: Env, sample: Sample, history: History, depth: int) -> Fresh:
        """The lines that one iteration adds to those of all iterations before it."""
        if self._strata is not None and sample.stratum is not None:
            self._strata.limit(self._footprints.work)
        before = _with(history, buffer, self._earlier(buffer, loop, env, sample))
        return self._body(buffer, loop, {**env, loop.var: sample.point}, before, depth)

    def _body(self, buffer: Buffer, loop: LoopNode, env: Env, history: History, depth: int) -> Fresh:
        parts: list[Fresh] = []
        for child in children_to(loop, buffer):
            parts.append(self._fresh(buffer, child, env, history, depth))
            history = _with(history, buffer, [Subtree(child, env)])
        return Fresh(total(p.lines for p in parts), total(p.written for p in parts))

    def _earlier(self, buffer: Buffer, loop: LoopNode, env: Env, sample: Sample) -> list[Subtree]:
        first = self._sampler.first(loop, env)
        before = previous(loop, sample.point)
        if (before.value > first.value) if loop.descending else (before.value < first.value):
            before = first
        low, high = (before, first) if loop.descending else (first, before)
        window = Window(loop.var, low, high)
        return [Subtree(c, env, window) for c in children_to(loop, buffer)]

    def _new(self, buffer: Buffer, items: list[Subtree], history: History) -> Num:
        near = self._footprints.near(buffer, history.values(), items)
        if not near:
            return self._footprints.lines(buffer, items)
        new = self._footprints.lines(buffer, [*near, *items]) - self._footprints.lines(buffer, near)
        return new if new > TOLERANCE else 0


def _follows(write: Ref, read: Ref, buffer: Buffer) -> bool:
    """Whether a write finds the line that a read before it has touched in the same iteration."""
    if read.write or not write.write or read.loops[-1] is not write.loops[-1]:
        return False
    return read.shapes[id(buffer), False] == write.shapes[id(buffer), False]


def _with(history: History, buffer: Buffer, items: Iterable[Subtree]) -> History:
    made = dict(history)
    for item in items:
        made.setdefault(item.within(buffer, False), item)
    return made


def _ratio(part: Num, whole: Num) -> Num:
    if whole <= TOLERANCE or part <= 0:
        return 0
    return part / whole if part < whole else 1


MIN_LINES_PER_ROW = 2  # a row of fewer lines may begin and end in one line


class Leading:
    """References to one buffer in a nest, with the order in which they reach an element."""

    def __init__(self, buffer: Buffer, loops: Sequence[LoopNode], refs: Sequence[Ref], moves: dict[str, int]) -> None:
        self._buffer = buffer
        self._loops = loops
        self._refs = refs
        self._writes = {r for r in refs if r.write}
        self._moves = moves  # the dimension that a loop moves

    def runs(self, footprints: Footprints, env: Env) -> list[tuple[bool, list[Subtree]]]:
        """Runs of items, each all reads or all writes, in the order in which they touch what they share."""
        row = self._along_row()
        span = footprints.iterations.range(row, env) if row is not None else None
        steps = [(self._behind_in_each(r, self._loops), Subtree(r, env)) for r in self._refs]
        if row is not None and span is not None:
            window = Window(row.var, span.first, span.first)
            begins = [(self._behind_in_each(r, self._loops, row), Subtree(r, env, window)) for r in self._refs]
            steps = [*self._ends(row, span, env), *begins, *steps]
        items = [item for _, item in sorted(steps, key=lambda step: step[0])]
        return [(write, list(run)) for write, run in groupby(items, lambda i: i.node in self._writes)]

    def _ends(self, row: LoopNode, span: IterationRange, env: Env) -> list[tuple[list[float], Subtree]]:
        """The last iteration of a loop along rows that are no multiple of a line: it touches the line that the next row
        begins in, before that row begins."""
        width = value_of(self._buffer.strides[-2]) if len(self._buffer.strides) > 1 else 0
        if not width % self._buffer.per_line or width < MIN_LINES_PER_ROW * self._buffer.per_line:
            return []
        if not any(self._moves.get(loop.var) == len(self._buffer.strides) - 2 for loop in self._loops):
            return []
        window = Window(row.var, span.last, span.last)
        refs = sorted(self._refs, key=lambda r: self._behind_in_each(r, self._loops))
        return [(self._behind_in_each(r, self._loops, row), Subtree(r, env, window)) for r in refs]

    def _along_row(self) -> LoopNode | None:
        """The loop that touches each line in several iterations."""
        last = len(self._buffer.strides) - 1
        for loop in self._loops:
            if self._moves.get(loop.var) == last:
                step = self._refs[0].subscripts[last].coefs[loop.var] * loop.step
                return loop if abs(value_of(step)) < self._buffer.per_line else None
        return None

    def _behind_in_each(self, ref: Ref, loops: Sequence[LoopNode], start: LoopNode | None = None) -> list[float]:
        """How many iterations it is behind in each loop; in the first one of ``start`` it is ahead of those level
        with it in the outer loops."""
        return [float("-inf") if loop is start else self._behind(ref, loop) for loop in loops]

    def _behind(self, ref: Ref, loop: LoopNode) -> float:
        """How many iterations later than one without an offset the reference reaches a place."""
        dim = self._moves.get(loop.var)
        if dim is None:
            return 0.0
        form = ref.subscripts[dim]
        return -value_of(form.constant) / value_of(form.coefs[loop.var]) * loop.direction


def leading(buffer: Buffer, nest: LoopNode, env: Env) -> Leading | None:
    """The leading references of a nest, or None where they move differently."""
    refs = refs_to(nest, buffer)
    first = refs[0]
    loops = [x for x in first.loops if x.var not in env]
    if any(not _is_alike(first, r) for r in refs) or not all(_is_plain(x, env) for x in loops):
        return None
    moves: dict[str, int] = {}
    for dim, form in enumerate(first.subscripts):
        moving = [v for v in form.coefs if v not in env]
        if len(moving) > 1 or any(v in moves for v in moving):
            return None
        moves |= dict.fromkeys(moving, dim)
    return Leading(buffer, loops, refs, moves)


def _is_alike(a: Ref, b: Ref) -> bool:
    """Whether two references are made in the same iterations and differ by constants."""
    if b.irregular or b.index_limits or b.guards or len(a.loops) != len(b.loops) or a.loops[-1] is not b.loops[-1]:
        return False
    forms = zip(a.subscripts, b.subscripts)
    return all(not f.opaque and not g.opaque and _slopes(f) == _slopes(g) for f, g in forms)


def in_part_of(read: Ref, items: Iterable[Subtree]) -> bool:
    """Whether a read of an unknown place stays in the row (or plane) that items before it write in its iteration."""
    writes = [r for item in items for r in refs_of(item.node) if r.write and r.buffer is read.buffer.base]
    moving = any(form.coefs for form in read.known.values())
    return moving and any(all(_same_form(form, w.subscripts[dim]) for dim, form in read.known.items()) for w in writes)


def _same_form(f: Affine, g: Affine) -> bool:
    return not f.opaque and not g.opaque and same(f.constant, g.constant) and _slopes(f) == _slopes(g)


def _slopes(form: Affine) -> dict[str, float]:
    return {v: value_of(c) for v, c in form.coefs.items()}


def _is_plain(loop: LoopNode, env: Env) -> bool:
    """Whether the range of the loop does not depend on other free loops."""
    forms = (*loop.lows, *loop.highs, *loop.guards)
    return not loop.sampled_all and all(f.names <= env.keys() and not f.opaque for f in forms)
