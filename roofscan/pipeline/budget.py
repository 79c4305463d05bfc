"""Bounds on one kernel's analysis, and a short account of a failure."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


class OverTime(BaseException):
    """The analysis of one kernel took longer than it may. No Exception: no stage may swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises OverTime in the body after ``seconds`` of this process's CPU time, so that a busy machine
    changes nothing.

    Needs POSIX timers and the main thread, and keeps off where somebody else uses the timer: there the
    budgets of the single stages are the only limit.
    """
    if not _timer_is_free():
        yield
        return

    def stop(signum: int, frame: FrameType | None) -> None:
        raise OverTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again each second, should a callback swallow it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Without Python's cyclic collector, which would walk an analysis' many small objects again and again to find
    that they hold no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _timer_is_free() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
        and not signal.getitimer(signal.ITIMER_PROF)[0]
    )


def describe_failure(error: Exception) -> str:
    """One line: the exception, its text, and where in roofscan it was raised."""
    if isinstance(error, RecursionError):
        return "RecursionError: the code is nested too deeply"
    text = " ".join(str(error).split())[:120]
    package = str(Path(__file__).parents[1])
    place, trace = "", error.__traceback__
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(package):
            place = f" ({Path(name).name} line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"
