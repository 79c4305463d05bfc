"""Which threads are active: the conditions around a statement cut the threads of each block, direction by direction.
Blocks that are cut alike are one class: the first, those inside, the last."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import field, replace
from math import prod

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.symbolic.expr import ZERO, Expr

Mask = tuple[bool, ...]  # which threads of every block are active, x fastest
MAX_CUT_BLOCKS = 64  # along one direction, that are looked at one by one


@dataclass(frozen=True)
class AxisCondition:
    """The condition on ``block``·b + ``thread``·t + ``constant``, for block b and its thread t along one direction, or
    along ``across``."""

    condition: Condition
    block: int
    thread: int
    constant: int
    expr: Expr = field(default=ZERO, compare=False)  # the constant
    across: int | None = None

    def holds(self, block: int, thread: int) -> bool:
        return self.condition.holds(self.block * block + self.thread * thread + self.constant)


def without_floor(condition: Condition) -> Condition:
    """The same condition, without the one floor that a sum is compared with: ``floor(p/q) + r >= 0``."""
    [atom] = condition.expr.atoms if len(condition.expr.atoms) == 1 else [None]
    if atom is None or atom.name != "floor" or condition.relation != "ge" or not atom.args[1].constant:
        return condition
    (top, bottom), rest = atom.args, condition.expr - Expr.atom(atom)
    if not rest.atoms:
        return replace(condition, expr=top + bottom * rest)
    rest = condition.expr + Expr.atom(atom)
    return condition if rest.atoms else replace(condition, expr=bottom * (rest + 1) - 1 - top)


def without_multiples(condition: Condition) -> Condition:
    """The same condition on a remainder, without what the modulus divides."""
    if not condition.modulus:
        return condition
    terms = condition.expr.terms.items()
    return replace(condition, expr=Expr({m: c for m, c in terms if c % condition.modulus}))


@dataclass(frozen=True)
class BlockClass:
    """So many blocks from ``first`` on, in which the same threads are active. ``limits``: those that are, along other
    directions."""

    first: int
    count: int
    threads: tuple[int, ...]
    limits: tuple[tuple[int, tuple[int, ...]], ...] = ()


def narrowed(classes: tuple[BlockClass, ...]) -> tuple[BlockClass, ...]:
    """One class for each direction, each with the threads that the others leave."""
    limits = [limit for c in classes for limit in c.limits]
    if not limits:
        return classes
    left = ([set(allowed) for along, allowed in limits if along == axis] for axis in range(len(classes)))
    return tuple(
        replace(c, threads=tuple(t for t in c.threads if all(t in allowed for allowed in sets)), limits=())
        for c, sets in zip(classes, left)
    )


def block_classes(
    cuts: Sequence[AxisCondition], blocks: int, block: Sequence[int], axis: int
) -> tuple[BlockClass, ...] | None:
    """The classes of the blocks along one direction; None where more blocks differ than can be looked at."""
    borders = {0, blocks}
    for cut in cuts:
        mixed = _mixed(cut, block[axis if cut.across is None else cut.across])
        if mixed is None:
            return None
        low, high = max(0, mixed[0]), min(blocks, mixed[1])
        if high - low > MAX_CUT_BLOCKS:
            return None
        borders.update(range(low, high + 1) if low <= high else (min(max(mixed[0], 0), blocks),))
    along = {axis, *(cut.across for cut in cuts if cut.across is not None)}
    by_axis = {k: [c for c in cuts if (axis if c.across is None else c.across) == k] for k in along}
    return tuple(_classes(by_axis, sorted(borders), block, axis))


def _classes(
    cuts: Mapping[int, Sequence[AxisCondition]], borders: Sequence[int], block: Sequence[int], axis: int
) -> Iterator[BlockClass]:
    for first, end in itertools.pairwise(borders):
        active = {
            k: tuple(t for t in range(block[k]) if all(c.holds(first, t) for c in own)) for k, own in cuts.items()
        }
        yield BlockClass(first, end - first, active.pop(axis), tuple(active.items()))


def _mixed(cut: AxisCondition, threads: int) -> tuple[int, int] | None:
    """The blocks [low, high) in which the condition may hold for some threads and not for others; on either
    side of them all blocks are alike. None where that is not so."""
    if not cut.block:
        return 0, 0
    if cut.condition.modulus:
        return (0, 0) if cut.block % cut.condition.modulus == 0 else None
    ends = (0, cut.thread * (threads - 1))
    low, high = -cut.constant - max(ends), -cut.constant - min(ends)  # block*b in [low, high]: zero is crossed
    if cut.block < 0:
        low, high = -high, -low
    size = abs(cut.block)
    if cut.condition.relation == "ge":
        if cut.block > 0:  # false below, true above
            return -(-low // size), -(-high // size)
        return low // size + 1, high // size + 1
    return -(-low // size), high // size + 1


Activity = tuple[tuple[BlockClass, ...], ...]  # along x, y and z


def active_threads(activity: Activity) -> int:
    every = map(narrowed, itertools.product(*activity))
    return sum(prod(c.count * len(c.threads) for c in classes) for classes in every)


@dataclass(frozen=True)
class Guards:
    """The cuts of a statement along x, y and z. ``strided``: the loops whose iterations continue the grid there: its
    blocks count on. ``mask``: what other conditions on threads alone let through. ``separable``: no condition holds
    more than one direction, or a variable of another loop, so that the active threads are exactly these."""

    cuts: tuple[tuple[AxisCondition, ...], tuple[AxisCondition, ...], tuple[AxisCondition, ...]] = ((), (), ())
    strided: tuple[str, str, str] = ("", "", "")
    separable: bool = True
    mask: Mask | None = None

    def among(self, mask: Mask) -> Guards:
        """With one more condition on threads alone."""
        both = mask if self.mask is None else tuple(a and b for a, b in zip(self.mask, mask))
        return replace(self, mask=both)

    def reach(self, axis: int, blocks: int, threads: int) -> tuple[int, int]:
        """The first and the last place along a direction that conditions on places alone let through."""
        low, high = 0, blocks * threads - 1
        for cut in self.cuts[axis]:
            if (
                cut.condition.relation == "ge"
                and cut.across is None
                and cut.thread
                and cut.block == cut.thread * threads
            ):
                low = max(low, -(cut.constant // cut.thread)) if cut.thread > 0 else low
                high = min(high, cut.constant // -cut.thread) if cut.thread < 0 else high
        return low, max(low, high)

    def activity(
        self, blocks: Sequence[int], threads: Sequence[int], known: MutableMapping[object, Activity | None]
    ) -> Activity | None:
        key = (self.cuts, tuple(blocks))
        if key not in known:
            found = [block_classes(cuts, b, threads, axis) for axis, (cuts, b) in enumerate(zip(self.cuts, blocks))]
            known[key] = None if None in found else tuple(c for c in found if c is not None)
        return known[key]


NO_GUARDS = Guards()


def whole(blocks: Sequence[int], threads: Sequence[int]) -> Activity:
    """All threads of all blocks."""
    return tuple((BlockClass(0, b, tuple(range(t))),) for b, t in zip(blocks, threads))
