"""Boxes: an interval for each dimension of a buffer; and the inequalities that limit the loops around a reference."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd
from typing import Union

from roofscan.cost.memory.lru.tree.affine import Affine, AlignedPoint, scaled_alignment
from roofscan.cost.memory.lru.tree.nodes import Ref
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, floor_to, value_of
from roofscan.frozen import dataclass

MAX_DENOMINATOR = 1000  # of a step that is not whole

Step = Union[int, Fraction]


def joint_step(step: Step, more: float) -> Step:
    """The step of places that lie ``step`` and ``more`` apart, of which the first may still be 0; one that is not whole
    (``int(i * 1.5)``) holds alone."""
    if more <= 1:
        return 1
    if more % 1:
        return 1 if step else Fraction(more).limit_denominator(MAX_DENOMINATOR)
    return gcd(step, int(more)) if isinstance(step, int) else 1


class Interval:
    """lo, lo + step, …, hi; the alignment say how far the ends' alignment is known (0: exactly)."""

    __slots__ = ("hi", "hi_alignment", "high", "key", "lo", "lo_alignment", "low", "single", "step")

    def __init__(self, lo: Num, hi: Num, lo_alignment: int = 0, hi_alignment: int = 0, step: Step = 1) -> None:
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
        rows += [low.fix(env).scaled(-1).with_term(loop.var, 1) for low in loop.lows]
        rows += [high.fix(env).with_term(loop.var, -1) for high in loop.highs]
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


def last_iterate(lo: Num, hi: Num, lo_alignment: int, hi_alignment: int, step: Step) -> tuple[Num, int]:
    """The last of lo, lo + step, … that is at most ``hi``, and its alignment; the mean where ends are not known."""
    if not isinstance(step, int):
        return hi, hi_alignment
    if _misaligned(lo_alignment, step) and not hi_alignment:
        return hi, 0
    if _misaligned(lo_alignment, step) or _misaligned(hi_alignment, step) or value_of(hi - lo) % 1:
        reach = (hi - lo) / step + 1 / step - 1 + (step - 1) / (2 * step)
        return (lo + step * reach if reach > 0 else lo), 1
    return lo + floor_to(hi - lo, step), lo_alignment


def _misaligned(alignment: int, step: int) -> bool:
    return bool(alignment % step)
