"""The code of a Jupyter notebook as one text, and which cell a line of it is in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from roofscan.parse.reader.source import SourceError

_OTHER_LANGUAGE = re.compile(r"\s*%%(?!roofscan|time|timeit|capture|prun)\w+")
_NOT_PYTHON = re.compile(r"\s*[%!?]|.*\?\s*$")


@dataclass(frozen=True)
class NotebookCode:
    text: str
    starts: tuple[int, ...]  # the first line of each code cell
    numbers: tuple[int, ...]  # of the cells, as people count them: all kinds, from 1

    def place(self, line: int) -> tuple[int, int]:
        """The cell of a line, and the line in it; both count from 1."""
        at = max((n for n, start in enumerate(self.starts) if start <= line), default=0)
        return (self.numbers[at], line - self.starts[at] + 1) if self.starts else (0, line)


def read_notebook(path: str, text: str) -> NotebookCode:
    """Magics and cells in other languages are blank lines. SourceError where it is no notebook."""
    try:
        cells = list(_cells(json.loads(text)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise SourceError(path, 0, "is not a Jupyter notebook") from None
    lines: list[str] = []
    starts = []
    for _, source in cells:
        starts.append(len(lines) + 1)
        lines += _python(source)
    return NotebookCode("\n".join(lines) + "\n", tuple(starts), tuple(number for number, _ in cells))


def _cells(document: Any) -> Iterator[tuple[int, str]]:
    for number, cell in enumerate(document["cells"], start=1):
        if cell["cell_type"] == "code":
            yield number, "".join(cell["source"])


def _python(source: str) -> list[str]:
    lines = source.splitlines() or [""]
    if _OTHER_LANGUAGE.match(lines[0]):
        return [""] * len(lines)
    return ["pass" if _NOT_PYTHON.match(line) and line.startswith((" ", "\t")) else
            "" if _NOT_PYTHON.match(line) else line for line in lines]  # fmt: skip
