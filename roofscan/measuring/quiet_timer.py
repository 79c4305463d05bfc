"""Times a probe while no other program uses the same core. Two virtual cores may be one real core's, and a neighbour on
the other makes code that fills the core's units up to twice as slow, for seconds, without any sign in the system."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from roofscan.measuring.code_probes import applied
from roofscan.measuring.timer import SHORTEST, elapsed

SETTLED = 0.03  # a spread that more runs would hardly lower
PATIENCE = 0.25  # seconds of further runs where the spread is larger: other programs run, too
BESIDE = 0.5  # seconds of further runs where a neighbour uses the core
MOST_BESIDE = 15.0  # seconds of them in all
LONG_RUN_SECONDS = (
    0.02  # seconds of a run that says little of a moment: it waits for memory, and a neighbour hardly slows it
)
FIRST_LOOK = 1.0  # seconds in which the core is seen without a neighbour
SLOWED = 1.2  # times slower the sign is with a neighbour; 1.7 to 1.9 where it was seen, 1.07 at most without
ARGUMENTS = 2000  # of the sign: 10 microseconds


@dataclass(frozen=True, order=True)
class Timed:
    """Seconds of one call. ``spread``: the relative difference between the fastest run and the third fastest."""

    seconds: float
    spread: float


class CoreNeighbour:
    """Whether another program uses the same core: exponentials fill its units, and take longer then."""

    def __init__(self) -> None:
        self.waited, self.best = 0.0, math.inf
        self.disturbed = 0  # timings that it spoiled

    @cached_property
    def _sign(self) -> Any:
        x = np.linspace(0.5, 3.0, ARGUMENTS)
        y, loop = np.zeros_like(x), applied(math.exp)
        return lambda: loop(x, y)

    def is_here(self) -> bool:
        if self.best == math.inf:
            self._look()
        now = min(elapsed(self._sign, 1) for _ in range(3))
        self.best = min(self.best, now)
        return now > SLOWED * self.best

    def _look(self) -> None:
        self._sign()
        end = perf_counter() + FIRST_LOOK
        while perf_counter() < end:
            self.best = min(self.best, elapsed(self._sign, 1))

    def wait(self, again: Callable[[], bool]) -> None:
        """Further runs until they are alone on the core, or for as long as one timing may take."""
        begin, patience, alone = perf_counter(), min(BESIDE, MOST_BESIDE - self.waited), False
        while not alone and perf_counter() < begin + patience:
            alone = again()
        self.waited += perf_counter() - begin
        self.disturbed += not alone


NEIGHBOUR = CoreNeighbour()  # one of the process: it watches the computer


def timed(call: Callable[[], object], runs: int = 12, shortest: float = SHORTEST) -> Timed:
    """The least of ``runs`` runs, or of more until they settle, after a call that compiles and warms. Runs beside a
    neighbour are followed by others."""
    call()
    repeats = 1
    while (seconds := elapsed(call, repeats)) < shortest:
        repeats = max(2 * repeats, int(repeats * shortest / max(seconds, 1e-9)))
    found = [seconds]
    alone = _add_runs(found, call, repeats, runs - 1)
    if not alone and found[0] < LONG_RUN_SECONDS:
        NEIGHBOUR.wait(lambda: _add_runs(found, call, repeats, 3))
    end = perf_counter() + PATIENCE
    while _spread(found) > SETTLED and perf_counter() < end:
        insort(found, elapsed(call, repeats))
    return Timed(found[0] / repeats, _spread(found))


def _add_runs(found: list[float], call: Callable[[], object], repeats: int, runs: int) -> bool:
    """Whether no neighbour was seen before and after them."""
    before = NEIGHBOUR.is_here()
    for _ in range(runs):
        insort(found, elapsed(call, repeats))
    return not (before or NEIGHBOUR.is_here())


def _spread(found: Sequence[float]) -> float:
    return found[min(2, len(found) - 1)] / found[0] - 1
