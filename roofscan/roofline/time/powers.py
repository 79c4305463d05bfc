"""Powers of a size between two sizes at which times are known: sums of two that go through the times, and what a bound
stays above."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor, log, sqrt

from roofscan.frozen import dataclass
from roofscan.roofline.time.amount import DIGITS
from roofscan.symbolic.expr import Expr, sum_of

EQUAL_POWERS = 1e-6
HIGHEST_POWER = 16.0  # a step is no power
STEP_WIDTH = 0.04  # by which logarithm a time that grows less than on both sides may have fallen in between
NEIGHBOURS = 2  # so many sizes before and after tell the order of growth
STEPS = 4  # between two sizes, at which a sum of powers is held against a floor

Times = tuple[int, Mapping[str, float]]
"""A size, and the seconds that each resource takes there."""


@dataclass(frozen=True)
class Fit:
    """A sum of two powers of the size, through two times."""

    power: int
    lower: float  # the factor of that power, and of the next
    upper: float

    @staticmethod
    def through(a: tuple[int, float], b: tuple[int, float], most: int) -> Fit:
        """By the order of growth between the two; ``most``: the highest lower power, where the time takes a step."""
        (x, first), (y, last) = a, b
        power = 0 if x == y or not first or not last else min(most, max(-1, floor(log(last / first) / log(y / x))))
        start, end = first / x**power, last / y**power
        upper = 0.0 if abs(end - start) <= EQUAL_POWERS * abs(end) else (end - start) / (y - x)
        lower = start - upper * x
        return Fit(power, 0.0 if abs(lower) <= EQUAL_POWERS * abs(start) else lower, upper)

    def at(self, x: float) -> float:
        return float((self.lower + self.upper * x) * x**self.power)

    def expr(self, size: Expr, factor: float = 1.0) -> Expr:
        parts = ((self.lower, self.power), (self.upper, self.power + 1))
        powers = {n: size**n if n >= 0 else Expr.of(1) / size for _, n in parts}
        return sum_of(powers[n] * Fraction(f"{c * factor:.{DIGITS}g}") for c, n in parts if c)


@dataclass(frozen=True)
class Floor:
    """From one size to another, what a bound is at least: it grows by a power of the size from ``start`` on."""

    first: int
    last: int
    power: float
    start: float

    def at(self, x: float) -> float:
        return self.start * float((x / self.first) ** self.power)

    @property
    def sizes(self) -> Iterator[int]:
        yield from {round(self.first * (self.last / self.first) ** (n / STEPS)) for n in range(STEPS + 1)}


def floor_from(times: Sequence[Times], k: int) -> Floor:
    """Of the greatest time, from the k-th size to the next. Over the least power by which it grows nearby, the time of
    a resource rises, falls (a level no longer serves what has left it), or rises and then falls: it is above the
    lesser of its values at both ends. Where it grows less than on both sides, it may fall by a step in between (more
    cores take part), and is above what leads to its value at the end by the greatest power."""
    return max(_floors(times, k), key=lambda floor: floor.at(sqrt(floor.first * floor.last)))


def _floors(times: Sequence[Times], k: int) -> Iterator[Floor]:
    (x, before), (y, after) = times[k], times[k + 1]
    yield Floor(x, y, 0.0, 0.0)
    if y == x + 1:
        ends = (x, max(before.values())), (y, max(after.values()))
        yield _between(*ends, _power(*ends))
        return
    for name in before.keys() & after.keys():
        if before[name] and after[name]:
            a, b = (x, before[name]), (y, after[name])
            near = [
                (size, found[name])
                for size, found in times[max(0, k - NEIGHBOURS) : k + 2 + NEIGHBOURS]
                if found.get(name)
            ]
            beside = [_power(*pair) for pair in pairwise(near) if pair != (a, b)]
            own = _power(a, b)
            falls = (min(beside, default=own) - own) * log(y / x) > STEP_WIDTH
            yield _between(a, b, max(0.0, max(beside) if falls else min([own, *beside])))


def _power(a: tuple[int, float], b: tuple[int, float]) -> float:
    return log(b[1] / a[1]) / log(b[0] / a[0])


def _between(a: tuple[int, float], b: tuple[int, float], power: float) -> Floor:
    power = min(power, HIGHEST_POWER)
    return Floor(a[0], b[0], power, min(a[1], b[1] * (a[0] / b[0]) ** power))


def share_below(value: Callable[[int], float], floors: Sequence[Floor]) -> float:
    """The factor that keeps what ``value`` gives below them."""
    found = [(floor.at(x), value(x)) for floor in floors for x in floor.sizes]
    return min(1.0, *(least / there for least, there in found if there > 0), 1.0)
