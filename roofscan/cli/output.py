"""The output of reports: a file, or a stream that may be a terminal, a pipe, or of an encoding that lacks letters."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from roofscan.cli.errors import UsageError
from roofscan.config import values

PIPED_WIDTH = 110
WIDEST = 140
UNKNOWN_WIDTH = 80  # of a terminal that does not say how wide it is


def emit(text: str | bytes, output: str | None) -> None:
    """Writes the text to a file; to standard output where none is named."""
    if output is None and isinstance(text, str):
        write(sys.stdout, text)
        return
    try:
        Path(output or "").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--output {values.shown(output or '')} cannot be written: {why}; name another file") from None


def replace_file(path: str, data: bytes) -> None:
    """Replaces the content of a file atomically: whoever reads it sees the old content or the new one. Links and
    permissions stay, and owners where the user may keep them. OSError or ValueError where it cannot be written."""
    place = os.path.realpath(path)
    temporary = f"{place}.{os.getpid()}.tmp"
    try:
        Path(temporary).write_bytes(data)
        if os.path.exists(place):
            _keep_owner(place, temporary)
            shutil.copymode(place, temporary)  # behind it: another owner clears some
        os.replace(temporary, place)
    finally:
        with suppress(OSError, ValueError):  # it is gone, unless something went wrong
            os.remove(temporary)


def _keep_owner(place: str, temporary: str) -> None:
    status, change = os.stat(place), getattr(os, "chown", None)
    if change is not None:
        with suppress(OSError):
            change(temporary, status.st_uid, status.st_gid)


def is_writable(path: str) -> bool:
    """Whether its permissions let anybody write to it, and this user. OSError where it is gone."""
    return bool(os.stat(path).st_mode & 0o222) and os.access(path, os.W_OK)


def write_bytes(stream: TextIO | None, data: bytes) -> None:
    """Writes bytes unchanged, where the stream takes them."""
    buffer = getattr(stream, "buffer", None)
    if stream is None or buffer is None:
        write(stream, data.decode("utf-8", "replace"))
        return
    stream.flush()
    buffer.write(data)
    buffer.flush()


def write(stream: TextIO | None, text: str) -> None:
    """Writes text, with a question mark for what the stream's encoding lacks; nowhere where the stream is closed."""
    if stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))


def may_colour(stream: TextIO | None, output: str | None) -> bool:
    """Whether colours would be seen and are wanted (https://no-color.org)."""
    if output is not None or stream is None or not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width(stream: TextIO | None, output: str | None, piped: int = PIPED_WIDTH) -> int:
    """Columns to fill: a terminal's own, else always the same."""
    if output is not None or stream is None or not stream.isatty():
        return piped
    try:
        columns = os.get_terminal_size(stream.fileno()).columns or UNKNOWN_WIDTH
    except (OSError, ValueError):
        return piped
    return max(60, min(columns, WIDEST))
