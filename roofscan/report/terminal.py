"""Renderables as text of a given width: the same input gives the same text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

from rich.console import Console, RenderableType

_BLANKS = re.compile(r"\s+((?:\x1b\[[0-9;]*m)*)$")
"""At the end of a line, before what ends a colour."""


def printed(parts: Iterable[RenderableType], width: int, colour: bool) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, color_system="standard" if colour else None, force_terminal=colour,
        highlight=False, markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    for part in parts:
        console.print(part)
    lines = [_BLANKS.sub(r"\1", line) for line in stream.getvalue().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"
