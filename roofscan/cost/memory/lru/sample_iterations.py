"""The sampled iterations of a loop, each with a weight. One is enough where all are alike. Where inner bounds, or the
places where references meet, depend on the loop, its range is cut into strata whose weights integrate cubic polynomials
exactly in the leading orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.iterations import MAX_LISTED_ITERATIONS, IterationRange
from roofscan.cost.memory.lru.footprint.subtree import Env, Subtree
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Modulo, Ref, loops_below, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, SampledExpr, ceil_to, floor_to, least, value_of
from roofscan.frozen import dataclass

QUADRATURE_RULES: dict[int, tuple[Fraction, ...]] = {
    1: (Fraction(1),),
    3: (Fraction(3, 8), Fraction(1, 4), Fraction(3, 8)),
    4: tuple(Fraction(w, 48) for w in (13, 11, 11, 13)),
    5: tuple(Fraction(w, 1152) for w in (275, 100, 402, 100, 275)),
    6: tuple(Fraction(w, 16) for w in (3, 2, 3, 3, 2, 3)),
}
"""Open quadrature rules at the middles of equal strata, by their number: the weight of each stratum."""
STRATA_PER_PART = 100  # the strata of the parts of a range are numbered this far apart
MAX_MEETING_DEPTH = 2  # inside so many sampled loops, the places where references meet are not sampled
STRATA_BY_DEPTH = (6, 5, 4, 3)
"""The number of strata, by the number of sampled loops around. No two have a middle in common, so that the sampled
rows of two loops never coincide by accident."""


ALL_BUT = 1024
"""A distance of all iterations of a long loop but so many stays that where the loop grows: a subscript wraps around."""


class AllBut(int):
    """A distance in iterations that grows with the loop."""

    number: Num


def growing_distance(distance: int, trips: Num) -> int:
    """The distance, where that is nearly all of the ``trips`` as a number that is made of theirs."""
    whole = round(value_of(trips))
    if not isinstance(trips, SampledExpr) or whole < 4 * ALL_BUT or not 0 <= whole - distance <= ALL_BUT:
        return distance
    found = AllBut(distance)
    found.number = trips - (whole - distance)
    return found


def number_of(distance: Num) -> Num:
    return distance.number if isinstance(distance, AllBut) else distance


@dataclass(frozen=True)
class Sample:
    """An iteration that represents ``weight`` iterations, which ``before`` iterations precede."""

    point: AlignedPoint
    weight: Num
    before: Num
    stratum: int | None = None  # its number, where it represents a stratum
    mean: bool = False  # whether executions of the loop may make fewer iterations

    def beyond(self, iterations_back: int) -> Num:
        """How many of its iterations have one ``iterations_back``."""
        missing = number_of(iterations_back) - self.before
        if missing <= 0:
            return self.weight
        left = self.weight - (least(self.weight, missing) if self.mean else missing)
        return left if left > 0 else 0


EARLY = 7  # powers of two of iterations: a line has 64 elements at most


class Sampler:
    def __init__(
        self, footprints: Footprints, by_depth: Sequence[int] = STRATA_BY_DEPTH, one_by_one: int = MAX_LISTED_ITERATIONS
    ) -> None:
        self._footprints = footprints
        self._one_by_one = one_by_one
        self._by_depth = by_depth
        self._meets: dict[tuple[int, int], bool] = {}
        self._known: dict[tuple[int, int, int], tuple[list[Sample], bool]] = {}

    def samples(self, loop: LoopNode, env: Env, depth: int, buffer: Buffer | None = None) -> tuple[list[Sample], bool]:
        """The samples of a loop, and whether they are strata (iterations differ), for the accesses to one buffer or to
        all."""
        if buffer is not None and not self._meeting(loop, None):
            buffer = None  # it is the same for all of them
        name = (Subtree(loop, env).key, depth, id(buffer) if buffer else 0)
        if name not in self._known:
            self._known[name] = self._samples(loop, env, depth, buffer)
        return self._known[name]

    def _samples(self, loop: LoopNode, env: Env, depth: int, buffer: Buffer | None) -> tuple[list[Sample], bool]:
        whole = self._footprints.iterations.range(loop, env)
        if whole is None:
            return [], False
        if loop.sampled_all:
            points = self._footprints.iterations.every(loop, env, most=self._one_by_one)
            share = whole.trips / len(points)
            return [Sample(p, share, n * share) for n, p in enumerate(points)], True
        chosen: list[Sample] = []
        strata = False
        before: Num = 0
        for number, part in enumerate(self._parts(loop, env, whole)):
            found, differ = self._of_part(loop, env, part, before, depth, buffer)
            apart = number * STRATA_PER_PART
            chosen += [replace(f, stratum=f.stratum + apart) if f.stratum is not None else f for f in found]
            strata |= differ
            before = before + part.trips
        return [replace(f, mean=True) for f in chosen] if loop.mean else chosen, strata

    def first(self, loop: LoopNode, env: Env) -> AlignedPoint:
        span = self._footprints.iterations.range(loop, env)
        return span.first if span is not None else AlignedPoint(0)

    def early(self, loop: LoopNode, env: Env) -> list[Sample]:
        """The second, third, fifth, … iteration, as far as one more line of elements of any size is begun."""
        span = self._footprints.iterations.range(loop, env)
        if span is None:
            return []
        numbers = (2**k for k in range(EARLY) if 2**k < value_of(span.trips))
        return [Sample(_iterate(loop, span, number), 1, number) for number in numbers]

    def _of_part(
        self, loop: LoopNode, env: Env, part: IterationRange, before: Num, depth: int, buffer: Buffer | None
    ) -> tuple[list[Sample], bool]:
        kind = self._kind(loop, env, part, depth, buffer)
        trips = value_of(part.trips)
        if kind == "alike" or trips <= 1 + TOLERANCE:
            return [_middle(loop, part, before)], False
        if kind == "last differs":
            inner = IterationRange(part.first, _iterate(loop, part, part.trips - 2), part.trips - 1)
            last = Sample(part.last, 1, before + (part.trips - 1))
            return [_middle(loop, inner, before), last], False
        rule = QUADRATURE_RULES[self._by_depth[min(depth, len(self._by_depth) - 1)]]
        if trips <= len(rule) and abs(trips - round(trips)) < TOLERANCE:
            points = [_iterate(loop, part, n) for n in range(round(trips))]
            return [Sample(p, 1, before + n) for n, p in enumerate(points)], True
        return [_stratum(loop, part, before, rule, n) for n in range(len(rule))], True

    # -- what differs -------------------------------------------------------------------------
    def _kind(self, loop: LoopNode, env: Env, part: IterationRange, depth: int, buffer: Buffer | None) -> str:
        """ "alike", "last differs" (a tile cut short), or "differ"."""
        if depth < MAX_MEETING_DEPTH and self._meeting(loop, buffer):
            return "differ"
        if loop.var not in loop.names_below:
            return "alike"
        trips = value_of(part.trips)
        places: list[Num] = [0, floor_to(part.trips / 2, 1), part.trips - 2, part.trips - 1]
        shapes = [self._shape(loop, env, _iterate(loop, part, n)) for n in places if value_of(n) > -TOLERANCE]
        if all(s == shapes[0] for s in shapes):
            return "alike"
        if trips > 2 and all(s == shapes[0] for s in shapes[:-1]):
            return "last differs"
        return "differ"

    def even(self, loop: LoopNode, env: Env) -> bool:
        """Whether the iterations do equal work, as far as a few of them say."""
        whole = self._footprints.iterations.range(loop, env)
        if whole is None or loop.var not in loop.names_below:
            return True
        places: list[Num] = [0, floor_to(whole.trips / 2, 1), whole.trips - 1]
        return len({self._shape(loop, env, _iterate(loop, whole, n)) for n in places}) == 1

    def _shape(self, loop: LoopNode, env: Env, point: AlignedPoint) -> tuple[float, ...]:
        """The trips of the loops inside, at one iteration."""
        return tuple(self._trips_below(loop, {**env, loop.var: point}))

    def _trips_below(self, loop: LoopNode, env: Env) -> Iterator[float]:
        """The same with the loop at its middle; neighbours have variables of the same name."""
        for child in loop.children:
            if isinstance(child, LoopNode):
                span = self._footprints.iterations.range(child, env)
                yield round(value_of(span.trips), 6) if span else 0.0
                middle = (span.first.value + span.last.value) / 2 if span else 0
                yield from self._trips_below(child, {**env, child.var: AlignedPoint(middle, 1)})

    def _meeting(self, loop: LoopNode, buffer: Buffer | None) -> bool:
        """Whether references of one array move differently with the loop, so that they meet at some iteration."""
        name = (loop.uid, id(buffer) if buffer else 0)
        if name not in self._meets:
            self._meets[name] = _references_meet(refs_to(loop, buffer) if buffer else loop.refs, loop.var)
        return self._meets[name]

    # -- conditions on the loop ---------------------------------------------------------------
    def _parts(self, loop: LoopNode, env: Env, whole: IterationRange) -> list[IterationRange]:
        """The range cut where a condition inside changes its outcome."""
        low, high = sorted((value_of(whole.first.value), value_of(whole.last.value)))
        cuts = sorted({v: n for n in _breaks(loop, env) if low < (v := value_of(n)) <= high}.items())
        if not cuts or loop.alignment != 1:
            return [whole]
        lower, upper = (whole.last, whole.first) if loop.descending else (whole.first, whole.last)
        starts = [lower, *(AlignedPoint(n) for _, n in cuts)]
        ends = [*(AlignedPoint(n - 1) for _, n in cuts), upper]
        trips = [(s, e, e.value - s.value + 1) for s, e in zip(starts, ends)]
        if loop.descending:
            return [IterationRange(e, s, n) for s, e, n in reversed(trips)]
        return [IterationRange(s, e, n) for s, e, n in trips]


def previous(loop: LoopNode, point: AlignedPoint, back: Num = 1) -> AlignedPoint:
    return AlignedPoint(point.value - loop.direction * number_of(back) * loop.step, point.alignment)


def _breaks(loop: LoopNode, env: Env) -> list[Num]:
    """The first values of the loop variable after a change of some condition directly on it, and the value after the
    iteration that does what is left to one iteration."""
    inside = [inner.guards for inner in loops_below(loop)]
    guards = [g for own in inside for g in own]
    guards += [g for r in loop.refs for g in r.guards]
    pairs = (pair for own in inside for pair in pairwise(own))
    single = {id(g) for g, h in pairs if not (both := g.plus(h)).coefs and not both.constant for g in (g, h)}
    found: list[Num] = []
    for guard in guards:
        if loop.var not in guard.coefs:
            continue
        fixed = guard.fix(env)
        if len(fixed.coefs) > 1 or fixed.opaque:
            continue
        c = fixed.coefs[loop.var]
        place = fixed.constant / -c
        found.append(ceil_to(place, 1) if c > 0 else floor_to(place, 1) + 1)
        if id(guard) in single:
            found.append(found[-1] + loop.direction)
    return found


def _references_meet(refs: Sequence[Ref], var: str) -> bool:
    by_buffer: dict[int, list[Ref]] = {}
    for ref in refs:
        if not ref.irregular:
            by_buffer.setdefault(id(ref.buffer), []).append(ref)
    return any(len({_motion(r, var) for r in group}) > 1 for group in by_buffer.values())


def _motion(ref: Ref, var: str) -> tuple[float, ...]:
    return tuple(value_of(s.coefs.get(var, 0)) for s in ref.subscripts)


def _iterate(loop: LoopNode, part: IterationRange, number: Num) -> AlignedPoint:
    return AlignedPoint(part.first.value + loop.direction * loop.step * number, part.first.alignment)


def _in_steps(loop: LoopNode) -> bool:
    """Whether the loop moves a reference by more than one element: only integer iterations then have an alignment."""
    if loop.alignment != 1:
        return True
    return any(abs(value_of(s.coefs.get(loop.var, 1))) != 1 for r in loop.refs for s in r.subscripts)


def _middle(loop: LoopNode, part: IterationRange, before: Num) -> Sample:
    if value_of(part.trips) <= 1 + TOLERANCE:
        return Sample(part.first, part.trips, before)
    half = (part.trips - 1) / 2
    if value_of(half) % 1 == 0.5:
        half = part.trips / 2
    number = floor_to(half, 1) if _in_steps(loop) else half
    return Sample(AlignedPoint(_off_a_wrap(loop, part, number), loop.alignment), part.trips, before)


def _off_a_wrap(loop: LoopNode, part: IterationRange, number: Num) -> Num:
    """The value of an iteration, moved to the middle of the longest period of the subscripts: where one starts anew,
    it is like no other."""
    value = _iterate(loop, part, number).value
    wraps = [
        (value_of(limit.modulus), limit.modulus, ref.subscripts[dim].coefs[loop.var], ref.subscripts[dim].constant)
        for ref in loop.refs for dim, limit in ref.index_limits
        if isinstance(limit, Modulo) and abs(value_of(ref.subscripts[dim].coefs.get(loop.var, 0))) == 1
    ]  # fmt: skip
    if not wraps or value_of(loop.step) != 1:
        return value
    _, period, direction, start = max(wraps, key=lambda wrap: wrap[0])
    place = value * direction + start
    moved = value + direction * (floor_to(place / period, 1) * period + floor_to(period / 2, 1) - place)
    low, high = sorted((part.first.value, part.last.value), key=value_of)
    return moved if low < moved < high else value


def _stratum(loop: LoopNode, part: IterationRange, before: Num, rule: tuple[Fraction, ...], n: int) -> Sample:
    size = len(rule)
    number = part.trips * Fraction(2 * n + 1, 2 * size) - Fraction(1, 2)
    if _in_steps(loop):
        number = floor_to(number + Fraction(1, 2), 1)
    place = _iterate(loop, part, number)
    done = sum(rule[:n], Fraction(0))
    return Sample(AlignedPoint(place.value, loop.alignment), part.trips * rule[n], before + part.trips * done, n)
