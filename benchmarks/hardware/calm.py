"""A core that no other program shares, for each timing: two virtual cores may be one real core's, and a neighbour makes
code up to twice as slow for seconds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from time import perf_counter, sleep

from roofscan.measuring.arguments import Argument
from roofscan.measuring.quiet_timer import NEIGHBOUR
from roofscan.measuring.run_kernel import run_kernel

TRIES = 2
PATIENCE = 0.5  # seconds until a core is calm


def least_seconds(file: str, name: str, made: list[Argument], limit: float, threads: bool = False) -> float:
    """Of a kernel, from a run beside which no neighbour was seen, or the least of some runs. ``threads``: it runs on
    all cores."""
    found = []
    for _ in range(TRIES):
        alone = _take_calm_core()
        if threads:
            _take_cores(range(os.cpu_count() or 1))
        found.append(run_kernel(file, name, made, limit).least)
        if alone and not NEIGHBOUR.is_here():
            break
    return min(found)


def _take_calm_core() -> bool:
    """Moves this process, and those it starts, to a core where no neighbour is seen."""
    end = perf_counter() + PATIENCE
    while True:
        for core in range(os.cpu_count() or 1):
            _take_cores([core])
            if not NEIGHBOUR.is_here():
                return True
        if perf_counter() > end:
            return False
        sleep(0.02)


def _take_cores(cores: Iterable[int]) -> None:
    """Only Linux moves processes."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
