"""Bounds on the reuse of lines whose place the data choose. In one execution of a loop such references touch each line
that they can reach at most once anew; every other touch there comes back within the execution. Of the touches of one
line in T iterations, fewer than 2**k come back after more than T/2**k iterations."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.model import ColdMisses
from roofscan.cost.memory.lru.reuse_records import ReuseRecord, ThreadUse
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Ref, children_to, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, ceil_to, smaller, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TouchKind

MAX_HALVINGS = 8  # of the iterations of a loop, to tell touches that come back soon from those that come back late


def irregular_refs(buffer: Buffer, item: Subtree) -> list[Ref]:
    return [r for r in refs_to(item.node, buffer) if r.irregular]


@dataclass(frozen=True)
class Returns:
    """Touches that come back at a distance, at the most."""

    lines: Num
    distance: Num


class PartsOfLoops:
    """The lines that parts of the iterations of a loop touch: all of them, half of them, and so on."""

    def __init__(self, footprints: Footprints) -> None:
        self._footprints = footprints
        self._known: dict[tuple[int, int], Num] = {}

    def distance(self, loop: LoopNode, halvings: int) -> Num:
        key = (loop.uid, halvings)
        if key not in self._known:
            ends = (self._over(loop, halvings, late) for late in (False, True))
            self._known[key] = max((d for d in ends if d is not None), key=value_of, default=0)
        return self._known[key]

    def _over(self, loop: LoopNode, halvings: int, late: bool) -> Num | None:
        """The distance over the part of a loop's iterations in the first or the last iteration of those around it."""
        env: dict[str, AlignedPoint] = {}
        for outer in loop.loops[1:]:
            if (span := self._footprints.range(outer, env)) is not None:
                env[outer.var] = span.last if late else span.first
        span = self._footprints.range(loop, env)
        if span is None:
            return None
        length = ceil_to(span.trips / 2**halvings, 1)
        stride = loop.direction * loop.step * (length if length < span.trips - 1 else span.trips - 1)
        ends = (span.last.value - stride, span.last.value) if late else (span.first.value, span.first.value + stride)
        low, high = (AlignedPoint(end) for end in (reversed(ends) if loop.descending else ends))
        return self._footprints.distance([Subtree(loop, env, Window(loop.var, low, high))])


class Scattered:
    """The references to one buffer whose places depend on data."""

    def __init__(self, footprints: Footprints, parts: PartsOfLoops, buffer: Buffer, root: Subtree) -> None:
        self._footprints = footprints
        self._parts = parts
        self._buffer = buffer
        self._root = root
        self._refs = irregular_refs(buffer, root)

    def cold(self) -> ColdMisses:
        lines, written = (self._anew(kind) for kind in ("touch", "write"))
        return ColdMisses(self._buffer, lines, self._write_share(), written)

    def worst_case(self) -> list[ReuseRecord]:
        return [*self._records("touch"), *self._records("write")]

    def _refs_of(self, kind: TouchKind) -> list[Ref]:
        return [r for r in self._refs if (r.write if kind == "write" else not r.repeats)]

    def _anew(self, kind: TouchKind) -> Num:
        """The most lines that the references touch, of those that others leave."""
        refs = self._refs_of(kind)
        if not refs:
            return 0
        count = total(self._footprints.scattered(r, self._root, kind) for r in refs)
        reach = max((r.reach for r in refs), key=value_of)
        return self._footprints.beyond(count if count < reach else reach, self._buffer, [self._root], kind == "write")

    def _write_share(self) -> int:
        """1 where every touch is a write, else 0: with what a read may have left to do, loads bound both."""
        return int(all(r.write for r in self._refs_of("touch") if "touch" not in r.near))

    # -- what comes back ----------------------------------------------------------------------------
    def _records(self, kind: TouchKind) -> list[ReuseRecord]:
        refs = self._refs_of(kind)
        if not refs:
            return []
        root = self._root.node
        assert isinstance(root, LoopNode)
        fill = 1 if kind == "write" else self._write_share()
        beside = total(
            self._footprints.executions(r, self._root) - self._footprints.scattered(r, self._root, kind)
            for r in refs if r.in_row or r.near
        )  # fmt: skip
        near = Returns(beside, max(len(r.loops[-1].refs) for r in refs))
        whole = self._footprints.distance([self._root])
        entered, returns = self._returns(root, kind)
        left = Returns(entered - self._anew(kind), whole)
        found = []
        for one in (*returns, left, near):
            if one.lines > TOLERANCE:
                first = 0 if one is near else self._anew(kind)
                threads = ThreadUse(None, False, False, True, first, 1, one.distance, one.distance, one.distance)
                among = threads if self._footprints.threaded else None
                interval = DistanceInterval(one.lines, one.distance, one.distance)
                found.append(ReuseRecord(self._buffer, "data", refs[0].line, 1, kind, interval, fill, threads=among))
        return found

    def _returns(self, loop: LoopNode, kind: TouchKind) -> tuple[Num, list[Returns]]:
        """The lines that executions of a loop touch anew, over all of them, and the touches that come back in one."""
        below, found = [], []
        for child in children_to(loop, self._buffer):
            if isinstance(child, LoopNode):
                lines, inner = self._returns(child, kind)
                below.append(lines)
                found += inner
            elif child in self._refs_of(kind):
                below.append(self._footprints.scattered(child, self._root, kind))
        touches = total(below)
        refs = [r for r in self._refs_of(kind) if loop in r.loops]
        if not loop.loops or not refs:
            return touches, found
        reach = max((r.reach for r in refs), key=value_of) * self._footprints.times(loop, self._root)
        anew = smaller(touches, reach)
        return anew, found if anew is touches else [*found, *self._within(loop, touches - anew, reach)]

    def _within(self, loop: LoopNode, lines: Num, reach: Num) -> Iterator[Returns]:
        """Touches that come back within an execution of a loop, those after most iterations first."""
        before: Num = 0
        for halvings in range(MAX_HALVINGS):
            late = smaller(lines, reach * (2 ** (halvings + 1) - 1))
            yield Returns(late - before, self._parts.distance(loop, halvings))
            if late is lines:
                return
            before = late
        yield Returns(lines - before, self._parts.distance(loop, MAX_HALVINGS))
