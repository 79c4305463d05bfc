"""Where reports go: a file, or a stream that may be a terminal, a pipe, or not know all letters."""

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


def emit(text: str | bytes, output: str | None) -> None:
    """Text goes to standard output where no file is named."""
    if output is None and isinstance(text, str):
        write(sys.stdout, text)
        return
    try:
        Path(output or "").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--output {values.shown(output or '')} cannot be written: {why}; name another file") from None


def replace_file(path: str, data: bytes) -> None:
    """Another content for a file, at once: whoever reads it sees the old one or the new one. Links and permissions
    stay. OSError or ValueError where it cannot be written."""
    place = os.path.realpath(path)
    temporary = f"{place}.{os.getpid()}.tmp"
    try:
        Path(temporary).write_bytes(data)
        if os.path.exists(place):
            shutil.copymode(place, temporary)
        os.replace(temporary, place)
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.remove(temporary)
        raise


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


def width(stream: TextIO | None, output: str | None) -> int:
    """Columns to fill: a terminal's own, else always the same."""
    if output is not None or stream is None or not stream.isatty():
        return PIPED_WIDTH
    try:
        return max(60, min(os.get_terminal_size(stream.fileno()).columns, WIDEST))
    except (OSError, ValueError):
        return PIPED_WIDTH
