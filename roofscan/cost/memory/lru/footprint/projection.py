"""Boxes of domains whose bounds depend on free variables. Loop variables are eliminated from the bounds
(Fourier-Motzkin). A dimension is cut where the bounds of the next one change, and in each part its subscript is fixed
at its mean before the next one is looked at: that one rule gives half-full triangles, diagonals, tiles and coupled
sums."""

from __future__ import annotations

from itertools import combinations
from math import floor

from roofscan.cost.memory.lru.footprint.boxes import (
    IndexBox,
    Interval,
    Step,
    System,
    joint_step,
    last_iterate,
    single_range,
)
from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, floor_to, value_of

MAX_INEQUALITIES = 60  # inequalities kept while variables are eliminated; the tightest remain
MAX_CUTS = 4  # parts that one dimension is cut into at most


def projected(subscripts: list[Affine], system: System, pieces: int = 1, done: IndexBox = ()) -> list[IndexBox]:
    """The boxes of the subscripts over the system; none where it is empty. A dimension that decides the range of
    the next one is cut into so many ``pieces`` at most, one per iteration where they suffice."""
    if not subscripts:
        return [done]
    form, *rest = subscripts
    if form.opaque:
        return []
    span = _projection(form, system)
    if span is None:
        return []
    if not form.coefs or not any(f.coefs for f in rest):
        return projected(rest, system, pieces, (*done, span))
    boxes: list[IndexBox] = []
    for part in _parts(form, rest, span, system):
        slices = _slices(part, pieces) if pieces > 1 and _changes(form, part, system, rest) else [part]
        for piece in slices:
            inner, fixed = _at_mean(form, piece, system, rest)
            boxes += projected(fixed, inner, max(1, pieces // len(slices)), (*done, piece))
    return boxes


# -- cutting ----------------------------------------------------------------------------------------
def _parts(form: Affine, rest: list[Affine], span: Interval, system: System) -> list[Interval]:
    """The range of a form cut where the range of the next one has a corner."""
    following = next(f for f in rest if f.coefs)
    if span.single or span.step != 1 or span.high - span.low < 2:
        return [span]
    cuts = sorted({value_of(c): c for c in _corners(form, following, span, system)}.items())[: MAX_CUTS - 1]
    starts = [span.lo, *(c + 1 for _, c in cuts)]
    ends = [*(c for _, c in cuts), span.hi]
    parts = []
    for n, (start, end) in enumerate(zip(starts, ends)):
        lo_alignment = span.lo_alignment if n == 0 else 1
        hi_alignment = span.hi_alignment if n == len(cuts) else 1
        parts.append(Interval(start, end, lo_alignment, hi_alignment))
    return parts


def _changes(form: Affine, span: Interval, system: System, rest: list[Affine]) -> bool:
    """Whether the next dimension reaches elsewhere at the last value of a form than at its first."""
    if span.single:
        return False
    ranges = []
    for place, alignment in ((span.lo, span.lo_alignment), (span.hi, span.hi_alignment)):
        inner, fixed = _at_mean(form, Interval(place, place, alignment, alignment), system, rest)
        found = _projection(next(f for f, r in zip(fixed, rest) if r.coefs), inner)
        ranges.append(found and (found.low, found.high))
    return ranges[0] != ranges[1]


def _slices(span: Interval, most: int) -> list[Interval]:
    trips = (span.hi - span.lo) / span.step + 1
    count = min(most, max(1, floor(value_of(trips) + TOLERANCE)))
    starts = [floor_to(trips * n / count, 1) for n in range(count)]
    firsts = [span.lo + start * span.step for start in starts]
    lasts = [*(first - span.step for first in firsts[1:]), span.hi]
    alignments = [span.lo_alignment] * (count - 1) + [span.hi_alignment]
    return [
        Interval(first, last, span.lo_alignment, alignment, span.step)
        for first, last, alignment in zip(firsts, lasts, alignments)
    ]


def _corners(form: Affine, following: Affine, span: Interval, system: System) -> list[Num]:
    """The last places before the binding bound of ``following`` changes, as the form's value grows."""
    pivot, target = _solved(form, Affine(0, {"": 1}))
    rows = [_replace(row, pivot, target) for row in system.rows]
    moved = _replace(following, pivot, target)
    free = [v for v in moved.coefs if v]
    if not free:
        return []
    pivot2, target2 = _solved(moved, Affine(0, {"z": 1}), free)
    rows = _without([_replace(row, pivot2, target2) for row in rows], system, pivot, pivot2)
    found: list[Num] = []
    for sign in (1, -1):
        bounds = [r for r in rows if value_of(r.coefs.get("z", 0)) * sign > 0]
        for a, b in combinations(bounds, 2):
            place = _meeting(a, b)
            if (
                place is not None
                and span.low < value_of(place) < span.high - TOLERANCE
                and _binds(a, bounds, place, sign)
            ):
                found.append(floor_to(place, 1))
    return found


def _meeting(a: Affine, b: Affine) -> Num | None:
    """Where two bounds on z, as lines over the first variable, cross."""
    za, zb = a.coefs["z"], b.coefs["z"]
    slope = a.coefs.get("", 0) / za - b.coefs.get("", 0) / zb
    if abs(value_of(slope)) < TOLERANCE:
        return None
    return (b.constant / zb - a.constant / za) / slope


def _binds(bound: Affine, bounds: list[Affine], place: Num, sign: int) -> bool:
    limits = [sign * value_of(-(r.constant + r.coefs.get("", 0) * place) / r.coefs["z"]) for r in bounds]
    mine = sign * value_of(-(bound.constant + bound.coefs.get("", 0) * place) / bound.coefs["z"])
    return mine >= max(limits) - TOLERANCE


def _solved(form: Affine, value: Affine, among: list[str] | None = None) -> tuple[str, Affine]:
    """A variable of the form, and that variable in terms of the form's ``value`` and the others."""
    pivot = max(among or form.coefs, key=lambda v: (abs(value_of(form.coefs[v])) == 1, v))
    c = form.coefs[pivot]
    rest = Affine(form.constant, {v: k for v, k in form.coefs.items() if v != pivot}, form.alignment)
    solved = value.plus(rest, -1)
    return pivot, solved if c == 1 else solved.scaled(1 / c)


# -- projecting -------------------------------------------------------------------------------------
def _projection(form: Affine, system: System) -> Interval | None:
    pivot, rows = "", system.rows
    if form.coefs:
        pivot, target = _solved(form, Affine(0, {"": 1}))
        rows = [_replace(row, pivot, target) for row in rows]
    rows = _without(rows, system, pivot)
    if any(not r.coefs and r.constant < -TOLERANCE for r in rows):
        return None
    if not form.coefs:
        return Interval(form.constant, form.constant, form.alignment, form.alignment)
    step: Step = 0
    for var, k in form.coefs.items():
        step = joint_step(step, abs(value_of(k)) * system.steps[var])
    span = single_range("", 1, rows)
    if span is None:
        return None
    if step > 1 and not span.single:
        hi, alignment = last_iterate(span.lo, span.hi, span.lo_alignment, span.hi_alignment, step)
        span = Interval(span.lo, hi, span.lo_alignment, alignment)
    return Interval(span.lo, span.hi, span.lo_alignment, span.hi_alignment, step)


def _replace(row: Affine, var: str, by: Affine) -> Affine:
    c = row.coefs.get(var)
    if c is None:
        return row
    rest = Affine(row.constant, {v: k for v, k in row.coefs.items() if v != var}, row.alignment, row.opaque)
    return rest.plus(by, c)


def _without(rows: list[Affine], system: System, *kept: str) -> list[Affine]:
    """Rows without the variables of the system but those ``kept``."""
    for var in system.steps:
        if var not in kept:
            rows = _eliminate(rows, var)
    return rows


def _eliminate(rows: list[Affine], var: str) -> list[Affine]:
    """Fourier-Motzkin: every lower bound of ``var`` is at most every upper one."""
    lower = [r for r in rows if r.coefs.get(var, 0) > 0]
    upper = [r for r in rows if r.coefs.get(var, 0) < 0]
    made = [r for r in rows if var not in r.coefs]
    for a in lower:
        for b in upper:
            row = _combined(a, b, var)
            if row.coefs or row.constant < -TOLERANCE:
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
    return list(best.values())[:MAX_INEQUALITIES]


def _at_mean(form: Affine, span: Interval, system: System, subscripts: list[Affine]) -> tuple[System, list[Affine]]:
    """The system and the subscripts with the form fixed at the mean of its range."""
    mean = (span.lo + span.hi) / 2 if not span.single else span.lo
    alignment = span.lo_alignment if span.single else 1
    pivot, value = _solved(form, Affine(mean, {}, alignment))
    steps = {v: s for v, s in system.steps.items() if v != pivot}
    inner = System([_replace(r, pivot, value) for r in system.rows], steps)
    return inner, [_replace(s, pivot, value) for s in subscripts]
