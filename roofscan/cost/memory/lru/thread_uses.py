"""What the threads of a parallel loop change about lines that are touched again."""

from __future__ import annotations

from roofscan.cost.memory.lru.distance import DistanceInterval, ReuseQuery
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.reuse_records import ReuseContribution, ThreadUse
from roofscan.cost.memory.lru.sample_iterations import Sampler
from roofscan.cost.memory.lru.tree.nodes import LoopNode, loops_below, refs_to, walked
from roofscan.cost.memory.lru.tree.sampled_expr import Num, common_part, rounded, value_of


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
