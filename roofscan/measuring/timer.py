"""Times a call: the least and the median of many runs, each long enough for the clock."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

MAX_RUNS, MIN_RUNS = 50, 5
SHORTEST = 2e-4  # seconds of a run that the clock measures within a thousandth
LOOKS = 3  # calls of which the shortest says how many make such a run
SLICE = 0.01  # seconds of a call that say enough: an interruption is no longer
LASTING = 0.25  # of the time allowed that short runs take as well: what slows them comes and goes within a second


OWN_CORES = {"OMP_PROC_BIND": "true"}
"""Settings of OpenMP, read before its first parallel region: each thread has a core. While other
programs hold the rest, Linux may put two threads on one core; a region then waits for the scheduler, about 4 ms."""


def times(call: Callable[[], object], seconds: float) -> list[float]:
    """Seconds of one call: the runs, sorted, after one that compiles and one that warms."""
    call()
    repeats = max(1, round(SHORTEST / max(_shortest(call), 1e-9)))
    found: list[float] = []
    begin = perf_counter()
    while len(found) < MIN_RUNS or perf_counter() < begin + seconds * (1 if len(found) < MAX_RUNS else LASTING):
        found.append(elapsed(call, repeats) / repeats)
    return sorted(found)


def _shortest(call: Callable[[], object]) -> float:
    least = elapsed(call, 1)
    return min(least, *(elapsed(call, 1) for _ in range(LOOKS - 1))) if least < SLICE else least


def elapsed(call: Callable[[], object], repeats: int) -> float:
    """Seconds of ``repeats`` calls."""
    start = perf_counter()
    for _ in range(repeats):
        call()
    return perf_counter() - start
