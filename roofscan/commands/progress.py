"""A progress bar for runs that take more than a moment, where somebody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
PATIENCE = 1.0  # seconds without a bar


def progress(items: Sequence[Item], name: Callable[[Item], str]) -> Iterator[Item]:
    """The items; a bar on standard error appears after a second, if that is a terminal."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield from items
        return
    started = time.monotonic()
    for position, item in enumerate(items):
        if time.monotonic() - started > PATIENCE:
            yield from _with_bar(items, position, name)
            return
        yield item


def _with_bar(items: Sequence[Item], position: int, name: Callable[[Item], str]) -> Iterator[Item]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(30), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(items), completed=position)
        for item in items[position:]:
            bar.update(task, description=escape(name(item)))
            yield item
            bar.advance(task)
