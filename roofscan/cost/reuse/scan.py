"""Reuse classes: at every loop, what each child touches again and how far back it was touched last.

From the generic iteration the history is read backwards; each earlier item is credited with the lines that it newly
covers. What no item covers is new. The counts of a loop are closed: new lines over all iterations are exactly the
footprint of the loop, so nothing is counted twice or lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.cost.reuse.affine import Point
from roofscan.cost.reuse.boxes import Window
from roofscan.cost.reuse.distance import Distances, Question, Ramp
from roofscan.cost.reuse.first_touch import FirstTouch
from roofscan.cost.reuse.footprint import Env, Footprints, Item
from roofscan.cost.reuse.lags import lags
from roofscan.cost.reuse.ledger import Books, Cell, Credit, Found
from roofscan.cost.reuse.quantity import TINY, Num, total, value_of
from roofscan.cost.reuse.samples import Sample, Sampler
from roofscan.cost.reuse.tree import Loop, Space
from roofscan.cost.reuse.unroll import COPY
from roofscan.cost.reuse.walks import crossing, walked

MOST = 30_000
"""The work that may be done in all, half a second: the same at any number of strata."""


class BudgetSpent(Exception):
    """The model's budget is spent; ``may_retry``: fewer strata may do."""

    def __init__(self, may_retry: bool) -> None:
        super().__init__()
        self.may_retry = may_retry


class Scanner:
    """Collects the classes of a whole tree."""

    def __init__(
        self, footprints: Footprints, spaces: list[Space], sampler: Sampler, first: FirstTouch, budget: int
    ) -> None:
        self._footprints = footprints
        self._spaces = spaces
        self._sampler = sampler
        self._distances = Distances(footprints)
        self._first_touch = first
        self._budget = budget
        self._in_strata = 0
        self._entered: int | None = None  # the work done when the outermost strata began
        self._cells: tuple[Cell, ...] = ()
        self.found: list[Found] = []
        self.averaged = False  # iterations differ, or lines come again from far away

    def scan(self, loop: Loop, env: Env, weight: Num, depth: int = 0) -> None:
        """Adds the classes of a loop that runs ``weight`` times with the loops outside it as in ``env``."""
        self._spend()
        samples, strata = self._sampler.samples(loop, env, depth)
        outermost = strata and self._entered is None
        if outermost:
            self._entered = self._footprints.work
        self.averaged |= strata or len(samples) > 1
        for space in self._spaces:
            start = len(self.found)
            if id(space) in loop.spaces:
                self._classes(loop, env, weight, samples, Question(space, False))
            if id(space) in loop.written_in:
                self._written(loop, env, weight, samples, space, start)
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
        self, loop: Loop, env: Env, weight: Num, samples: list[Sample], space: Space, start: int
    ) -> None:
        """The classes of the writes; where there are no reads they are those of all touches."""
        if all(r.write for r in loop.refs if r.space is space):
            self.found += [replace(f, kind="write") for f in self.found[start:]]
        else:
            self._classes(loop, env, weight, samples, Question(space, True))

    # -- one loop, one space --------------------------------------------------------------------
    def _classes(self, loop: Loop, env: Env, weight: Num, samples: list[Sample], ask: Question) -> None:
        books = Books()
        for sample in samples:
            self._spend()
            self._at_sample(loop, env, sample, ask, books)
        if not books.entered:
            return
        self._close(loop, env, ask, books)
        for credit in books.credits:
            self._add(loop, ask, credit, weight)

    def _add(self, loop: Loop, ask: Question, credit: Credit, weight: Num) -> None:
        kind = "write" if ask.writes else "touch"
        place = loop.var.partition(COPY)[0] if credit.lag else "sequence"
        origin = (kind, ask.space.name, loop.uid, credit.lag, *credit.pair)
        cells = self._cells if credit.stratum is None else (*self._cells, (loop.uid, credit.stratum))
        factor = weight * credit.share
        for ramp in credit.whole():
            if ramp.lines > TINY:
                scaled = replace(ramp, lines=ramp.lines * factor)
                self.found.append(
                    Found(ask.space, place, credit.line, credit.lag, kind, scaled, credit.fill, origin, cells)
                )

    def _at_sample(self, loop: Loop, env: Env, sample: Sample, ask: Question, books: Books) -> None:
        here = {**env, loop.var: sample.point}
        items = [Item(c, here) for c in loop.children]
        ids = [n for n, c in enumerate(loop.children) if self._touches(c, ask)]
        back = lags(loop, env, ask.space, ask.writes)
        for n in ids:
            self._scan_back(loop, env, sample, ask, items, n, back, books)

    def _touches(self, child: object, ask: Question) -> bool:
        return id(ask.space) in (child.written_in if ask.writes else child.spaces)  # type: ignore[attr-defined]

    def _scan_back(
        self, loop: Loop, env: Env, sample: Sample, ask: Question, items: list[Item], n: int, back: list[int],
        books: Books,
    ) -> None:  # fmt: skip
        q = items[n]
        left = self._lines(ask, [q])
        books.entered.append(left * sample.weight)
        history: list[Item] = []
        near: list[Item] = []  # of it, what may share lines with q
        credits: list[tuple[int, Num, list[Item], Item]] = []
        for lag, block, p in self._earlier(loop, env, sample, items[:n], back):
            history += block
            near += [b for b in block if self._is_near(ask, b, q)]
            if self._is_near(ask, p, q):
                near.append(p)
                new = self._lines(ask, [*near, q]) - self._lines(ask, near)
                got = left - new
                if got > TINY:
                    credits.append((lag, got, list(history), p))
                    left = new if new > TINY else 0
                if left <= TINY:
                    break
            history.append(p)
        fills = {late: self._fill(ask, q, loop, sample, late) for late in {c[0] > 0 for c in credits}}
        for lag, got, between, p in credits:
            ramps = self._distances.between(ask, p, q, between, got)
            times = sample.beyond(lag)
            lost = got * (sample.weight - times)
            pair = (p.node.uid, q.node.uid)
            books.credits.append(
                Credit(lag, times, lost, ramps, fills[lag > 0], q.node.share, q.node.line, pair, sample.stratum)
            )

    def _is_near(self, ask: Question, p: Item, q: Item) -> bool:
        return self._touches(p.node, ask) and not self._footprints.far_apart(ask.space, p, q, ask.writes)

    def _fill(self, ask: Question, q: Item, loop: Loop, sample: Sample, late: bool) -> Num:
        """The share of the touches that are writes."""
        if ask.writes:
            return 1
        if late:
            return self._first_touch.reused_share(ask.space, q, loop, sample)
        return self._first_touch.share(ask.space, q)

    def _lines(self, ask: Question, items: list[Item]) -> Num:
        return self._footprints.lines(ask.space, items, ask.writes)

    def _earlier(
        self, loop: Loop, env: Env, sample: Sample, before: list[Item], back: list[int]
    ) -> Iterator[tuple[int, list[Item], Item]]:
        """Earlier items, latest first, each with its lag and the block of iterations that it comes after."""
        for item in reversed(before):
            yield 0, [], item
        done = 0
        for lag in back:
            if sample.beyond(lag) <= TINY:
                return
            block: list[Item] = []
            if lag > done + 1:
                block = self._block(loop, env, sample, done + 1, lag - 1)
            inside = {**env, loop.var: self._back(loop, sample, lag)}
            for child in reversed(loop.children):
                yield lag, block, Item(child, inside)
                block = []
            done = lag

    def _back(self, loop: Loop, sample: Sample, lag: int) -> Point:
        return self._sampler.previous(loop, sample.point, lag)

    def _block(self, loop: Loop, env: Env, sample: Sample, near: int, far: int) -> list[Item]:
        """The iterations from ``far`` to ``near`` back, as one item a child."""
        a, b = self._back(loop, sample, far), self._back(loop, sample, near)
        low, high = (b, a) if loop.descending else (a, b)
        window = Window(loop.var, low, high)
        return [Item(child, env, window) for child in loop.children]

    # -- closing --------------------------------------------------------------------------------
    def _close(self, loop: Loop, env: Env, ask: Question, books: Books) -> None:
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
            self._late(loop, env, ask, books, Ramp(far, d, d))
        rest = surplus - far
        self.averaged |= value_of(rest) > value_of(total(c.lost for c in books.credits)) + TINY
        if rest > TINY and (crossing(loop, ask.space) or not carried):
            self._late(loop, env, ask, books, self._crossing(loop, env, rest))
        elif carried:
            self._spread(carried, rest)

    def _late(self, loop: Loop, env: Env, ask: Question, books: Books, ramp: Ramp) -> None:
        """Lines that come again within the loop, but not a fixed number of iterations later."""
        fill = 1 if ask.writes else self._first_touch.share(ask.space, Item(loop, env))
        books.credits.append(Credit(1, 1, 0, [ramp], fill, 1, loop.line))

    def _crossing(self, loop: Loop, env: Env, lines: Num) -> Ramp:
        """References that walk towards each other: from a moment later to the whole loop later."""
        whole = self._footprints.distance([Item(loop, env)])
        span = self._footprints.range(loop, env)
        assert span is not None
        one = self._footprints.distance([Item(c, {**env, loop.var: span.first}) for c in loop.children])
        return Ramp(lines, one, whole) if one < whole else Ramp(lines, whole, whole)

    def _far(self, loop: Loop, env: Env, ask: Question, surplus: Num, whole: Num) -> Num:
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

    def _spread(self, carried: list[Credit], surplus: Num) -> None:
        """Gives the surplus to the shortest lag, to its largest credit first."""
        shortest = min(c.lag for c in carried)
        group = sorted((c for c in carried if c.lag == shortest), key=lambda c: -value_of(c.lines))
        for credit in group:
            if surplus > 0 or -surplus <= credit.lines:
                credit.extra = credit.extra + surplus
                return
            surplus = surplus + credit.lines
            credit.times, credit.extra = 0, 0
