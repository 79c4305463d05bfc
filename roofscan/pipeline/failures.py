"""The boundary of one file: a failure of roofscan becomes a finding of that file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from roofscan.errors import OptionError
from roofscan.finding import Finding, Subject
from roofscan.parse.reader.source import SourceError

Result = TypeVar("Result")

INTERNAL_ERROR = "RFL999"
FAILURE = "internal error of roofscan: {}; please report it"


def guarded(work: Callable[[], Result], path: str) -> Result | Finding:
    """The result of ``work`` on the file at ``path``; where it fails, the finding that says so. SourceError and
    OptionError pass: they are the user's to mend."""
    try:
        return work()
    except (SourceError, OptionError):
        raise
    except Exception as error:
        message = FAILURE.format(describe_failure(error))
        return Finding(INTERNAL_ERROR, path, 1, 0, message, subject=Subject("file"))


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
