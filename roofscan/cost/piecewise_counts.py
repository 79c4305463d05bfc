"""Counts that hold whichever of two sizes is larger: those of both cases, joined by a min or a max. ``for e in
range(n): for w in range(m): if e >= w: …`` runs n*(n + 1)/2 times where m >= n, else m*n - m*(m - 1)/2 times. With m
cut to ``min(m, n)`` the second count is the first one where m is the larger: it holds everywhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from roofscan.cost.counts import ExecutionCounts, Operations, operations, register_traffic
from roofscan.frozen import dataclass
from roofscan.symbolic.chamber import Chamber, compared
from roofscan.symbolic.expr import Expr, NotEvaluable, Number, symbol
from roofscan.symbolic.extrema import maximum, minimum

CountKey = TypeVar("CountKey")
MAX_TRIED_SIZES = 4  # at most so many small sizes are tried one by one
Moved = dict[tuple[str, bool], Expr]


def piecewise(
    here: ExecutionCounts, free: Collection[str], counted: Operations, moved: Moved
) -> tuple[Operations, Moved, tuple[Expr, ...]] | None:
    """The operations and bytes that hold on both sides of the one comparison of two free sizes, and the remaining
    conditions. None where there is no such comparison, or several, or the counts cannot be joined."""
    launched = {s.name for s in here.kernel.symbols if s.kind == "launch"}  # as many as the guards ask for
    both = _sides(here.chamber, {*free} - launched)
    if both is None or here.problems:
        return None
    try:
        joined = _of_both_cases(both, here, counted, moved)
    except ZeroDivisionError:  # a quotient that has no value where the sizes are equal
        return None
    if joined is None:
        return None
    remaining = here.chamber.conditions(besides=(both.larger, both.smaller))
    return (*joined, tuple(g for g in remaining if not _holds_below(g, here, counted, moved)))


def _holds_below(g: Expr, here: ExecutionCounts, counted: Operations, moved: Moved) -> bool:
    """Whether a condition ``size - c >= 0`` is not needed: the counts are the same at the few sizes below."""
    name, least = min(g.symbols, default=""), -int(g.constant_term)
    if g != symbol(name) - least or least > MAX_TRIED_SIZES:
        return False
    for value in range(1, least):
        _, few_counted, few_moved = _counts_at(here, {**here.chamber.sample_point, name: value})
        if not (_alike(counted, few_counted, {name: value}) and _alike(moved, few_moved, {name: value})):
            return False
    return True


def _of_both_cases(
    both: Sides, here: ExecutionCounts, counted: Operations, moved: Moved
) -> tuple[Operations, Moved] | None:
    there, their_counted, their_moved = _counts_at(here, both.sample_point)
    all_counted, all_moved = _joined(both, counted, their_counted), _joined(both, moved, their_moved)
    between, left_out = _between(both, here.chamber, there.chamber), _left_out(both, here.chamber, there.chamber)
    if all_counted is None or all_moved is None or there.problems or between is None or left_out is None:
        return None
    for excess in between:
        near = {both.larger: symbol(both.smaller) + excess}
        if not (_alike(counted, their_counted, near) and _alike(moved, their_moved, near)):
            return None
    for name, value in left_out:
        _, few_counted, few_moved = _counts_at(here, {**both.sample_point, name: value})
        if not (_alike(their_counted, few_counted, {name: value}) and _alike(their_moved, few_moved, {name: value})):
            return None
    return all_counted, all_moved


def _counts_at(like: ExecutionCounts, sample_point: Mapping[str, Number]) -> tuple[ExecutionCounts, Operations, Moved]:
    """The same kernel counted at another sample point."""
    there = ExecutionCounts(like.kernel, Chamber(sample_point, like.kernel.least_values), like.bound)
    return there, operations(there, there.domains), register_traffic(there, there.domains)


@dataclass(frozen=True)
class Sides:
    """Two sizes: ``larger`` is so in the chamber, and the smaller one at ``sample_point``."""

    larger: str
    smaller: str
    sample_point: Mapping[str, Number]

    def join(self, here: Expr, there: Expr) -> Expr | None:
        """One count from those of both cases, None where they cannot be joined."""
        a, b = symbol(self.larger), symbol(self.smaller)
        if here == there:
            return here
        if self.larger not in here.symbols and there.subs({self.larger: b}) == here:
            return there.subs({self.larger: minimum(a, b)})
        if self.smaller not in there.symbols and here.subs({self.smaller: a}) == there:
            return here.subs({self.smaller: minimum(a, b)})
        if self.smaller not in here.symbols and here.subs({self.larger: b}) == there:
            return here.subs({self.larger: maximum(a, b)})
        return None


def _sides(chamber: Chamber, free: Collection[str]) -> Sides | None:
    """The only two free sizes that a derivation compared; None where there are none or several."""
    found = {pair for g in chamber.decided() if (pair := compared(g)) is not None and {*pair} <= {*free}}
    if len(found) != 1:
        return None
    [(larger, smaller)] = found
    more, less = chamber.sample_point[larger], chamber.sample_point[smaller]
    swapped = {larger: less, smaller: more if more > less else more + 1}
    return Sides(larger, smaller, {**chamber.sample_point, **swapped})


def _between(both: Sides, here: Chamber, there: Chamber) -> range | None:
    """The excesses of the larger size at which only the conditions of the other case hold; None where neither case
    covers some excess, or they are many."""
    if any(compared(g) == (both.larger, both.smaller) for g in there.decided()):
        return None
    first = _strongest(here, both.larger, both.smaller)
    second = _strongest(there, both.smaller, both.larger)
    if first + second < -1 or abs(first) > MAX_TRIED_SIZES:
        return None
    return range(min(0, -first), max(0, -first))


def _strongest(chamber: Chamber, larger: str, smaller: str) -> int:
    """The least c of the conditions ``larger - smaller + c >= 0``."""
    return min((int(g.constant_term) for g in chamber.decided() if compared(g) == (larger, smaller)), default=0)


def _left_out(both: Sides, here: Chamber, there: Chamber) -> list[tuple[str, int]] | None:
    """The small sizes that only the conditions of the other case exclude, as (symbol, value); None for other sizes."""
    found: list[tuple[str, int]] = []
    for g in sorted(set(there.decided()) - set(here.decided()), key=str):
        if compared(g) == (both.smaller, both.larger):
            continue
        name, least = min(g.symbols), -int(g.constant_term)
        if g != symbol(name) - least or least > MAX_TRIED_SIZES:
            return None
        found.extend((name, value) for value in range(1, least))
    return found


def _alike(
    counts: Mapping[CountKey, Expr], others: Mapping[CountKey, Expr], where: Mapping[str, Expr | Number]
) -> bool:
    """Whether counts are the same for these sizes, and have values there."""
    same = (count.subs(where) == others[key].subs(where) for key, count in counts.items() if key in others)
    try:
        return counts.keys() == others.keys() and all(same)
    except NotEvaluable:
        return False


def _joined(both: Sides, here: Mapping[CountKey, Expr], there: Mapping[CountKey, Expr]) -> dict[CountKey, Expr] | None:
    if here.keys() != there.keys():
        return None
    made = {key: both.join(count, there[key]) for key, count in here.items()}
    known = {key: count for key, count in made.items() if count is not None}
    return known if len(known) == len(made) else None
