"""A short account of a failure."""

from __future__ import annotations

from pathlib import Path


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
