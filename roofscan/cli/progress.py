"""A progress bar for runs that take more than a moment, where somebody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
PATIENCE = 1.0  # seconds without a bar


def progress(items: Sequence[Item], results: Iterator[Result], name: Callable[[Item], str]) -> Iterator[Result]:
    """The results, one an item; a bar on standard error appears after a second, if that is a terminal."""
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
