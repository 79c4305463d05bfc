"""What is shown beside figures and findings: lines of the source, and how many functions ``check`` left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofscan.config.options import Options
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.notebook import CELL, read_notebook
from roofscan.parse.reader.source import SourceError, read_source

MOST_FILES = 100  # with more, nobody waits for a count of plain functions


def lines_of(paths: Iterable[str], max_bytes: int) -> dict[str, list[str]]:
    """By path, and by ``path:cell 3``; what cannot be read again is left out."""
    found = {}
    for place in dict.fromkeys(paths):
        path, _, cell = place.partition(CELL)
        try:
            text = read_source(path, max_bytes)
            if cell:
                notebook = read_notebook(path, text)
                found[place] = notebook.lines_of(int(cell))
            else:
                found[place] = text.split("\n")
        except (SourceError, ValueError):
            continue
    return found


def plain_functions(paths: Sequence[str], options: Options) -> int:
    """How many functions look like kernels, and are neither decorated nor marked."""
    return sum(_plain_in(path, options) for path in paths) if len(paths) <= MOST_FILES else 0


def _plain_in(path: str, options: Options) -> int:
    try:
        module = read_module(read_source(path, options.max_bytes), path)
        return sum(candidate.how == "plain" for candidate in find_candidates(module, plain=True).candidates)
    except (SourceError, ValueError):  # it has been complained about
        return 0
