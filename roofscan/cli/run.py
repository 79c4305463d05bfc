"""The findings of many files: what the cache knows is read here, the rest is analyzed, in several processes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from roofscan.cache.lookup import Checked, check, known, record_name, store_for
from roofscan.cache.store import FOLDER_NAME, SentRecord, Store
from roofscan.cli.parallel import in_order
from roofscan.cli.targets import Target
from roofscan.config.options import Options
from roofscan.config.values import PROCESSES
from roofscan.files import CELL, STDIN, is_notebook, is_piped
from roofscan.finding import Finding
from roofscan.parse.reader.notebook import NotebookCode, notebook_at
from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source, split_lines


def examine(paths: Sequence[str], options: Options) -> Iterator[tuple[str, Checked]]:
    at_hand = [_at_hand(path, options) for path in paths]
    left = [path for path, checked in zip(paths, at_hand, strict=True) if checked is None]
    if left:
        import roofscan.cache.analysis  # noqa: F401  before processes fork, which then share it
    analyzed = (_here if options.executor == PROCESSES else _on_cluster)(left, options)
    for path, checked in zip(paths, at_hand, strict=True):
        yield path, checked if checked is not None else next(analyzed)


def _here(paths: Sequence[str], options: Options) -> Iterator[Checked]:
    yield from in_order(partial(_analyzed, options=options, store=store_for(options)), paths, Target, options)


def _on_cluster(paths: Sequence[str], options: Options) -> Iterator[Checked]:
    """The findings from a cluster, whose records are kept here."""
    store = store_for(options)
    for path, (checked, record) in zip(paths, in_order(partial(_sent, options=options), paths, Target, options)):
        if store and record:
            store.write(record_name(path, options, True, store), record)
        yield checked


def _at_hand(path: str, options: Options) -> Checked | None:
    """The findings that are known without an analysis, and those of standard input; None where one is needed."""
    if is_piped(path):
        return _analyzed(path, options, None)
    try:
        notebook = _notebook(path, options)
        text = notebook.text if notebook else read_source(path, options.max_bytes)
    except SourceError as error:
        return Checked(error=error)
    if options.kernels != "all" and not may_hold_kernels(text) and (not notebook or notebook.is_python):
        return Checked()
    store = store_for(options)
    checked = known(text, path, options, True, store) if store else None
    return checked and _in_cells(_unsilenced(checked, text), notebook)


def fixable(path: str, options: Options, codes: Collection[str]) -> tuple[str, ...] | None:
    """The kernels of a file with findings of these codes; None where that is not known. The cache answers if it
    can, and keeps the answer if not."""
    checked = _analyzed(path, options, store_for(options))
    found = [finding for finding in checked.findings if finding.code in codes]
    if checked.error or not all(finding.kernel for finding in found):
        return None
    return tuple(dict.fromkeys(finding.kernel for finding in found))


def _sent(path: str, options: Options) -> tuple[Checked, dict[str, Any] | None]:
    store = SentRecord(options.cache_dir or FOLDER_NAME)
    return _analyzed(path, options, store), store.record


def _analyzed(path: str, options: Options, store: Store | None) -> Checked:
    try:
        notebook = _notebook(path, options)
        text = notebook.text if notebook else read_source(path, options.max_bytes)
    except SourceError as error:
        return Checked(error=error)
    return _in_cells(_unsilenced(check(text, path, options, follow=path != STDIN, store=store), text), notebook)


def _notebook(path: str, options: Options) -> NotebookCode | None:
    return notebook_at(path, options.max_bytes) if is_notebook(path) else None


def _in_cells(checked: Checked, notebook: NotebookCode | None) -> Checked:
    """The findings of a notebook: ``path:cell 3``, and lines of that cell."""
    if notebook is None:
        return checked
    findings, silenced = (
        tuple(_in_its_cell(finding, notebook) for finding in each) for each in (checked.findings, checked.silenced)
    )
    return replace(
        checked, findings=findings, silenced=silenced, error=checked.error and notebook.in_cell(checked.error)
    )


def _in_its_cell(finding: Finding, notebook: NotebookCode) -> Finding:
    cell, line = notebook.place(finding.line)
    end = finding.end_line and notebook.place(finding.end_line)[1]
    said = re.sub(
        r"\bline (\d+)\b", lambda m: "line {1} of cell {0}".format(*notebook.place(int(m[1]))), finding.message
    )
    return replace(finding, path=f"{finding.path}{CELL}{cell}", line=line, end_line=end, message=said)


def _unsilenced(checked: Checked, text: str) -> Checked:
    left = unsilenced(checked.findings, text)
    silenced = set(checked.findings).difference(left)
    return replace(checked, findings=tuple(left), silenced=(*checked.silenced, *silenced))


_LINE = re.compile(r"#\s*noqa(?::\s?(?P<codes>[A-Z]+[0-9]*(?:[,\s]+[A-Z]+[0-9]+)*))?", re.IGNORECASE)
_FILE = re.compile(r"^\s*#\s*flake8[:=]\s*noqa(?P<codes>:\s?[A-Z0-9, ]+)?\s*$", re.IGNORECASE | re.MULTILINE)


def unsilenced(findings: Iterable[Finding], text: str) -> list[Finding]:
    lines = split_lines(text)
    of_file = [_codes(match["codes"]) for match in _FILE.finditer(text)]
    return [f for f in findings if not any(f.code.startswith(codes) for codes in [*of_file, *_on_line(lines, f.line)])]


def _on_line(lines: list[str], line: int) -> list[tuple[str, ...]]:
    match = _LINE.search(lines[line - 1]) if 0 < line <= len(lines) else None
    return [_codes(match["codes"])] if match else []


def _codes(text: str | None) -> tuple[str, ...]:
    """The codes that a comment names; the empty one, which begins every code, where it names none."""
    return tuple(re.findall(r"[A-Z]+[0-9]*", (text or "").upper())) or ("",)
