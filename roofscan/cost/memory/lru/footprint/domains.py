"""The boxes of a reference over its free loops: one for a rectangular domain, by projection for all others. A subscript
that is taken modulo a number, or clamped, reaches one or two windows."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from operator import gt, lt

from roofscan.cost.memory.lru.footprint.boxes import (
    IndexBox,
    Interval,
    Step,
    System,
    Window,
    constraints,
    joint_step,
    single_range,
)
from roofscan.cost.memory.lru.footprint.projection import projected
from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint, scaled_alignment
from roofscan.cost.memory.lru.tree.nodes import Clamp, IndexLimit, Modulo, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import floor_to, value_of

LoopRanges = dict[str, Interval]  # the loops of a rectangular domain


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
        boxes = [b for box in self._boxes_of(ref, env, window, pieces) for b in within_limits(box, ref)]
        return boxes if ref.width == 1 else [wide for box in boxes for wide in _widened(box, ref.width)]

    def is_rectangle(self, ref: Ref, env: Mapping[str, AlignedPoint], window: Window | None) -> bool:
        """Whether no free loop limits another."""
        return not isinstance(self._limits_of(ref, env, window), System)

    def _boxes_of(
        self, ref: Ref, env: Mapping[str, AlignedPoint], window: Window | None, pieces: int
    ) -> list[IndexBox]:
        limits = self._limits_of(ref, env, window)
        if limits is None:
            return []
        subscripts = [s.fix(env) for s in ref.subscripts]
        if not isinstance(limits, System):
            if pieces == 1 or not _coupled(subscripts):
                return [_rectangle(subscripts, limits)]
            limits = constraints(ref, env, window)
            assert limits is not None
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


def _widened(box: IndexBox, width: int) -> list[IndexBox]:
    """The boxes of elements of ``width`` instead of one: one where they leave no gap."""
    last = box[-1]
    if last.single or last.step <= width:
        return [(*box[:-1], Interval(last.lo, last.hi + width - 1, last.lo_alignment, last.hi_alignment))]
    return [
        (*box[:-1], Interval(last.lo + n, last.hi + n, last.lo_alignment, last.hi_alignment, last.step))
        for n in range(width)
    ]


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
    return sum(len(s.coefs) for s in subscripts) > len({v for s in subscripts for v in s.coefs})


def _middle(span: Interval) -> AlignedPoint:
    if span.single:
        return AlignedPoint(span.lo, span.lo_alignment)
    return AlignedPoint((span.lo + span.hi) / 2, 1)


def _spread(form: Affine, ranges: Mapping[str, Interval]) -> Interval:
    lo = hi = form.constant
    lo_alignment = hi_alignment = form.alignment
    step: Step = 0
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
            step = joint_step(step, abs(value_of(c)) * span.step)
    return Interval(lo, hi, lo_alignment, hi_alignment, step or 1)


def within_limits(box: IndexBox, ref: Ref) -> list[IndexBox]:
    """A box with its folded dimensions: one or two windows each."""
    boxes = [box]
    for dim, limit in ref.index_limits:
        boxes = [(*b[:dim], window, *b[dim + 1 :]) for b in boxes for window in _windows(b[dim], limit)]
    return boxes


def _windows(span: Interval, limit: IndexLimit) -> list[Interval]:
    return _residues(span, limit) if isinstance(limit, Modulo) else [_clamped(span, limit)]


def _clamped(span: Interval, clamp: Clamp) -> Interval:
    lo, lo_alignment, hi, hi_alignment = span.lo, span.lo_alignment, span.hi, span.hi_alignment
    for limit, is_beyond in ((clamp.low, lt), (clamp.high, gt)):
        if limit is not None and is_beyond(lo, limit):
            lo, lo_alignment = limit, 0
        if limit is not None and is_beyond(hi, limit):
            hi, hi_alignment = limit, 0
    return Interval(lo, hi, lo_alignment, hi_alignment, span.step)


def _residues(span: Interval, modulo: Modulo) -> list[Interval]:
    modulus, offset = modulo.modulus, modulo.offset
    if span.hi - span.lo >= modulus - 1:
        return [Interval(offset, modulus - 1 + offset)]
    period = floor_to(span.lo / modulus, 1)
    low, high = span.lo - period * modulus + offset, span.hi - period * modulus + offset
    if high - offset < modulus:
        return [Interval(low, high, span.lo_alignment, span.hi_alignment, span.step)]
    return [
        Interval(low, modulus - 1 + offset, span.lo_alignment, 0, span.step),
        Interval(offset, high - modulus, 0, span.hi_alignment, span.step),
    ]
