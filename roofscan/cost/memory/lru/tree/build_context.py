"""The context in which the tree is built, and the notes on what it approximates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.nodes import LoopNode, Ref, loops_below
from roofscan.cost.memory.lru.tree.sampled_expr import Num, floor_to, same, value_of
from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Hole:
    """Iterations that a condition takes out of the middle (``if i != j``): the model leaves them in."""

    names: frozenset[str]  # the loop variables that decide
    line: int

    def is_filled(self, ref: Ref) -> bool:
        """Whether what the reference reaches is reached all the same: for each place that it touches, some variable
        takes three values or more, of which the hole takes one."""
        moving = frozenset().union(*(s.names for s in ref.subscripts))
        bounds = frozenset().union(*(f.names for loop in ref.loops for f in (*loop.lows, *loop.highs)))
        spare = self.names - moving - bounds
        return any(loop.var in spare and _has_three(loop) for loop in ref.loops)


def _has_three(loop: LoopNode) -> bool:
    if any(f.names for f in (*loop.lows, *loop.highs)):
        return False
    first = max(value_of(f.constant) for f in loop.lows)
    last = min(value_of(f.constant) for f in loop.highs)
    return last - first >= 2 * value_of(loop.step)


def is_limit(guard: Affine) -> bool:
    """Whether a guard is a plain limit on one loop variable at the most."""
    if guard.alignment or guard.opaque:  # a mean stands for a floor
        return False
    return not guard.names or (len(guard.coefs) == 1 and abs(value_of(*guard.coefs.values())) == 1)


def is_interval(guard: Affine, loops: Iterable[LoopNode]) -> bool:
    """Whether a guard is a limit that ranges take as it is."""
    moving = any(loop.var in guard.coefs and value_of(loop.step) == 1 for loop in loops)
    return is_limit(guard) and (moving or not guard.names)


@dataclass(frozen=True)
class BuildContext:
    loops: tuple[LoopNode, ...] = ()
    guards: tuple[Affine, ...] = ()
    share: Num = 1
    taken: Num = 1
    arms: frozenset[tuple[int, bool]] = frozenset()
    holes: tuple[Hole, ...] = ()


MEAN_TRIPS = "a mean of trip counts that differ"


@dataclass
class Notes:
    """What the model approximates, with source lines."""

    approximate: list[tuple[int, str]] = field(default_factory=list)
    larger: list[tuple[int, str]] = field(default_factory=list)  # what it counts for at least as much as it is
    irregular: list[tuple[int, str, bool]] = field(default_factory=list)  # whether in the order of memory
    branches: bool = False  # some depend on data
    unsure_means: bool = False  # of loops whose trips differ, where the iterations decide what is touched
    rings: bool = False  # subscripts go round rings
    bounds: bool = True  # False: rows of a mean length begin lines of their own, of which the figures miss a part

    @property
    def may_bound(self) -> bool:
        """Whether figures at worst may be bounds, were it not for loops whose trips differ, or for rings."""
        return bool(self.irregular) and (self.unsure_means or self.rings)


def last_of(low: Num, high: Num, step: Num) -> Num:
    """The last of low, low + step, … that is at most ``high``; symbolic where the steps come out even."""
    width = max(1, int(value_of(step)))
    if width == 1 or high < low:
        return high
    if same(floor_to(high - low + 1, width), high - low + 1):
        return high + 1 - step
    return low + floor_to(high - low, width)


def nonaffine_names(loop: LoopNode) -> frozenset[str]:
    """The variables in terms that are not affine, in a loop's subtree."""
    forms: list[Affine] = []
    for node in (loop, *loops_below(loop)):
        forms += [*node.lows, *node.highs, *node.guards]
    for ref in loop.refs:
        forms += [*ref.subscripts, *ref.guards]
    return frozenset().union(*(o.variables for f in forms for o in f.opaque))


def most_trips_are_known(names: frozenset[str], context: BuildContext) -> bool:
    """Of the loops of these variables, and of those by which they end."""
    for loop in reversed(context.loops):
        if loop.var in names:
            if loop.mean and not loop.furthest:
                return False
            names |= frozenset().union(*(end.names for end in (*loop.lows, *loop.highs)))
    return True
