"""Times a call: the least and the spread of many runs, each long enough for the clock."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

MAX_RUNS, MIN_RUNS = 50, 5
SETTLED = 0.03  # a spread that more runs would hardly lower
PATIENCE = 0.25  # seconds of further runs where the spread is larger: other programs run, too
SHORTEST = 2e-4  # seconds of a run that the clock measures within a thousandth


@dataclass(frozen=True, order=True)
class Timed:
    """Seconds of one call. ``spread``: how far the third of the runs from the least lies above it, as a share."""

    seconds: float
    spread: float


def timed(call: Callable[[], object], runs: int = 12, shortest: float = SHORTEST) -> Timed:
    """The least of ``runs`` runs, or of more until they settle, after a call that compiles and warms."""
    call()
    repeats = 1
    while (seconds := elapsed(call, repeats)) < shortest:
        repeats = max(2 * repeats, int(repeats * shortest / max(seconds, 1e-9)))
    found = sorted([seconds, *(elapsed(call, repeats) for _ in range(runs - 1))])
    end = perf_counter() + PATIENCE
    while _spread(found) > SETTLED and perf_counter() < end:
        insort(found, elapsed(call, repeats))
    return Timed(found[0] / repeats, _spread(found))


def _spread(found: Sequence[float]) -> float:
    return found[min(2, len(found) - 1)] / found[0] - 1


def times(call: Callable[[], object], seconds: float) -> list[float]:
    """Seconds of one call: the runs, sorted, after one that compiles and one that warms."""
    call()
    repeats = max(1, round(SHORTEST / max(elapsed(call, 1), 1e-9)))
    found: list[float] = []
    end = perf_counter() + seconds
    while len(found) < MIN_RUNS or (len(found) < MAX_RUNS and perf_counter() < end):
        found.append(elapsed(call, repeats) / repeats)
    return sorted(found)


def elapsed(call: Callable[[], object], repeats: int) -> float:
    """Seconds of ``repeats`` calls."""
    start = perf_counter()
    for _ in range(repeats):
        call()
    return perf_counter() - start
