"""Reuse classes: at every loop, what each child touches again and how far back it was touched last.

From the generic iteration the history is read backwards; each earlier item is credited with the lines that it newly
covers. What no item covers is new. The counts of a loop are closed: new lines over all iterations are exactly the
footprint of the loop, so nothing is counted twice or lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.cost.memory.lru.distance import DistanceInterval, Distances, ReuseQuery
from roofscan.cost.memory.lru.first_touch import FirstTouch
from roofscan.cost.memory.lru.footprint.footprints import Env, Footprints, Item, joint_form
from roofscan.cost.memory.lru.footprint.strides import crossing, walked
from roofscan.cost.memory.lru.history import AccessHistory, DominanceFilter, Iteration, IterationState, touches
from roofscan.cost.memory.lru.iteration_distances import lags
from roofscan.cost.memory.lru.reuse_records import (
    BudgetSpent,
    Cell,
    MemoEntry,
    ReuseAccumulator,
    ReuseContribution,
    ReuseRecord,
)
from roofscan.cost.memory.lru.sample_iterations import Sample, Sampler
from roofscan.cost.memory.lru.tree.nodes import Buffer, Loop, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TINY, Num, total, value_of
from roofscan.cost.memory.lru.tree.unroll import COPY
from roofscan.ir.kinds import TouchKind

MOST = 40_000
"""The work that may be done in all, some 1.2 seconds: the same at any number of strata."""


class Scanner:
    """Collects the classes of a whole tree."""

    def __init__(
        self,
        footprints: Footprints,
        spaces: list[Buffer],
        sampler: Sampler,
        first: FirstTouch,
        budget: tuple[int, int],
    ) -> None:
        """``budget``: the work that may be done inside strata, and in the first of the outermost for one space."""
        self._footprints = footprints
        self._spaces = {id(s): s for s in spaces}
        self._sampler = sampler
        self._distances = Distances(footprints)
        self._first_touch = first
        self._budget, self._budget_of_first = budget
        self._in_strata = 0
        self._entered: int | None = None  # the work done when the outermost strata began
        self._cells: tuple[Cell, ...] = ()
        self._known: dict[object, MemoEntry] = {}
        self.found: list[ReuseRecord] = []
        self.averaged = False  # iterations differ, or lines come again from far away

    def scan(self, loop: Loop, env: Env, weight: Num, depth: int = 0) -> None:
        """Adds the classes of a loop that runs ``weight`` times with the loops outside it as in ``env``."""
        self._spend()
        samples, strata = self._sampler.samples(loop, env, depth)
        outermost = strata and self._entered is None
        if outermost:
            self._entered = self._footprints.work
        self.averaged |= strata or len(samples) > 1
        moments = [IterationState(loop, env, sample) for sample in samples]
        for space in sorted((self._spaces[key] for key in loop.spaces if key in self._spaces), key=lambda s: s.name):
            start = len(self.found)
            self._classes(loop, env, weight, moments, ReuseQuery(space, False), depth)
            if id(space) in loop.written_in:
                self._written(loop, env, weight, moments, space, start, depth)
        outside = self._cells
        for sample in samples:
            inside = {**env, loop.var: sample.point}
            self._cells = outside if sample.stratum is None else (*outside, (loop.uid, sample.stratum))
            for child in loop.children:
                if isinstance(child, Loop):
                    self.scan(child, inside, weight * sample.weight * child.share, depth + strata)
        self._cells = outside
        if outermost:
            self._in_strata, self._entered = self._work_in_strata(), None

    def _work_in_strata(self) -> int:
        now = self._footprints.work - self._entered if self._entered is not None else 0
        return self._in_strata + now

    def _spend(self) -> None:
        """Ends the scan where it is too much work: in strata, which can be fewer, or in all."""
        inside, work = self._work_in_strata(), self._footprints.work
        if inside > self._budget or work > MOST:
            raise BudgetSpent(inside > work / 2)

    def _written(
        self, loop: Loop, env: Env, weight: Num, moments: list[IterationState], space: Buffer, start: int, depth: int
    ) -> None:  # fmt: skip
        """The classes of the writes; where there are no reads they are those of all touches."""
        if all(r.write for r in refs_to(loop, space)):
            self.found += [replace(f, kind="write") for f in self.found[start:]]
        else:
            self._classes(loop, env, weight, moments, ReuseQuery(space, True), depth)

    # -- one loop, one space --------------------------------------------------------------------
    def _classes(
        self, loop: Loop, env: Env, weight: Num, moments: list[IterationState], ask: ReuseQuery, depth: int
    ) -> None:
        if not loop.loops:  # the root is like no other
            for credit in self._credits(loop, env, moments, ask):
                self._add(loop, ask, credit, weight, {})
            return
        form, spaces = joint_form(ask.space, [Item(loop, env)])
        name = (form, ask.writes, depth)
        if name not in self._known:
            before, self.averaged = self.averaged, False
            self._known[name] = MemoEntry(self._credits(loop, env, moments, ask), spaces, self.averaged)
            self.averaged |= before
        known = self._known[name]
        self.averaged |= known.averaged
        for credit in known.credits:
            self._add(loop, ask, credit, weight, known.names(spaces))

    def _credits(self, loop: Loop, env: Env, moments: list[IterationState], ask: ReuseQuery) -> list[ReuseContribution]:
        """What each child touches again, over all iterations of one execution of the loop."""
        books = ReuseAccumulator()
        back = lags(loop, env, ask.space, ask.writes)
        for moment in moments:
            before = self._footprints.work
            past = AccessHistory(moment, back)
            for n in loop.numbers_by_space[id(ask.space)]:
                if touches(moment.items[n], ask):
                    self._scan_back(loop, moment.sample, ask, past, moment.items[n], n, books)
            outermost = moment.sample.stratum is not None and not self._cells
            if outermost and self._footprints.work - before > self._budget_of_first:
                raise BudgetSpent(True)
        if books.entered:
            self._close(loop, env, ask, books)
        return books.credits

    def _add(
        self, loop: Loop, ask: ReuseQuery, credit: ReuseContribution, weight: Num, names: Mapping[str, str]
    ) -> None:
        kind: TouchKind = "write" if ask.writes else "touch"
        place = loop.name.partition(COPY)[0] if credit.lag else "sequence"
        origin = (kind, ask.space.name, loop.uid, credit.lag, *credit.pair)
        cells = self._cells if credit.stratum is None else (*self._cells, (loop.uid, credit.stratum))
        factor = weight * credit.share
        line = loop.line if credit.child is None else loop.children[credit.child].line
        for ramp in credit.whole():
            if ramp.lines > TINY:
                scaled = ramp.scaled(factor, names)
                self.found.append(
                    ReuseRecord(ask.space, place, line, credit.lag, kind, scaled, credit.fill, origin, cells)
                )

    def _scan_back(
        self, loop: Loop, sample: Sample, ask: ReuseQuery, past: AccessHistory, q: Item, n: int, books: ReuseAccumulator
    ) -> None:  # fmt: skip
        self._spend()
        left = self._lines(ask, [q])
        books.entered.append(left * sample.weight)
        near: list[Item] = []  # what may share lines with q
        credits: list[tuple[Num, Iteration, int]] = []
        shadow = DominanceFilter(self._footprints, ask, q)
        for iteration in past.iterations():
            near += [b for b in iteration.block if self._is_near(ask, b, q)]
            for number in iteration.near(self._footprints, ask, q):
                p = iteration.items[number]
                if (not iteration.lag and number < len(iteration.items) - n) or shadow.hides(p):
                    continue
                near.append(p)
                new = self._lines(ask, [*near, q]) - self._lines(ask, near)
                got = left - new
                if got > TINY:
                    credits.append((got, iteration, number))
                    left = new if new > TINY else 0
                if left <= TINY:
                    break
            if left <= TINY:
                break
        fills = {late: self._fill(ask, q, loop, sample, late) for late in {i.lag > 0 for _, i, _ in credits}}
        for got, iteration, number in credits:
            self._spend()
            p = iteration.items[number]
            ramps = self._distances.remembered(ask, p, q, past.until(n, iteration, number), got)
            times = sample.beyond(iteration.lag)
            lost = got * (sample.weight - times)
            pair = (p.node.uid, q.node.uid)
            fill = fills[iteration.lag > 0]
            books.credits.append(
                ReuseContribution(iteration.lag, times, lost, ramps, fill, q.node.share, n, pair, sample.stratum)
            )

    def _is_near(self, ask: ReuseQuery, p: Item, q: Item) -> bool:
        return touches(p, ask) and not self._footprints.far_apart(ask.space, p, q, ask.writes)

    def _fill(self, ask: ReuseQuery, q: Item, loop: Loop, sample: Sample, late: bool) -> Num:
        """The share of the touches that are writes."""
        if ask.writes:
            return 1
        if late:
            return self._first_touch.reused_share(ask.space, q, loop, sample)
        return self._first_touch.share(ask.space, q)

    def _lines(self, ask: ReuseQuery, items: list[Item]) -> Num:
        return self._footprints.lines(ask.space, items, ask.writes)

    # -- closing --------------------------------------------------------------------------------
    def _close(self, loop: Loop, env: Env, ask: ReuseQuery, books: ReuseAccumulator) -> None:
        """Makes new lines add up to the loop's footprint."""
        whole = self._lines(ask, [Item(loop, env)])
        given = total(c.lines for c in books.credits)
        surplus = total(books.entered) - given - whole
        carried = [c for c in books.credits if c.lag]
        if abs(value_of(surplus)) <= TINY:
            return
        far = self._far(loop, env, ask, surplus, whole)
        if far > TINY:
            d = self._footprints.distance([Item(loop, env)])
            self._late(loop, env, ask, books, DistanceInterval(far, d, d))
        rest = surplus - far
        self.averaged |= value_of(rest) > value_of(total(c.lost for c in books.credits)) + TINY
        if rest > TINY and (crossing(loop, ask.space) or not carried):
            self._late(loop, env, ask, books, self._crossing(loop, env, rest))
        elif carried:
            self._spread(carried, rest)

    def _late(self, loop: Loop, env: Env, ask: ReuseQuery, books: ReuseAccumulator, ramp: DistanceInterval) -> None:
        """Lines that come again within the loop, but not a fixed number of iterations later."""
        fill = 1 if ask.writes else self._first_touch.share(ask.space, Item(loop, env))
        books.credits.append(ReuseContribution(1, 1, 0, [ramp], fill, 1, None))

    def _crossing(self, loop: Loop, env: Env, lines: Num) -> DistanceInterval:
        """References that walk towards each other: from a moment later to the whole loop later."""
        whole = self._footprints.distance([Item(loop, env)])
        span = self._footprints.range(loop, env)
        assert span is not None
        one = self._footprints.distance([Item(c, {**env, loop.var: span.first}) for c in loop.children])
        return DistanceInterval(lines, one, whole) if one < whole else DistanceInterval(lines, whole, whole)

    def _far(self, loop: Loop, env: Env, ask: ReuseQuery, surplus: Num, whole: Num) -> Num:
        """Lines at the ends of rows (or planes) that a loop along them touches at its end and, as the start of the
        next one, at its beginning, while an inner loop walks across them."""
        dim = walked(loop, ask.space)
        if surplus <= TINY or not dim:
            return 0
        shared = self._footprints.apart(ask.space, Item(loop, env), dim, ask.writes) - whole
        if shared <= TINY:
            return 0
        self.averaged = True
        return shared if shared < surplus else surplus

    def _spread(self, carried: list[ReuseContribution], surplus: Num) -> None:
        """Gives the surplus to the shortest lag, to its largest credit first."""
        shortest = min(c.lag for c in carried)
        group = sorted((c for c in carried if c.lag == shortest), key=lambda c: -value_of(c.lines))
        for credit in group:
            if surplus > 0 or -surplus <= credit.lines:
                credit.extra = credit.extra + surplus
                return
            surplus = surplus + credit.lines
            credit.times, credit.extra = 0, 0
