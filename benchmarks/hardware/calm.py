"""A core that no other program shares, for each timing: two virtual cores may be one real core's, and a neighbour makes
code up to twice as slow for seconds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from time import perf_counter, sleep

from roofscan.measuring.arguments import Argument
from roofscan.measuring.quiet_timer import NEIGHBOUR
from roofscan.measuring.run_kernel import run_kernel

TRIES, TRIES_ON_ALL_CORES = 2, 5
PATIENCE = 0.5  # seconds until a core is calm


def least_seconds(file: str, name: str, made: list[Argument], limit: float, threads: bool = False) -> float:
    """Of a kernel, from a run beside which no neighbour was seen, or the least of some runs. ``threads``: it runs on
    all cores, and waits for the one that another program holds: a time slice of it, 4 ms, for each call."""
    every = range(os.cpu_count() or 1)
    found = []
    for _ in range(TRIES_ON_ALL_CORES if threads else TRIES):
        alone = _take_calm_core(len(every) if threads else 1)
        if threads:
            _take_cores(every)
        found.append(run_kernel(file, name, made, limit).least)
        if alone and len(_calm_cores(len(every))) == len(every) if threads else alone and not NEIGHBOUR.is_here():
            break
    return min(found)


def _take_calm_core(wanted: int) -> bool:
    """Moves this process, and those it starts, to the last of so many cores where no neighbour is seen."""
    end = perf_counter() + PATIENCE
    while len(_calm_cores(wanted)) < wanted:
        if perf_counter() > end:
            return False
        sleep(0.02)
    return True


def _calm_cores(wanted: int) -> list[int]:
    """So many cores where no neighbour is seen, or all of them. This process stays on the last that it looked at."""
    found: list[int] = []
    for core in range(os.cpu_count() or 1):
        _take_cores([core])
        if not NEIGHBOUR.is_here():
            found.append(core)
        if len(found) == wanted:
            break
    return found


def _take_cores(cores: Iterable[int]) -> None:
    """Only Linux moves processes."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
