"""Sets of integers as sorted, disjoint, inclusive ranges; ``None`` is "without end"."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

Range = tuple[int, "int | None"]
Ranges = tuple[Range, ...]

_START = itemgetter(0)


def clip(one: Range, other: Range) -> Ranges:
    """What two ranges have in common: one range or none."""
    lo = max(one[0], other[0])
    hi = one[1] if other[1] is None else other[1] if one[1] is None else min(one[1], other[1])
    return ((lo, hi),) if hi is None or lo <= hi else ()


def intersect(one: Ranges, other: Ranges) -> Ranges:
    return merge(common for a in one for b in other for common in clip(a, b))


def merge(ranges: Iterable[Range]) -> Ranges:
    """The union, with neighbours such as 1..4 and 5..9 joined."""
    merged: list[Range] = []
    for lo, hi in sorted(ranges, key=_START):
        if not merged or (merged[-1][1] is not None and lo > merged[-1][1] + 1):
            merged.append((lo, hi))
            continue
        start, end = merged[-1]
        merged[-1] = (start, None if end is None or hi is None else max(end, hi))
    return tuple(merged)


def complement(ranges: Ranges, within: Range) -> Ranges:
    """The numbers of ``within`` that are in none of the ranges."""
    gaps: list[Range] = []
    start, last = within
    for lo, hi in intersect(ranges, (within,)):
        if lo > start:
            gaps.append((start, lo - 1))
        if hi is None:
            return tuple(gaps)
        start = hi + 1
    if last is None or start <= last:
        gaps.append((start, last))
    return tuple(gaps)


def without_points(ranges: Ranges, within: Range) -> Ranges:
    """The ranges without single numbers among them, and without gaps of a single number: rounding makes such."""
    kept = tuple(r for r in ranges if r[0] != r[1] or r == within)
    return merge((*kept, *(gap for gap in complement(kept, within) if kept and gap[0] == gap[1])))


def describe(symbol: str, ranges: Ranges) -> str:
    """For people: ``n <= 97 and n >= 362``; an empty set is "no n"."""
    return " and ".join(_one(symbol, lo, hi) for lo, hi in ranges) or f"no {symbol}"


def describe_in_report(symbol: str, ranges: Ranges) -> str:
    """As the rest of a report has it: ``n ≤ 97 or n ≥ 1,362``."""
    return " or ".join(_one(symbol, lo, hi, ",", ("≤", "≥")) for lo, hi in ranges) or f"no {symbol}"


def _one(symbol: str, lo: int, hi: int | None, form: str = "", signs: tuple[str, str] = ("<=", ">=")) -> str:
    at_most, at_least = signs
    if hi is None:
        return f"{symbol} {at_least} {lo:{form}}"
    if lo <= 1:
        return f"{symbol} {at_most} {hi:{form}}"
    return f"{symbol} = {lo:{form}}" if lo == hi else f"{lo:{form}} {at_most} {symbol} {at_most} {hi:{form}}"
