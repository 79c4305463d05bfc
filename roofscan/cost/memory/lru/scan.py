"""The scan for reuse: at every loop, the lines that each child touches again, and their reuse distances. From a sampled
iteration the accesses are read backwards; each earlier item contributes the lines of the child that no later item
covers, and the rest are new. The new lines of all iterations must add up to the loop's footprint: the difference is
distributed (:mod:`~roofscan.cost.memory.lru.footprint_balance`), so that no line is counted twice or lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.budget import Budget, BudgetExceeded
from roofscan.cost.memory.lru.branches import Branches
from roofscan.cost.memory.lru.common_answers import AnswersOfAttempts
from roofscan.cost.memory.lru.distance import DistanceInterval, Distances, ReuseQuery, touches
from roofscan.cost.memory.lru.first_touch import FirstTouch
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree, joint_form
from roofscan.cost.memory.lru.footprint_balance import FootprintBalance, ThreadUses
from roofscan.cost.memory.lru.history import AccessHistory, IterationState, iteration_distances
from roofscan.cost.memory.lru.reuse_records import Cell, MemoEntry, ReuseAccumulator, ReuseContribution, ReuseRecord
from roofscan.cost.memory.lru.sample_iterations import ALL_BUT, Sample, Sampler, growing_distance
from roofscan.cost.memory.lru.sources import LastTouch, Sources
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, total
from roofscan.cost.memory.lru.tree.unroll import COPY
from roofscan.ir.kinds import TouchKind


class Scanner:
    def __init__(
        self,
        footprints: Footprints,
        buffers: list[Buffer],
        sampler: Sampler,
        first: FirstTouch,
        branches: Branches,
        sources: Sources,
        strata: Budget,
        whole: Budget,
        first_stratum: int,
        fetches_only: bool,
        known: AnswersOfAttempts,
    ) -> None:
        """``strata`` and ``whole``: the work that strata and the whole scan may take. ``first_stratum``: the work that
        the first of the outermost strata may take for one buffer."""
        self._fetches_only = fetches_only
        self._footprints = footprints
        self._buffers = {id(s): s for s in buffers}
        self._sampler = sampler
        self._distances = Distances(footprints, known.distances)
        self._first_touch = first
        self._branches = branches
        self._sources = sources
        self._threads = ThreadUses(footprints, sampler)
        self._balance = FootprintBalance(footprints, first, branches, self._threads)
        self._strata, self._whole, self._first_stratum = strata, whole, first_stratum
        self._in_strata = 0
        self._entered: int | None = None  # the work done when the outermost strata began
        self._cells: tuple[Cell, ...] = ()
        self._known = known.contributions
        self.found: list[ReuseRecord] = []
        self.averaged = False  # iterations differ, or lines are touched again at no fixed distance

    def scan(self, loop: LoopNode, env: Env, weight: Num, depth: int = 0) -> None:
        """Adds the records of a loop that runs ``weight`` times, with the loops around it at ``env``."""
        self._spend()
        samples, strata = self._sampler.samples(loop, env, depth)
        outermost = strata and self._entered is None
        if outermost:
            self._entered = self._footprints.work
        self.averaged |= strata or len(samples) > 1
        states = [IterationState(loop, env, sample) for sample in samples]
        for buffer in sorted((self._buffers[key] for key in loop.buffers & self._buffers.keys()), key=lambda s: s.name):
            start = len(self.found)
            self._classes(loop, env, weight, states, ReuseQuery(buffer, False), depth)
            if self._fetches_only or id(buffer) not in loop.written_in:
                continue
            if all(r.write for r in refs_to(loop, buffer)):  # the records of writes are those of all touches
                self.found += [replace(f, kind="write") for f in self.found[start:]]
            else:
                self._classes(loop, env, weight, states, ReuseQuery(buffer, True), depth)
        outside = self._cells
        for sample in samples:
            inside = {**env, loop.var: sample.point}
            self._cells = outside if sample.stratum is None else (*outside, (loop.uid, sample.stratum))
            for child in loop.children:
                if isinstance(child, LoopNode):
                    self.scan(child, inside, weight * sample.weight * child.share, depth + strata)
        self._cells = outside
        if outermost:
            self._in_strata, self._entered = self._work_in_strata(), None

    def _work_in_strata(self) -> int:
        now = self._footprints.work - self._entered if self._entered is not None else 0
        return self._in_strata + now

    def _spend(self) -> None:
        """Ends the scan where it takes too much work: in strata, if they take most of it, or as a whole."""
        inside, work = self._work_in_strata(), self._footprints.work
        if inside > self._strata.steps or work > self._whole.steps:
            raise BudgetExceeded(self._strata if inside > work / 2 else self._whole)

    # -- one loop, one buffer --------------------------------------------------------------------
    def _classes(
        self, loop: LoopNode, env: Env, weight: Num, states: list[IterationState], query: ReuseQuery, depth: int
    ) -> None:
        if not loop.loops:  # the root is like no other
            for contribution in self._contributions(loop, env, states, query):
                self._add(loop, env, query, contribution, weight, {})
            return
        form, buffers = joint_form(query.buffer, [Subtree(loop, env)])
        name = (form, query.writes, depth)
        if name not in self._known:
            before, self.averaged = self.averaged, False
            self._known[name] = MemoEntry(self._contributions(loop, env, states, query), buffers, self.averaged)
            self.averaged |= before
        known = self._known[name]
        self.averaged |= known.averaged
        for contribution in known.contributions:
            self._add(loop, env, query, contribution, weight, known.names(buffers))

    def _contributions(
        self, loop: LoopNode, env: Env, states: list[IterationState], query: ReuseQuery
    ) -> list[ReuseContribution]:
        """The contributions to each child, over all iterations of one execution of the loop."""
        accumulator = ReuseAccumulator()
        back = iteration_distances(loop, env, query.buffer, query.writes)
        span = self._footprints.iterations.range(loop, env) if back[-1] >= ALL_BUT else None
        if span is not None:
            back = [growing_distance(distance, span.trips) for distance in back]
        for state in states:
            before = self._footprints.work
            history = AccessHistory(state, back)
            for n in loop.children_by_buffer[id(query.buffer)]:
                if touches(state.items[n], query):
                    self._scan_back(loop, state.sample, query, history, state.items[n], n, accumulator)
            outermost = state.sample.stratum is not None and not self._cells
            if outermost and self._footprints.work - before > self._first_stratum:
                raise BudgetExceeded(self._strata)
        if accumulator.entered:
            self.averaged |= self._balance.balance(loop, env, query, accumulator)
        return accumulator.contributions

    def _add(
        self,
        loop: LoopNode,
        env: Env,
        query: ReuseQuery,
        contribution: ReuseContribution,
        weight: Num,
        names: Mapping[str, str],
    ) -> None:
        kind: TouchKind = "write" if query.writes else "touch"
        place = loop.name.partition(COPY)[0] if contribution.iterations_back else "sequence"
        origin = (kind, query.buffer.name, loop.uid, contribution.iterations_back, *contribution.pair)
        cells = self._cells if contribution.stratum is None else (*self._cells, (loop.uid, contribution.stratum))
        factor = weight * contribution.share
        line = loop.line if contribution.child is None else loop.children[contribution.child].line
        for interval, single in zip(contribution.whole(), contribution.intervals):
            if interval.lines > TOLERANCE:
                scaled = interval.scaled(factor, names)
                back, fill = contribution.iterations_back, contribution.fill
                threads = self._threads.of(loop, env, query, contribution, factor, single)
                self.found.append(
                    ReuseRecord(query.buffer, place, line, back, kind, scaled, fill, origin, cells, threads)
                )

    def _scan_back(
        self,
        loop: LoopNode,
        sample: Sample,
        query: ReuseQuery,
        history: AccessHistory,
        q: Subtree,
        n: int,
        accumulator: ReuseAccumulator,
    ) -> None:
        """Adds what ``q``, child ``n`` at a sampled iteration, touches: how many lines, and from which sources."""
        self._spend()
        accumulator.entered.append(self._lines(query, [q]) * sample.weight)
        sources = list(self._sources.of(query, history, q, n))
        fills = self._fills(loop, sample, query, q, sources)
        share = q.node.share * self._branches.touched(query.buffer, q, query.writes).share if sources else 1
        for source in sources:
            self._spend()
            back = source.iteration.iterations_back
            times = sample.beyond(back)
            contribution = ReuseContribution(
                iterations_back=back,
                times=times,
                lost=source.lines * (sample.weight - times),
                intervals=self._intervals(loop, query, history, source, q, n),
                fill=fills[back > 0],
                share=share,
                child=n,
                pair=(source.item.node.uid, q.node.uid),
                stratum=sample.stratum,
                common=self._threads.is_common(query, q),
            )
            accumulator.contributions.append(contribution)

    def _fills(
        self, loop: LoopNode, sample: Sample, query: ReuseQuery, q: Subtree, sources: Sequence[LastTouch]
    ) -> dict[bool, Num]:
        """The shares of writes among first touches: by whether the source is in an earlier iteration."""
        fills: dict[bool, Num] = {}
        if any(s.iteration.iterations_back > 0 for s in sources):
            fills[True] = self._fill(query, q, self._first_touch.iterations_before(query.buffer, q, loop, sample))
        if siblings := [(s.lines, s.item) for s in sources if not s.iteration.iterations_back]:
            all_of_it = total(got for got, _ in siblings) >= self._lines(query, [q]) - TOLERANCE
            fills[False] = self._fill(query, q, () if all_of_it else [p for _, p in siblings])
        return fills

    def _intervals(
        self, loop: LoopNode, query: ReuseQuery, history: AccessHistory, source: LastTouch, q: Subtree, n: int
    ) -> list[DistanceInterval]:
        """The distances of the lines that ``q``, child ``n``, has from a source."""
        if source.instead:
            return [DistanceInterval(source.lines, 1, 1)]
        between = history.until(n, source.iteration, source.number)
        intervals = self._distances.remembered(query, source.item, q, between, source.lines)
        if not source.late:
            return intervals
        longest = self._sources.longest(loop, q, query.buffer)
        return [replace(i, low=longest, high=longest) for i in intervals]

    def _fill(self, query: ReuseQuery, q: Subtree, before: Sequence[Subtree]) -> Num:
        """The share of writes among the first touches of what ``before`` touched, or of all."""
        if query.writes:
            return 1
        if self._fetches_only:
            return 0
        if before:
            return self._first_touch.reused_share(query.buffer, q, before)
        return self._first_touch.share(query.buffer, q)

    def _lines(self, query: ReuseQuery, items: list[Subtree]) -> Num:
        return self._footprints.lines(query.buffer, items, query.writes)
