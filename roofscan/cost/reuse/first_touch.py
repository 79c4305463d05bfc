"""Who touches a line first, a read (it is loaded) or a write (it is filled)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key

from roofscan.cost.reuse.footprint import Footprints, Item
from roofscan.cost.reuse.quantity import TINY, Num, value_of
from roofscan.cost.reuse.tree import Loop, Ref, Space, refs_of


class FirstTouch:
    """Shares of lines whose first touch is a write."""

    def __init__(self, footprints: Footprints) -> None:
        self._footprints = footprints

    def share(self, space: Space, item: Item) -> Num:
        """The share of all lines of an item that a write touches first."""
        refs = self.order(space, item)
        if all(r.write for r in refs):
            return 1
        if not any(r.write for r in refs):
            return 0
        return self._written(space, item, refs)

    def reused_share(self, space: Space, item: Item, around: Loop, all_lines: Num, new: Num) -> Num:
        """The same of the lines of an item that an earlier iteration of ``around`` has touched.

        The references that lead in that loop bring the new lines; the rest is what others touch first.
        """
        share = self.share(space, item)
        if new <= TINY or value_of(share) in (0.0, 1.0) or all_lines <= new + TINY:
            return share
        leader = self.order(space, item, around)[0]
        lead = 1 if leader.write else 0
        rest = (all_lines * share - new * lead) / (all_lines - new)
        return 0 if rest < 0 else 1 if rest > 1 else rest

    def order(self, space: Space, item: Item, around: Loop | None = None) -> list[Ref]:
        """The references of an item in the order in which they reach a new line."""
        refs = [r for r in refs_of(item.node) if r.space is space]
        fixed = item.env.keys() - ({around.var} if around is not None else set())
        return sorted(refs, key=cmp_to_key(lambda a, b: _before(a, b, fixed)))

    def _written(self, space: Space, item: Item, refs: Sequence[Ref]) -> Num:
        done: list[Item] = []
        covered: Num = 0
        written: Num = 0
        for ref in refs:
            done.append(Item(ref, item.env, item.window))
            reach = self._footprints.lines(space, done)
            if ref.write and reach > covered:
                written = written + (reach - covered)
            covered = reach
        return written / covered if covered > TINY else 0


def _before(a: Ref, b: Ref, fixed: frozenset[str] | set[str]) -> int:
    """Negative where ``a`` reaches a line before ``b``: at each common loop the one that leads, else the order."""
    for x, y in zip(a.loops, b.loops):
        if x is not y:
            break
        if x.var in fixed:
            continue
        lead = _lead(a, b, x)
        if lead:
            return -1 if lead > 0 else 1
    return a.uid - b.uid


def _lead(a: Ref, b: Ref, loop: Loop) -> float:
    """By how much ``a`` is ahead of ``b`` in the dimensions that the loop moves, in its direction."""
    for s, t in zip(a.subscripts, b.subscripts):
        c, d = value_of(s.coefs.get(loop.var, 0)), value_of(t.coefs.get(loop.var, 0))
        if c != d:
            return 0
        if c:
            ahead = (value_of(s.constant) - value_of(t.constant)) * (1 if c > 0 else -1)
            if abs(ahead) > TINY:
                return -ahead if loop.descending else ahead
    return 0
