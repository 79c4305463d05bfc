"""The code of a Jupyter notebook as one text, and which cell a line of it is in."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from roofscan.files import CELL
from roofscan.frozen import dataclass
from roofscan.parse.reader.source import SourceError, read_source, split_lines

OUTPUTS = 50  # so many times larger than its code a notebook may be: pictures are in it

_SHARED = "roofscan|time|timeit|capture|prun|debug|memit|mprun|scalene|snakeviz|pyinstrument|ipytest"
_OTHER_LANGUAGE = re.compile(rf"\s*%%(?!({_SHARED})\b)\w+")
_NOT_PYTHON = re.compile(r"\s*[%!?]|[^#]*\?\s*$")
_ASSIGNED = re.compile(r"(\s*[^=#'\"]*=\s*)[%!].*")
_GOES_ON = re.compile(r".*\\\s*$")


@dataclass(frozen=True)
class NotebookCode:
    text: str
    starts: tuple[int, ...]  # the first line of each code cell
    numbers: tuple[int, ...]  # of the cells, as people count them: all kinds, from 1

    @property
    def is_python(self) -> bool:
        return _is_plain(self.text)

    def place(self, line: int) -> tuple[int, int]:
        """The cell of a line, and the line in it; both count from 1."""
        at = max((n for n, start in enumerate(self.starts) if start <= line), default=0)
        return (self.numbers[at], line - self.starts[at] + 1) if self.starts else (0, line)

    def in_cell(self, error: SourceError) -> SourceError:
        """The error, at its place in a cell."""
        cell, line = self.place(error.line)
        return SourceError(f"{error.path}{CELL}{cell}", line, error.message) if error.line and cell else error

    def lines_of(self, number: int) -> list[str]:
        """Of the cell with this number. ValueError where there is none."""
        return self._own(self.numbers.index(number))

    def cells_first(self) -> Iterator[tuple[int, str, int]]:
        """For each cell that defines a function: its number, the text with that cell before the others, and how many
        lines are its own."""
        cells = [self._own(at) for at in range(len(self.starts))]
        for at, own in enumerate(cells):
            if any("def " in line for line in own):
                lines = [*own, *(line for other in (*cells[:at], *cells[at + 1 :]) for line in other)]
                yield self.numbers[at], "\n".join(lines) + "\n", len(own)

    def _own(self, at: int) -> list[str]:
        ends = (*(start - 1 for start in self.starts[1:]), -1)  # the text ends with a line end
        return self.text.split("\n")[self.starts[at] - 1 : ends[at]]


def notebook_at(path: str, max_bytes: int) -> NotebookCode:
    """The code of a file. ``max_bytes`` are of its code. SourceError where it cannot be read."""
    notebook = read_notebook(path, read_source(path, OUTPUTS * max_bytes))
    if len(notebook.text) > max_bytes:
        raise SourceError(path, 0, f"has more than {max_bytes} bytes of code", too_large=True)
    return notebook


_KEY = re.compile(r'"(?:source|input)"\s*:\s*')  # of JSON: quotes inside a string are escaped


def place_in_file(text: str, cell: int, line: int) -> tuple[int, int]:
    """Where the text of a notebook's file has a line of a cell: line, from 1, and column, from 0. (1, 0) where the keys
    of the file are in an order that Jupyter does not write."""
    starts = [match.end() for match in _KEY.finditer(text)]
    if cell > len(starts):
        return 1, 0
    at, passed = starts[cell - 1], 0
    while (at := text.find('"', at)) >= 0:
        piece, end = json.JSONDecoder(strict=False).raw_decode(text, at)
        passed += max(len(split_lines(piece)), 1)
        if passed >= line:
            return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        at = end
    return 1, 0


def read_notebook(path: str, text: str) -> NotebookCode:
    """Magics, and cells in other languages, are blank lines. SourceError where it is no notebook."""
    try:
        document = json.loads(text or '{"cells": []}')  # editors make empty files
        cells = list(_cells(document)) if _is_python(document) else []
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise SourceError(path, 0, "is not a Jupyter notebook") from None
    lines: list[str] = []
    starts = []
    for _, source in cells:
        starts.append(len(lines) + 1)
        lines += _python(source)
    return NotebookCode("\n".join(lines) + "\n", tuple(starts), tuple(number for number, _ in cells))


def _is_python(document: Any) -> bool:
    about = document.get("metadata", {})
    language = about.get("kernelspec", {}).get("language") or about.get("language_info", {}).get("name") or "python"
    return str(language).lower() in ("python", "ipython")


def _cells(document: Any) -> Iterator[tuple[int, str]]:
    sheets = document.get("worksheets") or [document]  # format 3 has worksheets, and calls a source input
    for number, cell in enumerate((cell for sheet in sheets for cell in sheet["cells"]), start=1):
        if cell["cell_type"] == "code":
            yield number, "".join(cell["source"] if "source" in cell else cell["input"])


def _python(source: str) -> list[str]:
    """The lines of a cell, as Python: what IPython alone understands is gone."""
    lines = [line.rstrip("\r\n") for line in split_lines(source)] or [""]
    if _OTHER_LANGUAGE.match(lines[0]):
        return [""] * len(lines)
    if _is_plain(source):
        return lines
    plain: list[str] = []
    for k, line in enumerate(lines):
        goes_on = k > 0 and not plain[-1].strip() and bool(_GOES_ON.match(lines[k - 1]))  # a magic's second line
        plain.append("" if goes_on else _line(line))
    return plain


def _is_plain(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _line(line: str) -> str:
    if _NOT_PYTHON.match(line):
        return line[: len(line) - len(line.lstrip())] + "pass" if line.startswith((" ", "\t")) else ""
    assigned = _ASSIGNED.match(line)
    return f"{assigned[1]}None" if assigned else line
