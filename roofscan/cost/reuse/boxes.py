"""Where a reference reaches: a box of intervals, one a dimension, over the loops that are free.

Loop variables are eliminated from the bounds (Fourier-Motzkin). Once the range of a dimension is known its
subscript is fixed at the mean before the next one is looked at: that one rule gives rectangles, half-full
triangles, diagonals, hidden variables, tiles and coupled sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from roofscan.cost.reuse.affine import Affine, Point, scaled_grain
from roofscan.cost.reuse.quantity import TINY, Num, floor_to, value_of
from roofscan.cost.reuse.tree import Loop, Ref

SYSTEM_LIMIT = 60
"""Inequalities kept while variables are eliminated; the tightest remain."""


class Interval:
    """lo, lo + step, …, hi; the grains say how far the ends' alignment is known (0: exactly)."""

    __slots__ = ("hi", "hi_grain", "high", "key", "lo", "lo_grain", "low", "single", "step")

    def __init__(self, lo: Num, hi: Num, lo_grain: int = 0, hi_grain: int = 0, step: int = 1) -> None:
        self.lo = lo
        self.hi = hi
        self.lo_grain = lo_grain
        self.hi_grain = hi_grain
        self.step = step
        self.low = value_of(lo)
        self.high = value_of(hi)
        self.single = abs(self.high - self.low) < TINY
        self.key = (self.low, self.high, lo_grain, hi_grain, step)


Box = tuple[Interval, ...]


@dataclass(frozen=True)
class Window:
    """Limits on one loop variable."""

    var: str
    lo: Point
    hi: Point


@dataclass
class System:
    """Inequalities (each form is >= 0) over the free variables."""

    rows: list[Affine]
    steps: dict[str, int]

    def fixed(self, values: Mapping[str, Point]) -> System:
        return System([r.fix(values) for r in self.rows], self.steps)


def constraints(ref: Ref, env: Mapping[str, Point], window: Window | None) -> System | None:
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
            rows.append(Affine(-window.lo.value, {loop.var: 1}, window.lo.grain))
            rows.append(Affine(window.hi.value, {loop.var: -1}, window.hi.grain))
        rows.extend(guard.fix(env) for guard in loop.guards)
    rows.extend(guard.fix(env) for guard in ref.guards)
    kept = []
    for row in rows:
        if row.coefs or row.opaque:
            kept.append(row)
        elif row.constant < -TINY:
            return None
    return System(kept, steps)


def box_of(ref: Ref, env: Mapping[str, Point], window: Window | None) -> Box | None:
    """The box of a reference with the loops of ``env`` standing still, or None where it is never executed."""
    system = constraints(ref, env, window)
    if system is None:
        return None
    subscripts = [s.fix(env) for s in ref.subscripts]
    if all(len(row.coefs) == 1 and not row.opaque for row in system.rows):
        return _rectangle(subscripts, system)
    return _projected(subscripts, system)


# -- rectangular domains: every bound is a number ---------------------------------------------------
def _rectangle(subscripts: list[Affine], system: System) -> Box | None:
    ranges: dict[str, Interval] = {}
    for var, step in system.steps.items():
        span = single_range(var, step, system.rows)
        if span is None:
            return None
        ranges[var] = span
    box: list[Interval] = []
    used: set[str] = set()
    for form in subscripts:
        again = used & form.coefs.keys()
        if again:
            form = form.fix({v: _middle(ranges[v]) for v in again})
        box.append(_spread(form, ranges))
        used |= form.coefs.keys()
    return tuple(box)


def _middle(span: Interval) -> Point:
    if span.single:
        return Point(span.lo, span.lo_grain)
    return Point((span.lo + span.hi) / 2, 1)


def single_range(var: str, step: int, rows: list[Affine]) -> Interval | None:
    lo: Num | None = None
    hi: Num | None = None
    lo_grain = hi_grain = 0
    for row in rows:
        c = row.coefs.get(var)
        if c is None:
            continue
        bound = row.constant / -c if c != 1 and c != -1 else (-row.constant if c == 1 else row.constant)
        grain = scaled_grain(1, row.grain) if c in (1, -1) else (1 if row.grain else 0)
        if c > 0 and (lo is None or bound > lo):
            lo, lo_grain = bound, grain
        elif c < 0 and (hi is None or bound < hi):
            hi, hi_grain = bound, grain
    if lo is None or hi is None or hi < lo - TINY:
        return None
    if step > 1:
        hi, hi_grain = last_iterate(lo, hi, lo_grain, hi_grain, step)
    return Interval(lo, hi, lo_grain, hi_grain, step)


def last_iterate(lo: Num, hi: Num, lo_grain: int, hi_grain: int, step: int) -> tuple[Num, int]:
    """The last of lo, lo + step, … that is at most ``hi``, and its grain; the mean where ends are not known."""
    if _misaligned(lo_grain, step) or _misaligned(hi_grain, step) or value_of(hi - lo) % 1:
        reach = (hi - lo) / step + 1 / step - 1 + (step - 1) / (2 * step)
        return (lo + step * reach if reach > 0 else lo), 1
    return lo + floor_to(hi - lo, step), lo_grain


def _misaligned(grain: int, step: int) -> bool:
    return bool(grain % step)


def _spread(form: Affine, ranges: Mapping[str, Interval]) -> Interval:
    """The range of an affine form over independent ranges."""
    lo = hi = form.constant
    lo_grain = hi_grain = form.grain
    step = 0
    for var, c in form.coefs.items():
        span = ranges[var]
        at_lo, at_hi = (span.lo, span.hi) if c > 0 else (span.hi, span.lo)
        grain_lo, grain_hi = (span.lo_grain, span.hi_grain) if c > 0 else (span.hi_grain, span.lo_grain)
        lo, hi = lo + c * at_lo, hi + c * at_hi
        lo_grain, hi_grain = gcd(lo_grain, scaled_grain(c, grain_lo)), gcd(hi_grain, scaled_grain(c, grain_hi))
        if not span.single:
            step = gcd(step, max(1, int(abs(value_of(c)) * span.step)))
    return Interval(lo, hi, lo_grain, hi_grain, step or 1)


# -- general domains --------------------------------------------------------------------------------
def _projected(subscripts: list[Affine], system: System) -> Box | None:
    box: list[Interval] = []
    for form in subscripts:
        if form.opaque:
            return None
        span = _projection(form, system)
        if span is None:
            return None
        box.append(span)
        if form.coefs and form is not subscripts[-1]:
            system, subscripts_fixed = _at_mean(form, span, system, subscripts)
            subscripts[:] = subscripts_fixed
    return tuple(box)


def _projection(form: Affine, system: System) -> Interval | None:
    """The range of one form over the system."""
    if not form.coefs:
        rows = system.rows
        for var in system.steps:
            rows = _eliminate(rows, var)
        if any(not r.coefs and r.constant < -TINY for r in rows):
            return None
        return Interval(form.constant, form.constant, form.grain, form.grain)
    pivot = max(form.coefs, key=lambda v: (abs(value_of(form.coefs[v])) == 1, v))
    c = form.coefs[pivot]
    rest = Affine(form.constant, {v: k for v, k in form.coefs.items() if v != pivot}, form.grain)
    target = Affine(0, {"": 1}).plus(rest, -1).scaled(1 / c if c != 1 else 1)
    rows = [_replace(row, pivot, target) for row in system.rows]
    for var in system.steps:
        if var != pivot:
            rows = _eliminate(rows, var)
    if any(not r.coefs and r.constant < -TINY for r in rows):
        return None
    step = 0
    for var, k in form.coefs.items():
        step = gcd(step, max(1, int(abs(value_of(k)) * system.steps[var])))
    span = single_range("", 1, rows)
    if span is None:
        return None
    if step > 1 and not span.single:
        hi, grain = last_iterate(span.lo, span.hi, span.lo_grain, span.hi_grain, step)
        span = Interval(span.lo, hi, span.lo_grain, grain)
    return Interval(span.lo, span.hi, span.lo_grain, span.hi_grain, step)


def _replace(row: Affine, var: str, by: Affine) -> Affine:
    c = row.coefs.get(var)
    if c is None:
        return row
    rest = Affine(row.constant, {v: k for v, k in row.coefs.items() if v != var}, row.grain, row.opaque)
    return rest.plus(by, c)


def _eliminate(rows: list[Affine], var: str) -> list[Affine]:
    """Fourier-Motzkin: every lower bound of ``var`` is at most every upper one."""
    lower = [r for r in rows if r.coefs.get(var, 0) > 0]
    upper = [r for r in rows if r.coefs.get(var, 0) < 0]
    made = [r for r in rows if var not in r.coefs]
    for a in lower:
        for b in upper:
            row = _combined(a, b, var)
            if row.coefs or row.constant < -TINY:
                made.append(row)
    return _pruned(made)


def _combined(a: Affine, b: Affine, var: str) -> Affine:
    ca, cb = a.coefs[var], -b.coefs[var]
    row = b.plus(a, cb / ca) if ca != cb else b.plus(a)
    row.coefs.pop(var, None)
    return row.scaled(1 / cb) if abs(value_of(cb)) != 1 else row


def _pruned(rows: list[Affine]) -> list[Affine]:
    """Of rows with the same coefficients only the tightest."""
    best: dict[tuple[tuple[str, float], ...], Affine] = {}
    for row in rows:
        key = tuple(sorted((v, value_of(c)) for v, c in row.coefs.items()))
        if key not in best or row.constant < best[key].constant:
            best[key] = row
    return list(best.values())[:SYSTEM_LIMIT]


def _at_mean(
    form: Affine, span: Interval, system: System, subscripts: list[Affine]
) -> tuple[System, list[Affine]]:
    """The system and the subscripts where the form stands at the mean of its range."""
    mean = (span.lo + span.hi) / 2 if not span.single else span.lo
    grain = span.lo_grain if span.single else 1
    pivot = max(form.coefs, key=lambda v: (abs(value_of(form.coefs[v])) == 1, v))
    c = form.coefs[pivot]
    rest = Affine(form.constant, {v: k for v, k in form.coefs.items() if v != pivot}, form.grain)
    value = Affine(mean, {}, grain).plus(rest, -1).scaled(1 / c if c != 1 else 1)
    steps = {v: s for v, s in system.steps.items() if v != pivot}
    return (
        System([_replace(r, pivot, value) for r in system.rows], steps),
        [_replace(s, pivot, value) for s in subscripts],
    )


__all__ = ["Box", "Interval", "Loop", "Window", "box_of"]
