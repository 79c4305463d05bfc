"""Work on many files, in this process or in several, in the order of the files; a progress bar if it takes long."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from roofscan.cli.errors import UsageError
from roofscan.cli.targets import Target
from roofscan.config.options import Options
from roofscan.config.values import DASK
from roofscan.files import size_of

Item = TypeVar("Item")
Result = TypeVar("Result")
PATIENCE = 1.0  # seconds without a bar


def progress(items: Sequence[Item], results: Iterator[Result], name: Callable[[Item], str]) -> Iterator[Result]:
    """The results, one per item; a bar on standard error appears after a second, if that is a terminal."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield from results
        return
    started = time.monotonic()
    for done, result in enumerate(results, 1):
        yield result
        if time.monotonic() - started > PATIENCE:
            yield from _with_bar(items, results, done, name)
            return


def _with_bar(
    items: Sequence[Item], results: Iterator[Result], done: int, name: Callable[[Item], str]
) -> Iterator[Result]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(30), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(items), completed=done)
        for item in items[done:]:
            bar.update(task, description=escape(name(item)))
            yield next(results)
            bar.advance(task)


MAX_PROCESSES = 60  # Windows waits for no more
FEW_COLLECTIONS = (100_000, 50, 100)
FILES_PER_PROCESS = 4  # fewer files are not worth a process of their own


def in_order(
    work: Callable[[Item], Result], items: Sequence[Item], target: Callable[[Item], Target], options: Options
) -> Iterator[Result]:
    """The results of ``work`` on every file, in order, by as many processes as the options say (else one per core, if
    there is enough to do), or by a cluster. ``target``: the file of an item."""

    def name(item: Item) -> str:
        return target(item).path

    if options.executor.startswith(DASK):
        from roofscan.cli.cluster import on_cluster

        address = options.executor.removeprefix(DASK)
        yield from progress(items, on_cluster(address, work, items, target, options), name)
        return
    jobs = options.jobs
    processes = min(jobs or os.cpu_count() or 1, len(items) // (1 if jobs else FILES_PER_PROCESS))
    if processes < 2:
        with _seldom_collected():
            yield from progress(items, map(work, items), name)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(min(processes, MAX_PROCESSES), initializer=_begin_worker)
    try:
        futures = {i: pool.submit(work, items[i]) for i in _largest_first([name(item) for item in items])}
        yield from progress(items, (futures.pop(i).result() for i in range(len(items))), name)
    except BrokenProcessPool:
        raise UsageError("a worker process was killed (out of memory?); use fewer --jobs") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _largest_first(paths: Sequence[str]) -> list[int]:
    """The positions of the files by size: a large file that begins last would keep one process busy alone."""
    return sorted(range(len(paths)), key=lambda place: -size_of(paths[place]))


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Fewer garbage collections in the body: an analysis makes many small objects that live long, and few cycles."""
    before = gc.get_threshold()
    gc.set_threshold(*FEW_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _begin_worker() -> None:
    """Ctrl-C reaches every process; a worker ends in silence, unless the shell told all to ignore it."""
    gc.set_threshold(*FEW_COLLECTIONS)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
