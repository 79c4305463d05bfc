"""What is shown beside figures and findings: lines of the source, and how many functions ``check`` left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from roofscan.config.options import Options
from roofscan.files import CELL, file_of, is_notebook
from roofscan.finding import Finding
from roofscan.ir.kinds import GPU_KINDS
from roofscan.parse.reader.find import Candidate, find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.notebook import OUTPUTS, notebook_at, place_in_file
from roofscan.parse.reader.source import SourceError, read_source

MOST_FILES = 100  # with more, counting functions takes too long


def lines_of(paths: Iterable[str], max_bytes: int) -> dict[str, list[str]]:
    """By path, and by ``path:cell 3``; what cannot be read again is left out."""
    found = {}
    for place in dict.fromkeys(paths):
        path, cell = file_of(place)
        try:
            if cell:
                found[place] = notebook_at(path, max_bytes).lines_of(cell)
            else:
                found[place] = read_source(path, max_bytes).split("\n")
        except (SourceError, ValueError):
            continue
    return found


def in_files(findings: Sequence[Finding], max_bytes: int) -> list[Finding]:
    """For readers that know files and no cells: a finding in a cell is on its line of the notebook's file."""
    return [_in_file(f, *file_of(f.path), max_bytes) if CELL in f.path else f for f in findings]


def _in_file(finding: Finding, path: str, cell: int, max_bytes: int) -> Finding:
    if not cell:
        return finding
    text = read_source(path, OUTPUTS * max_bytes)
    line, column = place_in_file(text, cell, finding.line)
    end_line, end_column = finding.end
    end = place_in_file(text, cell, end_line)
    said = f"cell {cell}, line {finding.line}: {finding.message}"
    return replace(
        finding, path=path, line=line, column=column + finding.column, end_line=end[0], end_column=end[1] + end_column,
        message=said,
    )  # fmt: skip


def plain_functions(paths: Sequence[str], options: Options) -> int:
    """The number of functions that look like kernels, and are neither decorated nor marked."""
    return sum(candidate.how == "plain" for candidate in _candidates(paths, options))


def gpu_kernels(paths: Sequence[str], options: Options) -> int:
    """The number of kernels for a GPU."""
    return sum(candidate.decorator.on_gpu for candidate in _candidates(paths, options, GPU_KINDS))


def _candidates(paths: Sequence[str], options: Options, words: Sequence[str] = ("",)) -> Iterator[Candidate]:
    """The functions of the files in which one of the words stands."""
    most = options.max_bytes
    for path in paths if len(paths) <= MOST_FILES else ():
        try:
            text = notebook_at(path, most).text if is_notebook(path) else read_source(path, most)
            if any(word in text for word in words):
                yield from find_candidates(read_module(text, path), plain=True).candidates
        except (SourceError, ValueError):  # it has been complained about
            continue
