"""Who touches a line first, a read (it is loaded) or a write (it is filled)."""

from __future__ import annotations

from dataclasses import dataclass

from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Env, Footprints, Item, joint_form
from roofscan.cost.memory.lru.leading_references import Leading, leading
from roofscan.cost.memory.lru.reuse_records import BudgetSpent
from roofscan.cost.memory.lru.sample_iterations import Sample, Sampler, previous
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, Loop, Ref, children_to, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TINY, Num, same, total

DEPTH = 0
"""Loops that vary are sampled as if they stood this deep: a share needs fewer strata than a count."""


@dataclass(frozen=True)
class Fresh:
    """Lines that an item touches and its history does not, and how many of them a write touches first."""

    lines: Num
    written: Num


class FirstTouch:
    """Shares of lines whose first touch is a write."""

    def __init__(self, footprints: Footprints, sampler: Sampler, budget: int | None = None) -> None:
        self._budget = budget  # the work, in all, after which no more strata are looked at; None: any
        self._footprints = footprints
        self._sampler = sampler
        self._shares: dict[object, Num] = {}

    def share(self, space: Buffer, item: Item) -> Num:
        """The share of all lines of an item that a write touches first."""
        kinds = self._kinds(space, item.node)
        if len(kinds) == 1:
            return int(True in kinds)
        name, _ = joint_form(space, [item])
        if name not in self._shares:
            fresh = self._fresh(space, item.node, item.env, [], DEPTH)
            self._shares[name] = _ratio(fresh.written, fresh.lines)
        return self._shares[name]

    def reused_share(self, space: Buffer, item: Item, loop: Loop, sample: Sample) -> Num:
        """The same of those lines of an item that earlier iterations of ``loop`` have touched."""
        kinds = self._kinds(space, item.node)
        if len(kinds) == 1:
            return int(True in kinds)
        whole = self._fresh(space, item.node, item.env, [], DEPTH)
        outer = {n: p for n, p in item.env.items() if n != loop.var}
        new = self._fresh(space, item.node, item.env, self._earlier(space, loop, outer, sample), DEPTH)
        if new.lines <= TINY or whole.lines <= new.lines + TINY:
            return _ratio(whole.written, whole.lines)
        return _ratio(whole.written - new.written, whole.lines - new.lines)

    def _kinds(self, space: Buffer, node: Child) -> set[bool]:
        return {r.write for r in refs_to(node, space)}

    def _fresh(self, space: Buffer, node: Child, env: Env, history: list[Item], depth: int) -> Fresh:
        if isinstance(node, Ref):
            new = self._new(space, [Item(node, env)], history)
            return Fresh(new, new if node.write else 0)
        kinds = self._kinds(space, node)
        whole = self._new(space, [Item(node, env)], history)
        if whole <= TINY or len(kinds) == 1:
            return Fresh(whole, whole if True in kinds else 0)
        known = leading(space, node, env)
        if known is not None:
            return Fresh(whole, self._written(space, known, env, history))
        samples, strata = self._sampler.samples(node, env, depth, space)
        depth += strata
        if not samples:
            return Fresh(0, 0)
        start = self._sampler.first(node, env)
        first = self._body(space, node, {**env, node.var: start}, history, depth)
        rest = whole - first.lines
        if rest <= TINY:
            return Fresh(whole, first.written)
        if len(samples) == 1 and same(first.lines * samples[0].weight, whole):  # none of them shares lines with others
            return Fresh(whole, first.written * samples[0].weight)
        later = [(s.weight, self._at(space, node, env, s, history, depth)) for s in samples]
        new = total(w * f.lines for w, f in later)
        written = total(w * f.written for w, f in later)
        return Fresh(whole, first.written + rest * _ratio(written, new))

    def _written(self, space: Buffer, known: Leading, env: Env, history: list[Item]) -> Num:
        """Lines that a write touches first, where it is known who leads."""
        done = list(history)
        parts: list[Num] = []
        for write, items in known.runs(self._footprints, env):
            if write:
                parts.append(self._new(space, items, done))
            done += items
        return total(parts)

    def _at(self, space: Buffer, loop: Loop, env: Env, sample: Sample, history: list[Item], depth: int) -> Fresh:
        """What one iteration adds to all before it."""
        if self._budget is not None and sample.stratum is not None and self._footprints.work > self._budget:
            raise BudgetSpent(True)
        before = [*history, *self._earlier(space, loop, env, sample)]
        return self._body(space, loop, {**env, loop.var: sample.point}, before, depth)

    def _body(self, space: Buffer, loop: Loop, env: Env, history: list[Item], depth: int) -> Fresh:
        done = list(history)
        parts: list[Fresh] = []
        for child in children_to(loop, space):
            parts.append(self._fresh(space, child, env, done, depth))
            done.append(Item(child, env))
        return Fresh(total(p.lines for p in parts), total(p.written for p in parts))

    def _earlier(self, space: Buffer, loop: Loop, env: Env, sample: Sample) -> list[Item]:
        """All iterations of the loop before the sample."""
        first = self._sampler.first(loop, env)
        before = previous(loop, sample.point)
        if (before.value > first.value) if loop.descending else (before.value < first.value):
            before = first
        low, high = (before, first) if loop.descending else (first, before)
        window = Window(loop.var, low, high)
        return [Item(c, env, window) for c in children_to(loop, space)]

    def _new(self, space: Buffer, items: list[Item], history: list[Item]) -> Num:
        near = self._footprints.near(space, history, items)
        if not near:
            return self._footprints.lines(space, items)
        new = self._footprints.lines(space, [*near, *items]) - self._footprints.lines(space, near)
        return new if new > TINY else 0


def _ratio(part: Num, whole: Num) -> Num:
    if whole <= TINY or part <= 0:
        return 0
    return part / whole if part < whole else 1
