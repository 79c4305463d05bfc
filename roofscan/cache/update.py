"""The record of a text of which the cache does not know all: known units stay as they are, wherever they moved to; the
others are analyzed in a text that holds nothing but what they depend on, and only they load what analyzes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.cache.fingerprint import digest
from roofscan.cache.records import AnalysisResult, FileRecord, Source, known_units
from roofscan.config.options import Options
from roofscan.frozen import dataclass
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.source import LIKE_A_MARK, MARK, SourceError, clean
from roofscan.parse.reader.units import Units


@dataclass(frozen=True)
class Update:
    """The record of a text. ``left``: units that it lacks; it is the record of no text then."""

    record: FileRecord
    may_be_kept: bool = True
    left: int = 0


def updated(source: Source, options: Options, before: FileRecord, enough: Callable[[], bool] | None = None) -> Update:
    """The record of a text; ``enough`` is asked after each unit that is analyzed."""
    seen, path = digest(source.text), source.path
    try:
        text = clean(source.text, path)
        pieces = outline(text, path, source.tree) if source.pieces is None else source.pieces
        units = Units(text, pieces, options.kernels == "all")
        here = {unit.digest: unit for unit in units}
    except SourceError as error:
        return Update(FileRecord(seen, error=(error.line, error.message)))
    old = known_units(before, path, {name: unit.lines for name, unit in here.items()})
    new = [unit for name, unit in here.items() if name not in old]
    made = AnalysisResult()
    if new or not old:
        from roofscan.cache.analysis import analyze_units

        part = replace(source, text=units.text_for(new), tree=None, pieces=None) if old else replace(source, text=text)
        made = analyze_units(part, options, new, list(here.values()), None if old else pieces, enough)
    others = made.others
    if MARK in text or LIKE_A_MARK.search(text):
        from roofscan.cache.analysis import pragma_notes

        others += pragma_notes(text, path, pieces)
    units_now = {**old, **made.records}
    places = tuple((name, unit.first_line) for name, unit in here.items() if name in units_now)
    left = len(here) - len(places)
    record = FileRecord("" if left else seen, units_now, places, others, stray=made.stray)
    return Update(record, made.may_be_kept, left)
