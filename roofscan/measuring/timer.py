"""Times a call: the least and the median of many runs, each long enough for the clock."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

MAX_RUNS, MIN_RUNS = 50, 5
SHORTEST = 2e-4  # seconds of a run that the clock measures within a thousandth
LASTING = 0.25  # of the time allowed that short runs take as well: what slows them comes and goes within a second


def times(call: Callable[[], object], seconds: float) -> list[float]:
    """Seconds of one call: the runs, sorted, after one that compiles and one that warms."""
    call()
    repeats = max(1, round(SHORTEST / max(elapsed(call, 1), 1e-9)))
    found: list[float] = []
    begin = perf_counter()
    while len(found) < MIN_RUNS or perf_counter() < begin + seconds * (1 if len(found) < MAX_RUNS else LASTING):
        found.append(elapsed(call, repeats) / repeats)
    return sorted(found)


def elapsed(call: Callable[[], object], repeats: int) -> float:
    """Seconds of ``repeats`` calls."""
    start = perf_counter()
    for _ in range(repeats):
        call()
    return perf_counter() - start
