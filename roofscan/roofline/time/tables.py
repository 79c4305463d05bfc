"""Tables that data index: how many accesses miss a cache, if they fall evenly on its lines while other data
stream past."""

from __future__ import annotations

from math import exp

STEPS = 30  # of the bisection


def share_absent(lines: float, beside: float, held: float) -> float:
    """Of the accesses to a table of so many lines, those whose line a cache of ``held`` lines has lost; ``beside``:
    lines of other data that come with an access. Without them it is 1 - held/lines."""
    low, high = 0.0, 32.0  # the accesses to a line in the time that the cache holds it
    for _ in range(STEPS):
        middle = (low + high) / 2
        taken = lines * (1 - exp(-middle) + beside * middle)
        low, high = (middle, high) if taken < held else (low, middle)
    return exp(-low)
