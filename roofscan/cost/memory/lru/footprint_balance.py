"""The new lines of all iterations of a loop must add up to its footprint. A surplus in what the scan has counted as new
is touched again within the loop: at the ends of rows, where references cross, or at the shortest distance."""

from __future__ import annotations

from roofscan.cost.memory.lru.branches import Branches
from roofscan.cost.memory.lru.distance import DistanceInterval, ReuseQuery
from roofscan.cost.memory.lru.first_touch import FirstTouch
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.reuse_records import ReuseAccumulator, ReuseContribution, ThreadUse
from roofscan.cost.memory.lru.sample_iterations import Sampler
from roofscan.cost.memory.lru.tree.nodes import LoopNode, crossing, loops_below, refs_to, walked
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, common_part, rounded, total, value_of


class FootprintBalance:
    def __init__(self, footprints: Footprints, first: FirstTouch, branches: Branches, threads: ThreadUses) -> None:
        self._footprints = footprints
        self._first_touch = first
        self._branches = branches
        self._threads = threads

    def balance(self, loop: LoopNode, env: Env, query: ReuseQuery, accumulator: ReuseAccumulator) -> bool:
        """Makes the new lines add up to the footprint of the loop, and says whether lines are touched again at no fixed
        distance."""
        whole = self._footprints.lines(query.buffer, [Subtree(loop, env)], query.writes)
        given = total(c.lines for c in accumulator.contributions)
        surplus = total(accumulator.entered) - given - whole
        carried = [c for c in accumulator.contributions if c.iterations_back]
        if abs(value_of(surplus)) <= TOLERANCE:
            return False
        far = self._far(loop, env, query, surplus, whole)
        if far > TOLERANCE:
            d = self._footprints.distance([Subtree(loop, env)])
            self._late(loop, env, query, accumulator, DistanceInterval(far, d, d))
        rest = surplus - far
        averaged = far > 0 or value_of(rest) > value_of(total(c.lost for c in accumulator.contributions)) + TOLERANCE
        if rest > TOLERANCE and (crossing(loop, query.buffer) or not carried):
            self._late(loop, env, query, accumulator, self._crossing(loop, env, rest))
        elif carried:
            self._spread(carried, rest)
        return averaged

    def _late(
        self, loop: LoopNode, env: Env, query: ReuseQuery, accumulator: ReuseAccumulator, interval: DistanceInterval
    ) -> None:
        """Adds lines that are touched again within the loop, but not a fixed number of iterations later."""
        fill = 1 if query.writes else self._first_touch.share(query.buffer, Subtree(loop, env))
        whole = Subtree(loop, env)
        share = self._branches.touched(query.buffer, whole, query.writes).share
        common = self._threads.is_common(query, whole)
        accumulator.contributions.append(ReuseContribution(1, 1, 0, [interval], fill, share, None, common=common))

    def _crossing(self, loop: LoopNode, env: Env, lines: Num) -> DistanceInterval:
        """References that move towards each other: distances from one iteration to the whole loop."""
        whole = self._footprints.distance([Subtree(loop, env)])
        span = self._footprints.iterations.range(loop, env)
        assert span is not None
        one = self._footprints.distance([Subtree(c, {**env, loop.var: span.first}) for c in loop.children])
        return DistanceInterval(lines, one, whole) if one < whole else DistanceInterval(lines, whole, whole)

    def _far(self, loop: LoopNode, env: Env, query: ReuseQuery, surplus: Num, whole: Num) -> Num:
        """Lines at the ends of rows (or planes) that a loop along them touches at its end and, as the start of the
        next one, at its beginning, while an inner loop walks across them."""
        dim = walked(loop, query.buffer)
        if surplus <= TOLERANCE or not dim:
            return 0
        shared = self._footprints.apart(query.buffer, Subtree(loop, env), dim, query.writes) - whole
        if shared <= TOLERANCE:
            return 0
        return shared if shared < surplus else surplus

    def _spread(self, carried: list[ReuseContribution], surplus: Num) -> None:
        """Gives the surplus to the contributions of the shortest iteration distance, the largest first."""
        shortest = min(c.iterations_back for c in carried)
        group = sorted((c for c in carried if c.iterations_back == shortest), key=lambda c: -value_of(c.lines))
        for contribution in group:
            if surplus > 0 or -surplus <= contribution.lines:
                contribution.extra = contribution.extra + surplus
                return
            surplus = surplus + contribution.lines
            contribution.times, contribution.extra = 0, 0


class ThreadUses:
    def __init__(self, footprints: Footprints, sampler: Sampler) -> None:
        self._footprints = footprints
        self._sampler = sampler

    def of(
        self,
        loop: LoopNode,
        env: Env,
        query: ReuseQuery,
        contribution: ReuseContribution,
        entries: Num,
        interval: DistanceInterval,
    ) -> ThreadUse | None:
        """What threads change about the lines of ``interval``, which are of one iteration."""
        if not self._footprints.threaded:
            return None
        around = next((outer for outer in (*loop.loops, loop) if outer.parallel), None)
        split = around or next((inner for inner in loops_below(loop) if inner.parallel), None)
        if split is None:
            return None
        outer = {n: p for n, p in env.items() if n != split.var}
        span = self._footprints.iterations.range(split, outer)
        carried = span is not None and around is loop and contribution.iterations_back > 0
        along = walked(loop, query.buffer) == len(query.buffer.strides) - 1  # parts may begin on a line
        share = rounded(value_of(contribution.times) / max(1, value_of(span.trips) - 1)) if span else 1
        return ThreadUse(
            trips=span.trips if span else None,
            inside=around is not None,
            together=self._sampler.even(split, outer),
            common=contribution.common,
            first=interval.lines * share if carried and (contribution.common or not along) else 0,
            entries=entries,
            low=common_part(interval.low),
            high=common_part(interval.high),
            whole=common_part(self._footprints.distance([Subtree(split, outer)])),
        )

    def is_common(self, query: ReuseQuery, item: Subtree) -> bool:
        """Whether threads have most lines of an item in common."""
        refs = refs_to(item.node, query.buffer) if self._footprints.threaded else ()
        if not any(loop.parallel for ref in refs for loop in ref.loops):
            return False
        common = self._footprints.common_lines(query.buffer, [item])
        return 2 * value_of(common) > value_of(self._footprints.lines(query.buffer, [item]))
