"""Work on many files, in this process or in several, with the results in the order of the files."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TypeVar

from roofscan.cli.errors import UsageError
from roofscan.cli.progress import progress

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_PROCESSES = 60  # Windows waits for no more
FILES_A_PROCESS = 4
"""Fewer files are not worth a process of their own."""


def in_order(
    work: Callable[[Item], Result], items: Sequence[Item], name: Callable[[Item], str], jobs: int | None
) -> Iterator[Result]:
    """``work`` of every item, in order; in ``jobs`` processes (None: as many as cores, if there is enough to do)."""
    processes = min(jobs or os.cpu_count() or 1, len(items) // (1 if jobs else FILES_A_PROCESS))
    _collect_seldom()
    if processes < 2:
        yield from progress(items, map(work, items), name)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(min(processes, MOST_PROCESSES), initializer=_begin)
    try:
        yield from progress(items, pool.map(work, items), name)
    except BrokenProcessPool:
        raise UsageError("a worker process was killed (out of memory?); use fewer --jobs") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    _collect_seldom()
    _end_when_interrupted()


@cache
def _collect_seldom() -> None:
    """Leaves what is imported out of the collector's walks, and has it walk less often: analyses make many small
    objects that live for long, and few cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def _end_when_interrupted() -> None:
    """Ctrl-C reaches every process; this one has nothing to say about it (nor where a shell told all to ignore it)."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
