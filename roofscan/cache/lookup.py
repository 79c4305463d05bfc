"""The findings of a source text, from the cache as far as it goes: in a file that has changed, only the units
(top-level functions and classes) whose own text, or what they depend on, has changed are analyzed."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from dataclasses import field, replace

from roofscan.cache.fingerprint import digest, run_digest
from roofscan.cache.records import CachedFinding, FileRecord, Kernels, Source, from_json, to_json
from roofscan.cache.store import FOLDER_NAME, Store
from roofscan.config.options import Options
from roofscan.config.selection import chosen, in_order, matches
from roofscan.config.test_modules import is_on, is_test_module
from roofscan.finding import Finding
from roofscan.frozen import dataclass
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.source import SourceError
from roofscan.pipeline.failures import guarded


@dataclass(frozen=True)
class Checked:
    """The findings of one file that the options enable, by place, or why it cannot be read."""

    findings: tuple[Finding, ...] = ()
    error: SourceError | None = None
    kernels: Kernels = field(default_factory=dict)
    silenced: tuple[Finding, ...] = ()  # those that only a comment or an option hides
    left: int = 0  # units that were not analyzed, because ``enough`` said so


def store_for(options: Options) -> Store | None:
    return None if options.no_cache else Store(options.cache_dir or FOLDER_NAME)


def known(text: str, path: str, options: Options, follow: bool, store: Store) -> Checked | None:
    """What the cache knows of a file of this text; None if it does not know all of it."""
    record = from_json(store.read(record_name(path, options, follow, store)))
    if record.text != digest(text) or not record.fresh(path):
        return None
    return _checked(record, text, path, options)


def check(
    text: str, path: str, options: Options, tree: ast.Module | None = None, follow: bool = False,
    store: Store | None = None, pieces: tuple[Definition, ...] | None = None,
    enough: Callable[[], bool] | None = None,
) -> Checked:  # fmt: skip
    """The findings of a source text (``pieces``: its outline, if at hand). The store keeps each analysis. ``enough`` is
    asked after each unit; the units that are left then are for the next call. Raises only OptionError."""
    name = record_name(path, options, follow, store) if store else ""
    before = from_json(store.read(name)) if store else FileRecord()
    if before.text == digest(text) and before.fresh(path):
        return _checked(before, text, path, options)
    from roofscan.cache.update import updated

    outcome = guarded(lambda: updated(Source(text, path, tree, follow, pieces), options, before, enough), path)
    if isinstance(outcome, Finding):
        return _checked(FileRecord(others=(CachedFinding(outcome, True),)), text, path, options)
    if store and outcome.may_be_kept:
        store.write(name, to_json(outcome.record.to_keep()))
    return replace(_checked(outcome.record, text, path, options), left=outcome.left)


def record_name(path: str, options: Options, follow: bool, store: Store) -> str:
    """The record's name: of the file, as seen from the cache, and of the setting."""
    try:
        place = os.path.relpath(path, os.path.dirname(os.path.abspath(store.folder)))
    except (ValueError, OSError):  # another drive; a current folder that is gone
        place = path
    return digest(f"{place}\0{run_digest(options, follow)}")


def _checked(record: FileRecord, text: str, path: str, options: Options) -> Checked:
    select, in_tests = (options.select, options.ignore, options.extend_select), is_test_module(path, text)
    found = {
        note.finding
        for note in record.noted(path)
        if chosen(note.finding.code, is_on(note.finding.code, note.default, in_tests), *select)
    }
    silent = tuple(code for pattern, codes in options.per_file_ignores if matches(path, [pattern]) for code in codes)
    shown = in_order(f for f in found if not f.code.startswith(silent) and f.promises(options.min_gain))
    return Checked(tuple(shown), record.failure(path), record.kernels, tuple(found.difference(shown)))
