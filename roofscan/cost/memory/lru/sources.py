"""What touched the lines of an item before it. Where figures are bounds, an item that branches on data may leave out
is no source: its lines are touched as late as they can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from roofscan.cost.memory.lru.branches import Branches
from roofscan.cost.memory.lru.distance import ReuseQuery, touches
from roofscan.cost.memory.lru.footprint.boxes import Window
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.history import AccessHistory, DominanceFilter, PastIteration
from roofscan.cost.memory.lru.sample_iterations import previous
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, exclusive, is_open, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, total, value_of


class LastTouch(NamedTuple):
    """Lines that an item touches after an earlier one; ``late``: perhaps long after it; ``instead``: in its place."""

    lines: Num
    iteration: PastIteration
    number: int
    late: bool = False
    instead: bool = False

    @property
    def item(self) -> Subtree:
        return self.iteration.items[self.number]


class Sources:
    def __init__(self, footprints: Footprints, branches: Branches, root: Subtree) -> None:
        self._footprints = footprints
        self._branches = branches
        self._whole = footprints.distance([root]) if footprints.at_most else 0

    def of(self, query: ReuseQuery, history: AccessHistory, q: Subtree, n: int) -> Iterator[LastTouch]:
        """What touched the lines of the ``n``-th child before, latest first."""
        left = self._footprints.lines(query.buffer, [q], query.writes)
        near: list[Subtree] = []  # what may share lines with q
        unsure: list[tuple[PastIteration, int]] = []  # what branches may leave out
        instead: list[tuple[PastIteration, int]] = []  # what runs where q does not
        dominance = DominanceFilter(self._footprints, query, q)
        for iteration in history.iterations():
            chances: dict[int, dict[int, Num]] = {}
            near += [b for b in iteration.block if self._is_near(query, b, q) and self._is_sure(query, b, q, {})]
            start = 0 if iteration.iterations_back else len(iteration.items) - n
            for number in iteration.near(self._footprints, query, q, start):
                p = iteration.items[number]
                if not (iteration.iterations_back or self._footprints.at_most) and exclusive(p.node, q.node):
                    instead.append((iteration, number))
                    continue
                if not self._is_sure(query, p, q, chances, together=not iteration.iterations_back):
                    unsure.append((iteration, number))
                    continue
                if dominance.hides(p):
                    continue
                got, left = self._shared(query, near, [p], q, left)
                if got > TOLERANCE:
                    yield LastTouch(got, iteration, number)
                if left <= TOLERANCE:
                    return
        if unsure:
            got, left = self._shared(query, near, [i.items[number] for i, number in unsure], q, left)
            if got > TOLERANCE:
                yield LastTouch(got, *unsure[-1], late=True)
        if instead:
            got, _ = self._shared(query, near, [i.items[number] for i, number in instead], q, left)
            if got > TOLERANCE:
                yield LastTouch(got, *instead[0], instead=True)

    def longest(self, loop: LoopNode, q: Subtree, buffer: Buffer) -> Num:
        """The distance to the first iteration that can have touched a line which the loop leaves behind; over all
        iterations for a line that it stays at, else over the whole kernel."""
        here, refs = q.env[loop.var], refs_to(loop, buffer)
        along = [r.subscripts[-1] for r in refs]
        speeds = {abs(value_of(form.coefs.get(loop.var, 0) * loop.step)) for form in along}
        if len(speeds) > 1 or any(form.names - q.env.keys() for form in along):
            return self._whole
        outside = {name: point for name, point in q.env.items() if name != loop.var}
        if speeds == {0.0}:
            fixed = all(form.coefs.get(loop.var, 0) == 0 for r in refs for form in r.subscripts)
            longest = self._footprints.distance([Subtree(loop, outside)])
            return longest if fixed and longest < self._whole else self._whole
        places = [value_of(form.fix(q.env).constant) for form in along]
        back = ceil((buffer.per_line + max(places) - min(places)) / speeds.pop())
        ends = sorted((previous(loop, here, back), here), key=lambda point: value_of(point.value))
        longest = self._footprints.distance([Subtree(loop, outside, Window(loop.var, *ends))])
        return longest if longest < self._whole else self._whole

    def _shared(
        self, query: ReuseQuery, near: list[Subtree], found: Sequence[Subtree], q: Subtree, left: Num
    ) -> tuple[Num, Num]:
        """The lines that ``found`` shares with q, of those ``left``, and what it leaves; it joins those ``near``."""
        near += found

        def lines(items: list[Subtree]) -> Num:
            return self._footprints.lines(query.buffer, items, query.writes)

        new = lines([*near, q]) - lines(near)
        return (left - new, new if new > TOLERANCE else 0) if left - new > TOLERANCE else (0, left)

    def _is_sure(
        self, query: ReuseQuery, p: Subtree, q: Subtree, chances: dict[int, dict[int, Num]], together: bool = False
    ) -> bool:
        """Whether p surely touches its lines where q does, as far as bounds ask: under no branch, under that of q
        (``together``), or with others so that one of them does."""
        if not self._footprints.at_most:
            return True
        if self._branches.is_open_inside(query.buffer, p, query.writes):
            return False
        if not is_open(p.node) or (together and p.node.taken is q.node.taken):
            return True
        alike = chances.setdefault(p.within(query.buffer, query.writes), {})
        alike[id(p.node.taken)] = p.node.taken
        return total(alike.values()) > 1 - TOLERANCE

    def _is_near(self, query: ReuseQuery, p: Subtree, q: Subtree) -> bool:
        return touches(p, query) and not self._footprints.far_apart(query.buffer, p, q, query.writes)
