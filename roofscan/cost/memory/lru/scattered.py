"""Bounds on the reuse of lines whose place the data choose. In one execution of a loop such references touch each line
that they can reach at most once anew; every other touch there comes back within the execution. Of the touches of one
line in T iterations, fewer than T/(g + 1) come back after more than g: a small table stays in a cache, whatever
streams past it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.model import ColdMisses
from roofscan.cost.memory.lru.reuse_records import ReuseRecord, ThreadUse
from roofscan.cost.memory.lru.runs import PARTS, RunsOfLoops
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, PointerWalk, Ref, children_to, is_open, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, least, smaller, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TouchKind


def irregular_refs(buffer: Buffer, item: Subtree) -> list[Ref]:
    return [r for r in refs_to(item.node, buffer) if r.irregular]


def is_made(buffer: Buffer, root: Subtree) -> bool:
    """Whether writes touch all lines first: what a kernel reads of the memory that it allocates, it has written."""
    return buffer.made and not root.node.written_in.isdisjoint((id(buffer), id(buffer.base)))


class Scattered:
    """The references to one buffer whose places depend on data."""

    def __init__(self, footprints: Footprints, runs: RunsOfLoops, buffer: Buffer, root: Subtree) -> None:
        self._footprints = footprints
        self._runs = runs
        self._buffer = buffer
        self._root = root
        self._refs = irregular_refs(buffer, root)

    def cold(self) -> ColdMisses:
        lines, written = (self._anew(kind) for kind in ("touch", "write"))
        return ColdMisses(self._buffer, lines, int(is_made(self._buffer, self._root)) or self._write_share(), written)

    def worst_case(self) -> list[ReuseRecord]:
        return [*self._records("touch"), *self._records("write")]

    def _refs_of(self, kind: TouchKind) -> list[Ref]:
        return [r for r in self._refs if (r.write if kind == "write" else not r.repeats)]

    def _anew(self, kind: TouchKind) -> Num:
        """The most lines that the references touch, of those that others leave."""
        refs = self._refs_of(kind)
        if not refs:
            return 0
        count = self._footprints.scattered.reached(refs, self._root, kind)
        reach = max((r.reach for r in refs), key=value_of)
        # Data may leave little, whatever the sizes.
        few = any(x.share != 1 or x.mean for r in refs for x in r.loops) or any(r.share != 1 for r in refs)
        most = count if count < reach else least(count, reach) if few else reach
        return self._footprints.beyond(most, self._buffer, [self._root], kind == "write")

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
        in_rows = [r for r in refs if r.in_row or r.stands or r.near]
        seldom = [r for r in in_rows if r.share != 1 and kind not in r.near]
        beside = total(self._beside(r, kind) for r in in_rows if r not in seldom)
        near = Returns(beside, max((len(r.loops[-1].refs) for r in in_rows), default=0))
        whole = self._footprints.distance([self._root])
        entered, returns = self._returns(root, kind)
        returns = [*returns, *(one for ref in seldom for one in self._seldom(ref, kind))]
        returns = [*returns, *(self._shifted(ref, kind) for ref in refs if ref.shifted_row and kind not in ref.near)]
        anew = self._anew(kind)
        again = entered - least(entered, anew) if anew else entered
        going_on = list(self._going_on(again, kind))
        returns += going_on
        left = Returns(again - total(one.lines for one in going_on), whole)
        found = []
        for one in (*returns, left, near):
            if one.lines > TOLERANCE:
                first = 0 if one is near else self._anew(kind)
                threads = ThreadUse(None, False, False, True, first, 1, one.distance, one.distance, one.distance)
                among = threads if self._footprints.threaded else None
                interval = DistanceInterval(one.lines, one.distance, one.distance)
                found.append(ReuseRecord(self._buffer, "data", refs[0].line, 1, kind, interval, fill, threads=among))
        return found

    def _going_on(self, again: Num, kind: TouchKind) -> Iterator[Returns]:
        """Of what comes back, the lines that a counter reaches in one execution of the innermost loop and leaves in a
        later one: of these at most one in so many iterations of the loop around both comes back after more."""
        footprints, root = self._footprints, self._root
        series = [r for r in self._refs_of(kind) if r.series and r.walk is not None and not r.walk.loop_of(r).mean]
        for one in dict.fromkeys(r.series for r in series):
            refs = [r for r in series if r.series == one]
            loop = refs[0].walk.loop_of(refs[0]) if refs[0].walk is not None else refs[0].loops[-1]
            each, once = (footprints.scattered.all(refs, root, kind, once=once) for once in (False, True))
            lines, iterations = smaller(again, each - once), footprints.iterations.of(loop, root)
            again = again - lines
            limits = [(iterations / (run + 1), distance) for run, distance in self._runs.of(loop).short()]
            yield from by_distance(lines, limits, footprints.distance([root]))

    def _beside(self, ref: Ref, kind: TouchKind) -> Num:
        """The touches of a reference along a row, but for one of each line."""
        return self._footprints.iterations.executions(ref, self._root) - self._footprints.scattered.lines(
            ref, self._root, kind
        )

    def _shifted(self, ref: Ref, kind: TouchKind) -> Returns:
        """The touches along shifted rows that are in the line of the iteration before."""
        loop = next(loop for loop in ref.loops if ref.shifted_row and loop.uid == ref.shifted_row.loop)
        return Returns(self._beside(ref, kind), self._runs.of(loop).two)

    def _seldom(self, ref: Ref, kind: TouchKind) -> Iterator[Returns]:
        """What comes back in a row that is touched in some iterations only: to a line along which it walks, within the
        iterations that pass it; to a place where it stands, after some iterations at most once in a run of as many."""
        loop, root, footprints = ref.loops[-1], self._root, self._footprints
        runs, lines = self._runs.of(loop), self._beside(ref, kind)
        times, iterations = footprints.iterations.times(loop, root), footprints.iterations.of(loop, root)
        once, passing = footprints.scattered.lines(ref, root, kind), ref.buffer.per_line
        limits: list[tuple[Num, Num]] = []
        for run, distance in runs.short():
            of_row: Num = 0 if run >= passing else lines
            limits.append((iterations / (run + 1) + times - once if ref.stands else of_row, distance))
        yield from by_distance(lines, falling(limits, limits), footprints.distance([root]))

    def _returns(self, loop: LoopNode, kind: TouchKind) -> tuple[Num, list[Returns]]:
        """The lines that executions of a loop touch anew, over all of them, and the touches that come back in one."""
        below, found, direct = [], [], []
        for child in children_to(loop, self._buffer):
            if isinstance(child, LoopNode):
                lines, inner = self._returns(child, kind)
                below.append(lines)
                found += inner
            elif child in self._apart(kind):
                direct.append(child)
        found += self._counted(loop, [r for r in direct if r.series], kind)
        for together in self._walks(loop, kind):
            lines, back = self._walked(loop, together)
            below.append(lines)
            found += back
        touches = total([*below, self._footprints.scattered.all(direct, self._root, kind)])
        refs = [r for r in self._apart(kind) if loop in r.loops]
        walking = [r for r in self._refs_of(kind) if loop in r.loops and self._walks_inside(loop, r)]
        if refs and not walking and all(r.computed_in == loop.uid for r in refs):
            first = smaller(touches, self._footprints.scattered.at_numbers(refs, self._root))
            found.append(Returns(touches - first, self._runs.of(loop).one))
            touches = first
        refs += walking
        if not loop.loops or not refs or loop.mean:  # one execution may make far more iterations than the mean
            return touches, found
        reach = once = max((r.reach for r in refs), key=value_of)
        placed = refs if self._runs.of(loop).are_known and all(r.spread for r in refs) else []
        if placed:
            reach = smaller(reach, self._runs.of(loop).spread(placed, -1, besides=False))
            once = smaller(reach, self._runs.of(loop).spread(placed, -1))
        around = {outer.uid for outer in loop.loops}
        if all(r.computed_in in around for r in refs):
            once = smaller(
                once, reach := smaller(reach, self._footprints.scattered.at_numbers(refs, self._root, every=False))
            )
        anew = smaller(touches, once * self._footprints.iterations.times(loop, self._root))
        return anew, found if anew is touches else [*found, *self._within(loop, touches - anew, reach, once, placed)]

    def _apart(self, kind: TouchKind) -> list[Ref]:
        return [r for r in self._refs_of(kind) if not self._is_walking(r)]

    def _is_walking(self, ref: Ref) -> bool:
        """Whether a pointer bounds where a reference goes: of a loop whose trips differ, one that never turns back."""
        if ref.walk is None or ref.near or ref.series:
            return False
        return ref.walk.goes_on or not ref.walk.loop_of(ref).mean

    def _walks_inside(self, loop: LoopNode, ref: Ref) -> bool:
        return self._is_walking(ref) and ref.walk is not None and ref.walk.loop != loop.uid

    def _walks(self, loop: LoopNode, kind: TouchKind) -> list[list[Ref]]:
        """The references that pointers of a loop move, those of one together."""
        walking = [r for r in self._refs_of(kind) if self._is_walking(r) and r.walk and r.walk.loop == loop.uid]
        return [[r for r in walking if r.walk == walk] for walk in dict.fromkeys(r.walk for r in walking)]

    def _walked(self, loop: LoopNode, refs: Sequence[Ref]) -> tuple[Num, list[Returns]]:
        """The lines that references to the elements at a pointer of a loop, or beside it, touch anew in its executions,
        and what comes back in one. A run of iterations in which the pointer passes k lines touches k + 2, and those
        beside them; there every line misses once at the most where the cache holds what the run touches."""
        walk, footprints, root = refs[0].walk, self._footprints, self._root
        assert walk is not None
        runs, times, iterations = (
            self._runs.of(loop),
            footprints.iterations.times(loop, root),
            footprints.iterations.of(loop, root),
        )
        touches = total(footprints.iterations.executions(ref, root) for ref in refs)
        reach = max((r.reach for r in refs), key=value_of)
        one_way = reach * (2 if walk.descends else 1) + 2
        passed = times * one_way + 2 * walk.back * walk.pace * iterations
        if walk.most is not None:
            passed = smaller(passed, walk.most * walk.pace * iterations + 2 * times)
        edges = 3 if len(refs) > 1 else 2
        limits = ((passed + edges * (iterations / (run + 1) + times), shorter) for run, shorter in runs.short())
        entered = before = smaller(touches, smaller(passed, times * reach))
        found, distance = list[Returns](), footprints.distance([root]) if loop.mean else runs.part(0)
        for limit, shorter in [(passed, runs.two)] if _is_in_step(refs, walk) else limits:
            late = smaller(touches, limit)
            late = late if late > before else before
            found.append(Returns(late - before, distance))
            before, distance = late, shorter
        return entered, [*found, Returns(touches - before, distance)]

    def _counted(self, loop: LoopNode, refs: Sequence[Ref], kind: TouchKind) -> Iterator[Returns]:
        """Touches of the lines that counters point into, one at a time: of some in each iteration."""
        for series in dict.fromkeys(ref.series for ref in refs):
            together = [ref for ref in refs if ref.series == series]
            touches = total(self._footprints.iterations.executions(ref, self._root) for ref in together)
            again = touches - self._footprints.scattered.all(together, self._root, kind)
            if loop.refs == loop.children and any(not is_open(ref) and not ref.guards for ref in together):
                yield Returns(again, len(loop.refs))
            else:
                yield from self._within(loop, again, 1)

    def _within(
        self, loop: LoopNode, lines: Num, reach: Num, once: Num = 0, placed: Sequence[Ref] = ()
    ) -> Iterator[Returns]:
        """Touches that come back within an execution of a loop, those after most iterations first. ``placed``: the
        references, where it is known which lines they can touch in some of its iterations; what comes back after as
        many is the first touch in its run of iterations, of which ``once`` in each execution are anew."""
        runs, footprints = self._runs.of(loop), self._footprints
        times, iterations = footprints.iterations.times(loop, self._root), footprints.iterations.of(loop, self._root)
        parts = [(times * (2**k - 1) * reach, runs.part(k)) for k in range(1, PARTS)]
        short = [(run, distance) for run, distance in runs.short()]
        limits = [*parts, *((reach * iterations / (run + 1), distance) for run, distance in short)]
        if placed:
            of_runs = [(iterations / (run + 1) + times) * runs.spread(placed, run) - once * times for run, _ in short]
            limits = falling([*limits[: len(parts)], *zip(of_runs, (d for _, d in short))], limits)
        yield from by_distance(lines, limits, runs.part(0))


def _is_in_step(refs: Sequence[Ref], walk: PointerWalk) -> bool:
    """Whether one reference follows a rising pointer in every iteration, so that touches of one line are neighbours."""
    one = refs[0]
    always = one.share == 1 and not one.guards and one.loops[-1].uid == walk.loop
    return len(refs) == 1 and always and not walk.back and not walk.descends


# -- touches that come back, by distance ------------------------------------------------------------
@dataclass(frozen=True)
class Returns:
    """Touches that come back at a distance, at the most."""

    lines: Num
    distance: Num


def falling(limits: Sequence[tuple[Num, Num]], others: Sequence[tuple[Num, Num]]) -> list[tuple[Num, Num]]:
    """The smaller of two limits on what comes back after some iterations, and after fewer: that is no less."""
    found: list[tuple[Num, Num]] = []
    for (limit, distance), (other, _) in reversed(list(zip(limits, others))):
        least_of_both = smaller(limit if limit > 0 else 0, other)
        found.append((smaller(least_of_both, found[-1][0]) if found else least_of_both, distance))
    return found[::-1]


def by_distance(lines: Num, limits: Sequence[tuple[Num, Num]], longest: Num) -> Iterator[Returns]:
    """Touches that come back: at the ``longest`` distance, and at those of the limits, within them."""
    distance: Num = longest
    before: Num = 0
    for limit, shorter in limits:
        late = smaller(lines, limit)
        yield Returns(late - before, distance)
        if late is lines:
            return
        before, distance = late, shorter
    yield Returns(lines - before, distance)
