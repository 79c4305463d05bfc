"""For which sizes a reuse distance exceeds a capacity, and which of two does so first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, Union

from roofscan.frozen import dataclass
from roofscan.memo import kept
from roofscan.symbolic.chamber import is_obvious, with_integer_coefficients
from roofscan.symbolic.expr import Expr, symbol
from roofscan.symbolic.polynomial_signs import negative_with_floors

LeastValues = Mapping[str, int | None]


@dataclass(frozen=True, eq=False)
class Threshold:
    """A distance exceeds the capacity where ``beyond`` is at least 0, and fits where ``within`` is. ``first``: it
    exceeds it from this value of its one symbol on."""

    distance: Expr
    beyond: Expr
    within: Expr
    first: int | None = None


Outcome = tuple[Threshold, bool]
"""A threshold, and whether the distance is beyond it."""

Found = Union[Threshold, Literal["always", "never"]]


def threshold(distance: Expr, capacity: Fraction, least: LeastValues) -> Found:
    """Where a distance exceeds the capacity; NotEvaluable where its symbol has no sign."""
    if distance.constant is not None:
        return "always" if distance.constant > capacity else "never"
    if len(distance.symbols) == 1:
        [name] = distance.symbols
        ranges = negative_with_floors(capacity - distance, name, (max(1, least.get(name, 1) or 1), None))
        if not ranges:
            return "never"
        if len(ranges) == 1 and ranges[0][1] is None:
            first = ranges[0][0]
            return "always" if first <= 1 else _from(distance, symbol(name), first)
    excess = with_integer_coefficients(distance - capacity)
    return Threshold(distance, excess - 1, -excess)


def _from(distance: Expr, size: Expr, first: int) -> Threshold:
    return Threshold(distance, size - first, first - 1 - size, first)


class DistanceOrder:
    """Which of two distances exceeds the capacity first, where that is plain for all sizes."""

    def __init__(self, least: LeastValues) -> None:
        self._least = least

    def implied(self, one: Threshold, known: Iterable[Outcome]) -> bool | None:
        """Whether a distance exceeds the capacity where these outcomes hold; None where they leave that open."""
        for other, beyond in known:
            if self._is_beyond_with(one, other) if beyond else self._is_beyond_with(other, one):
                return beyond
        return None

    def without_implied(self, known: Iterable[Outcome]) -> list[Outcome]:
        """The outcomes from which the others follow."""
        kept = list(known)
        for each in tuple(kept):
            others = [other for other in kept if other is not each]
            if self.implied(each[0], others) is not None:
                kept = others
        return kept

    @kept
    def _is_beyond_with(self, one: Threshold, other: Threshold) -> bool:
        """Whether ``one`` exceeds the capacity wherever ``other`` does."""
        if one.first is not None and other.first is not None and one.distance.symbols == other.distance.symbols:
            return one.first <= other.first
        return is_obvious(one.distance - other.distance, self._least)
