"""Addresses that depend on data, as if each were drawn at random from its array."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log1p

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of

MOST_IN_ONE_BANK = 3.5  # words of 32 random ones: the mean
DENOMINATOR = 1 << 40
MAX_SPARSE_DRAWS = Fraction(1, 25)  # draws a place: hardly one hits a place again
EQUAL_RATIO = Fraction(51, 50)  # times a ratio, within which a share is the same


def distinct(places: float, draws: float) -> float:
    """The places that so many draws hit, in the mean. An array smaller than one place lies in one."""
    return min(draws, 1.0) if places <= 1 else -places * expm1(draws * log1p(-1 / places))


def distinct_share(places: float, draws: float) -> Fraction:
    """Of the draws, those that hit a place for the first time."""
    return share(distinct(places, draws), draws)


def drawn(draws: Num, extent: Num, granule: int) -> Num:
    """The bytes that so many draws hit, with the sizes for which their share is that of the sample point."""
    asked, whole = draws * granule, value_of(extent)
    ratio = value_of(asked) / whole
    found = readable(distinct_share(whole / granule, value_of(draws)), asked, extent)
    return given(asked * found, *_alike(asked, extent, ratio))


def readable(some: Fraction, *of: Num) -> Fraction:
    """The share in an expression, to as many digits as it is known: sizes near those of the sample point have
    the same."""
    return Fraction(f"{float(some):.3g}") if any(isinstance(each, SampledExpr) for each in of) else some


def at_places(extent: Num, least: float | Fraction) -> tuple[Decision, ...]:
    """Where a share of an array is that of the sample point: it is larger than ``least`` bytes, or about as large."""
    here = Fraction(value_of(extent))
    if here >= least:
        return (Decision(extent - Fraction(least)),)
    return Decision(here * EQUAL_RATIO - extent), Decision(extent - here / EQUAL_RATIO)


def _alike(asked: Num, extent: Num, ratio: float) -> tuple[Decision, ...]:
    if ratio <= MAX_SPARSE_DRAWS:
        return (Decision(extent * MAX_SPARSE_DRAWS - asked),)
    here = Fraction(ratio).limit_denominator(1 << 12)
    return Decision(extent * (here * EQUAL_RATIO) - asked), Decision(asked - extent * (here / EQUAL_RATIO))


def share(some: float, draws: float) -> Fraction:
    return Fraction(some / max(1.0, draws)).limit_denominator(DENOMINATOR)


def conflicts(words: float, lanes: float, atomic: bool) -> float:
    """The wavefronts in which the banks serve lanes that ask for so many different words. Atomic updates of one word
    wait for each other."""
    spread = 1 + (MOST_IN_ONE_BANK - 1) * (words - 1) / 31
    return max(spread, lanes / words) if atomic else spread


def fetched_again(draws: float, first: float, extent: float, capacity: float) -> float:
    """The draws that miss a cache: the first of each place, and of the others those whose place has left since."""
    return first + max(0.0, draws - first) * max(0.0, 1 - capacity / extent)
