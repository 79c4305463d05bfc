"""One open file: its findings and notes, of which an edit makes only those of the changed function anew. Used by the
worker's thread alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from roofscan.cache.lookup import check
from roofscan.cache.store import Store
from roofscan.cli.baseline import read_baseline
from roofscan.cli.run import unsilenced
from roofscan.config.options import Options
from roofscan.config.run_config import load_run_config
from roofscan.config.selection import matches
from roofscan.finding import Finding
from roofscan.frozen import dataclass
from roofscan.lsp.moved_lines import MovedLines
from roofscan.lsp.notes import Note, notes_of
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.resolver import ModuleFinder
from roofscan.parse.reader.source import SourceError, clean
from roofscan.parse.reader.units import Unit, Units
from roofscan.pipeline.driver import FileAnalysis
from roofscan.pipeline.failures import guarded

MAX_EARLIER_UNITS = 50  # of one file, that are remembered beside those of its last text that could be parsed


class _OneRecord(Store):
    """The record of one file, in memory, with units of texts before: what is undone, or broken for a moment, is
    known."""

    def __init__(self) -> None:
        super().__init__(".")
        self._name = ""
        self._record: dict[str, Any] | None = None

    def read(self, name: str) -> dict[str, Any] | None:
        return self._record if name == self._name else None

    def write(self, name: str, record: dict[str, Any]) -> None:
        units = (self.read(name) or record)["units"]
        if not record["error"]:  # a text that cannot be parsed has no units
            earlier = [unit for unit in units.items() if unit[0] not in record["units"]]
            units = {**dict(earlier[-MAX_EARLIER_UNITS:]), **record["units"]}
        self._name, self._record = name, {**record, "units": units}


@dataclass(frozen=True)
class _UnitNotes:
    """``lines``: where what the unit depends on stood when its notes were made; they may name lines."""

    lines: tuple[int, ...]
    notes: tuple[Note, ...]


class OpenFile:
    def __init__(self, path: str, on_disk: bool) -> None:
        self.path = path
        self._follow = on_disk
        self._store = _OneRecord()
        self._checked = ""  # the last text that could be parsed: between keystrokes, source is broken
        self._findings: tuple[Finding, ...] = ()
        self._kernels: frozenset[str] = frozenset()
        self._kernel_lines: list[tuple[str, int]] | None = None
        self._noted = ""  # likewise
        self._units: Units | None = None  # of the text that was noted
        self._broken: str | None = None  # the last text that could not be parsed
        self._notes: dict[str, _UnitNotes] = {}
        self._options: Options | None = None

    def findings(self, text: str, options: Options) -> tuple[Finding, ...]:
        """The findings of the text, or where it cannot be parsed, of the last text that could."""
        return self.findings_until(None, text, options)[0]

    def findings_until(
        self, enough: Callable[[], bool] | None, text: str, options: Options
    ) -> tuple[tuple[Finding, ...], int]:
        """The findings that are known when it is ``enough``, which is asked after each unit, and how many units are
        left for the next call."""
        if matches(self.path, options.exclude):
            return (), 0
        guarded(lambda: self._read(text), self.path)
        if text != self._broken:
            pieces = self._units.definitions if self._units and text == self._noted else None
            checked = check(
                text, self.path, options, follow=self._follow, store=self._store, pieces=pieces, enough=enough
            )
            found = unsilenced(checked.findings, text)
            self._checked, self._kernels, self._kernel_lines = text, frozenset(checked.kernels), None
            self._findings = tuple(read_baseline(options.baseline).new(found)[0] if options.baseline else found)
            return self._findings, checked.left
        moved = MovedLines(self._checked, text)
        return tuple(_at(finding, moved) for finding in self._findings), 0

    def kernels(self, text: str) -> list[tuple[str, int]]:
        """The kernels that were last found, by name, with the lines of their ``def``."""
        if self._kernel_lines is None:
            paths = read_module(self._checked, self.path).function_paths if self._checked else {}
            self._kernel_lines = [(name, p[-1].line) for name in paths if name in self._kernels for p in paths[name]]
        moved = MovedLines(self._checked, text)
        return [(name, moved.later(line)) for name, line in self._kernel_lines]

    def notes(self, text: str, options: Options, lines: range, with_lines: bool = True) -> list[Note]:
        """The notes of the functions that stand on these lines. ``with_lines``: what they say names lines."""
        self._forget_others(options)
        self._read(text)
        if self._units is None:
            return []
        if text == self._noted:
            return list(self._of(self._units, lines, options, with_lines))
        moved = MovedLines(self._noted, text)
        here = range(moved.earlier(lines.start), moved.earlier(lines.stop - 1) + 1)
        found = self._of(self._units, here, options, with_lines)
        return [replace(note, line=moved.later(note.line)) for note in found]

    def forget(self) -> None:
        """Another file may have changed on which notes depend. Any thread may say so."""
        self._options = None

    def _forget_others(self, options: Options) -> None:
        if options != self._options:
            self._options = options
            self._notes.clear()

    def _read(self, text: str) -> None:
        """Notes the units of the text, or that it is broken."""
        if text != self._noted and text != self._broken:
            try:
                source = clean(text, self.path)
                self._units, self._noted = Units(source, outline(source, self.path), plain=True), text
            except SourceError:
                self._broken = text

    def _of(self, units: Units, lines: range, options: Options, with_lines: bool) -> Iterator[Note]:
        for unit in units.on(lines):
            known = self._notes.pop(unit.digest, None)
            if known is None or (with_lines and known.lines != unit.lines):
                known = _UnitNotes(unit.lines, self._made(units, unit, options))
            self._notes[unit.digest] = known
            yield from (replace(note, line=note.line + unit.first_line) for note in known.notes)
        oldest = list(self._notes)[: -MAX_EARLIER_UNITS - len(units.definitions)]
        self._notes = {digest: notes for digest, notes in self._notes.items() if digest not in oldest}

    def _made(self, units: Units, unit: Unit, options: Options) -> tuple[Note, ...]:
        """As if the unit began in line 0."""
        module = read_module(units.text_for([unit]), self.path, finder=ModuleFinder(self._follow))
        analysis = FileAnalysis(module, load_run_config(replace(options, layers=True, machines=options.machines[:1])))
        here = range(unit.first_line, unit.end_line + 1)
        candidates = [c for c in find_candidates(module, plain=True).candidates if c.function.place.line in here]
        notes = (note for candidate in candidates for note in notes_of(analysis.of(candidate).reports[0]))
        return tuple(replace(note, line=note.line - unit.first_line) for note in notes)


def _at(finding: Finding, moved: MovedLines) -> Finding:
    end = None if finding.end_line is None else moved.later(finding.end_line)
    return replace(finding, line=moved.later(finding.line), end_line=end)
