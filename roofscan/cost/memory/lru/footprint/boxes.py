"""Where a reference reaches: boxes of intervals, one a dimension, over the loops that are free.

Here: what limits the loops, and the one box of rectangular domains. For all others see ``projection``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint, scaled_alignment
from roofscan.cost.memory.lru.tree.nodes import Ref
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, floor_to, value_of


class Interval:
    """lo, lo + step, …, hi; the alignment say how far the ends' alignment is known (0: exactly)."""

    __slots__ = ("hi", "hi_alignment", "high", "key", "lo", "lo_alignment", "low", "single", "step")

    def __init__(self, lo: Num, hi: Num, lo_alignment: int = 0, hi_alignment: int = 0, step: int = 1) -> None:
        self.lo = lo
        self.hi = hi
        self.lo_alignment = lo_alignment
        self.hi_alignment = hi_alignment
        self.step = step
        self.low = value_of(lo)
        self.high = value_of(hi)
        self.single = abs(self.high - self.low) < TOLERANCE
        self.key = (self.low, self.high, lo_alignment, hi_alignment, step)


IndexBox = tuple[Interval, ...]


@dataclass(frozen=True)
class Window:
    """Limits on one loop variable."""

    var: str
    lo: AlignedPoint
    hi: AlignedPoint


@dataclass
class System:
    """Inequalities (each form is >= 0) over the free variables."""

    rows: list[Affine]
    steps: dict[str, int]

    def fixed(self, values: Mapping[str, AlignedPoint]) -> System:
        return System([r.fix(values) for r in self.rows], self.steps)


def constraints(ref: Ref, env: Mapping[str, AlignedPoint], window: Window | None) -> System | None:
    """What limits the free loops around a reference, or None where it is never executed."""
    rows: list[Affine] = []
    steps: dict[str, int] = {}
    for loop in ref.loops:
        if loop.var in env:
            continue
        steps[loop.var] = max(1, int(value_of(loop.step)))
        for low in loop.lows:
            row = low.fix(env).scaled(-1)
            rows.append(row.plus(Affine(0, {loop.var: 1})))
        for high in loop.highs:
            rows.append(high.fix(env).plus(Affine(0, {loop.var: -1})))
        if window is not None and window.var == loop.var:
            rows.append(Affine(-window.lo.value, {loop.var: 1}, window.lo.alignment))
            rows.append(Affine(window.hi.value, {loop.var: -1}, window.hi.alignment))
        rows.extend(guard.fix(env) for guard in loop.guards)
    rows.extend(guard.fix(env) for guard in ref.guards)
    kept = []
    for row in rows:
        if row.coefs or row.opaque:
            kept.append(row)
        elif row.constant < -TOLERANCE:
            return None
    return System(kept, steps)


LoopRanges = dict[str, Interval]
"""The loops of a rectangular domain."""


class Domains:
    """Where references reach. What limits the loops is remembered: all references in a nest share it."""

    def __init__(self) -> None:
        self._limits: dict[object, LoopRanges | System | None] = {}
        self._names: dict[object, tuple[str, ...]] = {}

    def boxes_of(
        self, ref: Ref, env: Mapping[str, AlignedPoint], window: Window | None, pieces: int = 1
    ) -> list[IndexBox]:
        """The boxes of a reference with the loops of ``env`` standing still; none where it is never executed.
        One whose dimensions depend on each other is cut into ``pieces`` at most."""
        limits = self._limits_of(ref, env, window)
        if limits is None:
            return []
        subscripts = [s.fix(env) for s in ref.subscripts]
        if not isinstance(limits, System):
            if pieces == 1 or not _coupled(subscripts):
                return [_rectangle(subscripts, limits)]
            limits = constraints(ref, env, window)
            assert limits is not None
        from roofscan.cost.memory.lru.footprint.projection import projected

        return projected(subscripts, limits, pieces)

    def _limits_of(
        self, ref: Ref, env: Mapping[str, AlignedPoint], window: Window | None
    ) -> LoopRanges | System | None:
        free = [loop for loop in ref.loops if loop.var not in env]
        place = (tuple([loop.uid for loop in free]), ref.guards)
        names = self._names.get(place)
        if names is None:
            forms = [f for loop in free for f in (*loop.lows, *loop.highs, *loop.guards)]
            inside = frozenset().union(*(f.names for f in (*forms, *ref.guards)))
            names = self._names[place] = tuple(sorted(inside))
        within = window and (window.var, window.lo.key, window.hi.key)
        key = (place, tuple([env[n].key if n in env else None for n in names]), within)
        if key not in self._limits:
            self._limits[key] = _limits(ref, env, window)
        return self._limits[key]


def _limits(ref: Ref, env: Mapping[str, AlignedPoint], window: Window | None) -> LoopRanges | System | None:
    """The ranges of the free loops where they are independent, else their inequalities; None: never executed."""
    system = constraints(ref, env, window)
    if system is None or any(len(row.coefs) != 1 or row.opaque for row in system.rows):
        return system
    ranges: LoopRanges = {}
    for var, step in system.steps.items():
        span = single_range(var, step, system.rows)
        if span is None:
            return None
        ranges[var] = span
    return ranges


# -- rectangular domains: every bound is a number ---------------------------------------------------
def _rectangle(subscripts: list[Affine], ranges: LoopRanges) -> IndexBox:
    box: list[Interval] = []
    used: set[str] = set()
    for form in subscripts:
        again = used & form.coefs.keys()
        if again:
            form = form.fix({v: _middle(ranges[v]) for v in again})
        box.append(_spread(form, ranges))
        used |= form.coefs.keys()
    return tuple(box)


def _coupled(subscripts: list[Affine]) -> bool:
    """Whether a variable moves several dimensions."""
    return sum(len(s.coefs) for s in subscripts) > len({v for s in subscripts for v in s.coefs})


def _middle(span: Interval) -> AlignedPoint:
    if span.single:
        return AlignedPoint(span.lo, span.lo_alignment)
    return AlignedPoint((span.lo + span.hi) / 2, 1)


def single_range(var: str, step: int, rows: list[Affine]) -> Interval | None:
    lo: Num | None = None
    hi: Num | None = None
    lo_alignment = hi_alignment = 0
    for row in rows:
        c = row.coefs.get(var)
        if c is None:
            continue
        bound = row.constant / -c if c != 1 and c != -1 else (-row.constant if c == 1 else row.constant)
        alignment = scaled_alignment(1, row.alignment) if c in (1, -1) else (1 if row.alignment else 0)
        if c > 0 and (lo is None or bound > lo):
            lo, lo_alignment = bound, alignment
        elif c < 0 and (hi is None or bound < hi):
            hi, hi_alignment = bound, alignment
    if lo is None or hi is None or hi < lo - TOLERANCE:
        return None
    if step > 1:
        hi, hi_alignment = last_iterate(lo, hi, lo_alignment, hi_alignment, step)
    return Interval(lo, hi, lo_alignment, hi_alignment, step)


def last_iterate(lo: Num, hi: Num, lo_alignment: int, hi_alignment: int, step: int) -> tuple[Num, int]:
    """The last of lo, lo + step, … that is at most ``hi``, and its alignment; the mean where ends are not known."""
    if _misaligned(lo_alignment, step) and not hi_alignment:
        return hi, 0
    if _misaligned(lo_alignment, step) or _misaligned(hi_alignment, step) or value_of(hi - lo) % 1:
        reach = (hi - lo) / step + 1 / step - 1 + (step - 1) / (2 * step)
        return (lo + step * reach if reach > 0 else lo), 1
    return lo + floor_to(hi - lo, step), lo_alignment


def _misaligned(alignment: int, step: int) -> bool:
    return bool(alignment % step)


def _spread(form: Affine, ranges: Mapping[str, Interval]) -> Interval:
    """The range of an affine form over independent ranges."""
    lo = hi = form.constant
    lo_alignment = hi_alignment = form.alignment
    step = 0
    for var, c in form.coefs.items():
        span = ranges[var]
        at_lo, at_hi = (span.lo, span.hi) if c > 0 else (span.hi, span.lo)
        alignment_lo, alignment_hi = (
            (span.lo_alignment, span.hi_alignment) if c > 0 else (span.hi_alignment, span.lo_alignment)
        )
        lo, hi = lo + c * at_lo, hi + c * at_hi
        lo_alignment, hi_alignment = (
            gcd(lo_alignment, scaled_alignment(c, alignment_lo)),
            gcd(hi_alignment, scaled_alignment(c, alignment_hi)),
        )
        if not span.single:
            step = gcd(step, max(1, int(abs(value_of(c)) * span.step)))
    return Interval(lo, hi, lo_alignment, hi_alignment, step or 1)
