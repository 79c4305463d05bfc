"""What a cache loses of the lines of many threads that run independently of each other."""

from __future__ import annotations

from fractions import Fraction
from math import exp

from roofscan.cost.memory.gpu.traffic.levels import MissCurve


def set_misses(occupancy: float) -> float:
    """Of lines of many independent threads, by the working set over the capacity: the published curve of an H200's
    second cache (4 % at 0.73, 50 % at 0.92, 88 % at 1.17)."""
    return exp(-553 * exp(-7.26 * occupancy)) if occupancy < 4 else 1.0


INDEPENDENT = MissCurve(set_misses, Fraction(3, 5), Fraction(17, 10))
