"""One open file: its findings and notes, of which an edit makes only those of the changed function anew. Used by the
worker's thread alone."""

from __future__ import annotations

from collections.abc import Iterator
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

MAX_UNITS = 50  # of one file, that are remembered


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
        before, now = (self.read(name) or record)["units"], record["units"]
        earlier = [unit for unit in before.items() if unit[0] not in now]
        room = MAX_UNITS - len(now)
        self._name, self._record = name, {**record, "units": {**dict(earlier[-room:] if room > 0 else ()), **now}}


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
        self._noted = ""  # likewise
        self._notes: dict[str, _UnitNotes] = {}
        self._options: Options | None = None

    def findings(self, text: str, options: Options) -> tuple[Finding, ...]:
        """The findings of the text, or where it cannot be parsed, of the last text that could."""
        if matches(self.path, options.exclude):
            return ()
        checked = check(text, self.path, options, follow=self._follow, store=self._store)
        if checked.error:
            moved = MovedLines(self._checked, text)
            return tuple(_at(finding, moved) for finding in self._findings)
        found = unsilenced(checked.findings, text)
        self._checked, self._kernels = text, frozenset(checked.kernels)
        self._findings = tuple(read_baseline(options.baseline).new(found)[0] if options.baseline else found)
        return self._findings

    def kernels(self, text: str) -> list[tuple[str, int]]:
        """The kernels that were last found, by name, with the lines of their ``def``."""
        moved = MovedLines(self._checked, text)
        paths = read_module(self._checked, self.path).function_paths if self._checked else {}
        return [(name, moved.later(path[-1].line)) for name in paths if name in self._kernels for path in paths[name]]

    def notes(self, text: str, options: Options, lines: range, with_lines: bool = True) -> list[Note]:
        """The notes of the functions that stand on these lines. ``with_lines``: what they say names lines."""
        self._forget_others(options)
        try:
            units = self._units(text)
        except SourceError:
            if not self._noted:
                return []
            units, moved = self._units(self._noted), MovedLines(self._noted, text)
            here = range(moved.earlier(lines.start), moved.earlier(lines.stop - 1) + 1)
            return [replace(note, line=moved.later(note.line)) for note in self._of(units, here, options, with_lines)]
        self._noted = text
        return list(self._of(units, lines, options, with_lines))

    def forget(self) -> None:
        """Another file may have changed on which notes depend."""
        self._notes.clear()

    def _forget_others(self, options: Options) -> None:
        if options != self._options:
            self._options = options
            self._notes.clear()

    def _units(self, text: str) -> Units:
        text = clean(text, self.path)
        return Units(text, outline(text, self.path), plain=True)

    def _of(self, units: Units, lines: range, options: Options, with_lines: bool) -> Iterator[Note]:
        every = list(units)
        self._notes = {unit.digest: self._notes[unit.digest] for unit in every if unit.digest in self._notes}
        for unit in every:
            if unit.first_line < lines.stop and unit.end_line >= lines.start:
                known = self._notes.get(unit.digest)
                if known is None or (with_lines and known.lines != unit.lines):
                    known = self._notes[unit.digest] = _UnitNotes(unit.lines, self._made(units, unit, options))
                yield from (replace(note, line=note.line + unit.first_line) for note in known.notes)

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
