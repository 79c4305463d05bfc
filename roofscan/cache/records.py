"""What is kept of one source file: the findings of each of its units, and what they depend on besides its text."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from roofscan.cache.fingerprint import content_digest
from roofscan.files import state
from roofscan.finding import Finding, Subject, SubjectKind
from roofscan.frozen import dataclass
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.resolver import Lookups, ModuleFinder
from roofscan.parse.reader.source import SourceError
from roofscan.transformation import LoopRecord, TransformationKind, TransformationRecord

_PLAIN: Mapping[str, type] = {
    "code": str, "line": int, "column": int, "message": str, "kernel": str, "end_line": int, "end_column": int,
    "defers_to": str, "detail": str, "names_machine": str,
}  # fmt: skip
"""The fields of a finding that are one text or number each."""


Coverage = Literal["decided", "undecided", "accepted"]


@dataclass(frozen=True)
class KernelRecord:
    """A kernel that is not outside the model, with the names in it that facts may bind: () where no facts are given.
    "undecided": part of it is not counted, so that findings may be missing; "accepted": its verdict, by a pragma."""

    names: tuple[str, ...] = ()
    coverage: Coverage = "decided"


Kernels = Mapping[str, KernelRecord]


@dataclass(frozen=True)
class CachedFinding:
    finding: Finding
    default: bool

    def at(self, path: str, line: int) -> CachedFinding:
        """The same where its unit starts ``line`` lines further down, in the file at ``path``."""
        found = self.finding
        end = None if found.end_line is None else found.end_line + line
        change = found.transformation and found.transformation.moved(line)
        moved = replace(found, path=path, line=found.line + line, end_line=end, transformation=change)
        return replace(self, finding=moved)


@dataclass(frozen=True)
class ExternalDependency:
    """A question about another file of the package: asked from ``asker``, ``dotted`` led to ``file`` ("": to none).
    Paths are relative to the folder of the source file; ``content`` is the digest of the other file's text."""

    asker: str
    dotted: str
    file: str
    content: str

    def still(self, folder: str, finder: ModuleFinder) -> bool:
        """Whether the same question has the same answer today."""
        asker = os.path.normpath(os.path.join(folder, self.asker))
        reached = finder.file_of(Path(asker), self.dotted)
        there = str(reached[0]) if reached else ""
        same = _relative(there, folder) == self.file
        return same and (not there or content_digest(there, asker) == self.content)


@dataclass(frozen=True)
class UnitRecord:
    """The findings of a unit, as if it began in line 0, and what they depend on. ``lines``: where the pieces that it
    depends on began, if a message names lines; None if none does."""

    found: tuple[CachedFinding, ...] = ()
    lines: tuple[int, ...] | None = None
    outside: tuple[ExternalDependency, ...] = ()
    kernels: Kernels = field(default_factory=dict)
    may_be_kept: bool = True  # not where an analysis was cut short or failed: the next one may find more


@dataclass(frozen=True)
class FileRecord:
    """The findings of a file of this text: of its units, of no unit (``others``), or why it cannot be read."""

    text: str = ""  # its digest
    units: Mapping[str, UnitRecord] = field(default_factory=dict)
    places: tuple[tuple[str, int], ...] = ()  # digest and first line of each unit, in the order of the file
    others: tuple[CachedFinding, ...] = ()
    error: tuple[int, str] | None = None  # line and message
    stray: Kernels = field(default_factory=dict)  # the kernels of no unit; such a record is not kept

    @property
    def kernels(self) -> Kernels:
        found = dict(self.stray)
        for unit, _ in self.places:
            found |= self.units[unit].kernels
        return found

    def to_keep(self) -> FileRecord:
        """The record without the units that may not be kept. Where there are such units, it is the record of no
        text."""
        units = {name: unit for name, unit in self.units.items() if unit.may_be_kept}
        if len(units) == len(self.units):
            return self
        return replace(self, text="", units=units, places=tuple(p for p in self.places if p[0] in units))

    def fresh(self, path: str) -> bool:
        """Whether all that the findings depend on outside of the file is as it was."""
        folder, finder = os.path.dirname(path), ModuleFinder()
        return all(other.still(folder, finder) for unit in self.units.values() for other in unit.outside)

    def noted(self, path: str) -> list[CachedFinding]:
        here = [note.at(path, line) for unit, line in self.places for note in self.units[unit].found]
        return [*here, *(note.at(path, 0) for note in self.others)]

    def failure(self, path: str) -> SourceError | None:
        return SourceError(path, *self.error) if self.error else None


@dataclass(frozen=True)
class Source:
    """What to analyze: the text (``tree``: its ast, ``pieces``: its outline, if at hand), and whose it is."""

    text: str
    path: str
    tree: ast.Module | None
    follow: bool
    pieces: tuple[Definition, ...] | None = None


@dataclass(frozen=True)
class AnalysisResult:
    records: Mapping[str, UnitRecord] = field(default_factory=dict)
    others: tuple[CachedFinding, ...] = ()
    may_be_kept: bool = True
    stray: Kernels = field(default_factory=dict)


def outside(answers: Lookups, path: str, started: float) -> tuple[ExternalDependency, ...] | None:
    """What an analysis of the file at ``path`` asked about other files, to be asked again. None where one of them has
    been written since ``started`` (seconds since the epoch): which text was read?"""
    if any(file and _changed(file) >= started for file in answers.values()):
        return None
    folder = os.path.dirname(path)
    return tuple(
        ExternalDependency(
            _relative(asker, folder), dotted, _relative(file, folder), content_digest(file, asker) if file else ""
        )
        for (asker, dotted), file in sorted(answers.items())
    )


def _changed(path: str) -> float:
    try:
        return state(path)[0] / 1e9
    except OSError:
        return float("inf")


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder or os.curdir) if path else ""


# -- as JSON ----------------------------------------------------------------------------------
def to_json(record: FileRecord) -> dict[str, Any]:
    """Plain lists and texts; :func:`from_json` reads them."""
    return {
        "text": record.text,
        "units": {name: _unit_row(unit) for name, unit in record.units.items()},
        "places": record.places,
        "others": [_row(note) for note in record.others],
        "error": record.error,
    }


def from_json(table: dict[str, Any] | None) -> FileRecord:
    """The record that was kept; an empty one for anything else."""
    try:
        return _read(table) if table else FileRecord()
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return FileRecord()


def _read(table: dict[str, Any]) -> FileRecord:
    units = {str(name): _unit(*row) for name, row in table["units"].items()}
    places = tuple((str(name), int(line)) for name, line in table["places"])
    error = (int(table["error"][0]), str(table["error"][1])) if table["error"] else None
    if not units.keys() >= {name for name, _ in places}:
        raise ValueError("a place of no unit")
    return FileRecord(str(table["text"]), units, places, tuple(map(_note, table["others"])), error)


def _unit_row(unit: UnitRecord) -> list[Any]:
    others = [[o.asker, o.dotted, o.file, o.content] for o in unit.outside]
    kernels = {name: [kernel.coverage, kernel.names] for name, kernel in unit.kernels.items()}
    return [[_row(note) for note in unit.found], unit.lines, others, kernels]


def _unit(found: list[Any], lines: list[int] | None, others: list[Any], kernels: dict[str, list[Any]]) -> UnitRecord:
    return UnitRecord(
        tuple(map(_note, found)),
        None if lines is None else tuple(int(line) for line in lines),
        tuple(ExternalDependency(*map(str, row)) for row in others),
        {_text(name): _kernel(*row) for name, row in kernels.items()},
    )


def _kernel(coverage: Coverage, names: list[str]) -> KernelRecord:
    if coverage not in get_args(Coverage):
        raise ValueError("not a recorded kernel")
    return KernelRecord(_texts(names), coverage)


def _row(note: CachedFinding) -> dict[str, Any]:
    """The finding without its path: its sentence, and the structure behind it."""
    return {"default": note.default, **asdict(replace(note.finding, path=""))}


def _note(row: dict[str, Any]) -> CachedFinding:
    plain = {name: row[name] for name in _PLAIN}
    if any(type(value) is not _PLAIN[name] for name, value in plain.items()):
        raise TypeError("not a recorded finding")
    if not re.fullmatch(r"RFL\d{3}", plain["code"]):
        raise ValueError("not a recorded code")
    _texts((plain["message"], plain["kernel"], plain["defers_to"], plain["detail"]))
    if row["subject"]["kind"] not in get_args(SubjectKind):
        raise ValueError("not a recorded subject")
    finding = Finding(
        path="",
        subject=Subject(row["subject"]["kind"], _texts(row["subject"]["names"])),
        figures=tuple((_text(name), float(number)) for name, number in row["figures"]),
        lines=tuple(map(int, row["lines"])),
        transformation=_transformation(row["transformation"]) if row["transformation"] else None,
        **plain,
    )
    return CachedFinding(finding, bool(row["default"]))


def _transformation(row: dict[str, Any]) -> TransformationRecord:
    if row["kind"] not in get_args(TransformationKind):
        raise ValueError("not a recorded transformation")
    return TransformationRecord(
        row["kind"],
        tuple(map(_loop, row["loops"])),
        _texts(row["order"]),
        None if row["size"] is None else int(row["size"]),
        _loop(row["around"]) if row["around"] else None,
        _texts(row["arrays"]),
    )


def _loop(row: dict[str, Any]) -> LoopRecord:
    return LoopRecord(_text(row["name"]), int(row["line"]))


def _texts(texts: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(_text, texts))


def _text(value: object) -> str:
    """ValueError for a text that is not printable: a terminal would obey it."""
    text = str(value)
    if not text.isprintable():
        raise ValueError("not a recorded text")
    return text


def known_units(record: FileRecord, path: str, units: Mapping[str, Collection[int]]) -> dict[str, UnitRecord]:
    folder, finder = os.path.dirname(path), ModuleFinder()
    found = {}
    for name, lines in units.items():
        unit = record.units.get(name)
        if unit and unit.lines in (None, tuple(lines)) and all(other.still(folder, finder) for other in unit.outside):
            found[name] = unit
    return found
