"""The boxes of indices that references touch."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.budget import Budget
from roofscan.cost.memory.lru.footprint.boxes import IndexBox
from roofscan.cost.memory.lru.footprint.domains import Domains
from roofscan.cost.memory.lru.footprint.iterations import Iterations
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.footprint.sweep import BOX_STEPS
from roofscan.cost.memory.lru.tree.nodes import Ref, names_around


def is_placed(ref: Ref, env: Env) -> bool:
    """Whether the elements of a reference depend on a fixed loop."""
    return any(name in env for name in names_around(ref, env))


class ReferenceBoxes:
    def __init__(self, iterations: Iterations, domains: Domains, budget: Budget) -> None:
        self._iterations = iterations
        self._domains = domains
        self._budget = budget

    def of(self, refs: Sequence[Ref], item: Subtree, most: int) -> list[IndexBox]:
        """The boxes of all, of those with equal subscripts in equal loops found once."""
        known: dict[int, list[IndexBox]] = {}
        found: list[IndexBox] = []
        for ref in refs:
            shape = ref.shapes[id(ref.buffer), False]
            if shape not in known:
                known[shape] = self._of_one(ref, item, most)
            found += known[shape]
        return found

    def _of_one(self, ref: Ref, item: Subtree, most: int) -> list[IndexBox]:
        nonaffine = next((x for x in ref.loops if x.sampled_all and x.var not in item.env), None)
        if nonaffine is None:
            self._budget.spend(BOX_STEPS)
            pieces = 1 if item.window or is_placed(ref, item.env) else most
            return self._domains.boxes_of(ref, item.env, item.window, pieces)
        found = []
        for point in self._iterations.every(nonaffine, item.env, item.window):
            found += self._of_one(ref, Subtree(item.node, {**item.env, nonaffine.var: point}, item.window), most)
        return found
