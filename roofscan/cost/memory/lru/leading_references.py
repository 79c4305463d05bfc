"""Leading references: which reference of a nest touches an element first, where all move alike.

In a perfect nest over a rectangle whose references to an array differ by constants, the one that is ahead in the
outermost loop touches an element first; of those level there, the one ahead in the next loop; then the order of
evaluation decides. Lines that a loop along the rows touches in its first iteration are touched by all its
references at once, so there that loop does not tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints, IterationRange
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Ref, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import value_of

MIN_LINES_PER_ROW = 2
"""A row of fewer lines may begin and end in one line."""


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
        span = footprints.range(row, env) if row is not None else None
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
    if b.irregular or b.folds or b.guards or len(a.loops) != len(b.loops) or a.loops[-1] is not b.loops[-1]:
        return False
    forms = zip(a.subscripts, b.subscripts)
    return all(not f.opaque and not g.opaque and _slopes(f) == _slopes(g) for f, g in forms)


def _slopes(form: Affine) -> dict[str, float]:
    return {v: value_of(c) for v, c in form.coefs.items()}


def _is_plain(loop: LoopNode, env: Env) -> bool:
    """Whether the range of the loop does not depend on other free loops."""
    forms = (*loop.lows, *loop.highs, *loop.guards)
    return not loop.sampled_all and all(f.names <= env.keys() and not f.opaque for f in forms)
