"""A bar on the terminal for what takes more than a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 1.0  # seconds without a bar


@contextmanager
def progress(total: int, console: Console | None = None, after: float = PATIENCE) -> Iterator[Callable[[str], None]]:
    """Yields what is to be called with the name of each of about ``total`` steps as it begins."""
    shown = console or Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal)
    task = bar.add_task("", total=total + 1)
    start = Timer(after, bar.start)
    start.daemon = True
    start.start()
    try:
        yield lambda what: bar.update(task, description=what, advance=1)
    finally:
        start.cancel()
        start.join()
        bar.stop()
