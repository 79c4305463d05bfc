"""The one error of machine files: a line for people."""

from __future__ import annotations

from collections.abc import Iterable


class MachineError(Exception):
    """A machine that cannot be found or read. The text is one line: the file, the key, and what to do."""


def nearest(name: str, known: Iterable[str]) -> str:
    """What ``name`` may have been meant to be, as the end of a message, or nothing."""
    from difflib import get_close_matches  # only when something went wrong

    close = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
