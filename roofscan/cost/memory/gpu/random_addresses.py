"""Addresses that depend on data, as if each were drawn at random from its array."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log1p

MOST_IN_ONE_BANK = 3.5  # words of 32 random ones: the mean
DENOMINATOR = 1 << 40


def distinct(places: float, draws: float) -> float:
    """The places that so many draws hit, in the mean."""
    return min(places, draws, 1.0) if places <= 1 else -places * expm1(draws * log1p(-1 / places))


def distinct_share(places: float, draws: float) -> Fraction:
    """Of the draws, those that hit a place for the first time."""
    return share(distinct(places, draws), draws)


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
