"""The share of lines whose first touch is a write: these are filled (write-allocate), the others are loaded."""

from __future__ import annotations

from dataclasses import dataclass

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree, joint_form
from roofscan.cost.memory.lru.leading_references import Leading, leading
from roofscan.cost.memory.lru.reuse_records import BudgetSpent
from roofscan.cost.memory.lru.sample_iterations import Sample, Sampler, previous
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, LoopNode, Ref, children_to, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, same, total

SAMPLING_DEPTH = 0
"""Loops are sampled as at this depth: a share needs fewer strata than a count."""


@dataclass(frozen=True)
class Fresh:
    """Lines that an item touches and its history does not, and those of them that a write touches first."""

    lines: Num
    written: Num


class FirstTouch:
    def __init__(self, footprints: Footprints, sampler: Sampler, budget: int | None = None) -> None:
        self._budget = budget  # work after which no more strata are sampled; None: no limit
        self._footprints = footprints
        self._sampler = sampler
        self._shares: dict[object, Num] = {}

    def share(self, buffer: Buffer, item: Subtree) -> Num:
        kinds = self._kinds(buffer, item.node)
        if len(kinds) == 1:
            return int(True in kinds)
        name, _ = joint_form(buffer, [item])
        if name not in self._shares:
            fresh = self._fresh(buffer, item.node, item.env, [], SAMPLING_DEPTH)
            self._shares[name] = _ratio(fresh.written, fresh.lines)
        return self._shares[name]

    def reused_share(self, buffer: Buffer, item: Subtree, loop: LoopNode, sample: Sample) -> Num:
        """The share among the lines of an item that earlier iterations of ``loop`` touched."""
        kinds = self._kinds(buffer, item.node)
        if len(kinds) == 1:
            return int(True in kinds)
        whole = self._fresh(buffer, item.node, item.env, [], SAMPLING_DEPTH)
        outer = {n: p for n, p in item.env.items() if n != loop.var}
        new = self._fresh(buffer, item.node, item.env, self._earlier(buffer, loop, outer, sample), SAMPLING_DEPTH)
        if new.lines <= TOLERANCE or whole.lines <= new.lines + TOLERANCE:
            return _ratio(whole.written, whole.lines)
        return _ratio(whole.written - new.written, whole.lines - new.lines)

    def _kinds(self, buffer: Buffer, node: Child) -> set[bool]:
        return {r.write for r in refs_to(node, buffer)}

    def _fresh(self, buffer: Buffer, node: Child, env: Env, history: list[Subtree], depth: int) -> Fresh:
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
        written = total(w * f.written for w, f in later)
        return Fresh(whole, first.written + rest * _ratio(written, new))

    def _written(self, buffer: Buffer, known: Leading, env: Env, history: list[Subtree]) -> Num:
        """Lines that a write touches first, by the leading references."""
        done = list(history)
        parts: list[Num] = []
        for write, items in known.runs(self._footprints, env):
            if write:
                parts.append(self._new(buffer, items, done))
            done += items
        return total(parts)

    def _at(
        self, buffer: Buffer, loop: LoopNode, env: Env, sample: Sample, history: list[Subtree], depth: int
    ) -> Fresh:
        """The lines that one iteration adds to those of all iterations before it."""
        if self._budget is not None and sample.stratum is not None and self._footprints.work > self._budget:
            raise BudgetSpent(True)
        before = [*history, *self._earlier(buffer, loop, env, sample)]
        return self._body(buffer, loop, {**env, loop.var: sample.point}, before, depth)

    def _body(self, buffer: Buffer, loop: LoopNode, env: Env, history: list[Subtree], depth: int) -> Fresh:
        done = list(history)
        parts: list[Fresh] = []
        for child in children_to(loop, buffer):
            parts.append(self._fresh(buffer, child, env, done, depth))
            done.append(Subtree(child, env))
        return Fresh(total(p.lines for p in parts), total(p.written for p in parts))

    def _earlier(self, buffer: Buffer, loop: LoopNode, env: Env, sample: Sample) -> list[Subtree]:
        first = self._sampler.first(loop, env)
        before = previous(loop, sample.point)
        if (before.value > first.value) if loop.descending else (before.value < first.value):
            before = first
        low, high = (before, first) if loop.descending else (first, before)
        window = Window(loop.var, low, high)
        return [Subtree(c, env, window) for c in children_to(loop, buffer)]

    def _new(self, buffer: Buffer, items: list[Subtree], history: list[Subtree]) -> Num:
        near = self._footprints.near(buffer, history, items)
        if not near:
            return self._footprints.lines(buffer, items)
        new = self._footprints.lines(buffer, [*near, *items]) - self._footprints.lines(buffer, near)
        return new if new > TOLERANCE else 0


def _ratio(part: Num, whole: Num) -> Num:
    if whole <= TOLERANCE or part <= 0:
        return 0
    return part / whole if part < whole else 1
